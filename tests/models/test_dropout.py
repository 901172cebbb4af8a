"""Dropout: the right share, the right size, the same for the same seed, nothing when asked."""

import pytest
import torch

from lmstudio.models.dropout import Dropout, dropout


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_share_is_zero_and_the_mean_stays(share):
    torch.manual_seed(1)
    x = torch.ones(401, 499)
    found = dropout(x, share)
    assert (found == 0).float().mean().item() == pytest.approx(share, abs=0.01)
    assert found.mean().item() == pytest.approx(1, abs=0.03)
    assert found.max().item() == pytest.approx(1 / (1 - share))


def test_neighbours_are_dropped_alone():
    torch.manual_seed(1)
    gone = (dropout(torch.ones(100_000), 0.5) == 0).view(-1, 4).float()
    correlation = torch.corrcoef(gone.t()) - torch.eye(4)
    assert correlation.abs().max() < 0.02


def test_gradients_pass_where_the_values_do():
    torch.manual_seed(1)
    x = torch.randn(50, 7, requires_grad=True)
    y = dropout(x, 0.3)
    y.sum().backward()
    assert torch.allclose(x.grad, torch.where(y == 0, 0.0, 1 / 0.7))


def test_the_seed_decides():
    module, x = Dropout(0.5), torch.ones(1001)
    found = []
    for _ in range(2):
        torch.manual_seed(3)
        found.append(module(x))
    assert torch.equal(*found)
    assert not torch.equal(module(x), found[0])
    assert torch.equal(module.eval()(x), x)
