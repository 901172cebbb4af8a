"""Tables give a document a row: which columns, which delimiter, and no row is split or lost."""

import csv
import gzip
import io
import json

import pytest

from lmstudio.text.document import ReadOptions
from lmstudio.text.files.columns import judge
from lmstudio.text.preview import preview
from lmstudio.text.read import ReadError
from tests.text.files import made
from tests.text.files.reading import CASES, read, refusal, texts


def write(tmp_path, name, text, encoding="utf-8"):
    (tmp_path / name).write_bytes(text.encode(encoding))
    return tmp_path / name


def guess(*rows, **options):
    columns = judge([list(row) for row in rows], ReadOptions(**options))
    return columns.header, columns.guess()


def test_a7_quoted_fields_stay_whole():
    taken, refused = read(CASES / "a07_quoted.csv")
    assert [(item.chunks, item.label) for item in taken] == [
        ("第一行，有逗号", "正"),
        ("第二条\r\n跨两行的文本", "负"),
        ('他说："很好"，我同意', "正"),
    ]
    assert not refused
    assert {item.lines for item in taken} == {"paragraph"}


def test_a7_written_and_read_again_it_is_the_same(tmp_path):
    taken, _ = read(CASES / "a07_quoted.csv")
    written = io.StringIO()
    rows = [[item.chunks, item.label] for item in taken]
    csv.writer(written).writerows([["text", "label"], *rows])
    again, _ = read(write(tmp_path, "b.csv", written.getvalue(), "utf-8-sig"))
    assert [[item.chunks, item.label] for item in again] == rows


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_and_encodings_are_found(tmp_path, encoding, delimiter):
    rows = [["标题", "正文"], ["甲", "今天天气很好"], ["乙", "统计语言模型，需要语料"]]
    text = "\n".join(delimiter.join(row) for row in rows)
    taken, _ = read(write(tmp_path, "a.csv", text, encoding))
    assert [(item.title, item.chunks) for item in taken] == [tuple(row) for row in rows[1:]]


def test_quotes_that_are_only_text_swallow_no_rows(tmp_path):
    rows = [f"{number % 2}\t第{number}行" for number in range(9000)]
    rows[5000] = '1\t"好"是一个字'
    rows[7000] = '0\t"坏"也是'
    path = write(tmp_path, "a.tsv", "label\ttext_a\n" + "\n".join(rows) + "\n")
    found = texts(path)
    assert len(found) == 9000
    assert found[5000] == '"好"是一个字'


def test_one_bad_row_costs_no_other(tmp_path):
    rows = ['"一,二",正', '"三"四,负', '"五\n六",正'] + ['"七,八",正'] * 9
    taken, refused = read(write(tmp_path, "a.csv", "text,label\n" + "\n".join(rows)))
    assert [item.chunks for item in taken] == ["一,二", "五\n六"] + ["七,八"] * 9
    assert refused == ["Rows whose quotes or brackets do not match: 1."]


def test_rows_that_cannot_be_taken_are_counted(tmp_path):
    path = write(tmp_path, "a.csv", "text,split\n一,train\n,test\n二\n三,dev\n四,x\n五,test,六\n")
    taken, refused = read(path, part_column="split", text_column="text")
    assert [(item.chunks, item.part) for item in taken] == [
        ("一", "train"), ("二", ""), ("三", "valid"),
    ]  # fmt: skip
    assert refused == [
        "Rows without text: 1.",
        'Rows that say neither train, valid nor test, but for example "x": 1.',
        "Rows with more cells than columns, so that their text is uncertain: 1.",
    ]


def test_lone_carriage_returns_and_odd_line_ends(tmp_path):
    assert texts(write(tmp_path, "a.csv", "text,n\r甲\u2028乙,1\r丙,2\r")) == ["甲\u2028乙", "丙"]


