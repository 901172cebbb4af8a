"""The LSTM with a projection: torch's where that has one, the formulas where it clips."""

import pytest
import torch
from torch import nn

from lmstudio.models import projected_lstm
from lmstudio.models.projected_lstm import ProjectedLstm, turned

TO_TORCH = torch.tensor([1, 2, 0, 3])  # input, forget, candidate, output


def make(clip: float) -> ProjectedLstm:
    torch.manual_seed(1)
    return ProjectedLstm(5, 7, clip).double()


def inputs(steps: int = 9) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(2, steps, 3, 5, generator=generator, dtype=torch.double).requires_grad_()


def plain(layer: ProjectedLstm, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor):
    """The same by the formulas, a step at a time."""
    sides = []
    for number, side in enumerate((layer.left, layer.right)):
        state, cell, states, cells = h[number], c[number], [], []
        for step in x[number]:
            sums = step @ side.input.t() + state @ side.state.t() + side.bias
            g, i, f, o = sums.chunk(4, -1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            cell = cell.clamp(-layer.clip, layer.clip) if layer.clip else cell
            state = (torch.sigmoid(o) * torch.tanh(cell)) @ side.projection.t()
            state = state.clamp(-layer.clip, layer.clip) if layer.clip else state
            states.append(state)
            cells.append(cell)
        sides.append((torch.stack(states), torch.stack(cells)))
    return tuple(torch.stack(parts) for parts in zip(*sides, strict=True))


@pytest.mark.parametrize("clip", [0.0, 0.1, 3.0])
@pytest.mark.parametrize("steps", [1, 4, 64])
def test_values_and_gradients_are_those_of_the_formulas(clip, steps, monkeypatch):
    monkeypatch.setattr(projected_lstm, "STEPS", steps)
    layer, x = make(clip), inputs()
    h, c = (0.1 * state.normal_() for state in layer.start(3))
    h, c = h.requires_grad_(), c.requires_grad_()
    ours, theirs = layer(x, (h, c)), plain(layer, x, h, c)
    weights = [torch.randn_like(part) for part in ours]
    asked = [x, h, c, *layer.parameters()]
    gradients = []
    for found in (ours, theirs):
        total = sum((part * w).sum() for part, w in zip(found, weights, strict=True))
        gradients.append(torch.autograd.grad(total, asked))
    for mine, other in zip([*ours, *gradients[0]], [*theirs, *gradients[1]], strict=True):
        assert torch.allclose(mine, other, atol=1e-12)


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
def test_without_clipping_it_is_that_of_torch():
    layer, x = make(0.0), inputs()
    for number, side in enumerate((layer.left, layer.right)):
        torchs = nn.LSTM(5, 7, proj_size=5).double()
        with torch.no_grad():
            for mine, name in ((side.input, "weight_ih_l0"), (side.state, "weight_hh_l0"),
                               (side.bias, "bias_ih_l0")):  # fmt: skip
                rows = mine.unflatten(0, (4, 7))[TO_TORCH].flatten(0, 1)
                getattr(torchs, name).copy_(rows)
            torchs.bias_hh_l0.zero_()
            torchs.weight_hr_l0.copy_(side.projection)
        assert torch.allclose(layer(x)[0][number], torchs(x[number])[0], atol=1e-12)


def test_clipping_holds():
    h, c = make(0.1)(inputs() * 10)
    assert h.abs().max() <= 0.1
    assert c.abs().max().item() == pytest.approx(0.1)


def test_half_precision_outside_changes_nothing_inside():
    layer, x = make(3.0).float(), inputs().float()
    with torch.autocast("cpu", torch.bfloat16):
        found = layer(x)[0]
    assert torch.equal(found, layer(x)[0])


def test_rows_are_turned_within_their_size():
    x = torch.tensor([[1, 4], [2, 5], [3, 0]])
    assert turned(x, torch.tensor([3, 2]))[:2].tolist() == [[3, 5], [2, 4]]
    assert torch.equal(turned(turned(x, torch.tensor([3, 1])), torch.tensor([3, 1]))[:, 0], x[:, 0])
