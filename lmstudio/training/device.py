"""What the user asks for ("auto", "cpu", "cuda:1", "mps", "xpu") -> the device to train on."""

import os
from typing import Any

import torch

from lmstudio import room
from lmstudio.data.batches import Batch
from lmstudio.messages import Message
from lmstudio.training import machine, no_gpu


def choose(wanted: str) -> tuple[torch.device, Message | None]:
    """The device for `wanted`, and what to tell the user if it is not the one asked for, or if
    a card lies idle.
    """
    if wanted == "auto":
        best = _best()
        return torch.device(best), no_gpu.unused_card() if best == "cpu" else None
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
    for index in _cards():
        card = torch.cuda.get_device_properties(index)
        name, memory = f"cuda:{index}", int(card.total_memory)
        devices.append({"name": name, "title": str(card.name), "memory": memory, "available": True})
    if torch.backends.mps.is_available():
        devices.append({"name": "mps", "title": "Apple GPU", "memory": None, "available": True})
    for index in range(torch.xpu.device_count()):
        intel = torch.xpu.get_device_properties(index)
        name, memory = f"xpu:{index}", int(intel.total_memory)
        title = str(intel.name)
        devices.append({"name": name, "title": title, "memory": memory, "available": True})
    return devices


def tensors(batch: Batch, device: torch.device) -> dict[str, torch.Tensor]:
    """A batch on the device; to a GPU it travels while other work goes on."""
    found = {name: torch.from_numpy(rows) for name, rows in batch.items()}
    if device.type == "cuda":
        found = {name: rows.pin_memory() for name, rows in found.items()}
    return {name: rows.to(device, non_blocking=True) for name, rows in found.items()}


def used_memory(device: torch.device) -> int:
    """Bytes that training takes there now: of a GPU what torch has taken, else of the process."""
    if device.type in ("cuda", "xpu"):
        return int(getattr(torch, device.type).memory_reserved(device))
    if device.type == "mps":
        return int(torch.mps.driver_allocated_memory())
    return machine.used_memory()


def free_memory(device: torch.device) -> int:
    """Bytes that training may take there in all; of the CPU's half of what is free now."""
    if device.type in ("cuda", "xpu"):
        free, _ = getattr(torch, device.type).mem_get_info(device)
        return int(free)
    return machine.free_memory() // 2


def refuse_too_large(module: torch.nn.Module, device: torch.device) -> None:
    """AppError where what learning adds to the weights of `module` does not fit into memory."""
    if device.type == "cpu":
        more = room.of_learning(sum(weights.numel() for weights in module.parameters()
                                    if weights.requires_grad))  # fmt: skip
        need = more * (room.LEARNT - 1) // room.LEARNT + room.WORKING
        room.refuse_memory(need, machine.free_memory())


def _best() -> str:
    if torch.cuda.is_available() and (cards := _cards()):
        return f"cuda:{cards[0]}" if cards[0] else "cuda"
    if torch.xpu.is_available():
        return "xpu"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _problem(wanted: str) -> Message | None:
    """Why `wanted` cannot be had here, None if it can."""
    kind, _, index = wanted.partition(":")
    if kind == "cpu" and not index:
        return None
    if kind == "mps" and not index and torch.backends.mps.is_available():
        return None
    found = {"cuda": _cards(), "xpu": list(range(torch.xpu.device_count()))}
    if kind in found and (index or "0").isdigit() and int(index or 0) in found[kind]:
        return None
    if kind == "cuda" and not found["cuda"]:
        return Message("The device {device} is not here; training on the CPU. {reason}",
                       {"device": wanted, "reason": no_gpu.reason()})  # fmt: skip
    return Message("The device {device} is not here; training on the CPU.", {"device": wanted})


def _cards() -> list[int]:
    """The numbers of the CUDA cards that this build of torch has code for."""
    return [index for index in range(torch.cuda.device_count()) if _has_code_for(index)]


def _has_code_for(index: int) -> bool:
    """Code of one generation runs on its later cards; PTX ("compute") on all later ones."""
    if torch.version.hip is not None:
        return True
    major, minor = torch.cuda.get_device_capability(index)
    built = [name.split("_") for name in torch.cuda.get_arch_list()]
    made = [(kind, int(number.rstrip("af"))) for kind, number in built]
    return any(
        number // 10 == major and number % 10 <= minor if kind == "sm"
        else number <= 10 * major + minor
        for kind, number in made
    )  # fmt: skip