def test_columns_are_guessed_by_known_names():
    header = ["id", "内容", "标题", "类别", "split"]
    row = ["1", "短", "一个很长很长的标题", "c", "dev"]
    assert guess(header, row) == (
        True, {"text": "内容", "title": "标题", "label": "类别", "part": "split"},
    )  # fmt: skip
    assert guess(header, [*row[:4], "elsewhere"])[1].get("part") is None


def test_a_column_can_be_none_whatever_its_name():
    rows = [["text", "title"], ["甲", "乙"]]
    assert guess(*rows, title_column="-") == (True, {"text": "text"})


def test_columns_without_names_are_counted():
    rows = [["帝京篇", "太宗皇帝", "秦川雄帝宅，函谷壯皇居。"]] * 3
    assert guess(*rows) == (False, {"text": "3"})
    assert guess(*rows, text_column="1", title_column="2") == (False, {"text": "1", "title": "2"})


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["编号", "评论"], ["1", "好"]], True),  # numbers below a name
        ([["作者", "诗"], ["李白", "床前明月光，疑是地上霜。"]], True),  # far longer below
        ([["李白", "诗", "9.2"], ["医生", "责任", "8.85"]], False),
        ([["双十一花呗提额在哪", "0"], ["花呗支持高铁票支付吗", "1"]], False),
        ([["甲", ""], ["乙", "x"]], False),
    ],
)
def test_a_header_is_told_from_a_row(rows, header):
    assert guess(*rows)[0] == header
    assert guess(*rows, header="yes")[0]
    assert not guess(*rows, header="no")[0]


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ReadError, match="There is no column body. The columns are text, n."):
        guess(["text", "n"], ["甲", "1"], text_column="body")


def test_names_are_never_alike():
    columns = judge([["text", "", "text"], ["甲", "乙", "丙"]], ReadOptions())
    assert columns.names == ["text", "2", "text (2)"]


POEMS = [
    {"title": "静夜思", "paragraphs": ["床前明月光，", "疑是地上霜。"], "id": 1},
    {"title": "春晓", "paragraphs": ["春眠不觉晓，"], "id": 22},
]


def forms_of_json():
    lines = "\n".join(json.dumps(poem, ensure_ascii=False) for poem in POEMS)
    return {
        "array": json.dumps(POEMS),
        "indented": json.dumps(POEMS, ensure_ascii=False, indent=1),
        "lines": lines,
        "crlf": lines.replace("\n", "\r\n") + "\r\n",
        "object": json.dumps({"version": "1", "data": POEMS}, ensure_ascii=False, indent=2),
        "compact object": json.dumps({"version": "1", "data": POEMS}),
    }


@pytest.mark.parametrize("form", forms_of_json())
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_json_of_every_form_gives_the_same(tmp_path, form, name):
    taken, refused = read(write(tmp_path, name, forms_of_json()[form]))
    assert [(item.title, item.chunks) for item in taken] == [
        ("静夜思", "床前明月光，\n疑是地上霜。"), ("春晓", "春眠不觉晓，"),
    ]  # fmt: skip
    assert not refused


def test_json_texts_and_names_within_names(tmp_path):
    assert texts(write(tmp_path, "a.json", '["甲", "乙"]')) == ["甲", "乙"]
    inner = json.dumps([{"a": {"b": [{"c": "一"}, {"c": "二"}]}, "d": "x"}])
    assert texts(write(tmp_path, "b.json", inner), text_column="a.b.c") == ["一\n二"]


def test_a_big_array_comes_piece_by_piece(tmp_path):
    values = [{"text": "字" * (number % 5000), "n": number} for number in range(1, 300)]
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(values, ensure_ascii=False).encode()))
    assert texts(path) == [value["text"] for value in values]


def test_a_cut_array_keeps_what_came_before(tmp_path):
    text = json.dumps([{"text": "甲乙"}] * 200, ensure_ascii=False)
    taken, refused = read(write(tmp_path, "a.json", text[:-10]))
    assert len(taken) == 199
    assert "The JSON is damaged or not complete" in refused[0]


