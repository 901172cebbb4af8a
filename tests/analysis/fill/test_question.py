"""Typed texts as questions: marks, spans, and texts with words put in."""

import pytest

from lmstudio.analysis.fill.question import Blank, Question, words_in
from lmstudio.errors import AppError


@pytest.mark.parametrize("mark", ["[MASK]", "[mask]", "［MASK］", "【MASK】", "<mask>", "＜ＭＡＳＫ＞",  # noqa: E501
                                  "[ Mask ]", "［ｍａｓｋ］"])  # fmt: skip
def test_case_h1_every_way_to_write_a_mark_is_known(mark):
    question = Question.of(f"我爱{mark}京")
    assert question.blanks == (Blank(2, 2 + len(mark), marked=True),)
    assert question.truth(0) == ""
    assert question.filled(["北"]) == "我爱北京"


def test_case_h1_two_marks_are_two_blanks_and_nothing_is_added():
    question = Question.of("我爱[MASK][MASK]")
    assert [blank.marked for blank in question.blanks] == [True, True]
    assert question.filled(["北", "京"]) == "我爱北京"
    assert question.filled(["北", None]) == "我爱北[MASK]"


def test_case_h1_without_a_blank_there_is_a_hint():
    with pytest.raises(AppError, match=r"\[MASK\]"):
        Question.of("我爱北京").check()
    with pytest.raises(AppError, match="Type some words"):
        Question.of("  ").check()
    Question.of("我爱[mask]").check()


def test_spans_that_overlap_are_one_blank_and_white_space_is_none():
    question = Question.of("the old dog", [(4, 8), (6, 11), (3, 4)])
    assert question.blanks == (Blank(4, 11),)
    assert question.truth(0) == "old dog"
    assert Question.of("ab [MASK]", [(3, 6)]).blanks == (Blank(3, 9, marked=True),)
    assert Question.of("ab", [(0, 1), (1, 2)]).blanks == (Blank(0, 1), Blank(1, 2))


def test_a_word_is_put_into_a_blank_and_the_others_move():
    question = Question.of("他[MASK]帕子了", [(7, 9)])
    put = question.put(0, "拿着")
    assert put == Question("他拿着帕子了", (Blank(1, 3), Blank(3, 5)))
    assert put.put(1, "书") == Question("他拿着书了", (Blank(1, 3), Blank(3, 4)))


def test_questions_survive_json():
    question = Question.of("他[MASK]帕子了", [(7, 9)])
    assert Question.from_json(question.to_json()) == question


def test_words_are_found_one_after_another():
    assert words_in("来了又来", ["来", "来", "了"]) == [(0, 1), (3, 4), (1, 2)]
    with pytest.raises(AppError, match="来"):
        words_in("来了", ["来", "来"])


@pytest.mark.parametrize("data", [
    {}, {"text": None}, {"text": 3}, {"text": "小猫", "blanks": "x"},
    {"text": "小猫", "blanks": None},
    {"text": "小猫", "blanks": [[9, 99]]}, {"text": "小猫", "blanks": [[-1, 1]]},
    {"text": "小猫", "blanks": [[1, 1]]}, {"text": "小猫", "blanks": [[0, "1"]]},
    {"text": "小猫", "blanks": [[0, 1, 2]]}, {"text": "小猫", "blanks": [[False, True]]},
])  # fmt: skip
def test_what_is_no_question_is_refused(data):
    with pytest.raises(AppError):
        Question.from_json(data)
