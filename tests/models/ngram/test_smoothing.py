"""Every smoothing is a distribution, and gives the numbers of the books."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.data.layout import BOS
from lmstudio.models.config import SETTINGS, NgramConfig
from lmstudio.models.config import SMOOTHINGS as NAMES
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from lmstudio.options import faults
from tests.models.ngram.texts import TINY, Text, ignore, perplexity

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


PROPER = [name for name in NAMES if SMOOTHINGS[name].proper]


def test_the_table_has_every_smoothing_of_the_form():
    assert tuple(SMOOTHINGS) == NAMES


@pytest.mark.parametrize("smoothing", PROPER)
@pytest.mark.parametrize("lines", WEIRD)
def test_weird_corpora_give_distributions(smoothing, lines):
    text = Text(lines)
    for order in range(1, 8):
        model = text.fit(order, smoothing)
        for prefix in ([], [0], [text.rows - 1], [3 % text.rows] * 6, [0, 0, 2, 0, 0, 0, 0]):
            probs = model.next_probs(np.array(prefix, np.int32))
            if smoothing == "maximum-likelihood" and np.isnan(probs).any():
                assert np.isnan(probs).all()
            else:
                assert_is_distribution(probs)


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=9),
    st.sampled_from(PROPER), st.integers(1, 7), st.lists(st.integers(0, 8), max_size=7),
    st.booleans(), st.sampled_from(["1", "1,2", "1,1,2,3"]), st.sampled_from([0.0, 0.6, 1.0]),
)  # fmt: skip
def test_any_corpus_and_context_gives_a_distribution(
    lines, smoothing, order, prefix, interpolate, min_counts, discount
):
    text = Text(lines)
    prefix = [word % text.rows for word in prefix if word % text.rows != BOS]
    how = {"interpolate": interpolate, "discount": discount}
    if smoothing in SETTINGS["min_counts"]:
        how["min_counts"] = min_counts
    probs = text.fit(order, smoothing, **how).next_probs(np.array(prefix, np.int32))
    if smoothing != "maximum-likelihood" or not np.isnan(probs).any():
        assert_is_distribution(probs)


def test_stupid_backoff_is_no_distribution():
    """By hand: b follows a once in two; d never does, and is one of ten events."""
    text = Text(["a b", "a c", "d"])
    model = text.fit(2, "stupid-backoff")
    probs = model.next_probs(np.array(text.ids("a"), np.int32))
    assert not SMOOTHINGS["stupid-backoff"].proper
    assert probs[text.ids("b")[0]] == pytest.approx(1 / 2)
    assert probs[text.ids("d")[0]] == pytest.approx(0.4 / 8)
    assert probs.sum() > 1.1


def test_case_c5_kneser_ney_with_one_discount():
    """Continuations alone stand below, so what was never seen has no probability at all."""
    text = Text(TINY)
    model = text.fit(2, "kneser-ney", discount=0.75, uniform=False)
    love, i = (model.next_probs(np.array(text.ids(w), np.int32)) for w in ("爱", "我"))
    assert love[text.ids("北京")[0]] == pytest.approx(19 / 120)
    assert love[text.ids("我")[0]] == pytest.approx(7 / 30)
    assert i[text.ids("爱")[0]] == pytest.approx(31 / 60)
    assert love[text.ids("他")[0]] == pytest.approx(3 / 40)
    assert_is_distribution(love)
    open_ = text.fit(2, "kneser-ney", discount=0.75).next_probs(np.array(text.ids("爱"), np.int32))
    assert open_[0] > 0
    assert_is_distribution(open_)


def test_case_c5_too_little_text_is_said():
    text = Text(TINY)
    for smoothing in ("kneser-ney", "modified-kneser-ney", "katz", "good-turing"):
        config = NgramConfig(4, smoothing)
        _, facts = NgramModel.fit(text.stream, text.rows, config, ignore)
        assert facts.notes


def test_jelinek_mercer_finds_the_weights_that_held_out_text_likes():
    """Text like that of training trusts long contexts; shuffled words do not."""
    rng = np.random.default_rng(1)
    text = Text(["a b c d", "c a d b", "d d a c"] * 50)
    alike = text.stream[:300]
    words = text.stream[(text.stream > 2)]
    rng.shuffle(words)
    shuffled = np.concatenate([[BOS], words[:200], [2]]).astype(np.int32)
    weights = []
    for held_out in (alike, shuffled):
        _, facts = NgramModel.fit(
            text.stream, text.rows, NgramConfig(2, "jelinek-mercer"), ignore, held_out
        )
        weights.append(facts.discounts[1][-1])
    assert weights[0] > 0.9
    assert weights[1] < 0.3


def test_minimum_counts_drop_ngrams_and_keep_what_longer_ones_need():
    text = Text(["a b c", "a b c", "a b d", "e b c"])
    whole, less = (text.fit(3, "katz", min_counts=m) for m in ("1", "1,2"))
    assert less.sizes[0] == whole.sizes[0]
    assert less.sizes[2] < whole.sizes[2]
    probs = less.next_probs(np.array(text.ids("e b"), np.int32))
    assert_is_distribution(probs)


@pytest.mark.parametrize("wrong", ["", "0", "2,1", "1;2", "x"])
def test_wrong_minimum_counts_are_told(wrong):
    assert [f.field for f in faults(NgramConfig(3, "katz", min_counts=wrong))] == ["min_counts"]


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
