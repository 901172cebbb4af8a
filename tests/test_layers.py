"""The shape of the project: what starts without what, how long files are, what lies where."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "lmstudio"
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "packaging").glob("*.py")])
TOP_LEVEL = {"lmstudio", "resources", "packaging", "tests", "pyproject.toml", "README.md",
             "LICENSE", "CHANGELOG.md"}  # fmt: skip
SHORT = ("gui/window.py", "cli/__init__.py", "models/registry.py")


def loaded_by(code: str) -> set[str]:
    """The top-level packages that a fresh Python has loaded after `code`."""
    report = f"{code}\nimport sys\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", report], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def tracked(*patterns: str) -> list[Path]:
    """The files that git knows; nothing outside a checkout."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [Path(name) for name in done.stdout.split("\0") if name]


def test_the_window_starts_without_torch_and_pyqtgraph():
    assert not loaded_by("import lmstudio.gui.app") & {"torch", "pyqtgraph", "jieba"}


def test_operations_start_without_torch_and_qt():
    names = [f"lmstudio.operations.{file.stem}" for file in PACKAGE.glob("operations/[a-z]*.py")]
    assert not loaded_by(f"import {', '.join(names)}") & {"torch", "PySide6", "pyqtgraph"}


def test_help_starts_light():
    command = [sys.executable, "-X", "importtime", "-m", "lmstudio", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()
    }
    assert "lmstudio" in loaded
    assert not loaded & {"torch", "PySide6", "pyqtgraph", "jieba", "rjieba", "tokenizers"}


@pytest.mark.parametrize("name", SHORT)
def test_files_that_grow_by_themselves_stay_short(name):
    assert len((PACKAGE / name).read_text(encoding="utf-8").splitlines()) <= 300


def test_no_file_is_long():
    tests = (ROOT / "tests").rglob("*.py")
    long = [file for file in (*SOURCES, *tests)
            if len(file.read_text(encoding="utf-8").splitlines()) >= 400]  # fmt: skip
    assert not long


def test_no_function_is_long():
    long = []
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60:
                long.append(f"{file.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not long


def test_every_module_says_what_it_is():
    written = [file for file in SOURCES if file.stat().st_size]  # not the empty __init__.py
    silent = [file for file in written if not ast.get_docstring(ast.parse(file.read_bytes()))]
    assert not silent


def test_the_top_level_is_what_was_agreed():
    names = {file.parts[0] for file in tracked()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def test_no_path_of_one_machine():
    """The parts of absolute paths stand apart here, or this file would find itself."""
    homes = ("home", "Users", "work", "root", "opt")
    pattern = re.compile(rb"(?<![\w.~}<-])/(" + "|".join(homes).encode() + rb")/[\w.-]+")
    found = []
    for name in tracked("lmstudio", "packaging", "tests", ".ci", "*.md", "*.toml"):
        if (ROOT / name).suffix in (".py", ".md", ".toml", ".sh", "") and (ROOT / name).is_file():
            found += [f"{name}: {hit.group().decode()}"
                      for hit in pattern.finditer((ROOT / name).read_bytes())]  # fmt: skip
    assert not found
