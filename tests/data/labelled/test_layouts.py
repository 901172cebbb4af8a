"""Small files in every layout that circulates are read as meant; nothing is lost unseen."""

import json

import pytest

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.reading import tables
from lmstudio.errors import AppError
from tests.text.files import made

CARD = {"features": {"ner_tags": {"feature": {"names": ["O", "B-PER", "I-PER"]}}}}
SQUAD = {"data": [{"paragraphs": [{"context": "我在北京", "qas": [
    {"id": "a", "question": "在哪", "answers": [{"text": "北京", "answer_start": 2}]},
    "no question", {"id": "b", "question": "谁",
                    "answers": {"text": ["我"], "answer_start": [1, 2]}},
]}]}]}  # fmt: skip
STUDIO = [
    {"data": {"text": "我在北京"}, "annotations": [
        {"was_cancelled": True, "result": []},
        {"result": [{"type": "labels", "value": {"start": 1, "end": 3, "text": "北京",
                                                 "labels": ["LOC"]}}]},
    ]},
    {"data": {"text": "谁"}, "annotations": []},
]  # fmt: skip


def lines(*objects):
    return "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
                     for one in objects)  # fmt: skip


def seen(found, part="train"):
    """What is in the examples, without where they stand."""
    return [(e.text, e.other, e.label, [(s.start, s.end, s.type) for s in e.spans])
            for e in found.parts[part]]  # fmt: skip


def dropped(found):
    return {problem.sentence: problem.count for problem in found.problems
            if problem.level == "dropped"}  # fmt: skip


TAGGED = [("我在北京", "", "", [(2, 4, "LOC")]), ("谁", "", "", [])]
CLASSES = [("很好", "", "好", []), ("很差", "", "差", [])]
PAIR = [("有人在跑", "有人在动", "entailment", [])]
ANSWER = [("我在北京", "在哪", "", [(2, 4, "")])]


