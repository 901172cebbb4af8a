"""Batches of sentences: every target once, little padding, the same for the same step."""

import numpy as np
import pytest

from lmstudio.data.batches import (
    IGNORE,
    SentenceBatches,
    cut,
    gather,
    like_lengths,
    whole_sentences,
)
from lmstudio.data.layout import BOS, EOS, UNK

TOKENS = np.array([3, 4, 5, 6, 7, 8, 9], np.int32)
BOUNDS = np.array([[0, 2], [2, 2], [2, 7]])  # "3 4", nothing, "5 6 7 8 9"


def rows(batch):
    """(read, predicted) of each row without its padding."""
    inside = batch["targets"] != IGNORE
    return [
        (ids[real].tolist(), targets[real].tolist())
        for ids, targets, real in zip(batch["ids"], batch["targets"], inside, strict=True)
    ]


def random_sentences(count, seed=0):
    generator = np.random.default_rng(seed)
    ends = np.cumsum(generator.geometric(1 / 20, count))
    return np.arange(3, 3 + ends[-1], dtype=np.int32), np.stack(
        [ends - np.diff(ends, prepend=0), ends], 1
    )


def test_whole_sentences_begin_and_end():
    assert rows(gather(TOKENS, cut(BOUNDS, 10))) == [
        ([BOS, 3, 4], [3, 4, EOS]),
        ([BOS], [EOS]),
        ([BOS, 5, 6, 7, 8, 9], [5, 6, 7, 8, 9, EOS]),
    ]


def test_long_sentences_are_cut_and_each_target_stands_once():
    assert rows(gather(TOKENS, cut(BOUNDS, 2))) == [
        ([BOS, 3], [3, 4]),
        ([4], [EOS]),
        ([BOS], [EOS]),
        ([BOS, 5], [5, 6]),
        ([6, 7], [7, 8]),
        ([8, 9], [9, EOS]),
    ]


def test_case_d7_a_corpus_of_window_plus_one_is_one_piece():
    assert len(cut(np.array([[0, 7]]), 8)) == 1  # <s> and 7 tokens are read, 8 are predicted
    assert len(cut(np.array([[0, 8]]), 8)) == 2


@pytest.mark.parametrize("length", [1, 3, 1000])
def test_an_epoch_holds_every_target_once(length):
    tokens, bounds = random_sentences(101)
    batches = SentenceBatches(tokens, bounds, rows=8, length=length, seed=1)
    for epoch in (0, 1):
        steps = range(epoch * len(batches), (epoch + 1) * len(batches))
        targets = np.concatenate([batches.at(step)["targets"].ravel() for step in steps])
        targets = np.sort(targets[targets != IGNORE])
        assert np.array_equal(targets, np.sort(np.concatenate([tokens, np.full(101, EOS)])))


def test_a_step_alone_decides_its_batch():
    tokens, bounds = random_sentences(50)
    straight = SentenceBatches(tokens, bounds, rows=8, length=16, seed=1)
    ids = [straight.at(step)["ids"] for step in range(3 * len(straight))]
    jumping = SentenceBatches(tokens, bounds, rows=8, length=16, seed=1)
    for step in (len(ids) - 1, 0, 5):
        assert np.array_equal(jumping.at(step)["ids"], ids[step])


def test_epochs_and_seeds_differ():
    tokens, bounds = random_sentences(1000)
    firsts = {
        tuple(np.unique(batches.at(epoch * len(batches))["ids"]))
        for batches in (
            SentenceBatches(tokens, bounds, rows=8, length=1000, seed=seed) for seed in (1, 2)
        )
        for epoch in (0, 1)
    }
    assert len(firsts) == 4


def test_half_of_the_rare_tokens_are_read_as_unknown():
    tokens, bounds = random_sentences(400)
    tokens = 3 + tokens % 20
    rare = np.zeros(23, bool)
    rare[3:6] = True
    batches = SentenceBatches(tokens, bounds, rows=8, length=1000, seed=1, rare=rare)
    plain = SentenceBatches(tokens, bounds, rows=8, length=1000, seed=1)
    met = forgotten = 0
    for step in range(len(batches)):
        batch, before = batches.at(step), plain.at(step)
        changed = batch["targets"] != before["targets"]
        assert set(batch["targets"][changed]) <= {UNK}
        assert set(before["targets"][changed]) <= {3, 4, 5}
        read = batch["ids"][:, 1:] != before["ids"][:, 1:]
        assert np.array_equal(read, changed[:, :-1])  # the same token where it is read
        met += np.isin(before["targets"], (3, 4, 5)).sum()
        forgotten += changed.sum()
    assert 0.4 < forgotten / met < 0.6
    assert np.array_equal(batches.at(5)["ids"], batches.at(5)["ids"])


def test_like_lengths_share_a_batch():
    tokens, bounds = random_sentences(4000)
    batches = SentenceBatches(tokens, bounds, rows=16, length=64, seed=1)
    targets = [batches.at(step)["targets"] for step in range(len(batches))]
    padded = sum((t == IGNORE).sum() for t in targets) / sum(t.size for t in targets)
    assert padded < 0.1
    widths = np.array([t.shape[1] for t in targets])
    assert not np.array_equal(widths, np.sort(widths))  # but short and long ones take turns


def test_rows_of_a_batch_are_a_batch():
    batch = gather(TOKENS, cut(BOUNDS, 10))
    assert rows({name: array[1:] for name, array in batch.items()}) == rows(batch)[1:]


def test_whole_sentences_of_validation():
    tokens, bounds = random_sentences(100)
    found = [row for batch in whole_sentences(tokens, bounds, 8) for row in rows(batch)]
    assert len(found) == 100
    assert all(ids[0] == BOS and targets[-1] == EOS for ids, targets in found)
    assert sum(len(targets) for _, targets in found) == len(tokens) + 100


def test_one_huge_sentence_has_a_group_of_its_own():
    groups = list(like_lengths(np.array([5, 1_000_000, 7, 6]), rows=4))
    assert [group.tolist() for group in groups] == [[0, 3], [2], [1]]


def test_empty_sentences_only():
    (batch,) = whole_sentences(np.empty(0, np.int32), np.array([[0, 0], [0, 0]]), 8)
    assert rows(batch) == [([BOS], [EOS])] * 2
