"""Pruned models stay distributions, and lose what they were allowed to lose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from lmstudio.models.ngram.smoothing.backoff import Backoff
from lmstudio.options import faults
from tests.models.ngram.test_word_classes import made_by_chance
from tests.models.ngram.texts import Text, perplexity

BACKOFF = [name for name, kind in SMOOTHINGS.items() if issubclass(kind, Backoff) and kind.proper]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), min_size=1, max_size=9),
    st.sampled_from(BACKOFF), st.integers(2, 5), st.lists(st.integers(0, 8), max_size=7),
    st.sampled_from([1e-9, 1e-3, 0.02, 1.0]), st.sampled_from(["1", "1,2"]),
)  # fmt: skip
def test_what_is_left_is_a_distribution(lines, smoothing, order, prefix, threshold, min_counts):
    text = Text(lines)
    prefix = [word % text.rows for word in prefix if word % text.rows != 1]
    model = text.fit(order, smoothing, prune=threshold, min_counts=min_counts)
    probs = model.next_probs(np.array(prefix, np.int32))
    assert probs.min() >= 0
    assert probs.sum() == pytest.approx(1, abs=1e-6)


def test_the_higher_the_threshold_the_smaller_and_the_worse():
    text, held_out = made_by_chance(300, 6000), made_by_chance(300, 2000, seed=2)
    stream = text.encode([" ".join(held_out.types[i] for i in held_out.stream if i > 2)])
    models = [text.fit(3, prune=threshold) for threshold in (0.0, 1e-6, 1e-5, 1e-4, 1.0)]
    sizes = [sum(model.sizes[1:]) for model in models]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0
    own = [perplexity(model, text.stream) for model in models]
    assert own == sorted(own)
    assert perplexity(models[1], stream) < perplexity(models[-1], stream)


def test_it_is_for_models_that_back_off():
    assert [f.field for f in faults(NgramConfig(3, "add-k", prune=0.1))] == ["prune"]
    assert not faults(NgramConfig(3, "katz", prune=0.1))
