"""Spans that are right and spans that were found -> which was taken for which, always the same."""

from lmstudio.analysis.tasks.errors import BOUNDS, NONE, _paired
from lmstudio.data.labelled.example import Span


def paired(gold, found):
    return list(_paired(set(gold), set(found)))


def test_the_first_of_those_that_share_as_much_is_the_partner():
    gold, found = [Span(0, 4, "x")], [Span(0, 2, "y"), Span(2, 4, "z")]
    assert paired(gold, found) == [("x", "y"), (NONE, "z")]
    many = [Span(n, n + 1, f"t{n}") for n in range(8)]
    assert paired([Span(0, 8, "x")], many) == [
        ("x", "t0"), *((NONE, f"t{n}") for n in range(1, 8))
    ]  # fmt: skip


def test_what_shares_most_comes_before_what_is_first():
    gold, found = [Span(0, 4, "x")], [Span(0, 1, "y"), Span(1, 4, "x")]
    assert paired(gold, found) == [("x", BOUNDS), (NONE, "y")]


def test_the_same_span_is_its_own_partner():
    gold = [Span(0, 2, "x"), Span(3, 5, "y")]
    assert paired(gold, gold) == [("x", "x"), ("y", "y")]
    assert paired(gold, [Span(3, 5, "x")]) == [("x", NONE), ("y", "x")]
