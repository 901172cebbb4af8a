"""This computer -> plain facts for a person: cores, memory, devices. Torch-free at import."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmstudio import limits
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
    from lmstudio.training import device, no_gpu

    devices = device.describe()
    reason = None if len(devices) > 1 else no_gpu.reason()
    return Machine(os.cpu_count() or 1, memory(), devices, reason)


def memory() -> int:
    """Bytes of memory of this computer; 0 where the system does not say."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def free_memory() -> int:
    """Bytes that this process may still take, of what is free and of the limit chosen."""
    limit = limits.memory()
    free = _free_memory()
    return min(free, max(0, limit - used_memory())) if limit else free


def _free_memory() -> int:
    """Bytes that programs can still take; half of all where the system does not say."""
    if sys.platform == "win32":
        return _windows_memory("free")
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        facts = dict(line.split(":", 1) for line in lines)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, LookupError, ValueError):
        return memory() // 2


def used_memory() -> int:
    """Bytes of memory that this process takes; its most until now where that alone is told."""
    if sys.platform == "win32":
        return _windows_process_memory()
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on a Mac


def _windows_memory(what: str = "total") -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong), ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong),
            ("rest", ctypes.c_ulonglong * 5),
        ]  # fmt: skip

    status = Status()
    status.length = ctypes.sizeof(status)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return int(getattr(status, what))


def _windows_process_memory() -> int:
    import ctypes

    class Counters(ctypes.Structure):
        _fields_ = [
            ("size", ctypes.c_ulong), ("faults", ctypes.c_ulong),
            ("peak", ctypes.c_size_t), ("now", ctypes.c_size_t), ("rest", ctypes.c_size_t * 6),
        ]  # fmt: skip

    counters = Counters()
    counters.size = ctypes.sizeof(counters)
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.size)
    return int(counters.now)
