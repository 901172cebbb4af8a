"""What each verb of the bootstrap does: prepare this machine, then start or check the program."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import system
from environment import ROOT, Environment
from say import Failed, pick, say

Step = tuple[str, list[str | Path]]

MOST_WORKERS = 4
"""Processes that share the tests; each takes a gigabyte."""


def run(torch: str) -> int:
    """Start the window on a sample workspace; without a display, the same work headless.

    `torch` is the build of it that is wanted, "cpu" or "cuda"; else what fits.
    """
    return _guarded(lambda: _run(torch))


def test(torch: str) -> int:
    """Check format, lint, types, import contracts and all tests."""
    return _guarded(lambda: _check(torch, slow=True))


def check(torch: str) -> int:
    """The same without the slow tests."""
    return _guarded(lambda: _check(torch, slow=False))


def bundle(torch: str) -> int:
    """Build the program that needs no Python, and its installers; install, use and remove it."""
    return _guarded(lambda: _bundle(torch or "cpu"))


def _guarded(action: Callable[[], int]) -> int:
    try:
        return action()
    except Failed as failed:
        say(str(failed), str(failed))
        return 1
    except KeyboardInterrupt:
        return 130


def _run(torch: str) -> int:
    environment = Environment()
    environment.ready(torch=torch)
    screen = system.has_display()
    complete = system.complete(screen=screen)
    if not screen:
        say(
            "There is no display: working on the sample corpus without a window. The table and "
            "the curves go to report.html in this folder.",
            "没有显示器：不开窗口，直接在示例语料上运行。表格和曲线写入当前目录的 report.html。",
        )
        return _program(environment, "demo", "--report", "report.html")
    if not complete:
        return 1
    say("Starting LM Workbench ...", "正在启动语言模型工作台……")
    return _program(environment, "gui", "--tour")


def _program(environment: Environment, *arguments: str) -> int:
    """Become the program, so that Ctrl+C and signals reach it alone; wait for it on Windows."""
    command = [str(environment.python), "-m", "lmstudio", *arguments]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)


def _check(torch: str, *, slow: bool) -> int:
    environment = Environment()
    environment.ready("test", torch)
    if not system.complete(screen=False):
        return 1
    return _carried_out(_steps(environment, slow=slow))


def _bundle(torch: str) -> int:
    build = [sys.executable, ROOT / "packaging/build.py"]
    smoke = [sys.executable, ROOT / "packaging/smoke.py"]
    kinds = ["deb", "tar"] if sys.platform.startswith("linux") else ["installer"]
    return _carried_out([
        (pick("build", "构建"), [*build, *kinds, f"--{torch}"]),
        (pick("built program", "构建好的程序"), [*smoke, "bundle"]),
        *([(pick("package", "安装包"), [*smoke, "deb"])] if "deb" in kinds else []),
    ])  # fmt: skip


def _carried_out(steps: list[Step]) -> int:
    """Take all steps, and tell how each went; 1 if one of them failed."""
    results = [_timed(*step) for step in steps]
    print()
    for title, good, seconds in results:
        print(f"{'ok    ' if good else 'FAILED'} {seconds:7.1f} s  {title}")
    return 0 if all(good for _, good, _ in results) else 1


def _steps(environment: Environment, *, slow: bool) -> list[Step]:
    """The tests come last: what is cheap to find is found first."""
    module = [environment.python, "-m"]
    chosen = [] if slow else ["-m", "not slow"]
    workers = str(min(os.cpu_count() or 1, MOST_WORKERS))
    return [
        (pick("catalogues", "消息目录"), [environment.python, ROOT / "packaging/catalogues.py"]),
        (pick("format", "格式"), [*module, "ruff", "format", "--check", "."]),
        (pick("lint", "规范"), [*module, "ruff", "check", "."]),
        (pick("types", "类型"), [*module, "mypy"]),
        (pick("import contracts", "导入约定"), [environment.program("lint-imports")]),
        (
            pick("tests", "测试"),
            [*module, "pytest", "-n", workers, "--dist", "loadfile", "--durations=10", *chosen],
        ),
    ]


def _timed(title: str, command: list[str | Path]) -> tuple[str, bool, float]:
    """Run a step, its output as it comes. (title, went well, seconds)"""
    print(f"\n== {title}", flush=True)
    settings = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    started = time.monotonic()
    code = subprocess.call([str(part) for part in command], cwd=ROOT, env=settings,
                           stdin=subprocess.DEVNULL)  # fmt: skip
    return title, code == 0, time.monotonic() - started
