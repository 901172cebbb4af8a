"""This computer's NVIDIA driver in, the build of PyTorch that fits it out.

The package index has one build for each system: on Linux the one for the newest CUDA, elsewhere the
one for CPUs. The others are on PyTorch's own index, by name.
"""

import platform
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

from say import Failed, pick, say

ROOT = Path(__file__).resolve().parents[1]
INDEX = "https://download.pytorch.org/whl"

CUDA_BUILDS = (
    ("cu130", (13, 0), (7, 5), (99, 0)),
    ("cu126", (12, 0), (5, 0), (9, 0)),
)
"""Name, CUDA that the driver must know, oldest and newest generation of cards; best first."""

CPU, CUDA = "cpu", "cuda"


def driver() -> Any:
    """What `lmstudio.training.nvidia` finds; that file runs before anything is installed."""
    return runpy.run_path(str(ROOT / "lmstudio" / "training" / "nvidia.py"))["driver"]()


def choose(wanted: str, found: Any) -> str:
    """The name of a build: "cpu", "cu130", ..

    `wanted` is "cpu", "cuda" or "" for what fits. Raises Failed where there is no CUDA at all.
    """
    if wanted == CUDA and sys.platform == "darwin":
        raise Failed(pick("There is no CUDA for a Mac.", "Mac 上没有 CUDA。"))
    fitting = _fitting(found) if found and wanted != CPU else ""
    if fitting:
        return fitting
    if wanted == CUDA:
        say(
            "No NVIDIA card and driver that fit were found; taking the newest build all the same.",
            "没有找到合适的 NVIDIA 显卡和驱动，仍按要求安装最新的 CUDA 版。",
        )
        return CUDA_BUILDS[0][0]
    if found and found.cards and wanted != CPU:
        have = ".".join(str(number) for number in found.cuda)
        say(
            f"{found.cards[0].name} has a driver for CUDA {have}, too old for it: taking PyTorch "
            "for CPUs. Update the driver, then start with --cuda.",
            f"{found.cards[0].name} 的驱动只支持 CUDA {have}，太旧，改装 CPU 版 PyTorch。"
            "请更新驱动，再用 --cuda 启动。",
        )
    return CPU


def _fitting(found: Any) -> str:
    """The best build for one of the cards; none of them may be left to chance."""
    return next(
        (
            name
            for name, cuda, oldest, newest in CUDA_BUILDS
            if found.cuda >= cuda
            and any(oldest <= card.capability <= newest for card in found.cards)
        ),
        "",
    )


def kind(version: str) -> str:
    """What an installed version of torch is for: "cpu", "cuda", "rocm6.4"; "" is not installed."""
    local = (version.partition("+")[2] or _usual()) if version else ""
    return CUDA if local.startswith("cu") else local


def index(build: str) -> str:
    """The index that has a build; "" where the usual one has it."""
    return "" if build == _usual() else f"{INDEX}/{build}"


def requirement(root: Path = ROOT) -> str:
    """The line of pyproject.toml about torch."""
    facts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    lines: list[str] = facts["project"].get("dependencies", [])
    return next((line for line in lines if line.startswith("torch")), "torch")


def _usual() -> str:
    """The build that the package index has for this system."""
    is_linux = sys.platform.startswith("linux") and platform.machine() == "x86_64"
    return CUDA_BUILDS[0][0] if is_linux else CPU