@pytest.mark.parametrize(
    ("file", "kind", "expected"),
    [
        ("BIO_txt", "tag", TAGGED),
        ("IOB1_txt", "tag", TAGGED),
        ("BIOES_txt", "tag", TAGGED),
        ("BMES_txt", "tag", TAGGED),
        ("docstart_txt", "tag", TAGGED),
        ("CLUENER_json", "tag", TAGGED),
        ("doccano_jsonl", "tag", TAGGED),
        ("entities_jsonl", "tag", TAGGED),
        ("prodigy_jsonl", "tag", TAGGED),
        ("studiomin_json", "tag", TAGGED),
        ("classes_jsonl", "classify", CLASSES),
        ("choices_json", "classify", CLASSES),
        ("uer_tsv", "classify", CLASSES),
        ("bare_tsv", "classify", CLASSES),
        ("hf_jsonl", "pair", PAIR),
        ("uerpair_tsv", "pair", PAIR),
        ("columns_jsonl", "qa", ANSWER),
        ("cmrc_json", "qa", ANSWER),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_layouts(read, file, kind, expected):
    found = read(**{file: FILES[file]})
    assert found.kind == kind
    assert seen(found) == expected
    assert not dropped(found)


FILES = {
    "BIO_txt": "我 O\n在 O\n北 B-LOC\n京 I-LOC\n\n谁 O\n",
    "IOB1_txt": "我 O\n在 O\n北 I-LOC\n京 I-LOC\n\n谁 O\n",
    "BIOES_txt": "我 O\n在 O\n北 B-LOC\n京 E-LOC\n\n谁 O\n",
    "BMES_txt": "我 O\n在 O\n北 B-LOC\n京 E-LOC\n\n谁 O\n",
    "docstart_txt": "-DOCSTART- -X- O O\n\n我 N O\n在 P O\n北 N B-LOC\n京 N I-LOC\n\n谁 N O\n",
    "CLUENER_json": lines({"text": "我在北京", "label": {"LOC": {"北京": [[2, 3]]}}},
                          {"text": "谁", "label": {}}),
    "doccano_jsonl": lines({"id": 1, "text": "我在北京", "label": [[2, 4, "LOC"]], "Comments": []},
                           {"id": 2, "text": "谁", "label": [], "Comments": []}),
    "entities_jsonl": lines(
        {"text": "我在北京", "entities": [{"id": 1, "label": "LOC", "start_offset": 2,
                                       "end_offset": 4}], "relations": []},
        {"text": "谁", "entities": [], "relations": []}),
    "prodigy_jsonl": lines(
        {"text": "我在北京", "tokens": [{"text": "我", "start": 0}],
         "spans": [{"start": 2, "end": 4, "label": "LOC"}], "answer": "accept"},
        {"text": "谁", "tokens": [], "spans": [], "answer": "accept"}),
    "studiomin_json": json.dumps([
        {"id": 1, "text": "我在北京", "label": [{"start": 2, "end": 4, "text": "北京",
                                             "labels": ["LOC"]}]},
        {"id": 2, "text": "谁", "label": []}]),
    "classes_jsonl": lines({"id": 1, "text": "很好", "label": ["好"]},
                           {"id": 2, "text": "很差", "label": ["差"]}),
    "choices_json": json.dumps([
        {"data": {"text": text}, "annotations": [{"result": [
            {"type": "choices", "value": {"choices": [label]}}]}]}
        for text, _, label, _ in CLASSES]),
    "uer_tsv": "label\ttext_a\n好\t很好\n差\t很差\n",
    "bare_tsv": "好\t很好\n差\t很差\n",
    "hf_jsonl": lines({"premise": "有人在跑", "hypothesis": "有人在动", "label": "entailment"}),
    "uerpair_tsv": "label\ttext_a\ttext_b\nentailment\t有人在跑\t有人在动\n",
    "columns_jsonl": lines({"id": "1", "context": "我在北京", "question": "在哪",
                            "answers": {"text": ["北京"], "answer_start": [2]}}),
    "cmrc_json": json.dumps([{"context_id": "T", "context_text": "我在北京", "qas": [
        {"query_id": "1", "query_text": "在哪", "answers": ["北京", "北京"]}]}]),
}  # fmt: skip


def test_excel_rows(read):
    rows = [["文本", "标签", "集"], ["很好", 1, "训练"], ["很差", 0, "测试"], ["", 1, "训练"],
            [None] * 3, ["好\n吗", 1, "训练"]]  # fmt: skip
    found = read(options=LabelOptions(part_column="集"), book_xlsx=made.xlsx({"sheet": rows}))
    assert seen(found) == [("很好", "", "1", []), ("好\n吗", "", "1", [])]
    assert seen(found, "test") == [("很差", "", "0", [])]
    assert dropped(found) == {"Rows without text, left out: {count}.": 1}


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        ("txt", "O\nB-PER\nI-PER\n"),
        ("txt", "O\t0\nB-PER\t1\nI-PER\t2"),
        ("txt", "0 O\n1 B-PER\n2 I-PER"),
        ("json", json.dumps(["O", "B-PER", "I-PER"])),
        ("json", json.dumps({"0": "O", "1": "B-PER", "2": "I-PER"})),
        ("json", json.dumps({"label2id": {"O": 0, "B-PER": 1, "I-PER": 2}})),
        ("json", json.dumps(CARD)),
    ],
    ids=["lines", "name first", "number first", "list", "numbers", "label2id", "card"],
)
def test_tags_that_are_numbers_have_names_in_a_file(read, suffix, content):
    rows = lines({"tokens": ["张", "三", "来"], "ner_tags": [1, 2, 0]})
    found = read(rows_json=rows, **{f"names_{suffix}": content})
    assert seen(found) == [("张三来", "", "", [(0, 2, "PER")])]
    with pytest.raises(AppError, match="tags are numbers"):
        read(rows_json=rows)


def test_classes_that_are_numbers_have_names_in_a_file(read):
    rows = "一\t0\n二\t1\n三\t9\n四\t-1\n"
    found = read(rows_tsv=rows, names_txt="finance\nrealty\n\n")
    assert [label for _, _, label, _ in seen(found)] == ["finance", "realty"]
    assert dropped(found) == {
        "Rows whose label the file of names lacks, left out: {count}.": 1,
        "Rows without a label, left out: {count}.": 1,
    }
    described = lines({"label": "100", "label_desc": "news"}, {"label": "101", "label_desc": "art"})
    found = read(rows_tsv="一\t100\n二\t101\n", names_json=described)
    assert [label for _, _, label, _ in seen(found)] == ["news", "art"]


def test_a_column_names_the_part(read):
    rows = "text,label,split\na1,0,train\nb1,1,train\nc1,0,dev\nd1,1,test\ne1,1,\nf1,0,test\n"
    rows += "".join(f"g{n},{n % 2},train\n" for n in range(10))
    found = read(rows_csv=rows)
    assert found.columns["part"] == "split"
    assert {part: len(rows) for part, rows in found.parts.items()} == {
        "train": 12, "valid": 1, "test": 2,
    }  # fmt: skip
    assert list(dropped(found).values()) == [1]
    assert found.problems.dropped("train") == 1
    found = read(rows_csv=rows, options=LabelOptions(part_column="-"))
    assert len(found.parts["train"]) == 16


