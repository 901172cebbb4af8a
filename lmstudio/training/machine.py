"""This computer -> plain facts for a person: cores, memory, devices. Torch-free at import."""

import os
import sys
from dataclasses import dataclass, field
from typing import Any

from lmstudio.jobs import Job
from lmstudio.messages import Message


@dataclass(frozen=True)
class Machine:
    """What a model can be trained on here."""

    cores: int
    memory_bytes: int  # 0 where the system does not say
    devices: list[dict[str, Any]] = field(default_factory=list)  # see `device.describe`
    no_gpu: Message | None = None  # why there is none


def survey(*, job: Job) -> Machine:
    """Look at this computer; takes the seconds that importing torch takes."""
    from lmstudio.training import device

    devices = device.describe()
    reason = None if len(devices) > 1 else _reason()
    return Machine(os.cpu_count() or 1, memory(), devices, reason)


def memory() -> int:
    """Bytes of memory of this computer; 0 where the system does not say."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def _reason() -> Message:
    import torch

    if sys.platform == "darwin":
        return Message("No usable GPU: this Mac has no Metal device for PyTorch.")
    if torch.version.cuda is None and torch.version.hip is None:
        return Message("No usable GPU: this PyTorch is the build for CPUs only.")
    return Message("No usable GPU: no NVIDIA driver was found.")


def _windows_memory() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong), ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong), ("rest", ctypes.c_ulonglong * 6),
        ]  # fmt: skip

    status = Status()
    status.length = ctypes.sizeof(status)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return int(status.total)
