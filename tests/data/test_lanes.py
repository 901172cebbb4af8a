"""Lanes: what is read is what precedes the target, everything is seen, batches go on."""

import numpy as np
import pytest

from lmstudio.data.batches import IGNORE
from lmstudio.data.lanes import LaneBatches, Line, whole_lanes
from lmstudio.data.layout import BOS, EOS, UNK

TEXT = [[10, 11, 12], [20], [], [30, 31], [40, 41, 42, 43]]


def stored(sentences=TEXT) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and bounds as data.layout keeps them, with a part before that is not ours."""
    tokens = np.array([99, 98, *(w for s in sentences for w in s)], np.int32)
    ends = 2 + np.cumsum([len(s) for s in sentences])
    return tokens, np.stack([ends - [len(s) for s in sentences], ends], 1)


def line(sentences=TEXT) -> list[int]:
    return [w for s in sentences for w in [*s, EOS]]


def long_text(sentences: int = 40) -> list[list[int]]:
    generator = np.random.default_rng(1)
    numbers = iter(range(3, 10_000))
    return [[next(numbers) for _ in range(size)] for size in generator.integers(1, 9, sentences)]


def test_a_line_is_every_sentence_and_its_end():
    found = Line(*stored())
    assert len(found) == len(line())
    assert found.at(np.arange(len(found))).tolist() == line()
    assert found.opens(np.array([0, 1, 3, 4, 5, 6, 7, 8])).tolist() == [
        True, False, False, True, False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("rows", [1, 3])
def test_one_batch_goes_on_where_the_last_stopped(rows):
    sentences = long_text()
    data = LaneBatches(*stored(sentences), rows=rows, length=7, seed=1)
    for epoch in range(3):
        batches = [data.at(epoch * len(data) + i) for i in range(len(data))]
        ids = np.concatenate([b["ids"] for b in batches], 1)
        targets = np.concatenate([b["targets"] for b in batches], 1)
        assert ids.shape == targets.shape == (rows, data.events // rows)
        assert np.array_equal(ids[:, 1:], targets[:, :-1])
        assert (ids[:, 0] == BOS).all()
        assert [b["fresh"].all() for b in batches] == [True] + [False] * (len(data) - 1)
        text = line(sentences)
        if rows == 1:
            assert sorted(targets[0]) == sorted(text)
        assert len(set(targets.ravel()) & set(text)) > 0.8 * len(set(text))


def test_the_step_alone_decides_the_batch():
    a, b = (LaneBatches(*stored(long_text()), rows=3, length=7, seed=1) for _ in range(2))
    for step in (9, 2, 20):
        assert np.array_equal(a.at(step)["ids"], b.at(step)["ids"])
    other = LaneBatches(*stored(long_text()), rows=3, length=7, seed=2)
    assert not np.array_equal(a.at(20)["ids"], other.at(20)["ids"])


def test_a_short_text_has_fewer_and_shorter_lanes():
    data = LaneBatches(*stored(), rows=20, length=64, seed=1)
    assert len(data) == 1
    batch = data.at(0)
    assert batch["ids"].tolist() == [[BOS, *line()[:-1]]]
    assert batch["targets"].tolist() == [line()]


def test_lanes_begin_within_a_sentence_only_where_it_is_too_long():
    sentences = [list(range(3, 63)), [70], [71]]
    data = LaneBatches(*stored(sentences), rows=4, length=5, seed=1)
    assert data.at(0)["ids"][:, 0].tolist() == [BOS, 3 + 15, 3 + 31, 3 + 47]
    assert data.at(0)["targets"][:, 0].tolist() == [3, 3 + 16, 3 + 32, 3 + 48]


def test_rare_words_are_forgotten_where_predicted_and_where_read():
    rare = np.zeros(10_000, bool)
    rare[3:] = True
    data = LaneBatches(*stored(long_text()), rows=2, length=5, seed=1, rare=rare)
    batches = [data.at(i) for i in range(len(data))]
    ids = np.concatenate([b["ids"] for b in batches], 1)
    targets = np.concatenate([b["targets"] for b in batches], 1)
    assert np.array_equal(ids[:, 1:], targets[:, :-1])
    assert 0.3 < (targets == UNK).sum() / (targets != EOS).sum() < 0.7


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_validation_has_every_target_once(rows):
    batches = list(whole_lanes(*stored(), rows))
    targets = np.concatenate([b["targets"] for b in batches], 1)
    assert sorted(targets[targets != IGNORE].tolist()) == sorted(line())
    assert len(targets) == min(rows, len(TEXT))
    assert batches[0]["ids"][0, 0] == BOS


def test_long_validation_lanes_come_in_pieces():
    sentences = [list(range(3, 700)), list(range(700, 900))]
    batches = list(whole_lanes(*stored(sentences), 1))
    assert len(batches) == 4
    assert [b["fresh"].tolist() for b in batches] == [[True], [False], [False], [False]]
    ids = np.concatenate([b["ids"] for b in batches], 1)[0]
    assert ids.tolist() == [BOS, *line(sentences)[:-1]]


def test_nothing_is_left_out_where_a_sentence_is_about_as_long_as_a_lane():
    sizes = np.array([1, 60, 3, 3, 2, 400, 1])
    ends = np.cumsum(sizes)
    bounds = np.stack([ends - sizes, ends], 1)
    batches = LaneBatches(np.arange(3, 3 + ends[-1]), bounds, rows=2, length=16, seed=1)
    read = np.concatenate([batches.at(step)["targets"].ravel() for step in range(len(batches))])
    assert len(np.unique(read)) > 0.9 * ends[-1]
