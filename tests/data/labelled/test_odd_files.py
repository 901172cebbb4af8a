"""Files with what people and programs leave in them are read as meant, or refused with a reason."""

import json

import pytest

from lmstudio.data.labelled import checking
from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.importing import import_examples
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.reading import entities, questions, tables, token_lines
from lmstudio.data.labelled.splitting import TOO_FEW, hold_out
from lmstudio.errors import AppError
from lmstudio.jobs import Job

PASSAGE = "😀我爱北京天安门，𠮷野家在东京。北京是首都。"
BIO = "我 O\n在 O\n北 B-LOC\n京 I-LOC\n\n"
ROWS = "text,label\n很好,好\n太差,差\n还行,好\n不行,差\n"


@pytest.fixture
def taken(tmp_path):
    """Imports files by part; the facts. A value is the content, and the end of the name."""

    def taken(kind="auto", **parts):
        paths = {}
        for part, (suffix, content) in parts.items():
            path = tmp_path / f"{part}.{suffix}"
            path.write_text(content, encoding="utf-8")
            paths[part] = [path]
        folder = tmp_path / "task"
        folder.mkdir()
        return import_examples(folder, paths, kind, LabelOptions(), job=Job())[1]

    return taken


def told(found, level="repaired"):
    return {p.sentence: [detail for _, detail in p.places] for p in found.problems
            if p.level == level}  # fmt: skip


def squad(*answers):
    asked = [{"id": str(n), "question": "何处", "answers": [{"text": text, "answer_start": start}]}
             for n, (text, start) in enumerate(answers)]  # fmt: skip
    return json.dumps({"data": [{"paragraphs": [{"context": PASSAGE, "qas": asked}]}]})


def starts(found):
    return [one.spans[0].start for one in found.parts["train"]]


