"""The best answers of a passage are the best of all stretches that are allowed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lmstudio.analysis.tasks.answer_search import Window, best_answers

PASSAGE = "甲乙丙丁戊己庚辛"


def window(first, last, starts, ends, none=-18.0):
    spans = [(n, n + 1) for n in range(first, last)]
    return Window(np.array(starts, float), np.array(ends, float), spans, none)


@pytest.mark.parametrize("longest", [1, 3, 8])
def test_finds_the_best_of_all_stretches(longest):
    draw = np.random.default_rng(longest)
    starts, ends = draw.normal(size=8), draw.normal(size=8)
    found = best_answers(PASSAGE, [window(0, 8, starts, ends)], longest, may_be_none=False)
    every = {
        (s, e + 1): starts[s] + ends[e]
        for s, e in itertools.product(range(8), repeat=2)
        if s <= e < s + longest
    }
    best = sorted(every, key=lambda span: -every[span])[:20]
    assert [(one.start, one.end) for one in found] == best
    assert [one.score for one in found] == pytest.approx([every[span] for span in best])
    assert sum(one.p for one in found) == pytest.approx(1)
    assert found[0].text == PASSAGE[best[0][0] : best[0][1]]


def test_an_answer_of_two_windows_counts_once_with_its_best_score():
    one = window(0, 5, [0, 0, 0, 4, 0], [0, 0, 0, 4, 0])
    two = window(3, 8, [5, 0, 0, 0, 0], [5, 0, 0, 0, 0])
    found = best_answers(PASSAGE, [one, two], 2, may_be_none=True)
    assert (found[0].text, found[0].score) == ("丁", 10)
    assert [one.text for one in found].count("丁") == 1


def test_says_that_there_is_no_answer_only_where_every_window_does():
    sure = window(0, 4, [1] * 4, [1] * 4)
    none = replace(sure, none=3.0)
    assert best_answers(PASSAGE, [none, none], 3, may_be_none=True)[0].text == ""
    assert best_answers(PASSAGE, [none, sure], 3, may_be_none=True)[0].text != ""
    assert "" not in [one.text for one in best_answers(PASSAGE, [none], 3, may_be_none=False)]
    empty = window(0, 0, [], [])
    assert [one.text for one in best_answers("", [empty], 3, may_be_none=False)] == [""]
