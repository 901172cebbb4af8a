"""Fine-tuned runs and the settings they are of -> rows of a table, bars and curves."""

import math

import numpy as np

from lmstudio import figures
from lmstudio.gui.panels.tasks.score_axes import percent
from lmstudio.gui.plots import Series
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.gui.widgets.interval_plot import Difference
from lmstudio.messages import listed, tr
from lmstudio.operations import run_names, runs
from lmstudio.operations.metric_names import VALID
from lmstudio.operations.task_results import Scored, Setting, Spread, chooser_note, spread
from lmstudio.store.rows import Part, RunRow, TaskRow
from lmstudio.store.workspace import Workspace

MOST_CURVES = 24
_ORDER = ("failed", "interrupted", "running", "queued", "stopped", "done")


def columns() -> list[Column]:
    """Of the table of settings, and of that of runs."""
    return [
        Column("name", tr("Setting")),
        Column("encoder", tr("Encoder"), width=150),
        Column("seeds", tr("Seeds"), right=True, show=figures.count, width=96),
        Column("valid", tr("Valid in %"), right=True, width=124),
        Column("test", tr("Test in %"), right=True, width=124),
        Column("seconds", tr("Time"), right=True, show=figures.duration, width=88),
        Column("parameters", tr("Parameters"), right=True, show=figures.short, width=96),
        Column("state", tr("State"), width=90),
    ]


def told(found: Spread | None) -> str:
    """A mean in percent with its spread."""
    if found is None:
        return figures.DASH
    mean = f"{found.mean * 100:.1f}"
    return mean if found.deviation is None else f"{mean} ± {found.deviation * 100:.1f}"


def setting_row(setting: Setting, measure: str) -> Row:
    """The means of a setting's runs."""
    tried = [scored.run for scored in setting.runs]
    cells = {
        "name": Cell(setting.name, draw=("mark", setting.model)),
        "encoder": Cell(setting.runs[0].encoder or figures.DASH),
        "seeds": Cell(len(tried)),
        "seconds": Cell(math.fsum(run.seconds for run in tried) / len(tried)),
        "parameters": Cell(tried[0].parameters),
        "state": _states(setting.runs),
    }
    for part in ("valid", "test"):
        known = spread(setting.scores(part, measure))
        cells[part] = Cell(known.mean if known else None, text=told(known))
    return Row(tried[0].id, cells)


def run_row(scored: Scored, measure: str) -> Row:
    """One run."""
    run = scored.run
    seed = run.spec.get("training", {}).get("seed")
    cells = {
        "name": Cell(run.name, draw=("mark", run.model)),
        "encoder": Cell(scored.encoder or figures.DASH),
        "seeds": Cell(seed),
        "seconds": Cell(run.seconds),
        "parameters": Cell(run.parameters),
        "state": _states((scored,)),
    }
    for part in ("valid", "test"):
        score = scored.score(part, measure)
        text = figures.DASH if score is None else f"{score * 100:.1f}"
        cells[part] = Cell(score, text=text)
    return Row(run.id, cells)


def _states(found: tuple[Scored, ...]) -> Cell:
    """What is worth telling first: a run that failed, or is not done."""
    first = min((scored.run for scored in found), key=lambda run: _ORDER.index(run.state))
    tone = "bad" if first.state == "failed" else "muted"
    return Cell(run_names.state_name(first.state), tone=tone, tip=runs.message(first))


def bar(setting: Setting, part: Part, measure: str) -> Difference:
    """A setting's mean from 0, a standard deviation to both sides where there are several seeds."""
    known = spread(setting.scores(part, measure))
    value = known.mean if known else math.nan
    deviation = math.nan if known is None or known.deviation is None else known.deviation
    return Difference(setting.name, setting.model, value, value - deviation, value + deviation,
                      end=f"{told(known)} %" if known else figures.DASH,
                      tip=_tip(setting, part, measure))  # fmt: skip


def _tip(setting: Setting, part: Part, measure: str) -> str:
    scores = listed(map(percent, setting.scores(part, measure)))
    return f"{setting.name}: {scores or figures.DASH}"


def curves(
    ws: Workspace, found: list[Scored], metric: str, chosen: tuple[int, ...]
) -> list[Series]:
    """What was recorded of runs under a name, against their steps.

    Of the valid part the point of the checkpoint that was kept is told of, whose scores the bars
    are.
    """
    made = []
    task = ws.task(found[0].run.task or 0).name if found else ""
    for number, scored in enumerate(found[:MOST_CURVES]):
        points = ws.metrics(scored.run.id, metric)
        if points:
            x = np.array([point[0] for point in points], float)
            y = np.array([point[2] for point in points], float)
            run = scored.run
            name = run.name.removeprefix(f"{task} · ").removeprefix(f"{task}-")
            made.append(Series(run.id, name, x, y, run.model, number % 3, run.id in chosen,
                               at=_chosen_step(run, metric)))  # fmt: skip
    return made


def _chosen_step(run: RunRow, metric: str) -> float | None:
    """Where on a curve of the valid part the checkpoint that was kept stands, if that is known."""
    step = run.facts.get("best_step") if metric.startswith(VALID) else None
    return float(step) if isinstance(step, int) else None


def note(task: TaskRow, settings: list[Setting], part: Part, measure: str) -> str:
    """How the bars are to be read."""
    counts = [len(setting.scores(part, measure)) for setting in settings]
    if not any(counts):
        return tr("No run was scored on this part yet.")
    if max(counts) > 1:
        seeds = tr("Mean over the seeds; the line is one standard deviation to both sides. Pale: "
                   "a single seed.")  # fmt: skip
    else:
        seeds = tr("One seed each: what chance does to these scores is not known. Train with "
                   "several.")  # fmt: skip
    return " ".join(filter(None, (chooser_note(task, part), seeds)))
