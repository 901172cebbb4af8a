"""The precision that is asked for and a device -> how the numbers of a training are kept.

Weights, their averages and sums stay fp32; with autocast (Micikevicius et al. 2018) products are
made in half of the bits where the device is faster with them.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor

from lmstudio.messages import Message, msg
from lmstudio.training.optim import Optimizer

NOT_FASTER = msg(
    "This processor is slower with {precision}, or cannot do it: training in fp32 instead."
)
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Precision:
    """fp32, or a half of it that is autocast to."""

    def __init__(self, wanted: str, device: torch.device) -> None:
        """`wanted` is auto, fp32, bf16 or fp16; `note` says if it is not to be had."""
        self.device, self.note = device, None
        name = wanted if wanted != "auto" else "bf16" if has_bf16(device) else "fp32"
        if name == "bf16" and not has_bf16(device) or name == "fp16" and device.type != "cuda":
            self.note = Message(NOT_FASTER, {"precision": name})
            name = "fp32"
        self.name, self.proven = name, False
        if device.type == "cuda":  # TF32: fp32 with short factors, where no half is taken
            torch.set_float32_matmul_precision("high")
        self.scaler = torch.amp.GradScaler(device.type) if name == "fp16" else None

    def give_up(self) -> bool:
        """Go back to fp32 where not even a first step can be done otherwise; whether it helps.

        Some processors have no bf16 for some kinds of layers.
        """
        if self.proven or self.name != "bf16" or self.device.type != "cpu":
            return False
        self.name = "fp32"
        return True

    def autocast(self) -> AbstractContextManager[object]:
        """Where losses are worked out."""
        if self.name == "fp32":
            return nullcontext()
        return torch.autocast(self.device.type, _DTYPES[self.name])

    @contextmanager
    def of_looks(self, *, exact: bool) -> Iterator[None]:
        """Where a model is validated; `exact`: all in fp32, as a CPU works it out."""
        if not exact:
            with self.autocast():
                yield
            return
        factors = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(factors)

    def scaled(self, loss: Tensor) -> Tensor:
        """What to go backward from: fp16 would lose small gradients."""
        return loss if self.scaler is None else self.scaler.scale(loss)

    def unscale(self, optimizer: Optimizer) -> None:
        """Bring the gradients back to their size, before they are clipped."""
        if self.scaler is not None:
            self.scaler.unscale_(optimizer)

    def step(self, optimizer: Optimizer) -> None:
        """A step of the optimiser, left out where fp16 has overflowed."""
        self.proven = True
        if self.scaler is None:
            optimizer.step()
        else:
            self.scaler.step(optimizer)
            self.scaler.update()

    def norm(self, norm: Tensor) -> Tensor:
        """The length of a gradient, 0 where the step was left out."""
        return norm if self.scaler is None else torch.where(norm.isfinite(), norm, 0.0)


def has_bf16(device: torch.device) -> bool:
    """Whether products in bf16 are faster there.

    A CPU must have units for them (AMX, AVX512-BF16): without, they took nine times as long.
    """
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device)[0] >= 8  # Ampere
    if device.type == "cpu":
        asked = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
        return any(getattr(torch.cpu, name, bool)() for name in asked)
    return device.type == "xpu"
