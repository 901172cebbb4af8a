"""Every smoothing is a distribution, and gives the numbers of the books."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.data.layout import BOS
from lmstudio.models.config import SMOOTHINGS as NAMES
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from tests.models.ngram.texts import TINY, Text, perplexity

WEIRD = [
    ["a"],
    ["a a a a a a a a"],
    ["a", "a", "a"],
    [""],
    ["", "a", ""],
    ["a b c", "d", "a b"],
    ["<unk> a <unk>", "<unk>"],
]


def assert_is_distribution(probs: np.ndarray) -> None:
    assert probs.min() >= 0
    assert probs[BOS] == 0
    assert probs.sum() == pytest.approx(1, abs=1e-6)


def test_the_table_has_every_smoothing_of_the_form():
    assert tuple(SMOOTHINGS) == NAMES


@pytest.mark.parametrize("smoothing", NAMES)
@pytest.mark.parametrize("lines", WEIRD)
def test_weird_corpora_give_distributions(smoothing, lines):
    text = Text(lines)
    for order in range(1, 7):
        model = text.fit(order, smoothing)
        for prefix in ([], [0], [text.rows - 1], [3 % text.rows] * 6, [0, 0, 2, 0, 0, 0, 0]):
            probs = model.next_probs(np.array(prefix, np.int32))
            if smoothing == "maximum-likelihood" and np.isnan(probs).any():
                assert np.isnan(probs).all()
            else:
                assert_is_distribution(probs)


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=9),
    st.sampled_from(NAMES), st.integers(1, 6), st.lists(st.integers(0, 8), max_size=7),
)  # fmt: skip
@settings(deadline=None)
def test_any_corpus_and_context_gives_a_distribution(lines, smoothing, order, prefix):
    text = Text(lines)
    prefix = [word % text.rows for word in prefix if word % text.rows != BOS]
    probs = text.fit(order, smoothing).next_probs(np.array(prefix, np.int32))
    if smoothing != "maximum-likelihood" or not np.isnan(probs).any():
        assert_is_distribution(probs)


@pytest.mark.parametrize("smoothing", NAMES)
def test_scoring_agrees_with_next_probs(smoothing):
    text = Text(["a b a c", "b a b", "a", "c c a b"])
    lines = ["a b c a", "c b", "", "x a b"]
    for order in range(1, 7):
        model = text.fit(order, smoothing)
        expected = []
        for line in lines:
            ids = [*text.ids(line), 2]
            for place, word in enumerate(ids):
                probs = model.next_probs(np.array(ids[:place], np.int32))
                expected.append(np.nan_to_num(probs[word]))
        found = np.exp(model.logprobs(text.encode(lines)))
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_case_c1_add_one_on_three_sentences():
    text = Text(TINY)
    assert text.rows - 1 == 7
    model = text.fit(2, "add-one")
    sentence = text.encode(["我 爱 我"])
    assert np.exp(model.logprobs(sentence)) == pytest.approx([3 / 10, 3 / 10, 1 / 5, 1 / 5])
    assert perplexity(model, sentence) == pytest.approx(4.082483, abs=1e-6)
    for word in ("", "我", "爱", "他", "北京", "<unk>"):
        assert_is_distribution(model.next_probs(np.array(text.ids(word), np.int32)))


def test_case_c2_maximum_likelihood_says_never_and_undefined():
    text = Text(TINY)
    model = text.fit(2, "maximum-likelihood")
    logprobs = model.logprobs(text.encode(["我 爱 他"]))
    assert np.isneginf(logprobs).tolist() == [False, False, True, True]
    assert not np.isnan(logprobs).any()
    assert np.isnan(model.next_probs(np.array([0], np.int32))).all()


def test_case_c3_an_unknown_word_is_an_event():
    text = Text(TINY)
    logprobs = text.fit(2, "add-one").logprobs(text.encode(["他 爱 广州"]))
    assert np.exp(logprobs) == pytest.approx([1 / 5, 1 / 4, 1 / 10, 1 / 7])
    assert math.exp(-logprobs.mean()) == pytest.approx(6.116909, abs=1e-6)
    assert math.exp(-logprobs[[0, 1, 3]].mean()) == pytest.approx(5.192494, abs=1e-6)


def test_padding_with_one_or_more_sentence_starts_is_the_same():
    """At the start of a sentence the context is what there is, as if padded."""
    text = Text(TINY)
    model = text.fit(4, "maximum-likelihood")
    logprobs = model.logprobs(text.encode(["我 爱 北京"]))
    assert np.exp(logprobs) == pytest.approx([2 / 3, 1, 1 / 2, 1])
