"""A workspace that is open in one program: others may read it, and are told why not to write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from lmstudio.gui.app import Program
from lmstudio.store.settings import Settings

app = QApplication([])
program = Program(app, Settings(), Path(sys.argv[1]))
program.state.open_workspace(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
program.close()
"""


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A workspace with a trained run, open in the window of another process."""
    folder = tmp_path_factory.mktemp("two") / "w"
    home = tmp_path_factory.mktemp("home")
    with Workspace(folder) as ws:
        corpora.import_text(ws, "小猫爱吃鱼。\n小狗爱吃肉。\n" * 30, name="短文", job=Job())
        cut = segmentations.create(ws, "短文", SegmentOptions(by="characters"), job=Job()).new_id
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
        training.train(ws, cut, spec, name="bigram", job=Job())
    environment = os.environ | {"LMSTUDIO_HOME": str(home), "PYTHONPATH": str(ROOT)}
    owner = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], env=environment,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert owner.stdout.readline() == "open\n"
    yield folder, environment
    owner.communicate("\n", timeout=60)


def lmstudio(held, *words):
    folder, environment = held
    return subprocess.run(
        [sys.executable, "-m", "lmstudio", "--workspace", str(folder), *words],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("words", [
    ("runs",), ("evaluate", "bigram"), ("log", "bigram"), ("report", "{out}/r.html"),
    ("report-problem", "{out}/r.zip"),
], ids=lambda words: words[0])  # fmt: skip
def test_reading_goes_on(held, tmp_path, words):
    done = lmstudio(held, *(word.format(out=tmp_path) for word in words))
    assert (done.returncode, "Error" in done.stderr) == (0, False), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [
    ("train", "短文", "--model", "ngram"), ("rename", "run", "bigram", "x"), ("resume", "bigram"),
], ids=lambda words: words[0])  # fmt: skip
def test_writing_is_refused_with_a_sentence(held, words):
    done = lmstudio(held, *words)
    assert done.returncode == 1
    assert "is open in another window or command. Close that first." in done.stderr
    assert "Traceback" not in done.stderr
