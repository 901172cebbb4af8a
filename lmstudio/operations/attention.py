"""What a transformer looks at in a text, how a cell comes about, and what each head is worth.

Heads are named as people count: "3.6" is the sixth head of the third layer, "3" all of its heads.
`words` that tokens are joined to are those of operations.surprisal, "tokens" for none.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.attending import attention as looking
from lmstudio.analysis.attending import cell as working_out
from lmstudio.analysis.attending import switches
from lmstudio.analysis.attending.attention import Attention, View
from lmstudio.analysis.attending.cell import CellArithmetic
from lmstudio.analysis.attending.switches import ALL, Effect, HeadChange, HeadChanges
from lmstudio.analysis.attending.text import Head, Question, check_head
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations.asked import asked
from lmstudio.operations.surprisal import words_of
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace
from lmstudio.text.encoding import utf8

Key = int | str
_TOP = 3  # of what a row looks at, in a summary


def attention(
    ws: Workspace, run: Key, text: str, *, heads: Sequence[str] = (),
    rollout: int | None = None, words: str = "tokens", off: Sequence[str] = (),
    marks: bool = True, renormalise: bool = False, job: Job,
) -> Attention:  # fmt: skip
    """Who looks at whom in a text read as one sentence: the mean of some heads, of all if none.

    `rollout`: that of the first so many layers instead, 0 for all. Heads that are `off` add nothing
    to what later ones read. Without `marks`, <s> and </s> are hidden, and rows sum to less unless
    `renormalise`.
    AppError for an empty text, a run without attention, and heads that it does not have.
    """
    one = asked(ws, run, "attention")
    layers, number = sizes_of(one)
    chosen = heads_of(heads, one) or tuple((n, h) for n in range(layers) for h in range(number))
    view = View(chosen, layers if rollout == 0 else rollout or 0, marks, renormalise)
    return job.call(looking.attention, one, _question(ws, run, one, text, words, off), view)


def summary(
    ws: Workspace, run: Key, text: str, *, heads: Sequence[str] = (),
    rollout: int | None = None, words: str = "tokens", off: Sequence[str] = (),
    marks: bool = True, renormalise: bool = False, job: Job,
) -> Facts:  # fmt: skip
    """The same as what is kept of it among the findings."""
    return summary_of(attention(ws, run, text, heads=heads, rollout=rollout, words=words, off=off,
                                marks=marks, renormalise=renormalise, job=job))  # fmt: skip


def summary_of(found: Attention) -> Facts:
    """Plain data: what each row looks at most, and all weights in four decimals."""
    best = np.argsort(-found.weights, axis=1, kind="stable")[:, :_TOP]
    rows = [
        {"token": name} | {
            f"{rank} {what}": value for rank, column in enumerate(columns, 1)
            for what, value in (("seen", found.names[column]),
                                ("weight", round(float(weights[column]), 4)))
        }
        for name, weights, columns in zip(found.names, found.weights, best, strict=True)
    ]  # fmt: skip
    return {"read": found.read, "cut": found.cut, "unknown": found.unknown,
            "to_marks": round(found.to_marks, 4), "rows": rows,
            "weights": found.weights.round(4).astype(float).tolist()}  # fmt: skip


def cell(
    ws: Workspace, run: Key, text: str, head: str, row: int, column: int, *,
    words: str = "tokens", off: Sequence[str] = (), job: Job,
) -> CellArithmetic:  # fmt: skip
    """How the weight of one cell of a head comes about; rows and columns from 0, marks counted."""
    one = asked(ws, run, "attention")
    (found, *more) = heads_of([head], one)
    if more:
        raise AppError("Choose one head, such as 3.6.")
    question = _question(ws, run, one, text, words, off)
    return job.call(working_out.cell, one, question, found, row, column)


def effect(
    ws: Workspace, run: Key, text: str, row: int, *, off: Sequence[str], words: str = "tokens",
    job: Job,
) -> Effect:  # fmt: skip
    """What heads that are `off` do to the loss of a text, and to the prediction of a row."""
    one = asked(ws, run, "attention")
    return job.call(switches.effect, one, _question(ws, run, one, text, words, off), row)


def head_changes(
    ws: Workspace, run: Key, text: str, *, layers: Sequence[int] | None = None,
    off: Sequence[str] = (), job: Job,
) -> HeadChanges:  # fmt: skip
    """What is lost without each head, of some `layers` (from 1) or of all."""
    one = asked(ws, run, "attention")
    question = _question(ws, run, one, text, "tokens", off)
    numbers = None if layers is None else tuple(layer - 1 for layer in layers)
    return job.call(switches.head_changes, one, question, numbers)


def sizes_of(one: Asked) -> tuple[int, int]:
    """The numbers of layers and of heads in each."""
    config = one.spec.config
    return config.layers, config.heads  # type: ignore[union-attr]


def heads_of(names: Sequence[str], one: Asked) -> tuple[Head, ...]:
    """What names mean in a run. AppError for a head that it does not have."""
    layers, number = sizes_of(one)
    found: list[Head] = []
    for name in names:
        layer, point, head = str(name).partition(".")
        if not layer.isdecimal() or bool(point) != head.isdecimal():
            raise AppError("{name} names no head. Write 3.6 for the sixth head of the third layer, "
                           "3 for the whole layer.", name=name)  # fmt: skip
        own = [int(head) - 1] if point else list(range(number))
        for one_head in own:
            check_head(int(layer) - 1, one_head, layers, number)
            found.append((int(layer) - 1, one_head))
    return tuple(dict.fromkeys(found))


def name_of(head: Head) -> str:
    """The name of a head; of its layer, for ALL."""
    layer, number = head
    return f"{layer + 1}" if number == ALL else f"{layer + 1}.{number + 1}"


def _question(
    ws: Workspace, run: Key, one: Asked, text: str, words: str, off: Sequence[str]
) -> Question:  # fmt: skip
    utf8(text)
    return Question(text, words_of(ws, words, [run]), heads_of(off, one))


# --- tables -------------------------------------------------------------------------------------


def save_matrix(found: Attention, path: Path, *, job: Job) -> None:
    """Write a matrix as CSV: a row for each token or word that looks, a column for each seen."""
    names = [f"{number} {name}" for number, name in enumerate(found.names, 1)]
    rows = ([name, *weights] for name, weights in zip(names, found.weights.tolist(), strict=True))
    save_table(path, [tr("Looks from / at"), *names], rows, total=len(names), job=job)


def save_row(found: Attention, row: int, path: Path, *, job: Job) -> None:
    """Write what one row looks at as CSV."""
    weights = found.weights[row].tolist()
    columns = enumerate(zip(found.names, weights, strict=True), 1)
    rows = [(number, found.names[row], name, weight) for number, (name, weight) in columns]
    header = [tr("Column"), tr("Asks"), tr("Is looked at"), tr("Weight")]
    save_table(path, header, rows, total=len(rows), job=job)


def save_heads(
    ws: Workspace, run: Key, text: str, path: Path, *, words: str = "tokens",
    off: Sequence[str] = (), marks: bool = True, job: Job,
) -> None:  # fmt: skip
    """Write every cell of every head as CSV, a line each."""
    one = asked(ws, run, "attention")
    question = _question(ws, run, one, text, words, off)
    names, weights = job.call(looking.all_heads, one, question, marks)
    save_cells(names, weights, path, job=job)


def save_cells(names: Sequence[str], weights: np.ndarray, path: Path, *, job: Job) -> None:
    """Write every cell of weights (L, H, T, T) between T names as CSV, a line each."""
    header = [tr("Layer"), tr("Head"), tr("Row"), tr("Asks"), tr("Column"), tr("Is looked at"),
              tr("Weight")]  # fmt: skip

    def rows() -> Iterator[tuple[object, ...]]:
        for layer, heads in enumerate(weights, 1):
            for head, matrix in enumerate(heads, 1):
                for row, line in enumerate(matrix.tolist()):
                    for column, weight in enumerate(line):
                        yield (layer, head, row + 1, names[row], column + 1, names[column], weight)

    save_table(path, header, rows(), total=weights.size, job=job)


def save_cell(found: CellArithmetic, path: Path, *, job: Job) -> None:
    """Write the vectors behind a cell as CSV, a line for each dimension."""
    header = [tr("Dimension"), "q", "k", "q·k", "v", tr("weight · v")]
    save_table(path, header, found.rows(), total=found.dimensions, job=job)


def save_changes(found: Sequence[HeadChange], path: Path, *, job: Job) -> None:
    """Write what is lost without heads as CSV; head 0 is a whole layer."""
    rows = [(one.layer + 1, one.head + 1, one.change) for one in found]
    header = [tr("Layer"), tr("Head"), tr("Change of loss, nats a token")]
    save_table(path, header, rows, total=len(rows), job=job)
