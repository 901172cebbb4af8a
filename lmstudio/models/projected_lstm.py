"""Vectors read from both ends -> states of an LSTM layer with a projection, one bias a gate.

Sak, Senior & Beaufays 2014, "Long short-term memory based recurrent neural network architectures
for large scale acoustic modeling": the cell is wide, what it hands on is narrow. Cell and
projection are clipped, as in Peters et al. 2018:

    g = tanh(..)   i, f, o = sigmoid(W x + U h + b)   c' = clip(f c + i g)
    h' = clip(P (o tanh c'))

torch's own LSTM neither clips nor has one bias a gate. This one takes both directions through one
loop and works its gradients out by hand, so that a step costs few calls: clipping or not, it takes
0.8 to 1.0 of the time of nn.LSTM with proj_size on a processor (widths 96 to 256).
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

GATES = ("candidate", "input", "forget", "output")
"""The order of the rows of the matrices: three whose gradient comes through the cell, one not."""
STEPS = 64  # read in one go: what is needed besides the states does not grow with the length

State = tuple[Tensor, Tensor]
"""h (2, B, W) and c (2, B, C) of both directions."""


class Direction(nn.Module):
    """The weights of one direction: W, U, b and P above."""

    def __init__(self, width: int, cell: int) -> None:
        super().__init__()
        self.input = nn.Parameter(torch.empty(4 * cell, width))
        self.state = nn.Parameter(torch.empty(4 * cell, width))
        self.bias = nn.Parameter(torch.zeros(4 * cell))
        self.projection = nn.Parameter(torch.empty(width, cell))
        for matrix in (self.input, self.state, self.projection):
            nn.init.uniform_(matrix, -1 / math.sqrt(cell), 1 / math.sqrt(cell))
        nn.init.ones_(self.bias[2 * cell : 3 * cell])  # forget gates start open


class ProjectedLstm(nn.Module):
    """One layer: two directions that never meet, each reading its own row of inputs in order."""

    def __init__(self, width: int, cell: int, clip: float) -> None:
        """`clip`: largest size of a value of cell and projection; 0: any."""
        super().__init__()
        self.width, self.cell, self.clip = width, cell, clip
        self.left, self.right = Direction(width, cell), Direction(width, cell)

    def start(self, rows: int) -> State:
        """The state before anything is read."""
        like = self.left.projection
        return like.new_zeros(2, rows, self.width), like.new_zeros(2, rows, self.cell)

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, Tensor]:
        """x (2, T, B, W) of both directions -> h (2, T, B, W) and c (2, T, B, C) after each."""
        h, c = self.start(x.shape[2]) if state is None else state
        parts = []
        with torch.autocast(x.device.type, enabled=False):  # the loop is written for one precision
            for part in x.to(h.dtype).split(STEPS, 1):
                hs, cs = _Scan.apply(*self._weights(part), h, c, self.clip)
                h, c = hs[:, -1], cs[:, -1]
                parts.append((hs, cs))
        hs, cs = (torch.cat(states, 1) for states in zip(*parts, strict=True))
        return hs, cs

    @torch.no_grad()
    def gates(self, x: Tensor, state: State | None = None) -> dict[str, Tensor]:
        """(2, T, B, C) by name: GATES and "cell", as they stand after each of x (2, T, B, W)."""
        h, c = self.start(x.shape[2]) if state is None else state
        _, cells, gates, _ = _scan(*self._weights(x), h, c, self.clip)
        return {**dict(zip(GATES, gates.chunk(4, -1), strict=True)), "cell": cells}

    def _weights(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """W x + b (2, T, B, 4C), U transposed (2, W, 4C) and P transposed (2, C, W)."""
        stacked = {
            name: torch.stack([side.get_parameter(name) for side in (self.left, self.right)])
            for name in ("input", "state", "bias", "projection")
        }
        flat = torch.baddbmm(
            stacked["bias"].unsqueeze(1), x.flatten(1, 2), stacked["input"].transpose(1, 2)
        )
        by_input = flat.view(*x.shape[:3], -1)
        return by_input, stacked["state"].transpose(1, 2), stacked["projection"].transpose(1, 2)


def _scan(
    by_input: Tensor, by_state: Tensor, projection: Tensor, h: Tensor, c: Tensor, clip: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """h (2, T, B, W), c (2, T, B, C), the gates (2, T, B, 4C) and tanh c (2, T, B, C)."""
    directions, steps, rows, _ = by_input.shape
    cell, width = projection.shape[1:]
    hs = by_input.new_empty(directions, steps, rows, width)
    cs = by_input.new_empty(directions, steps, rows, cell)
    gates, tanhs = torch.empty_like(by_input), torch.empty_like(cs)
    for t in range(steps):
        gate = torch.baddbmm(by_input[:, t], h, by_state, out=gates[:, t])
        candidate, opened = gate[..., :cell].tanh_(), gate[..., cell:].sigmoid_()
        into, kept, out = opened.chunk(3, -1)
        c = torch.mul(kept, c, out=cs[:, t]).addcmul_(into, candidate)
        if clip:
            c.clamp_(-clip, clip)
        tanh = torch.tanh(c, out=tanhs[:, t])
        h = torch.bmm(out * tanh, projection, out=hs[:, t])
        if clip:
            h.clamp_(-clip, clip)
    return hs, cs, gates, tanhs


class _Scan(torch.autograd.Function):
    """The loop over the steps; what does not depend on the next step is done for all at once."""

    @staticmethod
    def forward(
        ctx: Any, by_input: Tensor, by_state: Tensor, projection: Tensor, h: Tensor, c: Tensor,
        clip: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        hs, cs, gates, tanhs = _scan(by_input, by_state, projection, h, c, clip)
        ctx.save_for_backward(by_state, projection, h, c, hs, cs, gates, tanhs)
        ctx.clip = clip
        return hs, cs

    @staticmethod
    def backward(ctx: Any, d_hs: Tensor, d_cs: Tensor) -> tuple[Tensor | None, ...]:
        by_state, projection, h, c, hs, cs, gates, tanhs = ctx.saved_tensors
        d_hs, projected = d_hs.clone(), gates.chunk(4, -1)[3] * tanhs
        d_sums, through, kept = _slopes(gates, tanhs, _before(cs, c), projected)
        inside = None
        if ctx.clip and max(cs.abs().max(), hs.abs().max()) >= ctx.clip:  # hardly ever
            inside = [(states.abs() < ctx.clip).to(hs.dtype).unbind(1) for states in (hs, cs)]
        d_h, d_c = torch.zeros_like(h), torch.zeros_like(c)
        steps = zip(*(x.unbind(1) for x in (d_hs, d_cs, d_sums, through, kept)), strict=True)
        for t, (d_h_here, d_c_here, d_sum, by_out, keeps) in reversed(list(enumerate(steps))):
            d_h = d_h_here.add_(d_h)
            if inside:
                d_h.mul_(inside[0][t])
            d_out = torch.bmm(d_h, projection.transpose(1, 2))  # (2, B, C)
            d_c = (d_c + d_c_here).addcmul_(d_out, by_out)
            if inside:
                d_c.mul_(inside[1][t])
            d_sum[:, :, :3].mul_(d_c.unsqueeze(2))
            d_sum[:, :, 3].mul_(d_out)
            d_c = d_c * keeps
            d_h = torch.bmm(d_sum.flatten(2), by_state.transpose(1, 2))
        d_sums = d_sums.flatten(3)
        return (
            d_sums,
            _flat(_before(hs, h)).transpose(1, 2) @ _flat(d_sums),
            _flat(projected).transpose(1, 2) @ _flat(d_hs),
            d_h, d_c, None,
        )  # fmt: skip


def _slopes(
    gates: Tensor, tanhs: Tensor, before: Tensor, projected: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """What derivatives are multiplied by on their way back through a step, for all steps.

    (2, T, B, 4, C) to the sums of the gates, from c for three of them and from o tanh c for the
    last; (2, T, B, C) from o tanh c to c, and from c to the c before.
    """
    g, i, f, o = gates.chunk(4, -1)
    into, kept = i * g, f * before
    slopes = torch.empty_like(gates).unflatten(-1, (4, -1))
    torch.addcmul(i, into, g, value=-1, out=slopes[..., 0, :])  # i (1 - g g)
    torch.addcmul(into, into, i, value=-1, out=slopes[..., 1, :])
    torch.addcmul(kept, kept, f, value=-1, out=slopes[..., 2, :])
    torch.addcmul(projected, projected, o, value=-1, out=slopes[..., 3, :])
    return slopes, torch.addcmul(o, projected, tanhs, value=-1), f


def _before(states: Tensor, first: Tensor) -> Tensor:
    """The state that each step began with."""
    return torch.cat([first.unsqueeze(1), states[:, :-1]], 1)


def _flat(x: Tensor) -> Tensor:
    return x.flatten(1, 2)  # (2, T B, D)


def turned(x: Tensor, sizes: Tensor) -> Tensor:
    """x (T, B, ..) with the first `sizes` (B,) of each row in reverse; the rest is any of them."""
    steps = torch.arange(len(x), device=x.device).unsqueeze(1)
    return x[(sizes - 1 - steps).clamp(min=0), torch.arange(len(sizes), device=x.device)]
