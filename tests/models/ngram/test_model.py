"""A model scores long streams in blocks, and is the same when its arrays are loaded again."""

import numpy as np
import pytest

from lmstudio.models.config import SMOOTHINGS
from lmstudio.models.ngram import model as model_module
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import TINY, Text


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("block", [1, 3, 10])
def test_blocks_do_not_change_the_scores(monkeypatch, smoothing, block):
    text = Text(TINY * 3)
    stream = text.encode(["我 爱 我 爱 我 爱 北京 他 他", "", "他 爱 上海 我 我 广州 爱"])
    model = text.fit(5, smoothing)
    whole = model.logprobs(stream)
    monkeypatch.setattr(model_module, "_BLOCK", block)
    np.testing.assert_array_equal(model.logprobs(stream), whole)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_arrays_make_the_same_model_again(smoothing):
    text = Text(TINY)
    model = text.fit(3, smoothing, k=0.25)
    again = NgramModel.load(model.arrays(), text.rows, model.config)
    np.testing.assert_array_equal(again.logprobs(text.stream), model.logprobs(text.stream))
    assert again.sizes == model.sizes == [text.rows, *map(len, again.lookup.keys)]


def test_nothing_to_score_gives_nothing():
    assert Text(TINY).fit(3).logprobs(np.empty(0, np.int32)).shape == (0,)


def test_every_event_is_scored_once_and_sentence_starts_never():
    text = Text(TINY)
    assert len(text.fit(3).logprobs(text.stream)) == 9 + 3