def test_answers_may_be_counted_in_bytes_or_in_units_of_utf_16(read):
    """The second 北京 is nearer to the number of bytes before the first."""
    before = [PASSAGE[:at] for at in (3, 9, 16)]
    for unit in (lambda text: len(text.encode()), lambda text: len(text.encode("utf-16-le")) // 2):
        places = [unit(text) for text in before]
        found = read(q_json=squad(*zip(["北京", "𠮷野家", "北京"], places, strict=True)))
        assert starts(found) == [3, 9, 16]


@pytest.mark.parametrize("start", ["x", None, float("nan"), 1.5, 10**30, -1])
def test_an_answer_without_a_usable_start_is_looked_for(read, start):
    found = read(q_json=squad(("东京", start), ("北京", 3.0)))
    assert starts(found) == [13, 3]
    assert told(found) == {questions.MOVED: ["东京: -1 → 13"]}


def test_white_space_around_an_answer_is_none_of_it(read):
    found = read(q_json=squad(("北京\n", 3), (" 东京 ", 12), (" ", 3)))
    assert starts(found) == [3, 13]
    assert list(told(found, "dropped")) == [questions.NO_ANSWER]


def test_a_question_without_an_answer_that_gives_one_is_told(read):
    file = json.loads(squad(("北京", 3), ("东京", 13), ("", 0)))
    for asked in file["data"][0]["paragraphs"][0]["qas"][1:]:
        asked["is_impossible"] = True
    found = read(q_json=json.dumps(file))
    assert [len(one.spans) for one in found.parts["train"]] == [1, 0, 0]
    assert told(found, "noticed") == {questions.CONTRADICTED: ["东京"]}


def test_questions_of_which_no_answer_is_told_are_to_be_predicted(read):
    hidden = {"context": PASSAGE, "question": "何处", "answers": []}
    (one,) = read(q_jsonl=json.dumps(hidden)).parts["train"]
    assert not one.labelled


def test_a_table_of_questions_is_known_by_its_columns(read):
    found = read(q_csv=f"context,question,answer\n{PASSAGE},何处,东京\n{PASSAGE},谁,𠮷野家\n")
    assert (found.kind, starts(found)) == ("qa", [13, 9])


def test_places_of_entities_may_be_floats_and_no_number_is_too_long(read):
    spans = '[0.0, 1.0, "甲"], ["1", 2, "乙"], [true, 2, "丙"], [2, ' + "9" * 5000 + ', "丁"]'
    found = read(e_jsonl=f'{{"text": "我在北京", "label": [{spans}]}}')
    assert [s.type for s in found.parts["train"][0].spans] == ["甲", "乙"]
    assert len(told(found, "dropped")[entities.BROKEN]) == 2


@pytest.mark.parametrize("blank", ["", " ", "\u3000", "\u200b"], ids=ascii)
def test_an_entity_without_a_type_is_none(read, blank):
    rows = [
        '{"text": "我在北京", "label": [[0, 1, "甲"], [2, 4, "%s"]]}',
        '{"text": "我在北京", "spans": [{"start": 2, "end": 4, "label": "%s"}]}',
        '{"text": "我在北京", "label": {"甲": {"我": [[0, 0]]}, "%s": {"北京": [[2, 3]]}}}',
    ]
    for row in rows:
        found = read(e_jsonl=row % blank)
        assert {s.type for one in found.parts["train"] for s in one.spans} <= {"甲"}
        assert len(told(found, "dropped")[entities.BROKEN]) == 1
    tokens = '{"tokens": ["我", "在"], "tags": ["%s", "%s"]}'
    found = read(e_jsonl=f"{tokens % ('n', 'v')}\n{tokens % ('n', blank)}")
    assert [[s.type for s in one.spans] for one in found.parts["train"]] == [["n", "v"]]
    assert list(told(found, "dropped")) == [entities.UNEQUAL]


def test_a_word_without_a_tag_among_words_with_theirs_is_no_label(read):
    found = read("tag", t_txt="我/r 爱/v 北京/ns\n我/r 去/v 过/u 很/d 多/a 次/q 北京/ns 城\n")
    assert [len(one.spans) for one in found.parts["train"]] == [3, 7]
    assert [len(one.words) for one in found.parts["train"]] == [3, 8]
    assert told(found, "noticed") == {token_lines.NO_TAG: ["城"]}


@pytest.mark.parametrize(
    "words",
    ["[[0, 100000000000000000]]", "[[3, 1]]", "[[0, 1], [1, 3], [2, 99]]", "[[1, 1]]",
     "[[0, 2], [1, 3]]", "[[-1, 2]]", "[[0, 1], null]"],
)  # fmt: skip
def test_words_that_cannot_stand_in_their_text_are_told(read, words):
    rows = [f'{{"text": "去北京", "words": {places}, "spans": [[1, 3, "地"]]}}'
            for places in (words, "[[0, 1], [1, 3]]", "[]", '["去", "北京"]')]  # fmt: skip
    found = read(e_jsonl="\n".join(rows))
    assert [one.words for one in found.parts["train"]] == [(), ((0, 1), (1, 3)), (), ()]
    assert len(told(found, "dropped")[entities.MISPLACED]) == 1


def test_what_is_moved_is_told_with_both_its_ends(read):
    text = '{"text": "我在北京", "label": {"地": {"北京": [[2, 4]]}}}'  # the end is one too far
    assert told(read(e_json=text)) == {entities.MOVED: ["北京: 2–5 → 2–4"]}


def test_objects_one_after_another_may_stand_in_several_lines(read):
    one = {"text": "我在北京", "label": [[2, 4, "地"], [0, 1, "人"]]}
    found = read(e_json="\n".join([json.dumps(one, indent=1)] * 2))
    assert [len(each.spans) for each in found.parts["train"]] == [2, 2]


@pytest.mark.parametrize("nothing", ["null", "NaN"])
def test_nothing_is_no_label(read, nothing):
    rows = [f'{{"text": "一", "label": {nothing}}}', '{"text": "二", "label": "好"}']
    found = read(r_jsonl="\n".join(rows))
    assert [one.label for one in found.parts["train"]] == ["好"]
    assert list(told(found, "dropped")) == [tables.NO_LABEL]
    rows[1] = '{"text": "我在", "label": [[0, 1, "人"]]}'
    assert [one.labelled for one in read(e_jsonl="\n".join(rows)).parts["train"]] == [False, True]


def test_texts_alone_beside_tagged_ones_are_to_be_predicted(taken):
    """So is the test part of CLUENER, and a token a line."""
    tagged = '{"text": "我在", "label": {"人": {"我": [[0, 0]]}}}'
    facts = taken(train=("json", f"{tagged}\n{tagged}"), valid=("json", tagged),
                  test=("json", '{"id": 0, "text": "他在"}'))  # fmt: skip
    assert facts["report"]["labels"]["test"] == {}
    assert facts["counts"]["test"] == 1


def test_tokens_alone_beside_tagged_ones_are_to_be_predicted(taken):
    facts = taken(train=("txt", BIO * 2), valid=("txt", BIO), test=("txt", "他\n去\n\n谁\n"))
    assert (facts["counts"]["test"], facts["report"]["labels"]["test"]) == (2, {})
    assert token_lines.NO_TAG not in {p["sentence"] for p in facts["report"]["problems"]}


@pytest.mark.parametrize("foreign", ["NaN", "o", "X-LOC"])
def test_a_foreign_tag_makes_no_other_scheme_of_a_file(read, foreign):
    found = read(t_txt=BIO + BIO.replace("O", foreign, 1))
    assert found.scheme == "BIO"
    assert [(s.start, s.end, s.type) for s in found.parts["train"][1].spans] == [
        (0, 1, foreign), (2, 4, "LOC"),
    ]  # fmt: skip
    assert told(found, "noticed") == {token_lines.ILLEGAL: [f"→ {foreign}"]}


@pytest.mark.parametrize("bracket", ["[", "{"])
def test_a_file_may_begin_with_a_bracket(read, bracket):
    (first, _) = read(t_txt=f"{bracket} O\n{BIO}{BIO}").parts["train"]
    assert first.text == f"{bracket}我在北京"


@pytest.mark.parametrize(
    "first", ["[转发] 很好", '["引号" 很好', "{{模板}} 很好", '{"键": 1} 很好', "[[甲]] 很好", "[{"]
)
@pytest.mark.parametrize("suffix", ["tsv", "txt", "csv"])
def test_a_text_of_a_table_may_begin_as_json_does(read, first, suffix):
    if suffix == "csv":
        first = '"' + first.replace('"', '""') + '"'
    rows = f"{first}\t好\n太差\t差\n还行\t好\n不行\t差\n"
    found = read(**{f"r_{suffix}": rows.replace("\t", "," if suffix == "csv" else "\t")})
    assert [one.label for one in found.parts["train"]] == ["好", "差", "好", "差"]


@pytest.mark.parametrize("first", ["{}", "[]", "null", "NaN", '{"text": "很', '["很好"]', "很好"])
@pytest.mark.parametrize("suffix", ["txt", "tsv", "csv"])
def test_json_lines_are_known_whatever_their_first_line_and_their_name_are(read, first, suffix):
    rows = "".join(f'{{"text": "很好{n}", "label": "好"}}\n' for n in range(3))
    named, other = (read(**{f"r_{name}": f"{first}\n{rows}"}) for name in ("jsonl", suffix))
    assert other.layout == named.layout == "json"
    assert [(one.text, one.label) for one in other.parts["train"]] == [
        (one.text, one.label) for one in named.parts["train"]
    ]
    assert [(one.sentence, one.count) for one in other.problems] == [
        (one.sentence, one.count) for one in named.problems
    ]


@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_one_value_of_json_is_known_in_a_text_file_and_told_where_it_is_damaged(read, indent):
    text = json.dumps([{"text": one, "label": one} for one in ("很好", "太差")], indent=indent)
    assert [one.label for one in read(r_txt=text).parts["train"]] == ["很好", "太差"]
    with pytest.raises(AppError, match="The JSON is damaged"):
        read(r_txt=text[:-4])


def test_tags_in_a_table_are_no_classes(read, taken):
    for rows in (BIO, BIO.rstrip() + "\n" + BIO.rstrip()):
        with pytest.raises(AppError, match=r"t\.csv: The labels .* \(--kind classify\)"):
            read(t_csv=rows.replace(" ", ","))
    with pytest.raises(AppError, match=r"t\.csv: A table has no tags of tokens"):
        read("tag", t_csv=ROWS)
    with pytest.raises(AppError, match=r"valid\.txt: It holds examples of another kind"):
        taken(train=("csv", ROWS), valid=("txt", BIO))


@pytest.mark.parametrize("labels", ["O B-1 B-2", "O S-XL S-M", "O I-1 B-1 B-2 I-2"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "jsonl"])
def test_classes_may_be_written_as_tags_are(read, labels, suffix):
    classes = labels.split() * 8
    rows = [("text", "label"), *((f"第{n}次看还是很好", one) for n, one in enumerate(classes))]
    if suffix == "jsonl":
        text = "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
    else:
        text = "\n".join(("," if suffix == "csv" else "\t").join(row) for row in rows)
    found = read(**{f"g_{suffix}": text})
    assert (found.kind, [one.label for one in found.parts["train"]]) == ("classify", classes)


def test_only_labels_are_looked_at_for_tags(read):
    tags = ["B-LOC", "I-LOC", "O", "O"] * 4
    rows = "".join(f"第{n}次很好,{tag},{'好差'[n % 2]}\n" for n, tag in enumerate(tags))
    found = read(g_csv=f"text,note,label\n{rows}")
    assert {one.label for one in found.parts["train"]} == {"好", "差"}


def test_a_table_of_pairs_beside_one_of_sentences_is_refused(taken):
    pairs = "sentence1,sentence2,label\n很好,不坏,好\n太差,不好,差\n"
    with pytest.raises(AppError, match="another kind"):
        taken(train=("csv", ROWS), valid=("csv", pairs))


@pytest.mark.parametrize("part", ["valid", "test"])
def test_a_part_of_which_nothing_is_left_is_refused(taken, part):
    with pytest.raises(AppError, match=rf"{part}\.csv: There is no usable text in it"):
        taken(**{"train": ("csv", ROWS), part: ("csv", "text,label\n")})


def test_a_part_of_which_all_is_left_out_is_refused_with_the_reason(taken):
    with pytest.raises(AppError, match="No example of the valid part can be used. Rows without t"):
        taken(train=("csv", ROWS), valid=("csv", "text,label\n,好\n,差\n"))


def test_empty_lines_of_aligned_files_are_counted(tmp_path, taken):
    for name, text in {"seq.in": "a b\n\nc d\n\ne\n", "seq.out": "O B-x\n\nO O\n\nB-x\n",
                       "label": "one\n\ntwo\nthree\n\n"}.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    for kind, used, lost in (("tag", 3, []), ("classify", 2, [tables.NO_TEXT, tables.NO_LABEL])):
        folder = tmp_path / kind
        folder.mkdir()
        files = {part: [tmp_path / "seq.in"] for part in ("train", "valid")}
        _, facts = import_examples(folder, files, kind, LabelOptions(), job=Job())
        assert facts["counts"]["train"] == used
        problems = [p for p in facts["report"]["problems"] if p["part"] == "train"]
        assert [p["sentence"] for p in problems if p["level"] == "dropped"] == lost
        assert tables.EMPTY in {p["sentence"] for p in problems}


def test_labels_that_look_the_same_are_told(taken):
    rows = "".join(
        f"文{n}\t{label}\n" for n, label in enumerate(["A", "Ａ", "a", "A\u200b", "B"] * 9)
    )
    problems = taken(train=("tsv", f"text\tlabel\n{rows}"))["report"]["problems"]
    (found,) = [p for p in problems if p["sentence"] == checking.ALIKE]
    assert found["count"] == 3


def test_a_share_is_held_out_of_many_rare_classes_too():
    rows = [Example(f"文{n}", label=str(n % 500)) for n in range(1000)]
    stay, held = hold_out(rows, 0.1, 1, job=Job())
    assert len(held) == 100
    assert len({one.label for one in stay}) == 500


def test_the_smallest_of_large_groups_is_held_out_and_told_as_it_is(taken):
    facts = taken(train=("txt", "我 O\n京 B-LOC\n\n" * 6 + "他 O\n京 B-LOC\n\n" * 2))
    assert facts["counts"] == {"train": 6, "valid": 2}
    assert facts["split"] == {"valid": 0.25}


def test_nothing_tagged_may_not_be_all_that_stays(taken):
    with pytest.raises(AppError) as refused:
        taken(train=("txt", "京 B-LOC\n\n" * 2 + "我 O\n\n" * 5))
    assert str(refused.value) == TOO_FEW
