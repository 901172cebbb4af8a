"""The program as a process: it starts, works without a console, and always ends in time."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lmstudio.jobs import Job
from lmstudio.operations import evaluation, samples, segmentations, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
START = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from lmstudio.analysis.tsne import tsne
from lmstudio.gui import app
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora

def the_window():
    return next(w for w in qt.topLevelWidgets() if isinstance(w, Window))

def close():
    Path(sys.argv[2]).write_text(f"{started} {time.time()}")
    for number in ends:
        os.kill(os.getpid(), number)
    if not ends:
        window = the_window()
        window.close(), window.close()

def draw(*, job):
    return job.call(tsne, np.random.default_rng(1).normal(size=(2000, 50)))

def work():
    global started
    started = time.time()
    begin() if jobs & set(sys.argv) else close()

def begin():
    window = the_window()
    if "train" in sys.argv:
        job = training_jobs.start(window.state, window.state.runs()[-1])
    elif "import" in sys.argv:
        job, ws = Job("import"), window.state.workspace
        window.state.run("bulk", job, corpora.import_files, ws, [Path(sys.argv[3])])
    else:
        job = window.state.run("bulk", Job("t-SNE"), draw)
    timer.timeout.connect(lambda: (job.done > 0 and (timer.stop(), QTimer.singleShot(500, close))))
    timer.start(50)

if __name__ == "__main__":
    qt, jobs = QApplication([]), {"train", "import", "tsne"}
    ends = [getattr(signal, word) for word in sys.argv if word.startswith("SIG")]
    timer = QTimer()
    QTimer.singleShot(1500, work)
    if "silent" in sys.argv:
        sys.stdout = sys.stderr = None
    sys.exit(app.main(Path(sys.argv[1])))
"""


def ends_in_time(tmp_path: Path, *how: str) -> bool:
    """Run the window till it closes itself, well.

    Then its jobs have four seconds to end, and all the rest takes less than its start did.
    """
    script, closed = tmp_path / "start.py", tmp_path / "closed"
    script.write_text(START, encoding="utf-8")
    environment = os.environ | {"LMSTUDIO_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    began = time.time()
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "ws"), str(closed), *how],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    started, at = map(float, closed.read_text().split())
    start, end = started - began, time.time() - at
    print(f"{start:.1f} s to start, {end:.1f} s to end")
    return end < 4 + start


def children_of(tmp_path: Path) -> list[str]:
    """Processes that still work in the folder of a test."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if str(tmp_path) in line]


@pytest.mark.parametrize("how", [(), ("silent",)])
def test_it_starts_and_ends(tmp_path, how):
    assert ends_in_time(tmp_path, *how)
    assert children_of(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("how", [("SIGTERM",), ("SIGHUP", "SIGINT")])
def test_a_signal_closes_the_window_like_its_button(tmp_path, how):
    assert ends_in_time(tmp_path, *how)
    assert children_of(tmp_path) == []


def test_case_i1_closing_during_an_import_leaves_nothing_of_it(tmp_path):
    text = tmp_path / "long.txt"
    text.write_text("".join(f"第{n}行写着一些话。\n" for n in range(1_000_000)), encoding="utf-8")
    assert ends_in_time(tmp_path, str(text), "import")
    with Workspace(tmp_path / "ws") as ws:
        assert ws.corpora() == []
        assert list(ws.folder.glob("corpora/*")) == []
    assert children_of(tmp_path) == []


def test_case_i1_closing_during_tsne(tmp_path):
    assert ends_in_time(tmp_path, "tsne")
    assert children_of(tmp_path) == []


@pytest.mark.parametrize("how", [(), ("SIGTERM",)])
def test_case_i1_closing_while_a_run_is_trained_keeps_its_checkpoint(tmp_path, how):
    with Workspace(tmp_path / "ws") as ws:
        corpus = samples.create(ws, size=50_000, job=Job()).new_id
        options = SegmentOptions(by="characters")
        cut = segmentations.create(ws, corpus, options, job=Job()).new_id
        spec = RunSpec.from_json({"model": "lstm", "training": {"epochs": 500, "patience": 0}})
        run = training.queue_run(ws, cut, spec)
    assert ends_in_time(tmp_path, "train", *how)
    with Workspace(tmp_path / "ws") as ws:
        assert ws.run(run.id).state == "stopped"
        assert (ws.run_folder(run.id) / "checkpoints" / "last").exists()
        assert evaluation.evaluate(ws, run.id, "valid", job=Job())["events"] > 0
    assert children_of(tmp_path) == []
