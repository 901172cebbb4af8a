"""Muon: equally long steps, matrices of a kind together, the same after a restart."""

import math

import pytest
import torch
from torch import nn

from lmstudio.training import muon
from lmstudio.training.muon import Muon, orthogonal


def parameter(*shape: int, seed: int = 1) -> nn.Parameter:
    torch.manual_seed(seed)
    p = nn.Parameter(torch.randn(*shape))
    p.grad = torch.randn(*shape)
    return p


def plain_direction(gradient: torch.Tensor) -> torch.Tensor:
    """The first step of the algorithm as published, one matrix at a time, rows <= columns."""
    x = gradient.clone() if gradient.shape[0] <= gradient.shape[1] else gradient.t().clone()
    x /= x.norm() + 1e-7
    for _ in range(5):
        a = x @ x.t()
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x if gradient.shape[0] <= gradient.shape[1] else x.t()


def test_singular_values_come_near_one():
    torch.manual_seed(1)
    matrices = torch.randn(3, 8, 20) @ torch.randn(3, 20, 20)
    for values in torch.linalg.svdvals(orthogonal(matrices)):
        assert values.min() > 0.6
        assert values.max() < 1.3
    u, _, v = torch.linalg.svd(matrices, full_matrices=False)
    assert (
        torch.nn.functional.cosine_similarity(
            orthogonal(matrices).flatten(1), (u @ v).flatten(1)
        ).min()
        > 0.97
    )


def test_no_gradient_no_step():
    assert torch.equal(orthogonal(torch.zeros(1, 3, 4)), torch.zeros(1, 3, 4))
    p = parameter(3, 4)
    p.grad = None
    before = p.detach().clone()
    Muon([p], lr=0.1).step()
    assert torch.equal(p, before)


@pytest.mark.parametrize("shape", [(4, 4), (4, 9), (9, 4)])
def test_a_step_as_published(shape):
    p = parameter(*shape)
    before, wide = p.detach().clone(), math.sqrt(max(1, shape[0] / shape[1]))
    Muon([p], lr=0.1).step()
    assert torch.allclose(p, before - 0.1 * wide * plain_direction(p.grad), atol=1e-5)


def test_matrices_of_one_shape_together_are_as_alone():
    shapes = [(4, 9), (9, 4), (4, 9), (4, 4)]
    together = [parameter(*shape, seed=i) for i, shape in enumerate(shapes)]
    alone = [parameter(*shape, seed=i) for i, shape in enumerate(shapes)]
    Muon(together, lr=0.1).step()
    for p in alone:
        Muon([p], lr=0.1).step()
    for one, other in zip(together, alone, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_parts_are_matrices_of_their_own():
    whole, parts = parameter(12, 4), [nn.Parameter(torch.empty(4, 4)) for _ in range(3)]
    for i, part in enumerate(parts):
        part.data = whole.detach()[4 * i : 4 * i + 4].clone()
        part.grad = whole.grad[4 * i : 4 * i + 4].clone()
    Muon([{"params": [whole], "parts": 3}], lr=0.1).step()
    Muon(parts, lr=0.1).step()
    assert torch.allclose(whole, torch.cat(parts), atol=1e-5)


def test_momentum_of_nesterov():
    p = parameter(4, 4)
    first, optimizer = p.grad.clone(), Muon([p], lr=0.1)
    optimizer.step()
    before, p.grad = p.detach().clone(), torch.randn(4, 4)
    optimizer.step()
    kept = muon.MOMENTUM * first + p.grad
    expected = plain_direction(p.grad + muon.MOMENTUM * kept)
    assert torch.allclose(p, before - 0.1 * expected, atol=1e-4)


def test_decay():
    p = parameter(4, 4)
    before = p.detach().clone()
    p.grad.zero_()
    Muon([p], lr=0.1, weight_decay=0.5).step()
    assert torch.allclose(p, 0.95 * before)
