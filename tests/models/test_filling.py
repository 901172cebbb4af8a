"""What networks say of blanks: several sentences at once, and several ways to go on."""

import numpy as np
import pytest
import torch

from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.models import bert, elmo, ffnn, gpt, gru, lstm, rnn
from lmstudio.models.config import (
    BertConfig,
    ElmoConfig,
    FfnnConfig,
    GptConfig,
    GruConfig,
    LstmConfig,
    RnnConfig,
)
from tests.models.networks import COUNTS

READING = {
    "ffnn": (ffnn, FfnnConfig(order=4, width=8, hidden=8)),
    "rnn": (rnn, RnnConfig(width=8)),
    "gru": (gru, GruConfig(width=8, layers=2)),
    "lstm": (lstm, LstmConfig(width=8, layers=2, softmax="adaptive", tied=False)),
    "gpt": (gpt, GptConfig(width=8, heads=2, layers=2, window=16, context="sentence")),
}


def built(module, config):
    torch.manual_seed(3)
    return module.build(config, COUNTS, None).model()


@pytest.mark.parametrize("family", READING)
@pytest.mark.parametrize("prefix", [[], [4, 5, 9]])
def test_continuations_are_scored_as_whole_sentences(family, prefix):
    model = built(*READING[family])
    rows = np.array([[3, 6, 7, EOS], [8, 8, 3, EOS], [UNK, 3, 4, EOS]])
    found = model.continuations(np.array(prefix, int), rows)
    for row, logs in zip(rows, found, strict=True):
        stream = np.array([BOS, *prefix, *row], np.int32)
        np.testing.assert_allclose(logs, model.logprobs(stream)[len(prefix) :], atol=1e-5)
    alone = model.continuations(np.array(prefix, int), rows[:, :1])
    np.testing.assert_allclose(alone, found[:, :1], atol=1e-6)


def test_a_prefix_that_fills_the_window_is_read_as_far_as_it_is_near():
    model = built(*READING["gpt"])
    prefix = np.resize(np.arange(3, 20), 40)
    rows = np.array([[3, 4, 5], [6, 7, 8]])
    near = model.continuations(prefix[-30:], rows)
    np.testing.assert_allclose(model.continuations(prefix, rows), near, atol=1e-6)


@pytest.mark.parametrize("head", ["separate", "joint"])
def test_elmo_fills_several_sentences_at_once(head):
    model = built(elmo, ElmoConfig(layers=2, width=8, cell=8, head=head))
    ids = np.array([[4, 5, 6, 7, 8], [9, 9, 6, 3, 3]])
    for place in (0, 2, 4):
        found = model.fill_rows(ids, np.zeros(5, bool), place)
        for row, probs in zip(ids, found, strict=True):
            np.testing.assert_allclose(probs, model.fill_probs(row, place), atol=1e-7)
    holes = np.array([False, True, False, True, False])
    unknown = np.where(holes, UNK, ids)
    np.testing.assert_allclose(
        model.fill_rows(ids, holes, 3), model.fill_rows(unknown, np.zeros(5, bool), 3)
    )


def test_bert_hides_all_blanks_of_a_sentence():
    model = built(bert, BertConfig(layers=2, width=8, heads=2, window=16))
    for weights in model.module.parameters():  # new ones do not look at each other yet
        torch.nn.init.normal_(weights, std=0.3)
    ids = np.array([[4, 5, 6, 7, 8], [4, 9, 6, 7, 3]])
    holes = np.array([False, True, True, False, False])
    found = model.fill_rows(ids, holes, 1)
    np.testing.assert_allclose(found.sum(1), 1)
    elsewhere = np.where(holes, 12, ids)  # what is hidden does not matter
    np.testing.assert_allclose(found, model.fill_rows(elsewhere, holes, 1))
    alone = model.fill_rows(ids, np.arange(5) == 1, 1)
    np.testing.assert_allclose(alone[0], model.fill_probs(ids[0], 1), atol=1e-7)
    assert np.abs(alone - found).max() > 1e-6
    words = torch.tensor([[BOS, 4, model.module.mask, model.module.mask, 7, 8, EOS]])
    expected = model.module(words)[0, 2].double().softmax(0)[: model.module.mask]
    np.testing.assert_allclose(found[0], expected.detach().numpy(), atol=1e-6)
