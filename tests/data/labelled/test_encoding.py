"""Labelled examples to rows of ids: marks, targets, what is cut, and what cannot be said."""

import numpy as np
import pytest

from lmstudio.data.batches import IGNORE
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.labelled.encoding import Cutting, encode, kept, shares, windows
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import spans_of, tag_names
from lmstudio.data.labelled.task_batches import TaskBatches, collated
from lmstudio.data.layout import BOS, EOS, SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.data.watched import EVERY
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.fit_task import cutting_of
from lmstudio.training.task_config import TaskConfig

CHARACTERS = "我爱北京上海你是人的手机0123456789ab。"


@pytest.fixture
def by_character(tmp_path):
    return CutPlan(SegmentOptions("characters", sentences="line"), None, tmp_path)


@pytest.fixture
def characters():
    return vocabulary([*CHARACTERS])


def vocabulary(types):
    return Vocabulary([*SPECIALS, *types], np.ones(len(SPECIALS) + len(types), np.int64))


def rows(examples, cutting, plan, words):
    return encode(examples, cutting, plan, words, job=Job())


def text_of(row, words):
    return "".join(words.type_of(int(n)) for n in row.ids if n not in (BOS, EOS))


def test_a_sentence_and_its_class(by_character, characters):
    cutting = Cutting("classify", ("坏", "好"), 16)
    found = rows([Example("我爱北京", label="好"), Example("我爱", label="怪")], cutting,
                 by_character, characters)  # fmt: skip
    first, second = found.rows
    assert (first.ids[0], first.ids[-1]) == (BOS, EOS)
    assert text_of(first, characters) == "我爱北京"
    assert (first.label, second.label) == (1, IGNORE)
    assert found.lost.unknown_labels == 1


@pytest.mark.parametrize(
    ("cut", "read"), [("head", "0123"), ("tail", "6789"), ("both", "0189")], ids=str
)
def test_what_does_not_fit_is_cut_and_counted(by_character, characters, cut, read):
    cutting = Cutting("classify", ("a",), 6, cut=cut)
    found = rows([Example("0123456789", label="a")], cutting, by_character, characters)
    assert [text_of(row, characters) for row in found.rows] == [read]
    assert (found.lost.texts, found.lost.pieces) == (1, 6)


def test_windows_leave_nothing_out(by_character, characters):
    cutting = Cutting("classify", ("a",), 6, cut="windows", stride=3)
    found = rows([Example("0123456789", label="a")], cutting, by_character, characters)
    assert [text_of(row, characters) for row in found.rows] == ["0123", "3456", "6789"]
    assert found.lost.texts == 0


@pytest.mark.parametrize(
    ("kind", "cut", "read"),
    [("tag", "auto", "windows"), ("classify", "auto", "head"), ("pair", "auto", "head"),
     ("tag", "head", "head")],
)  # fmt: skip
def test_texts_that_are_tagged_are_read_to_their_end(kind, cut, read):
    assert cutting_of(TaskConfig(kind=kind, cut=cut), ("O",)).cut == read


@pytest.mark.parametrize("size", [0, 1, 4, 5, 9, 20])
@pytest.mark.parametrize("stride", [1, 3, 4, 9])
def test_each_piece_stands_in_a_window(size, stride):
    found = windows(size, 4, stride)
    assert {int(n) for part in found for n in part} == set(range(size))
    assert all(len(part) <= 4 for part in found)


def test_the_longer_of_two_texts_is_cut():
    assert shares(3, 4, 10) == (3, 4)
    assert shares(2, 20, 10) == (2, 8)
    assert shares(20, 2, 10) == (8, 2)
    assert shares(20, 20, 9) == (4, 5)
    assert kept(3, 5, "tail").tolist() == [0, 1, 2]


def test_a_pair_has_two_types(by_character, characters):
    cutting = Cutting("pair", ("是",), 16)
    (row,) = rows([Example("我爱", "你", "是")], cutting, by_character, characters).rows
    assert row.types.tolist() == [0, 0, 0, 0, 1, 1]
    assert [int(row.ids[n]) for n in (0, 3, 5)] == [BOS, EOS, EOS]


def test_an_answer_is_where_it_stands_and_nowhere_else(by_character, characters):
    cutting = Cutting("qa", (), 9, stride=3)
    example = Example("0123456789", "我", spans=(Span(4, 6),))
    found = rows([example], cutting, by_character, characters).rows
    there = [row for row in found if row.start]
    assert there
    for row in there:
        read = [characters.type_of(int(n)) for n in row.ids[row.start : row.end + 1]]
        assert read == ["4", "5"]
    assert all(
        (row.start, row.end) == (0, 0) for row in found if "45" not in text_of(row, characters)
    )
    (none,) = rows([Example("012", "我")], cutting, by_character, characters).rows
    assert (none.start, none.end) == (0, 0)


