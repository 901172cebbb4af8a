"""A table and the columns that are there in; the matrix that is drawn, and sentences, out."""

import math
from dataclasses import replace

from lmstudio import figures
from lmstudio.analysis.laboratory import Bars, Column
from lmstudio.gui.panels.explore.smoothing_asking import SmoothingAsking
from lmstudio.gui.panels.explore.smoothing_names import SHORT
from lmstudio.gui.widgets.matrix import Matrix, MatrixColumn, MatrixRow
from lmstudio.messages import tr
from lmstudio.models.config import SCORES_ONLY, SMOOTHINGS
from lmstudio.operations.laboratory import Table


def matrix(asking: SmoothingAsking, *, fade: bool) -> Matrix:
    """What is known; `fade` shows old answers as such."""
    table = asking.table
    if table is None:
        return Matrix()
    columns = [
        replace(matrix_column(name, asking.columns.get(name), table.bars),
                stale=fade and asking.stale(name))
        for name in SMOOTHINGS
    ]  # fmt: skip
    return Matrix(rows(table), columns, asking.chosen)


def rows(table: Table) -> list[MatrixRow]:
    """The words, the rest of the vocabulary, and `<unk>`."""
    bars = table.bars
    listed = [
        MatrixRow(word, figures.count(count), muted=count == 0)
        for word, count in zip(table.words, bars.counts, strict=True)
    ]
    name = tr("{count} other words", count=figures.count(bars.others))
    others = [MatrixRow(name, muted=True, open=True)] if bars.others else []
    return [*listed[:-1], *others, replace(listed[-1], muted=True)]


def matrix_column(name: str, column: Column | None, bars: Bars) -> MatrixColumn:
    """A smoothing's column; None: it is not there yet."""
    title = tr(SHORT[name])
    if column is None:
        return MatrixColumn(name, title)
    proper = name not in SCORES_ONLY
    tip = "\n".join([title, *explained(column)])
    if math.isnan(column.total):
        reason = tr("not defined: c(h) = 0")
        return MatrixColumn(name, title, reason=reason, figure=column.valid_bits, tip=tip)
    probs = [float(value) for value in column.probs]
    others = [max(round(column.rest, 9), 0.0)] if bars.others else []  # a difference: no dust
    known = column.seen - (column.unknown if bars.counts[-1] else 0.0)
    shares = (known, max(column.total - known - column.unknown, 0.0), column.unknown)
    return MatrixColumn(
        name, title, (*probs[:-1], *others, probs[-1]), shares, column.total,
        column.valid_bits, proper, noted=_noted(column), tip=tip,
    )  # fmt: skip


def undefined() -> str:
    """Why maximum likelihood has no answer."""
    return tr("Not defined: this context was never seen, c(h) = 0, and 0 / 0 is no number.")


def explained(column: Column) -> list[str]:
    """What is to be said about a column."""
    said = [str(note) for note in (*column.notes, *column.remarks)]
    if column.config.smoothing in SCORES_ONLY:
        said.append(tr("Its scores sum to no fixed value: they are not probabilities, so it has no "
                       "perplexity."))  # fmt: skip
    if math.isnan(column.total):
        said.append(undefined())
    elif math.isinf(column.valid_bits):
        said.append(tr("Some event of the valid part has probability 0: its surprisal is "
                       "infinite."))  # fmt: skip
    return said


def _noted(column: Column) -> bool:
    """It had to fall back on something; that the weights were tuned is no such thing."""
    return bool(column.notes) and column.config.smoothing != "jelinek-mercer"
