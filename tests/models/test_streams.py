"""Layers as the output reads them: the last one's guesses are the model's own, inputs are sums."""

import numpy as np
import pytest
import torch

from lmstudio.data.layout import EOS
from lmstudio.models.bert import Bert
from lmstudio.models.config import BertConfig
from lmstudio.training.assembly import build
from tests.training.networks import spec_of

COUNTS = np.array([10, 0, 20, 30, 20, 10, 5])
IDS = np.array([3, 5, 4, 0, 6])


def model_of(variant, **config):
    """One whose weights are random everywhere, also where training begins with zeros."""
    torch.manual_seed(3)
    spec = spec_of(variant)
    for name, value in config.items():
        object.__setattr__(spec.config, name, value)
    module = build(spec, COUNTS, None)
    with torch.no_grad():
        for weights in module.parameters():
            weights.add_(torch.randn_like(weights) * 0.3)
    return module.model()


@pytest.mark.parametrize("variant", ["rnn", "gru", "lstm", "lstm, sampled", "gpt"])
def test_the_last_layer_guesses_what_the_model_does(variant):
    model = model_of(variant)
    streams = model.streams(IDS)
    guessed = model.guesses(streams[-1])
    for place in range(len(IDS) + 1):
        np.testing.assert_allclose(guessed[place], model.next_probs(IDS[:place]), atol=1e-6)
    assert len(streams) == len(model.layers(IDS))


def test_each_direction_of_elmo_guesses_what_it_scores():
    model = model_of("elmo")
    streams, width = model.streams(IDS), 8
    left, right = streams[-1, :-1, :width], streams[-1, 1:, width:]
    for place in range(len(IDS) + 1):
        np.testing.assert_allclose(
            model.guesses(left)[place], model.next_probs(IDS[:place]), atol=1e-6
        )
    stream = np.concatenate([[1], IDS, [2]])
    truth = np.concatenate([[EOS], IDS])  # at <s> the end of this direction
    scored = np.log(model.guesses(right)[np.arange(len(truth)), truth])
    np.testing.assert_allclose(scored, model.backward_logprobs(stream), atol=1e-5)


@pytest.mark.parametrize("variant", ["elmo", "elmo, joint"])
def test_both_directions_of_elmo_together_fill_a_blank(variant):
    model = model_of(variant)
    streams, width = model.streams(IDS), 8
    both = np.concatenate([streams[-1, :-2, :width], streams[-1, 2:, width:]], 1)
    for place in range(len(IDS)):
        np.testing.assert_allclose(
            model.guesses(both)[place], model.fill_probs(IDS, place), atol=1e-6
        )


def test_streams_of_elmo_do_not_depend_on_what_was_read_before():
    model = model_of("elmo, carried")
    before = model.streams(IDS)
    model.layers(IDS[::-1])
    np.testing.assert_array_equal(model.streams(IDS), before)


def test_bert_hides_each_token_alone():
    model = model_of("bert")
    streams = model.hidden_streams(IDS, np.arange(len(IDS)))
    assert streams.shape == (3, len(IDS), 8)
    for place in range(len(IDS)):
        np.testing.assert_allclose(
            model.guesses(streams[-1])[place], model.fill_probs(IDS, place), atol=1e-6
        )
    hidden = np.where(np.arange(len(IDS)) == 2, model.module.mask, IDS)
    np.testing.assert_allclose(streams[:, 2], model.streams(hidden)[:, 3], atol=1e-5)


@pytest.mark.parametrize("variant", ["gpt", "bert"])
@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "none"])
def test_the_terms_add_up_to_what_the_first_layer_reads(variant, positions):
    model = model_of(variant, positions=positions)
    terms = model.terms(IDS)
    added = sum(terms[name] for name in ("token", "position", "segment") if name in terms)
    np.testing.assert_allclose(added, terms["sum"], atol=1e-6)
    assert ("position" in terms) == (positions != "none")
    assert ("segment" in terms) == ("norm" in terms) == (variant == "bert")
    np.testing.assert_allclose(list(terms.values())[-1], model.streams(IDS)[0], atol=1e-6)
    if variant == "bert":  # by the definition of a layer norm
        centred = added - added.mean(1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-12)
        norm = model.module.norm
        expected = scaled * norm.weight.detach().numpy() + norm.bias.detach().numpy()
        np.testing.assert_allclose(terms["norm"], expected, atol=1e-5)


def test_a_narrow_table_is_projected_to_what_the_first_layer_reads():
    torch.manual_seed(3)
    model = Bert(BertConfig(layers=2, width=8, heads=2, window=12, table_width=6), 8).model()
    terms, layers = model.terms(IDS), model.layers(IDS)
    assert terms["norm"].shape == (7, 6)
    np.testing.assert_allclose(terms["projected"], model.streams(IDS)[0], atol=1e-6)
    weight, bias = (p.detach().numpy() for p in model.module.projection.parameters())
    np.testing.assert_allclose(terms["token"] @ weight.T + bias, layers[0], atol=1e-6)


def test_layers_that_share_their_weights_are_one_gone_through_again():
    torch.manual_seed(3)
    shared = Bert(BertConfig(layers=3, width=8, heads=2, window=12, shared=True), 8)
    apart = Bert(BertConfig(layers=3, width=8, heads=2, window=12), 8)
    state = shared.state_dict()
    for name, value in list(state.items()):
        for layer in "12":
            state[name.replace("blocks.0.", f"blocks.{layer}.")] = value
    apart.load_state_dict(state)
    np.testing.assert_array_equal(shared.model().layers(IDS), apart.model().layers(IDS))
    off = np.ones((1, 3, 2), bool)
    off[0, 1, 0] = False
    for module in (shared, apart):
        module.eval()
    places = np.array([2, 4])
    found = [m.model().logprobs_with(IDS, places, off) for m in (shared, apart)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("variant", ["gpt", "bert"])
def test_position_tables_stand_beside_waves(variant):
    table, waves = model_of(variant).position_table(), model_of(variant).waves()
    assert table.shape == waves.shape == (16, 8)
    known = model_of(variant, positions="sinusoidal")
    np.testing.assert_array_equal(known.position_table(), known.waves())
    assert model_of(variant, positions="none").position_table() is None
