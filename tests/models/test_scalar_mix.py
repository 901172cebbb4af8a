"""The mean of layers, learned."""

import pytest
import torch

from lmstudio.models.scalar_mix import ElmoMix


def test_begins_as_the_plain_mean():
    torch.manual_seed(1)
    layers = torch.randn(3, 2, 4, 5)
    assert torch.allclose(ElmoMix(3)(layers), layers.mean(0), atol=1e-6)


def test_is_the_weighted_sum_times_gamma():
    torch.manual_seed(1)
    mix = ElmoMix(3)
    with torch.no_grad():
        mix.weights.copy_(torch.tensor([0.0, 1.0, -2.0]))
        mix.gamma.fill_(1.5)
    layers = torch.randn(3, 4, 5)
    shares = torch.softmax(mix.weights, 0)
    expected = 1.5 * (shares[0] * layers[0] + shares[1] * layers[1] + shares[2] * layers[2])
    assert torch.allclose(mix(layers), expected, atol=1e-6)
    assert mix.shares().sum().item() == pytest.approx(1)


def test_finds_the_layer_that_helps():
    torch.manual_seed(1)
    mix, layers = ElmoMix(3), torch.randn(3, 20, 4)
    optimizer = torch.optim.Adam(mix.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        (mix(layers) - 2 * layers[1]).square().mean().backward()
        optimizer.step()
    assert mix.shares()[1] > 0.9
    assert sum(p.numel() for p in mix.parameters()) == 4
