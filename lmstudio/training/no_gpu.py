"""Why no GPU is used here, and what to do about it, as one sentence. Torch-free at import."""

import sys
from dataclasses import dataclass

from lmstudio.messages import Message
from lmstudio.training import nvidia
from lmstudio.training.nvidia import Driver, Version

COMMAND = f"{'python' if sys.platform == 'win32' else 'python3'} packaging/bootstrap.py run --cuda"
"""Puts the build of PyTorch into a checkout that fits its driver and card."""


@dataclass(frozen=True)
class Build:
    """What the installed PyTorch was built for."""

    cuda: Version | None  # None: not for NVIDIA
    is_rocm: bool = False
    is_frozen: bool = False  # inside an installed program, where nothing can be exchanged


def reason() -> Message:
    """Why there is none; ask only where PyTorch shows none."""
    if sys.platform == "darwin":
        return Message("No usable GPU: this Mac has no Metal device for PyTorch.")
    return explain(installed(), nvidia.driver())


def unused_card() -> Message | None:
    """The same, where an NVIDIA card is there and lies idle."""
    found = None if sys.platform == "darwin" else nvidia.driver()
    return explain(installed(), found) if found and found.cards else None


def installed() -> Build:
    """The installed PyTorch; imports it."""
    import torch

    numbers = [int(part) for part in (torch.version.cuda or "").split(".") if part.isdigit()]
    cuda = (numbers[0], numbers[1]) if len(numbers) > 1 else None
    return Build(cuda, torch.version.hip is not None, bool(getattr(sys, "frozen", False)))


def explain(build: Build, driver: Driver | None) -> Message:
    """One sentence about why, one about what to do."""
    if build.is_rocm:
        return Message("No GPU is used: this PyTorch is the build for AMD, and finds no AMD card.")
    if driver is None:
        return _no_driver(build)
    if not driver.cards:
        return Message(
            "No GPU is used: the NVIDIA driver shows no card. If CUDA_VISIBLE_DEVICES is set, "
            "unset it; else start the computer again, or reinstall the driver."
        )
    card = driver.cards[0].name
    if build.cuda is None:
        return _cpu_build(build, card)
    if driver.cuda[0] < build.cuda[0]:  # within a major version, an older driver will do
        return Message(
            "{card} is not used: its driver can run CUDA {have}, this PyTorch needs {needed}. "
            "Update the driver, or start with: {command}",
            {"card": card, "have": _dotted(driver.cuda), "needed": _dotted(build.cuda),
             "command": COMMAND},
        )  # fmt: skip
    return Message(
        "{card} is not used: this PyTorch has no code for a card of its generation. Start with: "
        "{command}",
        {"card": card, "command": COMMAND},
    )


def _no_driver(build: Build) -> Message:
    if build.cuda is not None or build.is_frozen:
        return Message(
            "No GPU is used: no NVIDIA driver was found. If there is an NVIDIA card, install its "
            "driver and start again."
        )
    return Message(
        "No GPU is used: no NVIDIA driver was found. If there is an NVIDIA card, install its "
        "driver, then start with: {command}",
        {"command": COMMAND},
    )


def _cpu_build(build: Build, card: str) -> Message:
    if build.is_frozen:
        return Message(
            "{card} is not used: the installed program comes with the PyTorch for CPUs. To use "
            "the card, start from a checkout with: {command}",
            {"card": card, "command": COMMAND},
        )
    return Message(
        "{card} is not used: this PyTorch is the build for CPUs. Start with: {command}",
        {"card": card, "command": COMMAND},
    )


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