def test_broken_json_lines_are_counted(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"text": "甲"}\n{"text": \n{"text": "\\ud83d"}\n')
    taken, refused = read(path)
    assert [item.chunks for item in taken] == ["甲"]
    assert refused == [
        "Rows whose quotes or brackets do not match: 1.", "Rows with half a character: 1.",
    ]  # fmt: skip


def test_deep_json_is_refused_and_nothing_breaks(tmp_path):
    assert "damaged" in refusal(write(tmp_path, "a.json", "[" * 100_000))


def test_a_line_nested_without_end_costs_no_other(tmp_path):
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    taken, refused = read(write(tmp_path, "a.jsonl", f'{{"text": "甲"}}\n{deep}\n{{"text": "乙"}}'))
    assert [item.chunks for item in taken] == ["甲", "乙"]
    assert refused == ["Rows whose quotes or brackets do not match: 1."]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_numbers_are_as_they_are_written(tmp_path, name):
    numbers = ["9" * 6000, "1.10", "1e999"]
    rows = [f'{{"text": "甲", "label": {number}}}' for number in numbers]
    text = f"[{','.join(rows)}]" if name == "a.json" else "\n".join(rows)
    taken, refused = read(write(tmp_path, name, text))
    assert [item.label for item in taken] == numbers
    assert not refused


@pytest.mark.parametrize("end", ["", "\n"])
def test_long_lines_take_no_longer_than_short_ones(tmp_path, end):
    text = "字" * 1_500_000
    assert texts(write(tmp_path, "a.csv", f"text,label\n{text},1{end}")) == [text]
    assert texts(write(tmp_path, "a.jsonl", f'{{"text": "{text}"}}{end}')) == [text]
    wide = ",".join(f"字{number}" for number in range(20_000))
    assert texts(write(tmp_path, "b.csv", f"text,{wide}\n{text},{wide}{end}")) == [text]


def test_cells_are_what_the_sheet_shows(tmp_path):
    from datetime import date, datetime

    rows = [
        ["编号", "正文", "日期", "比例"],
        [(12, "0000"), "第一行\n第二行", datetime(2024, 1, 31), 0.1 + 0.2],
        ["0034", "=1+1", date(2024, 2, 1), True],
        [None, None, None, None],
        [3, "完", None, 7.0],
    ]
    (tmp_path / "a.xlsx").write_bytes(made.xlsx({"表": rows}))
    numbers, refused = read(tmp_path / "a.xlsx", text_column="编号")
    assert [item.chunks for item in numbers] == ["0012", "0034", "3"]
    assert not refused
    taken, refused = read(tmp_path / "a.xlsx")
    assert [(item.name, item.chunks) for item in taken] == [
        ("a.xlsx #1", "第一行\n第二行"), ("a.xlsx #3", "完"),
    ]  # fmt: skip
    assert refused[0].startswith("Rows with a formula whose value is not in the file: 1.")
    dates, _ = read(tmp_path / "a.xlsx", text_column="日期")
    assert [item.chunks for item in dates] == ["2024-01-31", "2024-02-01"]
    assert texts(tmp_path / "a.xlsx", text_column="比例") == ["0.3", "TRUE", "7"]


def test_all_visible_sheets_are_read(tmp_path):
    sheets = {"一": [["text"], ["甲"]], "空": [], "二": [["正文", "标签"], ["乙", "正"]]}
    (tmp_path / "a.xlsx").write_bytes(made.xlsx(sheets))
    taken, _ = read(tmp_path / "a.xlsx")
    assert [(item.name, item.chunks, item.label) for item in taken] == [
        ("a.xlsx, 一 #1", "甲", ""), ("a.xlsx, 二 #1", "乙", "正"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", [",,,\n,,,\n", "[]", "{}", '""', "[{}]"])
def test_tables_of_nothing_say_so(tmp_path, text):
    name = "a.csv" if "," in text else "a.json"
    sentence = refusal(write(tmp_path, name, text))
    assert sentence in ("There is no usable text in it.", "Rows without text: 1.")
    assert len(preview([tmp_path]).refused) < 2
