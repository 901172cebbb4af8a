"""Sorted tables hold what a dictionary of tuples would."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.data.layout import BOS, EOS
from lmstudio.errors import Cancelled
from lmstudio.models.ngram import counts
from lmstudio.models.ngram.counts import Grams, continuations, count
from tests.models.ngram.texts import TINY, Text, ignore

SENTENCES = st.lists(st.lists(st.integers(3, 7), max_size=9), min_size=1, max_size=12)


def stream_of(sentences: list[list[int]]) -> np.ndarray:
    return np.array([i for words in sentences for i in (BOS, *words, EOS)], np.int32)


def by_hand(sentences: list[list[int]], order: int) -> Counter[tuple[int, ...]]:
    padded = [(BOS, *words, EOS) for words in sentences]
    return Counter(s[i : i + order] for s in padded for i in range(len(s) - order + 1))


def spelled_out(tables: list[Grams], order: int, rows: int) -> list[tuple[int, ...]]:
    """The n-grams of a table as tuples of ids, by number."""
    if order == 1:
        return [(word,) for word in range(rows)]
    shorter = spelled_out(tables, order - 1, rows)
    return [(int(key % rows), *shorter[key // rows]) for key in tables[order - 1].keys]


@given(SENTENCES)
def test_tables_are_those_of_a_dictionary(sentences):
    tables = count(stream_of(sentences), 8, 6, ignore)
    for order in range(2, 7):
        grams = spelled_out(tables, order, 8)
        assert dict(zip(grams, tables[order - 1].counts, strict=True)) == by_hand(sentences, order)
        shorter = spelled_out(tables, order - 1, 8)
        assert [shorter[c] for c in tables[order - 1].contexts] == [gram[:-1] for gram in grams]
        assert (np.diff(tables[order - 1].keys) > 0).all()


@given(SENTENCES)
def test_continuations_count_different_left_neighbours(sentences):
    tables = count(stream_of(sentences), 8, 3, ignore)
    adjusted = list(continuations(tables, 8))
    for order in (1, 2):
        neighbours = defaultdict(set)
        for gram in by_hand(sentences, order + 1):
            neighbours[gram[1:]].add(gram[0])
        plain = by_hand(sentences, order)
        for gram, found in zip(spelled_out(tables, order, 8), adjusted[order - 1], strict=True):
            expected = plain[gram] if gram[0] == BOS else len(neighbours[gram])
            assert found == (0 if gram == (BOS,) else expected)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("key_bits", [64, 8])  # with 8 there is no room for pairs of words
def test_pieces_do_not_change_the_tables(monkeypatch, size, key_bits):
    stream = Text(["a b a a b", "b b b b", "c", "a a a a a a"] * 5).stream
    expected = count(stream, 6, 5, ignore)
    monkeypatch.setattr(counts, "PIECE", size)
    monkeypatch.setattr(counts, "_KEY", key_bits)
    for table, whole in zip(count(stream, 6, 5, ignore), expected, strict=True):
        assert (table.keys == whole.keys).all()
        assert (table.counts == whole.counts).all()
        assert (table.contexts == whole.contexts).all()


def test_large_ids_do_not_collide():
    rows = 2**22
    words = [rows - 1, rows - 2, rows - 1, rows - 3]
    tables = count(np.array([BOS, *words, EOS], np.int32), rows, 3, ignore)
    assert tables[1].counts.tolist() == [1, 1, 1, 1, 1]
    assert tables[2].counts.tolist() == [1, 1, 1, 1]


def test_progress_rises_to_one_and_can_stop_the_work(monkeypatch):
    monkeypatch.setattr(counts, "PIECE", 4)
    seen: list[float] = []
    count(Text(TINY * 5).stream, 8, 4, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)
    assert len(seen) > 9

    def stop(share: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        count(Text(TINY).stream, 8, 4, stop)
