"""The walk of a sentence multiplies out to what the model says, and shows where it comes from."""

import math

import numpy as np
import pytest

from lmstudio.analysis.sentence_walk import Totals, walk
from lmstudio.data.layout import BOS
from lmstudio.models.config import SMOOTHINGS
from tests.models.ngram.texts import TINY, Text


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_steps_are_those_of_the_model(smoothing):
    text = Text(["a b a c", "b a b", "a", "c c a b", "b a c"])
    model = text.fit(3, smoothing)
    line = "a b c x a"
    steps = walk(model, text.ids(line))
    logprobs = model.logprobs(text.encode([line]))
    probs = np.nan_to_num([step.probability for step in steps])
    np.testing.assert_allclose(probs, np.exp(logprobs), rtol=1e-6)
    for step in steps:
        if step.weights or step.own is not None:
            assert np.prod(step.weights) * step.stored == pytest.approx(step.probability)
        if step.own is not None:
            assert step.own + step.weight * step.shorter == pytest.approx(step.stored, abs=1e-7)


def test_what_a_step_says():
    """By hand: after 我 爱 came 北京 and 上海; 他 never came after 爱."""
    text = Text(TINY)
    model = text.fit(3, "absolute-discounting", discount=0.5)
    first, _, third, end = walk(model, text.ids("我 爱 他"))
    assert first.context == [BOS]
    assert (first.order, first.weights) == (2, [])
    assert first.own == pytest.approx((2 - 0.5) / 3)
    assert third.context == text.ids("我 爱")
    assert third.order == 1
    assert third.weights == pytest.approx([0.5 * 2 / 2, 0.5 * 3 / 3])
    assert third.formula.startswith("0.5 × 0.5 × ")
    assert end.token == 2
    counted = walk(text.fit(2, "add-one"), text.ids("我"))
    assert counted[0].formula == "(2 + 1) / (3 + 1 × 7) = 0.3"


@pytest.mark.parametrize("smoothing", ["maximum-likelihood", "add-one", "add-k", "good-turing"])
def test_one_order_answers_whether_it_was_seen_or_not(smoothing):
    """The order whose counts stand in the formula: the longest inside the sentence."""
    text = Text(TINY)
    steps = walk(text.fit(3, smoothing), text.ids("我 爱 他"))
    assert [step.order for step in steps] == [2, 3, 3, 3]


def test_a_perplexity_beyond_what_a_float_holds_is_infinite():
    assert Totals(1, 0, 0, 0, 1024.0).perplexity == math.inf
    assert Totals(2, 0, 0, 0, 4.0).perplexity == 4
