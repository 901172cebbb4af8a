"""Class-based n-grams: distributions, by hand, stored and read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.models.config import ClassNgramConfig
from lmstudio.models.ngram.class_model import ClassNgramModel
from tests.models.ngram.test_word_classes import made_by_chance
from tests.models.ngram.texts import Text, ignore, perplexity


def fit(text: Text, **how) -> ClassNgramModel:
    return ClassNgramModel.fit(text.stream, text.rows, ClassNgramConfig(**how), ignore)[0]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=9),
    st.integers(1, 4), st.integers(1, 9), st.lists(st.integers(0, 8), max_size=7),
)  # fmt: skip
def test_any_corpus_and_context_gives_a_distribution(lines, order, classes, prefix):
    text = Text(lines)
    prefix = [word % text.rows for word in prefix if word % text.rows != 1]
    probs = fit(text, order=order, classes=classes).next_probs(np.array(prefix, np.int32))
    assert probs.sum() == pytest.approx(1, abs=1e-6)
    assert probs[1] == 0


def test_scoring_agrees_with_next_probs():
    text = Text(["a b a c", "b a b", "a", "c c a b"])
    model = fit(text, order=3, classes=2)
    line = "a x c b"
    ids = [*text.ids(line), 2]
    expected = [model.next_probs(np.array(ids[:i], np.int32))[word] for i, word in enumerate(ids)]
    np.testing.assert_allclose(np.exp(model.logprobs(text.encode([line]))), expected, rtol=1e-6)


def test_classes_help_where_words_are_rare():
    """Kinds of words follow one another: classes see that from far less text than words do."""
    text = made_by_chance(300, 3000)
    lines = made_by_chance(300, 600, seed=2)
    held_out = text.encode([" ".join(lines.types[i] for i in lines.stream if i > 2)])
    assert perplexity(fit(text, order=3, classes=10), held_out) < perplexity(text.fit(3), held_out)


def test_what_is_stored_reads_the_same():
    text = made_by_chance(60, 900)
    model = fit(text, order=2, classes=5)
    again = ClassNgramModel.load(model.arrays(), text.rows, model.config)
    np.testing.assert_array_equal(again.logprobs(text.stream), model.logprobs(text.stream))
    assert again.rows == text.rows
