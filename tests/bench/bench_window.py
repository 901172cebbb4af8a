"""Does the window stay fluid? Gaps of a 16 ms timer, idle and while the workers work.

    python -m tests.bench.bench_window [idle train segment checkpoint] [--seconds 20]

Prints, for each situation, the median, the 99th percentile and the largest gap in milliseconds and
their ratio to idle in the same run; and the time from exec to the first paint (best of five).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.gui.app import Program
from lmstudio.gui.panels.train import training_jobs
from lmstudio.jobs import ENDED, Job
from lmstudio.operations import corpora, samples, segmentations, training
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

SITUATIONS = ("idle", "train", "segment", "checkpoint")
PAINT = """
import sys, time
from PySide6.QtCore import QTimer
from lmstudio.gui import app
told = app._tell_time
def tell(what):
    if what == "first paint":
        print(time.time(), flush=True)
        QTimer.singleShot(0, app.QApplication.instance().quit)
app._tell_time = tell
if __name__ == "__main__":
    from lmstudio.__main__ import main
    sys.argv[1:1] = ["--workspace"]
    main()
"""


class Gaps(QObject):
    """A 16 ms timer that remembers how late it was."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.gaps: list[float] = []
        self._last = self._end = 0.0
        self._until: Callable[[], bool] = bool
        self._loop = QEventLoop(self)
        self._timer = QTimer(self, interval=16)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    @Slot()
    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append((now - self._last) * 1000)
        self._last = now
        if now > self._end or self._until():
            self._loop.quit()

    def watch(self, seconds: float, until: Callable[[], bool]) -> np.ndarray:
        """(N,) gaps in ms over some seconds, or until something is true."""
        self.gaps, self._last = [], time.perf_counter()
        self._until, self._end = until, time.perf_counter() + seconds
        self._timer.start()
        self._loop.exec()
        self._timer.stop()
        return np.array(self.gaps)


class Bench:
    """A program with a sample corpus, and the things done to it."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.seconds = seconds
        with Workspace(folder) as ws:
            corpus = samples.create(ws, size=300_000, name="sample", job=Job()).new_id or 0
            options = SegmentOptions(by="characters")
            segmentations.create(ws, corpus, options, name="characters", job=Job())
            lines = samples_text(ws, corpus)
            corpora.import_text(ws, lines * (10_000_000 // len(lines.encode())), name="10 MB",
                                job=Job())  # fmt: skip
        self.app = QApplication.instance() or QApplication([])
        messages.use("zh_CN")
        self.program = Program(self.app, Settings(), folder)
        self.program.show()
        self.state, self.window = self.program.state, self.program.window
        self.gaps = Gaps(self.program)
        self._settle(8)

    def _settle(self, seconds: float) -> None:
        self.gaps.watch(seconds, lambda: False)

    def idle(self) -> np.ndarray:
        """Nothing happens; the curves are on screen."""
        self.window.show_panel("curves")
        self._settle(1)
        return self.gaps.watch(self.seconds, lambda: False)

    def train(self) -> np.ndarray:
        """A small LSTM trains, its curve moves."""
        return self._trained({"model": "lstm", "preset": "small", "training": {"epochs": 1000}})

    def checkpoint(self) -> np.ndarray:
        """A large LSTM writes its checkpoint again and again."""
        training = {"epochs": 1000, "validate_every": 1, "batch": 1, "length": 8, "patience": 0}
        return self._trained({"model": "lstm", "config": {"width": 2048}, "training": training})

    def _trained(self, spec: dict) -> np.ndarray:
        cut = self.state.segmentations()[0]
        self.window.show_panel("curves")
        run = training.queue_run(self.state.workspace, cut.id, RunSpec.from_json(spec))
        job = training_jobs.start(self.state, run)
        self.gaps.watch(60, lambda: job.done > 1)
        found = self.gaps.watch(self.seconds, lambda: job.state in ENDED)
        job.cancel()
        self.gaps.watch(10, lambda: job.state in ENDED)
        return found

    def segment(self) -> np.ndarray:
        """jieba cuts ten megabytes."""
        corpus = self.state.workspace.corpus("10 MB")
        self.window.show_panel("segment")
        self._settle(3)
        job = Job("segment")
        ws, options = self.state.workspace, SegmentOptions(by="jieba")
        self.state.run("bulk", job, segmentations.create, ws, corpus.id, options)
        return self.gaps.watch(120, lambda: job.state in ENDED)


def samples_text(ws: Workspace, corpus: int) -> str:
    """The sample corpus as one text."""
    return (ws.corpus_folder(corpus) / "text.utf8").read_text(encoding="utf-8")


def first_paint(folder: Path) -> float:
    """Seconds from exec to the first paint; the files are in memory, for it is the best of five."""
    script = folder / "paint.py"
    script.write_text(PAINT, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.getcwd(), "LMSTUDIO_HOME": str(folder / "home")}
    taken = []
    for _ in range(5):
        started = time.time()
        done = subprocess.run([sys.executable, str(script), str(folder / "paint")], text=True,
                              env=environment, capture_output=True, check=True)  # fmt: skip
        taken.append(float(done.stdout) - started)
    return min(taken)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("situations", nargs="*", default=SITUATIONS)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LMSTUDIO_HOME"] = str(folder / "home")
        print(f"first paint after exec: {first_paint(folder):.2f} s")
        bench = Bench(folder / "workspace", options.seconds)
        idle = bench.idle()
        print(f"{'':12}{'p50':>8}{'p99':>8}{'max':>8}   p99 and max against idle")
        for situation in ("idle", *(s for s in options.situations if s != "idle")):
            gaps = idle if situation == "idle" else getattr(bench, situation)()
            p50, p99, most = np.percentile(gaps, 50), np.percentile(gaps, 99), gaps.max()
            against = f"{p99 / np.percentile(idle, 99):8.2f}{most / idle.max():8.2f}"
            print(f"{situation:12}{p50:8.1f}{p99:8.1f}{most:8.1f}{against}", flush=True)
        bench.program.close()


if __name__ == "__main__":
    main()
