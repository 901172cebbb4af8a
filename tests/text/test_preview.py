"""A look at files before they are imported: quick, and it never fails."""

import gzip
import json
import time

from lmstudio.text.document import ReadOptions
from lmstudio.text.preview import preview
from tests.text.files import made

TEXT = "统计语言模型需要很多语料。今天天气很好，我们去北京看书！\n第二行文字\n"


def test_first_lines_encoding_and_candidates(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode("gb18030"))
    seen = preview([tmp_path])
    assert (seen.encoding, seen.lines_rule) == ("gb18030", "paragraph")
    assert seen.lines == TEXT.splitlines()
    assert seen.confidence > 0.7
    assert seen.candidates[0].lines == seen.lines
    assert seen.unended == 0.5
    assert [(f.name, f.encoding) for f in seen.files] == [("a.txt", "gb18030")]


def test_what_else_it_may_be_is_shown(tmp_path):
    (tmp_path / "a.txt").write_bytes("我愛北京".encode("big5"))
    candidates = preview([tmp_path]).candidates
    assert [c.encoding for c in candidates][:2] == ["big5", "gb18030"]
    assert candidates[0].lines == ["我愛北京"] != candidates[1].lines
    assert len(candidates) <= 3


def test_a_chosen_encoding_is_shown_or_refused(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode("gb18030"))
    assert preview([tmp_path / "a.txt"], ReadOptions("gb18030")).lines == TEXT.splitlines()
    seen = preview([tmp_path / "a.txt"], ReadOptions("utf-8"))
    assert not seen.files
    assert "Byte 2 is not utf-8" in str(seen.refused[0].reason)


def test_damaged_utf8_is_refused_with_the_byte(tmp_path):
    for codec, position in {"utf-8": 85, "utf-8-sig": 88}.items():
        (tmp_path / "a.txt").write_bytes(TEXT.encode(codec)[: position + 2])
        (refusal,) = preview([tmp_path]).refused
        assert f"Byte {position} is not utf-8" in str(refusal.reason)


def test_refused_files_stand_beside_the_others(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "b.gz").write_bytes(b"no gzip")
    (tmp_path / "c.png").write_bytes(b"png")
    (tmp_path / "d.txt").write_text(TEXT, encoding="utf-8")
    seen = preview([tmp_path])
    assert [file.name for file in seen.files] == ["d.txt"]
    assert {refusal.name for refusal in seen.refused} == {"a.txt", "b.gz", "c.png"}


def test_nothing_there_is_an_empty_preview(tmp_path):
    seen = preview([tmp_path, tmp_path / "gone.txt"])
    assert (seen.files, seen.encoding, seen.lines) == ([], "", [])


def test_long_lines_are_cut_and_size_costs_no_time(tmp_path):
    (tmp_path / "a.txt").write_text("字" * 2_000_000, encoding="utf-8")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"word " * 4_000_000, 1))
    start = time.perf_counter()
    seen = preview([tmp_path])
    assert time.perf_counter() - start < 1  # 0.02 s here; only far too much is a fault
    assert [len(line) for line in seen.lines] == [300]
    assert len(seen.files) == 2


def test_a_table_shows_its_rows_and_what_its_columns_are(tmp_path):
    rows = "".join(f"{number % 2},第{number}行{'字' * 300}\n" for number in range(2000))
    (tmp_path / "a.csv").write_text(f"label,评论\n{rows}", encoding="gb18030")
    seen = preview([tmp_path])
    assert (seen.format, seen.encoding, seen.lines_rule) == ("csv", "gb18030", "paragraph")
    assert (seen.table.columns, seen.table.header) == (["label", "评论"], True)
    assert seen.table.guess == {"text": "评论", "label": "label"}
    assert [len(cell) for cell in seen.table.rows[0]] == [1, 200]
    assert len(seen.table.rows) == 20
    assert seen.lines[1].startswith("第1行")
    assert [(f.format, f.encoding) for f in seen.files] == [("csv", "gb18030")]


def test_a_column_can_be_chosen_and_must_be_there(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": "甲", "b": "乙"}]', encoding="utf-8")
    assert preview([tmp_path], ReadOptions(text_column="b")).table.guess == {"text": "b"}
    seen = preview([tmp_path], ReadOptions(text_column="c"))
    assert str(seen.refused[0].reason) == "There is no column c. The columns are a, b."


def test_documents_of_all_kinds_show_their_first_lines(tmp_path):
    files = {
        "a.docx": made.docx(["甲乙丙"]),
        "a.pdf": made.pdf([[], ["甲乙丙"]]),
        "a.epub": made.epub({"x.xhtml": "", "y.xhtml": "<p>甲乙丙</p>"}),
        "a.html": "<p>甲乙丙</p>".encode(),
        "a.zip": made.zipped({"x.png": "x", "y.txt": b"", "z.docx": made.docx(["甲乙丙"])}),
        "a.tar.gz": made.tarred({"x.txt": "甲乙丙".encode()}),
    }
    kinds = []
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        seen = preview([tmp_path / name])
        assert seen.lines == ["甲乙丙"]
        kinds.append(seen.format)
    assert kinds == ["docx", "pdf", "epub", "html", "docx", "text"]


def test_given_words_and_long_json_are_known_by_their_start(tmp_path):
    (tmp_path / "a.txt").write_text("我/r  爱/v\n" * 90_000, encoding="utf-8")
    (tmp_path / "b.json").write_text(
        json.dumps({"data": [{"text": "字" * 99}] * 9999}, indent=1), encoding="utf-8"
    )
    (tmp_path / "c.json").write_text(json.dumps([{"text": "字" * 99}] * 9999), encoding="utf-8")
    assert preview([tmp_path / "a.txt"]).format == "tagged"
    assert preview([tmp_path / "b.json"]).table is None  # one object, longer than its start
    assert preview([tmp_path / "c.json"]).table.columns == ["text"]
