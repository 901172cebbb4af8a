"""The layers of transformers: who looks where, what is normed when, how they begin."""

import math

import pytest
import torch
from torch import nn

from lmstudio.models import blocks
from lmstudio.models.blocks import Block, MultiHeadAttention, Past, Sinusoids, segment_mask


@pytest.fixture
def x():
    torch.manual_seed(1)
    return torch.randn(2, 6, 8)


def block(*, causal=True, norm_first=True, **settings) -> Block:
    torch.manual_seed(2)
    return Block(8, 2, 16, causal=causal, norm_first=norm_first, **settings).eval()


def test_attention_by_the_formula(x):
    layer = MultiHeadAttention(8, 2, causal=False).eval()
    q, k, v = layer.qkv(x).chunk(3, 2)
    heads = []
    for h in (slice(0, 4), slice(4, 8)):
        weights = torch.softmax(q[..., h] @ k[..., h].mT / math.sqrt(4), 2)
        heads.append(weights @ v[..., h])
        assert torch.allclose(layer.weights(x)[:, h.start // 4], weights, atol=1e-6)
    assert torch.allclose(layer(x), layer.output(torch.cat(heads, 2)), atol=1e-6)


def test_a_causal_one_never_looks_ahead(x):
    layer = MultiHeadAttention(8, 2, causal=True).eval()
    weights = layer.weights(x)
    assert torch.allclose(weights.sum(3), torch.ones(2, 2, 6), atol=1e-6)
    assert (weights.triu(1) == 0).all()
    changed = x.clone()
    changed[:, 4:] += 1
    assert torch.equal(layer(x)[:, :4], layer(changed)[:, :4])
    assert not torch.allclose(layer(x)[:, 4:], layer(changed)[:, 4:])


@pytest.mark.parametrize("norm_first", [True, False])
def test_segments_in_a_row_are_as_if_alone(x, norm_first):
    segments = torch.tensor([[0, 0, 1, 1, 1, -1], [0, 0, 0, 0, 0, 0]])
    for causal in (True, False):
        layer = block(causal=causal, norm_first=norm_first)
        mask = segment_mask(segments, causal=causal)
        y = layer(x, mask)
        assert torch.isfinite(y).all()
        for row, piece in ((0, slice(0, 2)), (0, slice(2, 5)), (1, slice(0, 6))):
            alone = layer(x[row : row + 1, piece])
            assert torch.allclose(y[row, piece], alone[0], atol=1e-6)
        looks = layer.looks(x, mask)
        assert torch.allclose(looks.sum(3), torch.ones(2, 2, 6), atol=1e-6)
        assert (looks[0, :, 2:5, :2] == 0).all()


def test_what_was_read_before_need_not_be_read_again(x):
    layer, past = block(), Past()
    pieces = [layer(x[:, part], past=past) for part in (slice(0, 2), slice(2, 5), slice(5, 6))]
    assert torch.allclose(torch.cat(pieces, 1), layer(x), atol=1e-6)


def test_norms_come_before_or_after(x):
    first = block(norm_first=True).stages(x)
    assert torch.equal(first["middle"], x + first["attention"])
    assert torch.equal(first["output"], first["middle"] + first["mlp"])
    last = block(norm_first=False).stages(x)
    for stage in ("middle", "output"):
        assert last[stage].mean(2).abs().max() < 1e-6
        assert torch.allclose(last[stage].var(2, unbiased=False), torch.ones(2, 6), atol=1e-3)


def test_the_two_gelus(x):
    exact, approximate = block(gelu="erf").mlp.gelu(x), block(gelu="tanh").mlp.gelu(x)
    assert torch.allclose(exact, x * 0.5 * (1 + torch.erf(x / math.sqrt(2))), atol=1e-6)
    tanh = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    assert torch.allclose(approximate, x * 0.5 * (1 + tanh), atol=1e-6)


def test_layers_begin_as_nothing(x):
    layer = block()
    blocks.start(layer)
    assert torch.equal(layer(x), x)
    assert layer.mlp.inner.weight.std().item() == pytest.approx(blocks.STD, rel=0.3)
    assert (layer.attention.qkv.bias == 0).all()


def test_dropout_only_while_training(x):
    layer = block(dropout=0.5)
    assert torch.equal(layer(x), layer(x))
    layer.train()
    assert not torch.equal(layer(x), layer(x))


def test_sinusoids_of_the_paper():
    table = Sinusoids(50, 6)(torch.arange(50)) / blocks.STD
    for place, wave in ((0, 0), (7, 1), (49, 2)):
        angle = place / 10_000 ** (2 * wave / 6)
        assert table[place, 2 * wave] == pytest.approx(math.sin(angle), abs=1e-5)
        assert table[place, 2 * wave + 1] == pytest.approx(math.cos(angle), abs=1e-5)
    assert Sinusoids(4, 5)(torch.tensor([[1, 2]])).shape == (1, 2, 5)
    assert not list(Sinusoids(4, 5).parameters())
    assert not Sinusoids(4, 5).state_dict()


def test_the_kinds_of_positions():
    learned = blocks.positions("learned", 4, 6)
    assert isinstance(learned, nn.Embedding)
    assert learned.weight.shape == (4, 6)
    assert isinstance(blocks.positions("sinusoidal", 4, 6), Sinusoids)
    assert blocks.positions("none", 4, 6)(torch.tensor([3])) == 0
