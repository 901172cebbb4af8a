"""Columns as rows: cut, sorted, by name."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from lmstudio.data.browse.listing import Column, Listing, order_of
from lmstudio.jobs import Job


@dataclass(frozen=True)
class Fruit(Listing):
    word: Annotated[list[str], Column("Word")]
    count: Annotated[np.ndarray, Column("Count")]
    place: Annotated[list[int], Column()]
    total: int


FRUIT = Fruit(["梨", "桃", "李"], np.array([2, 5, 2]), [7, 8, 9], total=9)


def test_rows_hold_the_shown_columns():
    assert FRUIT.header() == ["Word", "Count"]
    assert list(FRUIT.rows()) == [("梨", 2), ("桃", 5), ("李", 2)]
    assert list(FRUIT.rows(1, 1)) == [("桃", 5)]
    assert list(FRUIT.rows(5, 2)) == []
    assert FRUIT.records()[0] == {"word": "梨", "count": 2, "place": 7}


def test_rows_are_sorted_and_cut_with_all_their_columns():
    ordered = FRUIT.ordered("count")
    assert (ordered.word, ordered.place, ordered.total) == (["桃", "梨", "李"], [8, 7, 9], 9)
    assert FRUIT.ordered("count", falling=False).word == ["梨", "李", "桃"]
    assert FRUIT.ordered("word", falling=False).word == ["李", "桃", "梨"]
    assert FRUIT.top(2).word == ["梨", "桃"]
    assert len(FRUIT.top(9)) == 3


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("length", [0, 1, 10_000, 25_001])
def test_long_lists_are_sorted_in_runs(length, falling):
    """Equals keep their order across runs."""
    values = [chr(0x4E00 + number * 7919 % 101) for number in range(length)]
    expected = sorted(range(length), key=values.__getitem__, reverse=falling)
    assert order_of(values, falling=falling, job=Job()).tolist() == expected
