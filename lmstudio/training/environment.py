"""What a model is trained with, for those who want to repeat it: programs, processor, threads.

Torch is asked only where it trains.
"""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio import __version__

if TYPE_CHECKING:
    import torch

_CPU_INFO = Path("/proc/cpuinfo")
_SAYS_NAME = ("model name", "Hardware", "Model")  # on other processors than Intel's too


def environment(device: "torch.device | None" = None) -> dict[str, Any]:
    """The facts, as a run keeps them under "made_with"; `device`: what torch trains on."""
    found: dict[str, Any] = {
        "lmstudio": __version__, "python": platform.python_version(),
        "numpy": _version("numpy"), "system": platform.platform(),
        "processor": _processor(), "cores": os.cpu_count() or 1,
    }  # fmt: skip
    if device is not None:
        import torch

        found |= {"torch": torch.__version__.split("+")[0], "threads": torch.get_num_threads()}
        if device.type in ("cuda", "xpu"):
            found["card"] = str(getattr(torch, device.type).get_device_name(device))
            found["cuda"] = torch.version.cuda or torch.version.hip or ""
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a frozen program has not all of these records
        return ""


def _processor() -> str:
    """Its name, as far as the system tells it."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    known = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {key.strip(): value.strip() for key, value in known.items()}
    return next((names[key] for key in _SAYS_NAME if key in names), platform.machine())
