"""Sentences packed into rows: every target once, next to no padding, nothing mixed up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.data.packing import PackedBatches, Packing, pack, whole_packed
from tests.data.test_batches import BOUNDS, TOKENS, random_sentences


def pieces(batch):
    """(read, predicted, positions) of each piece of a batch."""
    found = []
    for row in range(len(batch["ids"])):
        for segment in range(batch["segments"][row].max() + 1):
            here = batch["segments"][row] == segment
            found.append(
                tuple(batch[n][row][here].tolist() for n in ("ids", "targets", "positions"))
            )
    return found


def packed(rows=2, window=8, seed=1, tokens=TOKENS, bounds=BOUNDS, rare=None):
    return PackedBatches(tokens, bounds, rows=rows, window=window, seed=seed, rare=rare)


@given(st.lists(st.integers(1, 20), max_size=60))
def test_no_row_is_too_full(sizes):
    sizes = np.array(sizes, np.int64)
    rows = pack(sizes, 20)
    room = np.bincount(rows, sizes)
    assert (room <= 20).all()
    assert (np.bincount(rows) > 0).all()
    assert (room <= 10).sum() <= 1  # else two of them were one


def test_sentences_of_a_text_leave_no_gaps():
    sizes = np.clip(np.random.default_rng(1).gamma(2, 16, 2000).astype(int), 1, 128)
    rows = pack(sizes, 128)
    assert sizes.sum() / (128 * (rows.max() + 1)) > 0.99


def test_whole_sentences_keep_apart():
    (batch,) = whole_packed(TOKENS, BOUNDS, 4, 10)
    assert sorted(pieces(batch)) == sorted([
        ([BOS, 3, 4], [3, 4, EOS], [0, 1, 2]),
        ([BOS], [EOS], [0]),
        ([BOS, 5, 6, 7, 8, 9], [5, 6, 7, 8, 9, EOS], [0, 1, 2, 3, 4, 5]),
    ])  # fmt: skip
    assert batch["ids"].shape == (1, 10)


def test_padding_is_marked():
    (batch,) = whole_packed(TOKENS, BOUNDS[[0, 2]], 4, 6)
    assert batch["ids"].shape == (2, 6)
    padding = batch["segments"] == -1
    assert padding.sum() == 3
    assert (batch["targets"][padding] == IGNORE).all()
    assert (batch["targets"][~padding] != IGNORE).all()


def test_long_sentences_are_cut_for_training():
    found = packed(window=4)
    batches = [found.at(step) for step in range(len(found))]
    assert sorted(piece for batch in batches for piece in pieces(batch)) == sorted([
        ([BOS, 3, 4], [3, 4, EOS], [0, 1, 2]),
        ([BOS], [EOS], [0]),
        ([BOS, 5, 6, 7], [5, 6, 7, 8], [0, 1, 2, 3]),
        ([8, 9], [9, EOS], [0, 1]),
    ])  # fmt: skip
    assert found.events == 10


def test_long_sentences_overlap_to_be_scored():
    batches = list(whole_packed(TOKENS, BOUNDS[2:], 1, 4))
    assert sorted(piece for batch in batches for piece in pieces(batch)) == sorted([
        ([BOS, 5, 6, 7], [5, 6, 7, 8], [0, 1, 2, 3]),
        ([6, 7, 8, 9], [IGNORE, IGNORE, 9, EOS], [0, 1, 2, 3]),
    ])  # fmt: skip


@pytest.mark.parametrize("window", [2, 5, 1000])
def test_scored_says_where_each_target_stands(window):
    tokens, bounds = random_sentences(50)
    packing = Packing(tokens, bounds, window, max(1, window // 2))
    places, targets = [], []
    for first in range(0, len(packing), 4):
        rows = np.arange(first, min(first + 4, len(packing)))
        batch = packing.batch(rows)
        places.append(packing.scored(rows))
        targets.append(batch["targets"][batch["targets"] != IGNORE])
    places, targets = np.concatenate(places), np.concatenate(targets)
    assert len(places) == packing.events == len(tokens) + 50
    inside = targets != EOS
    assert np.array_equal(tokens[places[inside]], targets[inside])
    assert np.array_equal(np.sort(places[inside]), np.arange(len(tokens)))
    assert np.array_equal(np.sort(places[~inside]), np.sort(bounds[:, 1]))


def test_an_epoch_holds_every_target_once():
    tokens, bounds = random_sentences(101)
    found = packed(rows=8, window=16, tokens=tokens, bounds=bounds)
    for epoch in (0, 1):
        steps = range(epoch * len(found), (epoch + 1) * len(found))
        targets = np.concatenate([found.at(step)["targets"].ravel() for step in steps])
        targets = np.sort(targets[targets != IGNORE])
        assert np.array_equal(targets, np.sort(np.concatenate([tokens, np.full(101, EOS)])))


def test_a_step_alone_decides_its_batch():
    tokens, bounds = random_sentences(200)
    straight, jumping = (packed(window=32, tokens=tokens, bounds=bounds) for _ in range(2))
    ids = [straight.at(step)["ids"] for step in range(3 * len(straight))]
    for step in (len(ids) - 1, 0, 5):
        assert np.array_equal(jumping.at(step)["ids"], ids[step])
    assert not np.array_equal(ids[0], ids[len(straight)])


def test_half_of_the_rare_tokens_are_read_as_unknown():
    tokens, bounds = random_sentences(400)
    tokens = 3 + tokens % 20
    rare = np.zeros(23, bool)
    rare[3:6] = True
    with_rare, plain = (
        packed(rows=8, window=64, tokens=tokens, bounds=bounds, rare=kinds)
        for kinds in (rare, None)
    )
    met = forgotten = 0
    for step in range(len(plain)):
        batch, before = with_rare.at(step), plain.at(step)
        changed = batch["targets"] != before["targets"]
        assert set(batch["targets"][changed]) <= {UNK}
        goes_on = before["positions"][:, 1:] > 0
        read = batch["ids"][:, 1:] != before["ids"][:, 1:]
        assert np.array_equal(read & goes_on, changed[:, :-1] & goes_on)
        assert (
            batch["ids"][batch["positions"] == 0] == before["ids"][batch["positions"] == 0]
        ).all()
        met += np.isin(before["targets"], (3, 4, 5)).sum()
        forgotten += changed.sum()
    assert 0.4 < forgotten / met < 0.6


def test_empty_sentences_only():
    (batch,) = whole_packed(np.empty(0, np.int32), np.array([[0, 0], [0, 0]]), 8, 4)
    assert pieces(batch) == [([BOS], [EOS], [0])] * 2
    assert not list(whole_packed(TOKENS, BOUNDS[:0], 8, 4))
