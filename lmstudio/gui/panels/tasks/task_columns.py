"""Tasks to rows of the table of the workspace's tasks."""

from lmstudio import figures
from lmstudio.gui.panels.tasks.kind_names import kind_title
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.messages import tr
from lmstudio.store.rows import TaskRow


def columns() -> list[Column]:
    """Name, kind, how many examples, how many runs."""
    return [
        Column("name", tr("Name")),
        Column("kind", tr("Kind"), width=106),
        Column("count", tr("Examples"), right=True, show=figures.count, width=84),
        Column("runs", tr("Runs"), right=True, width=52),
    ]


def row(task: TaskRow, runs: int) -> Row:
    """A row of the table."""
    counts = task.facts.get("counts", {})
    told = [task.name, kind_title(task.kind), *(f"{part} {n}" for part, n in counts.items())]
    return Row(task.id, {
        "name": Cell(task.name, tip="\n".join(told)),
        "kind": Cell(kind_title(task.kind), tip=kind_title(task.kind)),
        "count": Cell(sum(counts.values())),
        "runs": Cell(runs),
    })  # fmt: skip
