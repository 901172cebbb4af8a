"""Texts read on token by token give what reading them whole gives."""

import numpy as np
import pytest

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.config import ClassNgramConfig, NgramConfig
from lmstudio.models.ngram.class_model import ClassNgramModel
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.reading import sentence_of
from tests.models.test_every_network import SETTINGS, Network

WRITERS = [name for name in SETTINGS if not name.startswith("bert") and "joint" not in name]
STREAM = np.array([BOS, 3, 4, 5, 6, EOS, BOS, 3, 5, 4, 7, EOS] * 3, np.int32)


def counted(kind):
    if kind == "ngram":
        return NgramModel.fit(STREAM, 9, NgramConfig(3), lambda share: None)[0]
    config = ClassNgramConfig(order=3, classes=4)
    return ClassNgramModel.fit(STREAM, 9, config, lambda share: None)[0]


@pytest.fixture(params=["ngram", "class-ngram", *WRITERS])
def model(request, tmp_path):
    if "ngram" in request.param:
        return counted(request.param)
    return Network(request.param, tmp_path).model()


def whole(model, ids) -> np.ndarray:
    """`next_probs` of a text that `</s>` may stand in."""
    return model.next_probs(np.array(sentence_of(ids) if model.context == "sentence" else ids))


def test_each_step_is_as_reading_anew(model):
    text = [3, 4, 5, 6, 7, 5] * 7  # longer than the windows of the transformers, 32
    reading = model.begin(np.array(text[:2]))
    for length in range(2, len(text)):
        np.testing.assert_allclose(reading.probs()[0], whole(model, text[:length]), atol=1e-6)
        reading.read([0], [text[length]])


def test_a_long_beginning_is_cut_as_where_it_is_scored(model):
    for length in (31, 32, 33, 48, 49, 70):
        text = ([3, 4, 5, 6, 7, 5] * 12)[:length]
        np.testing.assert_allclose(model.begin(text).probs()[0], whole(model, text), atol=1e-6)


def test_a_sentence_end_begins_the_next(model):
    text = [3, 4, EOS, 5, EOS, 6]
    reading = model.begin(np.array([], np.int32))
    for length, number in enumerate(text):
        np.testing.assert_allclose(reading.probs()[0], whole(model, text[:length]), atol=1e-6)
        reading.read([0], [number])
    np.testing.assert_allclose(reading.probs(), model.begin(np.array(text)).probs(), atol=1e-6)


def test_texts_part_and_end_side_by_side(model):
    reading = model.begin(np.array([3, 4]))
    reading.read([0, 0, 0], [5, EOS, 6])
    reading.read([2, 0, 0, 1], [7, 3, EOS, 5])  # one of them twice, in another order
    texts = [[3, 4, 6, 7], [3, 4, 5, 3], [3, 4, 5, EOS], [3, 4, EOS, 5]]
    for row, text in zip(reading.probs(), texts, strict=True):
        np.testing.assert_allclose(row, whole(model, text), atol=1e-6)
    reading.read([3], [6])
    np.testing.assert_allclose(reading.probs()[0], whole(model, [*texts[3], 6]), atol=1e-6)


def test_the_rest_stands_after_the_last_end():
    assert sentence_of([3, EOS, 4, EOS, 5, 6]) == [5, 6]
    assert sentence_of([3, EOS]) == []
    assert sentence_of([3, 4]) == [3, 4]