@pytest.mark.parametrize("length", [5, 6, 9, 40, 128, 384])
@pytest.mark.parametrize("size", [1, 30, 100])
def test_a_long_question_leaves_room_for_the_passage_and_is_counted(
    by_character, characters, length, size
):
    example = Example("0123456789", "我" * size, spans=(Span(4, 5),))
    found = rows([example], Cutting("qa", (), length, stride=3), by_character, characters)
    asked = [(row.types == 0).sum() - 2 for row in found.rows]
    assert all(len(row.ids) <= length and len(row.spans) for row in found.rows)
    assert any(row.start for row in found.rows)
    assert set(asked) == {min(size, 64, length // 2, length - 4)}
    assert found.lost.questions == (size > asked[0])
    assert len(found.lost.notes()) == (size > asked[0])


def test_what_is_not_known_of_a_question_is_no_target(by_character, characters):
    unlabelled = Example("012", "我", labelled=False)
    (row,) = rows([unlabelled], Cutting("qa", (), 9), by_character, characters).rows
    assert (row.start, row.end) == (IGNORE, IGNORE)
    assert not row.known("qa")


def test_case_f6_character_labels_on_pieces(tmp_path):
    tokens = tmp_path / "vocab.txt"
    pieces = ["我", "的", "手", "机", "是", "123456", "##78", "##90", "你", "a", "##b", "人"]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens.write_text("\n".join([*special, *pieces]) + "\n", encoding="utf-8")
    plan = CutPlan(SegmentOptions("wordpiece", sentences="line"), None, tmp_path, tokens)
    words, tags = vocabulary(pieces), tuple(tag_names(["PHONE", "X"], "BIO"))
    cutting = Cutting("tag", tags, 32)
    phone = Example("我的手机是1234567890", spans=(Span(5, 15, "PHONE"),))
    mixed = Example("你是ab人", spans=(Span(2, 4, "X"),))
    first, second = rows([phone, mixed], cutting, plan, words).rows
    assert [words.type_of(int(n)) for n in first.ids[1:-1]] == pieces[:8]
    assert decoded(first, tags) == [(5, 15, "PHONE")]
    assert [tags[n] for n in second.tags[1:-1]] == ["O", "O", "B-X", "I-X", "O"]
    assert decoded(second, tags) == [(2, 4, "X")]


def decoded(row, tags):
    """The spans that the tags of a row write, in code points."""
    found = spans_of([tags[n] for n in row.tags[1:-1]], "BIO")
    return [(row.spans[s.start][0], row.spans[s.end - 1][1], s.type) for s in found]


def test_case_f6_labels_that_are_cut_off_are_counted(by_character, characters):
    cutting = Cutting("tag", tuple(tag_names(["X"], "BIO")), 6)
    example = Example("0123456789", spans=(Span(0, 2, "X"), Span(7, 9, "X")))
    found = rows([example], cutting, by_character, characters)
    assert (found.lost.pieces, found.lost.spans) == (6, 1)


def test_a_span_that_ends_inside_a_token_is_widened_and_counted(tmp_path):
    plan = CutPlan(SegmentOptions("whitespace", sentences="line"), None, tmp_path)
    words, tags = vocabulary(["ab", "cd"]), tuple(tag_names(["X"], "BIO"))
    found = rows([Example("ab cd", spans=(Span(0, 1, "X"),))], Cutting("tag", tags, 8), plan, words)
    assert [tags[n] for n in found.rows[0].tags[1:-1]] == ["B-X", "O"]
    assert found.lost.crossing == 1


def test_batches_show_each_row_once_an_epoch_with_little_padding(by_character, characters):
    examples = [Example("0123456789"[: n % 10 + 1] * (1 + n % 3), label="a") for n in range(50)]
    cutting = Cutting("classify", ("a", "b"), 64)
    found = rows(examples, cutting, by_character, characters).rows
    batches = TaskBatches(found, "classify", batch=8, seed=1)
    assert (len(batches), batches.events) == (7, 50)
    for epoch in (0, 1):
        seen = [batches.at(epoch * 7 + step) for step in range(7)]
        assert sum(len(batch["ids"]) for batch in seen) == 50
        cells = sum(batch["ids"].size for batch in seen)
        assert cells < 1.3 * sum(len(row.ids) for row in found)
    again = TaskBatches(found, "classify", batch=8, seed=1)
    assert all((batches.at(n)["ids"] == again.at(n)["ids"]).all() for n in (9, 2))


def test_padding_of_tags_is_no_target(by_character, characters):
    cutting = Cutting("tag", tuple(tag_names(["X"], "BIO")), 8)
    batch = collated(rows([Example("0"), Example("012")], cutting, by_character, characters).rows,
                     "tag")  # fmt: skip
    assert batch["sizes"].tolist() == [3, 5]
    assert batch["tags"].tolist() == [
        [IGNORE, 0, IGNORE, IGNORE, IGNORE],
        [IGNORE, 0, 0, 0, IGNORE],
    ]


def test_many_texts_are_encoded_so_that_it_can_be_stopped(by_character, characters, monkeypatch):
    looks, job = [], Job()
    monkeypatch.setattr(job, "check", lambda: looks.append(1))
    examples = [Example("我爱北京", label="a")] * (5 * EVERY)
    encode(examples, Cutting("classify", ("a",), 16), by_character, characters, job=job)
    assert len(looks) > 4 * 5  # texts, their sentences, their tokens, their rows


def test_texts_that_cannot_be_read_and_those_that_are_too_long_are_told_of(
    by_character, characters
):
    cutting = Cutting("classify", ("x",), 5)
    known = rows([Example("我01", label="x")], cutting, by_character, characters)
    assert known.lost.notes() == []
    strange = rows([Example("яЖШ01", label="x")], cutting, by_character, characters)
    assert [str(note) for note in strange.lost.notes()] == [
        "1 text is longer than the length of 5 tokens: 2 tokens of it are cut off.",
        "60 % of the tokens are not in the vocabulary: of these the network sees only that they "
        "are unknown.",
    ]
