"""The published figures of the Penn Treebank text (Mikolov's split), as everybody computes them."""

import numpy as np
import pytest

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from tests.models.ngram.texts import Text, ignore, perplexity, read_ptb

pytestmark = pytest.mark.slow

DISCOUNTS = [  # D1, D2, D3+ of the 5-gram model, orders 1 to 5
    (0.2566, 0.8289, 1.2623), (0.7278, 1.0988, 1.4713), (0.8689, 1.2546, 1.4482),
    (0.9428, 1.3831, 1.4317), (0.9597, 1.3879, 1.2417),
]  # fmt: skip


@pytest.fixture(scope="module")
def ptb(request):
    return {}


@pytest.fixture
def streams(shared, ptb):
    """(the training text, valid, test), read once."""
    if not ptb:
        lines = read_ptb(shared)
        text = Text(lines["train"])
        ptb["all"] = text, text.encode(lines["valid"]), text.encode(lines["test"])
    return ptb["all"]


def test_sizes_are_those_of_the_split(streams):
    text, _, test = streams
    assert text.rows - 1 == 10_000
    assert int((test != 1).sum()) == 82_430
    assert int((test == 0).sum()) == 4_794


def test_maximum_likelihood(streams):
    text, _, test = streams
    assert perplexity(text.fit(1, "maximum-likelihood"), test) == pytest.approx(639.30, abs=0.01)
    logprobs = text.fit(2, "maximum-likelihood").logprobs(test)
    assert int(np.isneginf(logprobs).sum()) == 15_594
    assert not np.isnan(logprobs).any()


@pytest.mark.parametrize(
    ("order", "k", "expected"),
    [
        (1, 1, 639.79),
        (2, 1, 824.03), (2, 0.5, 626.39), (2, 0.1, 376.59), (2, 0.01, 274.27), (2, 0.001, 313.51),
        (3, 1, 3307.92), (3, 0.1, 1671.71), (3, 0.01, 1039.66), (3, 0.001, 989.63),
    ],
)  # fmt: skip
def test_additive(streams, order, k, expected):
    text, _, test = streams
    model = text.fit(order, "add-one") if k == 1 else text.fit(order, "add-k", k=k)
    assert perplexity(model, test) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("order", "expected_valid", "expected_test"),
    [(2, 199.02, 185.70), (3, 157.77, 148.28), (4, 149.90, 142.72), (5, 148.01, 141.19)],
)
def test_modified_kneser_ney(streams, order, expected_valid, expected_test):
    text, valid, test = streams
    model = text.fit(order)
    assert perplexity(model, valid) == pytest.approx(expected_valid, abs=0.01)
    assert perplexity(model, test) == pytest.approx(expected_test, abs=0.01)


@pytest.mark.parametrize(("order", "expected"), [(3, 150.60), (5, 143.51)])
def test_original_kneser_ney(streams, order, expected):
    text, _, test = streams
    assert perplexity(text.fit(order, "kneser-ney"), test) == pytest.approx(expected, abs=0.02)


def test_singleton_cut_costs_little(streams):
    text, _, test = streams
    model = text.fit(5, min_counts="1,1,1,1,2")
    assert perplexity(model, test) == pytest.approx(141.47, abs=0.02)


@pytest.mark.parametrize(("order", "expected"), [(3, 165.2), (5, 162.3)])
def test_katz_with_the_minima_of_srilm(streams, order, expected):
    """The published figures of Good-Turing 3- and 5-grams on this split."""
    text, _, test = streams
    model = text.fit(order, "katz", min_counts="1,1,2,2,2")
    assert perplexity(model, test) == pytest.approx(expected, abs=0.06)


def test_discounts_of_the_verified_run(streams):
    text, _, _ = streams
    _, facts = NgramModel.fit(text.stream, text.rows, NgramConfig(5), ignore)
    for found, expected in zip(facts.discounts, DISCOUNTS, strict=True):
        assert found == pytest.approx(expected, abs=1e-4)
    assert facts.notes == []


@pytest.mark.parametrize("smoothing", [n for n in SMOOTHINGS if SMOOTHINGS[n].proper])
def test_distributions_sum_to_one(streams, smoothing):
    text, _, test = streams
    model = text.fit(5, smoothing)
    for place in np.random.default_rng(1).integers(10, len(test), 20):
        prefix = test[place - 4 : place]
        probs = model.next_probs(prefix)
        if not np.isnan(probs).any():  # maximum likelihood, unseen context
            assert probs.sum() == pytest.approx(1, abs=1e-6)
