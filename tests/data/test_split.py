"""Splits are seeded, near the wanted sizes, and leave no part empty that could have text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.data.layout import LINE
from lmstudio.data.split import SplitRule, split
from lmstudio.options import faults


def lines_of(sizes: list[int], documents: list[int] | None = None) -> np.ndarray:
    lines = np.zeros(len(sizes), LINE)
    lines["size"] = sizes
    lines["start"] = np.concatenate([[0], np.cumsum(np.array(sizes) + 1)[:-1]])
    for number, first in enumerate(documents or [0]):
        lines["document"][first:] = number
    return lines


def shares(lines: np.ndarray) -> list[float]:
    weights = lines["size"] + 1
    return [float(weights[lines["part"] == part].sum() / weights.sum()) for part in range(3)]


def test_by_blocks_where_there_are_few_documents():
    lines = lines_of([30] * 5000)
    assert split(lines, [0, 2500], SplitRule()) == "blocks 90/5/5 seed 1"
    assert shares(lines) == pytest.approx([0.9, 0.05, 0.05], abs=0.005)
    changes = np.count_nonzero(np.diff(lines["part"]))
    assert 10 <= changes <= 40  # stretches of lines, not single ones


def test_by_document_where_there_are_many():
    sizes = [10 + 7 * (i % 13) for i in range(3000)]
    firsts = list(range(0, 3000, 30))
    lines = lines_of(sizes, firsts)
    rule = SplitRule(valid=10, test=20, seed=3)
    assert split(lines, firsts, rule) == "documents 70/10/20 seed 3"
    for first in firsts:
        assert len(set(lines["part"][first : first + 30].tolist())) == 1
    assert shares(lines) == pytest.approx([0.7, 0.1, 0.2], abs=0.02)


def test_one_great_document_stays_in_training():
    firsts = list(range(25))
    lines = lines_of([1_000_000] + [100] * 24, firsts)
    split(lines, firsts, SplitRule())
    assert lines["part"][0] == 0
    assert set(lines["part"].tolist()) == {0, 1, 2}


def test_the_seed_decides():
    first, again, other = (lines_of([30] * 1000) for _ in range(3))
    split(first, [0], SplitRule(seed=1))
    split(again, [0], SplitRule(seed=1))
    split(other, [0], SplitRule(seed=2))
    assert (first["part"] == again["part"]).all()
    assert (first["part"] != other["part"]).any()


@given(st.lists(st.integers(1, 2000), min_size=3, max_size=60), st.integers(0, 9))
def test_every_part_gets_a_line(sizes, seed):
    lines = lines_of(sizes)
    split(lines, [0], SplitRule(seed=seed))
    assert set(lines["part"].tolist()) == {0, 1, 2}


def test_a_line_that_is_most_of_the_text_leaves_some_for_every_part():
    lines = lines_of([1_000_000] + [9] * 500)
    split(lines, [0], SplitRule())
    assert set(lines["part"].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("count", [1, 2])
def test_of_two_lines_all_are_for_training(count):
    lines = lines_of([5] * count)
    split(lines, [0], SplitRule())
    assert not lines["part"].any()


def test_a_part_of_no_percent_stays_empty():
    lines = lines_of([30] * 100)
    assert split(lines, [0], SplitRule(valid=0, test=2.5)) == "blocks 97.5/0/2.5 seed 1"
    assert set(lines["part"].tolist()) == {0, 2}


def test_a_rule_has_limits():
    assert not faults(SplitRule())
    assert [fault.field for fault in faults(SplitRule(valid=50, test=-1))] == ["valid", "test"]


@pytest.mark.parametrize("by", ["document", "line-blocks"])
def test_a_copy_goes_where_the_first_of_its_text_goes(by):
    lines = lines_of([30] * 400)
    documents = list(range(0, 400, 20))
    copy_of = np.arange(20)
    copy_of[[5, 9, 19]] = [2, 2, 18]
    characters = np.full(400, 10, np.int32)
    split(lines, documents, SplitRule(30, 30, by=by), copy_of=copy_of, characters=characters)
    parts = lines["part"].reshape(20, 20)
    for copy, first in ((5, 2), (9, 2), (19, 18)):
        assert (parts[copy] == parts[first]).all()
    assert set(lines["part"].tolist()) == {0, 1, 2}


def test_a_copy_in_other_lines_follows_its_characters():
    lines = lines_of([40] * 400 + [80] * 200)
    characters = np.array([10] * 400 + [20] * 200, np.int32)
    rule = SplitRule(20, 20, by="line-blocks")
    split(lines, [0, 400], rule, copy_of=np.array([0, 0]), characters=characters)
    assert (lines["part"][400:] == lines["part"][:400:2]).all()
