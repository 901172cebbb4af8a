"""Contexts: the tokens before each target, as far as its sentence."""

import numpy as np

from lmstudio.data.contexts import ContextBatches, contexts, whole_contexts
from lmstudio.data.layout import BOS, EOS, UNK
from tests.data.test_lanes import line, long_text, stored

STREAM = np.array([BOS, 10, 11, 12, EOS, BOS, EOS, BOS, 20, EOS], np.int32)


def test_sentence_starts_are_padded():
    assert contexts(STREAM, 2).tolist() == [
        [BOS, BOS], [BOS, 10], [10, 11], [11, 12], [BOS, BOS], [BOS, BOS], [BOS, 20],
    ]  # fmt: skip


def test_whole_contexts_are_those_of_the_stream():
    sentences = [[10, 11, 12], [], [20]]
    batches = list(whole_contexts(*stored(sentences), rows=3, order=3))
    assert [len(b["targets"]) for b in batches] == [3, 3, 1]
    ids = np.concatenate([b["ids"] for b in batches])
    assert np.array_equal(ids, contexts(STREAM, 2))
    assert np.concatenate([b["targets"] for b in batches]).tolist() == line(sentences)


def test_every_target_comes_once_an_epoch_in_another_order():
    sentences = long_text()
    data = ContextBatches(*stored(sentences), rows=16, order=3, seed=1)
    assert data.events == len(line(sentences))
    orders = []
    for epoch in range(2):
        batches = [data.at(epoch * len(data) + i) for i in range(len(data))]
        orders.append(np.concatenate([b["targets"] for b in batches]).tolist())
        assert sorted(orders[-1]) == sorted(line(sentences))
    assert orders[0] != orders[1]


def test_the_step_alone_decides_the_batch():
    a, b = (ContextBatches(*stored(long_text()), rows=5, order=4, seed=3) for _ in range(2))
    for step in (70, 2, 71):
        one, other = a.at(step), b.at(step)
        assert np.array_equal(one["ids"], other["ids"])
        assert np.array_equal(one["targets"], other["targets"])


def test_a_batch_larger_than_the_text():
    data = ContextBatches(*stored(), rows=100, order=3, seed=1)
    assert len(data) == 1
    assert sorted(data.at(5)["targets"].tolist()) == sorted(line())


def test_rare_words_are_sometimes_unknown():
    rare = np.zeros(10_000, bool)
    rare[3:] = True
    data = ContextBatches(*stored(long_text()), rows=100, order=3, seed=1, rare=rare)
    batch = data.at(0)
    assert (batch["targets"] == UNK).any()
    assert (batch["ids"] == UNK).any()
    assert BOS in batch["ids"]
