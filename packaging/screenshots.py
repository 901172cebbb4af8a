"""The pictures of the README: `.venv/bin/python packaging/screenshots.py [WORKSPACE [NAME...]]`.

A workspace of samples is made (or taken as it is, where a run of this was broken off), models are
trained in it for a few minutes, and its panels are drawn into resources/screenshots.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QElapsedTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.window import Window
from lmstudio.jobs import Job, JobQueue
from lmstudio.operations import demo, finetuning, run_names, sample_tasks, training
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig

PLACE = Path(__file__).resolve().parents[1] / "resources" / "screenshots"
SIZE = 1366, 768
STILL_MS, MOST_MS = 1500, 600_000  # of quiet before a picture is taken; till then at most
LANGUAGE = "zh_CN"  # of what things are called

SPECS: tuple[dict[str, Any], ...] = (
    *({"model": "ngram", "config": {"order": order}} for order in (1, 2, 3, 5)),
    {"model": "lstm", "preset": "small"},
    {"model": "bert", "config": {"layers": 2, "width": 64}, "training": {"minutes": 0.5}},
)
TUNED = TrainingConfig(epochs=10, batch=32, learning_rate=0.003, patience=0)


def fill(ws: Workspace) -> None:
    """The sample corpus, a run of each of SPECS, the sample tasks, a BERT tuned for each."""
    corpus = demo.prepare(ws, job=Job())
    cut = ws.segmentations(corpus)[0].id
    for facts in SPECS:
        spec = RunSpec.from_json(facts)
        row = demo.trained(ws, cut, spec) or training.queue_run(
            ws, cut, spec, name=ws.free_name("run", run_names.describe(spec))
        )
        if row.state != "done":
            print(row.name, flush=True)
            training.start(ws, row.id, job=Job())
    if not ws.tasks():
        sample_tasks.sample_tasks(ws, job=Job())
    encoders = {run.model: run.id for run in ws.runs(cut)}
    for task in ws.tasks():
        if not ws.tuned_runs(task.id):
            print(task.name, flush=True)
            head = TaskConfig(kind=task.kind, length=64, crf=task.kind == "tag")
            runs = finetuning.queue_tuning(ws, task.id, encoders["bert"], head, TUNED)
            for run in runs:
                training.start(ws, run.id, job=Job())


@dataclass(frozen=True)
class Shot:
    """A picture: of which panel, in which look, after what was done in it."""

    panel: str
    language: str
    mode: str
    prepare: Callable[[Window, Any], None] = lambda window, panel: None


def _choose_lstm(window: Window, panel: Any) -> None:
    panel.timeline.choose("lstm")


def _tag(window: Window, panel: Any) -> None:
    """A tagging, and the tags that the word after 从 may have."""
    _choose_tuned(window, "tag")
    settle(window)
    panel.view.text.picked.emit(panel.text.toPlainText().find("从") + 1)


def _probe(window: Window, panel: Any) -> None:
    """What each layer of the networks, trained and untrained, knows of the tags."""
    ws = window.state.workspace
    window.state.tuned.choose_task(next(task.id for task in ws.tasks() if task.kind == "tag"))
    settle(window)
    probe = panel.views["probe"]
    probe.control.setChecked(True)
    probe.seeds.setValue(2)
    probe.all.click()


def _choose_tuned(window: Window, kind: str) -> None:
    """Ask the model that was tuned for a kind of task."""
    ws, tuned = window.state.workspace, window.state.tuned
    tasks = {task.id for task in ws.tasks() if task.kind == kind}
    tuned.choose_run(next(run for run in tuned.known(ws) if run.task in tasks))


SHOTS = {
    "curves-zh": Shot("curves", "zh_CN", "light"),
    "segment": Shot("segment", "zh_CN", "light"),
    "train-dark": Shot("new_run", "en", "dark", _choose_lstm),
    "try-it": Shot("try_it", "en", "light", _tag),
    "what-layers-know": Shot("task_layers", "en", "light", _probe),
}


def settle(window: Window) -> None:
    """Until nothing has been at work for a while."""
    whole, still = QElapsedTimer(), QElapsedTimer()
    whole.start()
    still.start()
    while still.elapsed() < STILL_MS and whole.elapsed() < MOST_MS:
        QCoreApplication.processEvents()
        if window.state.jobs.busy or getattr(window.panel(window.current_panel), "busy", False):
            still.restart()


def draw(app: QApplication, folder: Path, name: str, shot: Shot) -> None:
    """Write one picture."""
    messages.use(shot.language)
    theme.apply(app, shot.mode, 1.0)
    state = AppState(Settings(theme=shot.mode), JobQueue())
    state.open_workspace(folder)
    window = Window(state)
    window.resize(*SIZE)
    QCursor.setPos(window.mapToGlobal(window.rect().bottomRight()))  # over nothing
    window.show()
    window.show_panel(shot.panel)
    settle(window)
    shot.prepare(window, window.panel(shot.panel))
    settle(window)
    window.grab().save(str(PLACE / f"{name}.png"))
    print(name, flush=True)
    window.deleteLater()
    state.close()


def main(folder: Path, wanted: list[str]) -> None:
    """Fill the workspace, then draw the pictures that are wanted, or all."""
    messages.use(LANGUAGE)
    with Workspace(folder) as ws:
        fill(ws)
    app = QApplication([])
    for name, shot in SHOTS.items():
        if not wanted or name in wanted:
            draw(app, folder, name, shot)


def asked(words: list[str]) -> argparse.Namespace:
    """`workspace` and `picture`, as they are given; ends with a sentence where they cannot be."""
    parser = argparse.ArgumentParser(
        description="Train a few models and draw the pictures of the README.",
        epilog="Training takes a few minutes; a workspace that was filled before is drawn at once.",
    )
    kept = "where the models are kept; without it, a folder that is thrown away"
    drawn = f"which to draw: {' '.join(SHOTS)}; without one, all"
    parser.add_argument("workspace", nargs="?", type=Path, help=kept)
    parser.add_argument("picture", nargs="*", help=drawn)
    given = parser.parse_args(words)
    if unknown := [name for name in given.picture if name not in SHOTS]:
        parser.error(f"no picture is called {unknown[0]}")
    return given


if __name__ == "__main__":
    given = asked(sys.argv[1:])
    with tempfile.TemporaryDirectory() as home:
        os.environ["LMSTUDIO_HOME"] = home
        main(given.workspace or Path(home, "workspace"), given.picture)
