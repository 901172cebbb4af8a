"""The logit lens: the last layer is the model's own prediction, the others follow the formula."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.logit_lens import TOP, lens
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained

TEXT, IDS = "b c x a d", np.array([4, 5, 0, 3, 6])


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """The lens of a variant, and its model."""

    def ask(variant: str, text: str = TEXT, config=None, **how):
        asked = untrained(tmp_path, monkeypatch, variant, **(config or {}))
        return lens(asked, text, job=Job(), **how), answering(asked, job=Job()).model

    return ask


def assert_own(found, column: int, probs: np.ndarray, truth: int, layer: int = -1) -> None:
    """What is told of a layer is told of these probabilities."""
    best = np.argsort(-probs, kind="stable")[:TOP]
    np.testing.assert_array_equal(found.ids[layer, column], best)
    np.testing.assert_allclose(found.probs[layer, column], probs[best], atol=1e-6)
    assert found.truth[column] == truth
    assert found.truth_probs[layer, column] == pytest.approx(probs[truth], abs=1e-6)
    assert found.truth_ranks[layer, column] == 1 + (probs > probs[truth]).sum()
    bits = -sum(p * np.log2(p) for p in probs if p > 0)
    assert found.entropies[layer, column] == pytest.approx(bits, abs=1e-5)


@pytest.mark.parametrize("variant", ["rnn", "gru", "lstm", "lstm, sampled", "gpt", "elmo"])
def test_the_last_layer_predicts_the_next_token_as_the_model_does(ask, variant):
    found, model = ask(variant)
    assert found.columns == ["b", "c", "x", "a", "d", "</s>"]
    assert found.places == [1, 2, 3, 4, 5, 6]
    for column, truth in enumerate([*IDS, 2]):
        assert_own(found, column, model.next_probs(IDS[:column]), truth)


def test_the_last_layer_fills_blanks_as_bert_does(ask):
    found, model = ask("bert")
    assert found.columns == ["b", "c", "x", "a", "d"]
    for column, truth in enumerate(IDS):
        assert_own(found, column, model.fill_probs(IDS, column), truth)
    assert found.ids.shape == (3, 5, TOP)


@pytest.mark.parametrize("variant", ["elmo", "elmo, joint"])
def test_the_last_layer_of_both_directions_fills_blanks_as_elmo_does(ask, variant):
    found, model = ask(variant, side="both")
    for column, truth in enumerate(IDS):
        assert_own(found, column, model.fill_probs(IDS, column), truth)
    if variant == "elmo, joint":
        assert ask(variant)[0].columns == found.columns


def test_from_the_right_it_predicts_the_token_before(ask):
    found, model = ask("elmo", side="behind")
    assert found.columns == ["<s>", "b", "c", "x", "a", "d"]
    scored = model.backward_logprobs(np.array([1, *IDS, 2]))
    np.testing.assert_allclose(np.log(found.truth_probs[-1]), scored, atol=1e-5)


def test_earlier_layers_go_through_the_last_norm_and_the_output(ask):
    found, model = ask("gpt")
    norm = model.module.norm
    matrix = model.module.embedding.weight.detach().double().numpy()
    weight, bias = (x.detach().double().numpy() for x in (norm.weight, norm.bias))
    for layer, stream in enumerate(model.streams(IDS).astype(np.float64)):
        x = stream[2]
        x = (x - x.mean()) / np.sqrt(x.var() + norm.eps) * weight + bias
        logits = matrix @ x
        logits[1] = -np.inf  # <s>
        p = np.exp(logits - logits.max())
        assert_own(found, 2, p / p.sum(), IDS[2], layer)


def test_a_blank_that_was_typed_has_no_truth_and_stays_hidden(ask):
    found, model = ask("bert", "b [MASK] a")
    assert found.columns == ["b", "[MASK]", "a"]
    assert found.truth.tolist() == [4, -1, 3]
    assert np.isnan(found.truth_probs[:, 1]).all()
    assert (found.truth_ranks[:, 1] == 0).all()
    masked = np.array([4, model.module.mask, 3])
    own = model.fill_probs(masked, 0)
    assert_own(found, 0, own, 4)
    assert_own(ask("bert", "b c a")[0], 1, model.fill_probs(np.array([4, 5, 3]), 1), 5)


def test_bert_may_see_what_it_guesses(ask):
    found, model = ask("bert", hidden=False)
    streams = model.streams(IDS)
    for layer in range(3):
        assert_own(found, 3, model.guesses(streams[layer, 4:5])[0], IDS[3], layer)


@pytest.mark.parametrize("variant", ["gpt", "bert"])
def test_what_does_not_fit_into_the_window_is_left_out(ask, variant):
    found, model = ask(variant, " ".join("ab" * 20))
    ids = np.array([3, 4] * 20)
    if variant == "gpt":
        assert found.places[-1] == 16
        assert_own(found, 15, model.next_probs(ids[:15]), 4)
    else:
        assert found.places[-1] == 14
    assert found.columns[:2] == ["a", "b"]


def test_rows_tell_every_guess(ask):
    found, _ = ask("lstm")
    rows = list(found.rows())
    assert len(rows) == found.ids.size
    layer, place, token, rank, guess, p, truth_rank, truth_p, bits = rows[-TOP]
    assert (layer, place, token, rank) == (2, 6, "</s>", 1)
    assert (guess, p) == found.guesses(2, 5)[0]
    assert (truth_rank, truth_p, bits) == (
        found.truth_ranks[2, 5], found.truth_probs[2, 5], found.entropies[2, 5],
    )  # fmt: skip
    assert found.right(2, 5) == (truth_rank == 1)


def test_a_model_without_layers_says_so(ask):
    with pytest.raises(AppError, match="no vectors of words in a sentence"):
        ask("ffnn")
    with pytest.raises(AppError, match="no token"):
        ask("gpt", "")
