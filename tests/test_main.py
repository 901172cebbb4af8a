"""What the program's entry makes of the words it is given."""

import subprocess
import sys
from pathlib import Path

import pytest

from lmstudio.__main__ import for_window


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """A folder with a text whose name has a dot, and one with the name of a verb."""
    monkeypatch.chdir(tmp_path)
    for name in ("语料 1.txt", "train"):
        Path(name).write_text("你好", encoding="utf-8")


@pytest.mark.parametrize(("words", "workspace", "files", "wanted"), [
    ([], None, [], set()),
    (["gui"], None, [], set()),
    (["gui", "a.txt", "b.txt"], None, ["a.txt", "b.txt"], set()),
    (["gui", "--sample"], None, [], {"sample"}),
    (["gui", "--tour"], None, [], {"tour"}),
    (["--workspace", "w"], "w", [], set()),
    (["--workspace", "w", "gui", "train"], "w", ["train"], set()),
    (["语料 1.txt", "gone.txt"], None, ["语料 1.txt", "gone.txt"], set()),
    (["./train"], None, ["./train"], set()),
], ids=["nothing", "gui", "files", "sample", "tour", "workspace", "all", "path",
        "slash"])  # fmt: skip
def test_the_window_is_wanted(words, workspace, files, wanted):
    asked = for_window(words)
    assert asked.workspace == (Path(workspace) if workspace else None)
    assert asked.files == [Path(file) for file in files]
    assert {name for name in ("sample", "tour") if getattr(asked, name)} == wanted


@pytest.mark.parametrize("words", [
    ["train"], ["train", "x.txt"], ["--help"], ["--self-test"], ["gui", "--help"], ["--workspace"],
    ["gone.txt"], ["--workspace", "w", "runs"],
], ids=" ".join)  # fmt: skip
def test_the_command_line_is_wanted(words):
    assert for_window(words) is None


def test_the_window_does_not_wait_for_the_verbs():
    code = (
        "import sys; from lmstudio.gui import app; app.main = lambda *_, **__: 0\n"
        "from lmstudio.__main__ import main\n"
        "sys.argv = ['lmstudio', 'gui']\n"
        "main(); sys.exit('lmstudio.cli' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
