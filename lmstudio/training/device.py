"""What the user asks for ("auto", "cpu", "cuda:1", "mps") -> the device and threads to train on."""

import os
from typing import Any

import torch

from lmstudio.messages import Message


def choose(wanted: str) -> tuple[torch.device, Message | None]:
    """The device for `wanted`, and what to tell the user if it is not the one asked for."""
    if wanted == "auto":
        return torch.device(_best()), None
    problem = _problem(wanted)
    if problem is None:
        return torch.device(wanted), None
    return torch.device("cpu"), problem


def use_threads() -> None:
    """Let torch use all cores here, or as many as OMP_NUM_THREADS says.

    The worker has a low priority, so the window stays fluid with every core busy (measured on two
    cores: longest gap 30 ms), and a core left idle would halve the speed there.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(os.cpu_count() or 1)


def describe() -> list[dict[str, Any]]:
    """Plain facts of each device for a list to choose from: name, title, memory, available."""
    devices: list[dict[str, Any]] = [
        {"name": "cpu", "title": f"CPU ({os.cpu_count()})", "memory": None, "available": True}
    ]
    for index in range(torch.cuda.device_count()):
        card = torch.cuda.get_device_properties(index)
        name, memory = f"cuda:{index}", int(card.total_memory)
        devices.append({"name": name, "title": str(card.name), "memory": memory, "available": True})
    if torch.backends.mps.is_available():
        devices.append({"name": "mps", "title": "Apple GPU", "memory": None, "available": True})
    return devices


def _best() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _problem(wanted: str) -> Message | None:
    """Why `wanted` cannot be had here, None if it can."""
    kind, _, index = wanted.partition(":")
    if kind == "cpu" and not index:
        return None
    if kind == "mps" and not index and torch.backends.mps.is_available():
        return None
    if kind == "cuda" and (index or "0").isdigit() and int(index or 0) < torch.cuda.device_count():
        return None
    return Message("The device {device} is not here; training on the CPU.", {"device": wanted})
