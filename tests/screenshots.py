"""A PNG of every panel: `python -m tests.screenshots OUT [PANEL...]`. To be looked at.

Light and dark, Chinese and English, at 1366 x 768; the light Chinese ones also at twice the
density. Panels are those of gui/rooms.py, with an empty workspace and with one that has runs.
"""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QElapsedTimer, QEvent
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.gui import rooms, theme
from lmstudio.gui.state import AppState
from lmstudio.gui.window import Window
from lmstudio.jobs import Job, JobQueue
from lmstudio.operations import demo, training
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.machine import Machine
from lmstudio.training.spec import RunSpec
from tests import (
    browse_shots,
    compare_shots,
    corpus_shots,
    explore_shots,
    layers_shots,
    meaning_shots,
    segment_shots,
    task_shots,
    train_shots,
)

LEAST_MS, MOST_MS = 400, 30_000  # for answers that come from the workers
LOOKS = [(mode, language) for mode in ("light", "dark") for language in messages.LANGUAGES]


def main(out: Path, wanted: list[str]) -> None:
    """Draw everything at both densities, each in a process of its own."""
    out.mkdir(parents=True, exist_ok=True)
    for factor in ("1", "2"):
        environment = os.environ | {"QT_SCALE_FACTOR": factor}
        command = [sys.executable, "-m", "tests.screenshots", "--draw", str(out), *wanted]
        subprocess.run(command, env=environment, check=True)


def draw(out: Path, wanted: list[str], factor: str) -> None:
    """Draw the panels with an empty and with a full workspace."""
    app = QApplication([])
    looks = LOOKS if factor == "1" else [("light", "zh_CN")]
    with tempfile.TemporaryDirectory() as home:
        os.environ["LMSTUDIO_HOME"] = home
        messages.use("zh_CN")
        full = Path(home) / "full"
        with Workspace(full) as ws:
            fill(ws)
        for name, folder in (("full", full), ("empty", Path(home) / "empty")):
            state = AppState(Settings(), JobQueue())
            state.machine = Machine(cores=2, memory_bytes=16_000_000_000)
            state.open_workspace(folder)
            for mode, language in looks:
                suffix = f"{mode}-{language[:2]}" + ("-2x" if factor == "2" else "")
                show_all(app, state, mode, language, out, f"{name}-{suffix}", wanted)
            state.close()


def show_all(
    app: QApplication, state: AppState, mode: str, language: str, out: Path, suffix: str,
    wanted: list[str],
) -> None:  # fmt: skip
    """One window, every panel in turn."""
    messages.use(language)
    theme.apply(app, mode, 1.0)
    window = Window(state)
    window.resize(1366, 768)
    window.show()
    keys = [entry.key for room in rooms.ROOMS for entry in room.panels]
    for number, key in enumerate(keys, 1):
        if not wanted or key in wanted:
            window.show_panel(key)
            settle(state)
            window.grab().save(str(out / f"{number:02d}-{key}-{suffix}.png"))
    if not wanted or "import" in wanted:
        show_import(window, out, suffix)
    if state.corpora() and (not wanted or "corpora" in wanted):
        corpus_shots.show_lists(window, out, suffix)
    for key, show in (("concordance", browse_shots.show_concordance),
                      ("statistics", browse_shots.show_statistics)):  # fmt: skip
        if state.corpora() and (not wanted or key in wanted):
            show(window, out, suffix)
    if state.corpora():
        segment_shots.show(window, out, suffix, wanted)
        explore_shots.show(window, out, suffix, wanted)
        layers_shots.show(window, out, suffix, wanted)
        meaning_shots.show(window, out, suffix, wanted)
        train_shots.show(window, out, suffix, wanted)
        compare_shots.show(window, out, suffix, wanted)
        task_shots.show(window, out, suffix, wanted)
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def show_import(window: Window, out: Path, suffix: str) -> None:
    """The dialog that looks at files before they are imported: of a text, of a table, with more."""
    for name, files in corpus_shots.written().items():
        window.open_files(files)
        settle(window.state)
        dialog = window.panel("corpora").dialog
        dialog.grab().save(str(out / f"00-import-{name}-{suffix}.png"))
        dialog.fold.click()
        width = dialog.more.steps.control("width")
        width.setCurrentIndex(width.findData("half"))
        settle(window.state)
        dialog.grab().save(str(out / f"00-import-{name}-more-{suffix}.png"))
        dialog.reject()
        settle(window.state)


def settle(state: AppState) -> None:
    """Let timers and answers come in."""
    clock = QElapsedTimer()
    clock.start()
    while clock.elapsed() < LEAST_MS or (state.jobs.busy and clock.elapsed() < MOST_MS):
        QCoreApplication.processEvents()


def fill(ws: Workspace) -> None:
    """The sample corpus, counted models, every network, and two whose curves are made up."""
    corpus_shots.import_tables(ws)
    segment_shots.fill(ws)
    explore_shots.fill(ws)
    corpus = demo.prepare(ws, size=100_000, job=Job())
    cut = ws.segmentations(corpus)[0].id
    for order in (1, 2, 3, 5):
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": order}})
        training.train(ws, cut, spec, job=Job())
    train_shots.fill(ws, cut)
    compare_shots.fill(ws, cut)
    task_shots.fill(ws)
    for name, best, slow in (("LSTM 1×128", 3.35, 25), ("LSTM 2×256", 3.2, 60)):
        row = ws.add_run(cut, name, "lstm", RunSpec.from_json({"model": "lstm"}).to_json())
        points = []
        for n in range(1, 300):
            loss = best + 4 * math.exp(-n / slow) + 0.02 * math.sin(n * 1.7)
            points += [(n * 10, n * 0.4, "valid_loss", loss), (n * 10, n * 0.4, "loss", loss - 0.1)]
        ws.add_metrics(row.id, points)
        ws.update_run(row.id, state="stopped", parameters=1_210_000, seconds=120, step=3000)


if __name__ == "__main__":
    if sys.argv[1] == "--draw":
        draw(Path(sys.argv[2]), sys.argv[3:], os.environ.get("QT_SCALE_FACTOR", "1"))
    else:
        main(Path(sys.argv[1]), sys.argv[2:])
