"""Pictures of trainings: a network of each kind, its form, what goes on with it, a sweep."""

from pathlib import Path

from lmstudio.gui.dialogs.continue_run import ContinueDialog
from lmstudio.gui.dialogs.sweep import SweepDialog
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import runs, sweeps, training
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec
from tests.segment_shots import wait

SHORT = {"max_steps": 24, "validate_every": 4, "batch": 8, "length": 32}
CONFIGS = {
    "ffnn": {"width": 32, "hidden": 32}, "rnn": {"width": 32}, "lstm": {"width": 32},
    "gru": {"width": 32}, "elmo": {"width": 32, "cell": 32},
    "gpt": {"layers": 2, "width": 32, "heads": 2, "window": 32},
    "bert": {"layers": 2, "width": 32, "heads": 2, "window": 32, "next_sentence": True},
}  # fmt: skip


def fill(ws: Workspace, cut: int) -> None:
    """A few steps of each network, a sweep, a run that begins with the weights of another."""
    for model, config in CONFIGS.items():
        training.train(ws, cut, _spec(model, config), job=Job())
    swept = _spec("rnn", {"width": 8})
    for row in sweeps.sweep(ws, cut, swept, "width", [4, 8, 16]):
        training.start(ws, row.id, job=Job())
    first = next(run for run in ws.runs(cut) if run.model == "gpt")
    child = training.queue_run(ws, cut, _spec("gpt", CONFIGS["gpt"]), warm_start=first.id)
    training.start(ws, child.id, job=Job())
    runs.note(ws, child.id, "从上一次的权重接着训练，学习率可以再小一些。")


def _spec(model: str, config: dict[str, object]) -> RunSpec:
    return RunSpec.from_json({"model": model, "config": config, "training": SHORT})


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the panels that are wanted."""
    if not wanted or "new_run" in wanted:
        show_forms(window, out, suffix)
    if not wanted or "curves" in wanted:
        show_curves(window, out, suffix)


def show_forms(window: Window, out: Path, suffix: str) -> None:
    """Forms with an estimate; a sweep; weights of another run."""
    panel = window.panel("new_run")
    window.show_panel("new_run")
    for model in ("ngram", "gpt", "bert"):
        panel.timeline.choose(model)
        wait(window, lambda: not (panel._pause.isActive() or panel._asker.busy))
        wait(window, lambda: not panel.guard.busy)
        window.grab().save(str(out / f"11-new_run-{model}-{suffix}.png"))
    panel.timeline.choose("gpt")
    panel.several.click()
    dialog = window.findChildren(SweepDialog)[-1]
    dialog.values.setText("32, 64, 128, 256")
    dialog.grab().save(str(out / f"11-sweep-{suffix}.png"))
    dialog.values.setText("32, viele")
    dialog.grab().save(str(out / f"11-sweep-fault-{suffix}.png"))
    dialog.reject()
    known = [run for run in window.state.runs(window.state.segmentation.id) if run.model == "gpt"]
    if known:
        window.state.draft_from(known[0], weights=True)
        panel.form.page().training._fold.setChecked(True)
        wait(window, lambda: not (panel._pause.isActive() or panel._asker.busy))
        window.grab().save(str(out / f"11-new_run-warm-{suffix}.png"))
        panel.form.page().training._fold.setChecked(False)
        panel.form.page().begin_with(None)


def show_curves(window: Window, out: Path, suffix: str) -> None:
    """Every measure; details of BERT and of a run with a note; the log; going on."""
    panel = window.panel("curves")
    window.show_panel("curves")
    for number in range(panel.measure.count()):
        panel.measure.set_value(panel.measure.itemData(number))
        wait(window, lambda: True)
        name = panel.measure.value()
        window.grab().save(str(out / f"12-curves-{name}-{suffix}.png"))
    panel.measure.set_value("bits_per_character")
    entries = panel.board.entries()
    chosen = [entry.row.id for entry in entries if entry.row.model == "bert" or entry.row.note]
    panel._toggle_details()
    for run in chosen:
        window.state.select_runs((run,))
        wait(window, lambda: True)
        window.grab().save(str(out / f"12-details-{run}-{suffix}.png"))
    panel.details.view.segment("log").click()
    wait(window, lambda: True)
    window.grab().save(str(out / f"12-log-{suffix}.png"))
    panel.details.view.segment("figures").click()
    panel._toggle_details()
    if panel.table.actions_.resume.isEnabled():
        panel.table.actions_.resume.trigger()
        dialog = window.findChildren(ContinueDialog)[-1]
        dialog.grab().save(str(out / f"12-continue-{suffix}.png"))
        dialog.reject()
    window.state.select_runs(())
