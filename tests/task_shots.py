"""Pictures of the room of tasks: runs of every kind, their mistakes, and what layers know."""

from collections.abc import Callable
from pathlib import Path

from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import finetuning, layer_weights, sample_tasks, training
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.segment_shots import wait

SHORT = TrainingConfig(epochs=2, batch=32, learning_rate=3e-3, patience=0)
LSTMS = ((32, 3.9, 0.68), (64, 3.6, 0.74), (128, 3.4, 0.79), (256, 3.3, 0.81))
"""Width, bits per character and score of runs whose figures are made up."""


def fill(ws: Workspace) -> None:
    """The sample tasks, a BERT tuned for each, ELMo's layers mixed, sizes that are made up."""
    sample_tasks.sample_tasks(ws, job=Job())
    encoders = {run.model: run for run in ws.runs()}
    for task in ws.tasks():
        seeds = 2 if task.kind == "classify" else 1
        head = TaskConfig(kind=task.kind, length=48)
        queued = finetuning.queue_tuning(ws, task.id, encoders["bert"].id, head, SHORT, seeds=seeds)
        queued += layer_weights.queue(ws, encoders["elmo"].id, [task.id], epochs=1)
        for run in queued:
            training.start(ws, run.id, job=Job())
    _make_up_sizes(ws, encoders["lstm"])


def _make_up_sizes(ws: Workspace, like: RunRow) -> None:
    task = next(task for task in ws.tasks() if task.kind == "classify")
    for width, bits, score in LSTMS:
        name = ws.free_name("run", f"LSTM 1×{width}")
        row = ws.add_run(like.segmentation_id, name, "lstm", like.spec)
        ws.update_run(row.id, state="done", parameters=5000 * width)
        ws.set_evaluation(row.id, "test", {"bits_per_character": bits, "perplexity": 2**bits * 9})
        for seed in (1, 2, 3):
            spec = like.spec | {"training": {"seed": seed}, "task": {"kind": "classify"}}
            tuned = ws.add_run(like.segmentation_id, f"{row.name}, {seed}", "lstm", spec,
                               parent=row.id, task=task.id)  # fmt: skip
            ws.update_run(tuned.id, state="done", parameters=5000 * width)
            ws.set_evaluation(tuned.id, "test", {"accuracy": score + 0.01 * seed,
                                                 "macro_f1": score})  # fmt: skip


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """Those of the panels that are wanted."""
    if not window.state.tasks():
        return
    for key, draw in (("task_results", show_results), ("task_errors", show_errors),
                      ("task_layers", show_layers), ("try_it", show_box)):  # fmt: skip
        if not wanted or key in wanted:
            window.show_panel(key)
            draw(window, out, suffix)


def _choose(window: Window, kind: str) -> None:
    """Ask the newest run with a model of a kind of task."""
    ws = window.state.workspace
    kinds = {task.id: task.kind for task in ws.tasks()}
    known = [run for run in window.state.tuned.known(ws) if kinds.get(run.task) == kind]
    window.state.tuned.choose_run(next(run for run in reversed(known) if run.model == "bert"))


def _settle(window: Window, done: Callable[[], bool] = lambda: True) -> None:
    """Until it is true, and everything is laid out."""
    wait(window, done)
    wait(window, lambda: True)


def show_results(window: Window, out: Path, suffix: str) -> None:
    """The scores of classes, with their spread."""
    _choose(window, "classify")
    _settle(window)
    window.grab().save(str(out / f"16-task_results-{suffix}.png"))


def show_errors(window: Window, out: Path, suffix: str) -> None:
    """Each kind of task; a sentence that is typed over, and where the model looks in it."""
    panel = window.panel("task_errors")
    for kind in ("qa", "pair", "tag", "classify"):
        _choose(window, kind)
        _settle(window, lambda: panel.found is not None and not panel.busy)
        window.grab().save(str(out / f"16-task_errors-{kind}-{suffix}.png"))
    panel.confusion.matrix._take(0, 1)
    panel.sentence.text.setPlainText(f"{panel.sentence.text.toPlainText()}真的很难看。")
    panel.sentence.page.segment("looks").click()
    _settle(window, lambda: not panel.busy)
    window.grab().save(str(out / f"16-task_errors-looks-{suffix}.png"))
    panel.sentence.page.segment("said").click()


def show_layers(window: Window, out: Path, suffix: str) -> None:
    """The four views, probes and prompts asked."""
    panel = window.panel("task_layers")
    _choose(window, "classify")
    probe, size = panel.views["probe"], panel.views["size"]
    probe.limit.setValue(200)
    probe.control.setChecked(True)
    for key in panel.views:
        panel.view.segment(key).click()
        if key == "probe":
            probe._probe([run.id for run in probe.networks() if run.model in ("bert", "elmo")])
        elif key == "size":
            size.prompt.ask.click()
        _settle(window, lambda: not panel.busy)
        window.grab().save(str(out / f"16-task_layers-{key}-{suffix}.png"))


def show_box(window: Window, out: Path, suffix: str) -> None:
    """A tagging, and a question."""
    panel = window.panel("try_it")
    for kind in ("tag", "qa"):
        _choose(window, kind)
        panel.text.setPlainText("")
        panel.show_next()
        _settle(window, lambda: not panel.busy and panel.found is not None)
        window.grab().save(str(out / f"16-try_it-{kind}-{suffix}.png"))
