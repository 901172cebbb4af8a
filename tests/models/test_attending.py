"""Heads switched off: as if their columns of the output matrix were zero."""

import copy
import math

import numpy as np
import pytest
import torch

from lmstudio.data.layout import BOS, EOS
from lmstudio.models import attending
from lmstudio.models.bert import Bert
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.models.gpt import Gpt
from tests.models.networks import ROWS

IDS = np.array([5, 9, 4, 7, 3])


@pytest.fixture(params=["gpt", "bert"])
def module(request):
    """Two layers of two heads, with weights that matter."""
    torch.manual_seed(3)
    sizes = {"layers": 2, "width": 8, "heads": 2, "window": 12}
    made = Gpt(GptConfig(**sizes), ROWS) if request.param == "gpt" else Bert(
        BertConfig(**sizes), ROWS + 1)  # fmt: skip
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made


def without(module, *off):
    """A copy whose heads `off` add nothing, by its weights."""
    made = copy.deepcopy(module)
    with torch.no_grad():
        for layer, head in off:
            made.blocks[layer].attention.output.weight[:, head * 4 : head * 4 + 4] = 0
    return made.model()


def switches(*off) -> np.ndarray:
    on = np.ones((2, 2), bool)
    on[tuple(zip(*off, strict=True))] = False
    return on


def events(model) -> np.ndarray:
    """What the model itself scores of the sentence, without what it does not predict."""
    found = model.logprobs(np.array([BOS, *IDS, EOS], np.int32))
    return found[np.isfinite(found)]


def test_what_is_guessed_with_all_heads_is_what_the_model_scores(module):
    model = module.model()
    places = model.guessed(IDS)
    found = model.logprobs_with(IDS, places, np.ones((1, 2, 2), bool))
    assert found[0] == pytest.approx(events(model), abs=1e-5)


@pytest.mark.parametrize("off", [[(0, 1)], [(1, 0)], [(1, 0), (1, 1)], [(0, 0), (1, 1)]])
def test_a_head_off_adds_nothing(module, off):
    model, expected = module.model(), without(module, *off)
    places = model.guessed(IDS)
    heads = np.stack([np.ones((2, 2), bool), switches(*off)])
    found = model.logprobs_with(IDS, places, heads)
    assert found[0] == pytest.approx(events(model), abs=1e-5)
    assert found[1] == pytest.approx(events(expected), abs=1e-5)
    assert not np.allclose(found[0], found[1], atol=1e-3)
    looks = model.attention(IDS, heads[1])
    assert looks == pytest.approx(expected.attention(IDS), abs=1e-5)


def test_many_heads_and_places_are_read_a_part_at_a_time(module, monkeypatch):
    model = module.model()
    places = model.guessed(IDS)[1:]
    heads = np.stack([switches((layer, head)) for layer in (0, 1) for head in (0, 1)])
    at_once = model.logprobs_with(IDS, places, heads)
    asked = []
    monkeypatch.setattr(attending, "TOKENS_AT_ONCE", 14)
    found = model.logprobs_with(IDS, places, heads, lambda: asked.append(1))
    assert found == pytest.approx(at_once, abs=1e-5)
    assert len(asked) >= 2


def test_a_guess_is_a_distribution(module):
    model = module.model()
    heads = np.stack([np.ones((2, 2), bool), switches((1, 1))])
    for place in model.guessed(IDS)[[0, 3]]:
        probabilities = model.guess_with(IDS, int(place), heads)
        assert probabilities.shape == (2, ROWS)
        assert probabilities.sum(1) == pytest.approx(1)
        scored = model.logprobs_with(IDS, np.array([place]), heads)[:, 0]
        assert np.log(probabilities[:, IDS[place - 1]]) == pytest.approx(scored, abs=1e-5)


def test_queries_and_keys_make_the_weights(module):
    model, off = module.model(), switches((0, 0))
    for heads in (None, off):
        q, k, v = model.projections(IDS, 1, heads)
        assert q.shape == k.shape == v.shape == (2, len(model.shown(IDS)), 4)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(4)
        if module.__class__ is Gpt:
            scores[:, *np.triu_indices(scores.shape[1], 1)] = -np.inf
        weights = np.exp(scores) / np.exp(scores).sum(2, keepdims=True)
        assert model.attention(IDS, heads)[1] == pytest.approx(weights, abs=1e-5)


def test_what_does_not_fit_is_not_guessed(module):
    model, ids = module.model(), np.arange(3, 23)
    places = model.guessed(ids)
    shown = model.shown(ids)
    assert len(shown) == 12
    assert places.tolist() == list(range(1, 12 if module.__class__ is Gpt else 11))
    found = model.logprobs_with(ids, places, np.ones((1, 2, 2), bool))
    assert np.isfinite(found).all()
