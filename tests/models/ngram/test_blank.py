"""Blanks between two stretches: every word's score is that of the whole sentence with it."""

import random

import numpy as np
import pytest

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.config import ClassNgramConfig
from lmstudio.models.ngram.blank import fill_logs
from lmstudio.models.ngram.class_model import ClassNgramModel
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from tests.models.ngram.texts import Text, ignore

RNG = random.Random(7)
LINES = [" ".join(RNG.choices("abcdefghij", k=RNG.randint(1, 9))) for _ in range(150)]


def normal(logs: np.ndarray) -> np.ndarray:
    """As probabilities over the words."""
    with np.errstate(invalid="ignore"):
        return np.exp(logs - np.logaddexp.reduce(logs))


def exhaustive(model, left, right) -> np.ndarray:
    """(rows,) ln p of the whole sentence with each word in the blank."""
    words = [[BOS, *left, word, *right] for word in range(model.rows)]
    logs = np.array([model.logprobs(np.array(ids, np.int32)).sum() for ids in words])
    logs[BOS] = -np.inf
    return logs


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_every_word_is_scored_exactly_with_both_contexts(smoothing, order):
    text = Text(LINES)
    model = text.fit(order, smoothing)
    for left, right in (("a b c", "d e f g"), ("", "b"), ("c", ""), ("a", "b a"), ("f f", "a")):
        left_ids, right_ids = text.ids(left), [*text.ids(right), EOS]
        found = normal(fill_logs(model, np.array(left_ids, int), np.array(right_ids)))
        expected = normal(exhaustive(model, left_ids, right_ids))
        if np.isfinite(expected).all():
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
        else:
            assert not np.isfinite(found).any()  # maximum likelihood: nothing fits at all


def test_the_right_side_may_stop_before_the_sentence_does():
    model, text = (text := Text(LINES)).fit(3), text
    found = normal(fill_logs(model, np.array([5]), np.array([6])))
    expected = normal(exhaustive(model, [5], [6]))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_word_classes_are_scored_exactly_too():
    text = Text(LINES)
    config = ClassNgramConfig(order=3, classes=4)
    model, _ = ClassNgramModel.fit(text.stream, text.rows, config, ignore)
    left, right = text.ids("a b"), [*text.ids("c d"), EOS]
    found = normal(model.fill_logs(np.array(left), np.array(right)))
    np.testing.assert_allclose(found, normal(exhaustive(model, left, right)), rtol=1e-6)
