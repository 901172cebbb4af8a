"""Counted in parts, a text has the tables that it has when it is counted at once."""

import tracemalloc
from itertools import count as count_from

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.data.layout import BOS, EOS
from lmstudio.errors import Cancelled
from lmstudio.models.ngram import counts, merging
from lmstudio.models.ngram.counts import count
from lmstudio.models.ngram.merging import Limit, count_in_parts
from tests.models.ngram.texts import ignore

SENTENCES = st.lists(st.lists(st.integers(3, 7), max_size=9), min_size=1, max_size=12)


def stream_of(sentences: list[list[int]]) -> np.ndarray:
    return np.array([i for words in sentences for i in (BOS, *words, EOS)], np.int32)


def limited(memory: int) -> Limit:
    return Limit(memory, np.empty)


def assert_equal_tables(found, expected):
    for table, whole in zip(found, expected, strict=True):
        np.testing.assert_array_equal(table.keys, whole.keys)
        np.testing.assert_array_equal(table.counts, whole.counts)
        np.testing.assert_array_equal(table.contexts, whole.contexts)


@given(SENTENCES, st.integers(1, 5), st.integers(0, 2000))
def test_parts_give_the_tables_of_the_whole(sentences, order, memory):
    stream = stream_of(sentences)
    found = count_in_parts(stream, 8, order, limited(memory), ignore)
    assert_equal_tables(found, count(stream, 8, order, ignore))


@pytest.mark.parametrize("merged", [1, 5, 100])
def test_blocks_do_not_change_the_tables(monkeypatch, merged):
    monkeypatch.setattr(merging, "MERGED", merged)
    rng = np.random.default_rng(4)
    stream = stream_of([rng.integers(3, 20, 30).tolist() for _ in range(20)])
    found = count_in_parts(stream, 20, 4, limited(5000), ignore)
    assert_equal_tables(found, count(stream, 20, 4, ignore))


def test_memory_is_bounded_whatever_the_length(monkeypatch, tmp_path):
    monkeypatch.setattr(merging, "MERGED", 1 << 12)
    monkeypatch.setattr(counts, "PIECE", 1 << 10)
    files = count_from(1)

    def room(size: int, kind: np.dtype) -> np.ndarray:
        return np.memmap(tmp_path / str(next(files)), kind, "w+", shape=max(1, size))[:size]

    rng = np.random.default_rng(4)
    sentences = [rng.integers(3, 300, 50).tolist() for _ in range(4000)]
    peaks = []
    for part in (sentences[:1000], sentences):
        stream = stream_of(part)
        tracemalloc.start()
        found = count_in_parts(stream, 300, 4, Limit(1_500_000, room), ignore)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert_equal_tables(found, count(stream, 300, 4, ignore))
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 3_000_000


def test_progress_rises_to_one():
    shares: list[float] = []
    count_in_parts(stream_of([[3, 4, 5]] * 40), 8, 3, limited(52 * 25), shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_merging_can_be_stopped():
    def stop(share: float) -> None:
        if share > 0.6:
            raise Cancelled

    with pytest.raises(Cancelled):
        count_in_parts(stream_of([[3, 4, 5]] * 9), 8, 3, limited(500), stop)