def test_broken_lines_are_counted_one_by_one(read):
    good = {"text": "我在北京", "label": [[2, 4, "LOC"]]}
    found = read(rows_jsonl=lines(
        good, "{broken", "[1, 2]", {"text": "", "label": []}, {"label": [[0, 1, "A"]]},
        {"text": "我在北京", "label": [[2, 4, "LOC"], [0], ["a", 1, "X"], None, [3, 9, "Y"]]},
        {"tokens": ["我"], "tags": ["O", "O"]},
    ))  # fmt: skip
    assert len(found.parts["train"]) == 2
    assert seen(found)[1][3] == [(2, 4, "LOC")]
    assert found.problems.dropped("train") == 5
    assert dropped(found) == {
        "Rows that cannot be read, left out: {count}.": 2,
        "Rows without text, left out: {count}.": 2,
        "Entities that are not written as start, end and type, left out: {count}.": 3,
        "Entities whose place is not in their text, left out: {count}.": 1,
        "Lists of tokens and tags that do not fit together, left out: {count}.": 1,
    }


def test_questions_that_are_none_are_counted(read):
    found = read(rows_json=json.dumps(SQUAD))
    assert seen(found) == ANSWER
    assert found.problems.dropped("train") == 2
    none = {"context": "我在北京", "question": "几岁", "answers": {"text": [], "answer_start": []}}
    (example,) = read(rows_jsonl=lines(none)).parts["train"]
    assert (example.spans, example.labelled) == ((), True)


def test_stretches_of_label_studio_are_put_where_their_text_is(read):
    found = read(rows_json=json.dumps(STUDIO))
    assert [e.spans for e in found.parts["train"]] == [(Span(2, 4, "LOC"),), ()]
    assert [e.labelled for e in found.parts["train"]] == [True, False]
    assert [p.level for p in found.problems] == ["repaired"]


def test_several_labels_are_no_class(read):
    found = read(rows_jsonl=lines({"text": "很好", "label": ["好"]}, {"text": "一", "label": []},
                                  {"text": "还行", "label": ["好", "差"]}))  # fmt: skip
    assert seen(found) == CLASSES[:1]
    assert found.problems.dropped("train") == 2


def _squad(context="我在北京", id="a", question="在哪", text="北京"):  # noqa: A002 - its key
    answers = [{"text": text, "answer_start": 2}]
    return json.dumps([{"paragraphs": [{"context": context, "qas": [
        {"id": id, "question": question, "answers": answers}]}]}])  # fmt: skip


HALVES = {
    "class": json.dumps({"text": "好", "label": "\ud800"}),
    "text": json.dumps({"text": "好\ud800", "label": "b"}),
    "span": json.dumps({"text": "在北京", "label": {"\ud800": {"北京": [[1, 2]]}}}),
    "tagged": json.dumps({"text": "北京\ud800", "label": {"LOC": {"北京": [[0, 1]]}}}),
    "tag": json.dumps({"tokens": ["北", "京"], "tags": ["B-\ud800", "O"]}),
    "token": json.dumps({"tokens": ["北", "\ud800"], "tags": ["B-LOC", "O"]}),
    "context": _squad(context="我在北京\ud800"),
    "question": _squad(question="\ud800"),
    "id": _squad(id="\ud800"),
}


@pytest.mark.parametrize("place", HALVES)
def test_an_example_with_half_a_character_is_left_out_wherever_it_stands(read, place):
    found = read(bad_json=HALVES[place])
    assert dropped(found) == {tables.HALF: 1}
    assert not any(found.parts.values())
    json.dumps([problem.to_json() for problem in found.problems], ensure_ascii=False).encode()


def test_a_column_whose_name_holds_half_a_character_is_none(read):
    found = read(bad_json=json.dumps([{"text": "好", "label": "a", "x\ud800": 1}]))
    assert found.names == ["text", "label"]


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(read, name):
    """Whatever is cut out of a file, it is no bug that the user sees."""
    text = FILES[name]
    for at in range(0, len(text), 3):
        for damaged in (text[:at] + text[at + 2 :], text[:at] + '"' + text[at:], text[:at]):
            try:
                found = read(**{name: damaged})
            except AppError:
                continue
            for example in found.parts.get("train", ()):
                assert isinstance(example, Example)
                assert all(0 <= s.start < s.end <= len(example.text) for s in example.spans)
