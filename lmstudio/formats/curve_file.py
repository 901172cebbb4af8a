"""A table of another program in; the curves in it out: what each is of, its steps and times.

Read are a step and a value column; TensorBoard's download (Wall time, Step, Value); tables as wide
as there are runs, such as those of wandb (Step, "a - loss", "b - loss"); and those that we write.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lmstudio.errors import AppError
from lmstudio.text.files.delimited import numbered_rows
from lmstudio.text.files.table import BROKEN
from lmstudio.text.read import whole_text

MOST = 200_000
"""Rows that are read."""
_STEPS = {"step", "steps", "global_step", "_step", "iteration", "iterations", "iter", "update"}
_SECONDS = {"seconds", "_runtime", "relative time (process)", "relative time", "time"}
_CLOCK = {"wall time", "wall_time", "_timestamp", "relative time (wall)"}  # from any moment on
_TOKENS = {"tokens", "num_tokens", "tokens_seen", "n_tokens"}
_BESIDE = re.compile(r"__(MIN|MAX)$|(^| - )_(step|runtime|timestamp)$")  # what wandb adds
_DOWNLOAD = re.compile(r"run-(.*)-tag-(.*)")  # what TensorBoard calls its files
_HELD_OUT = {"valid", "validation", "val", "dev", "eval", "test"}
_IN_TRAINING = {"learning_rate", "gradient_norm", "tokens_per_second", "memory"}
_OURS = re.compile(r"(valid_)?((total|forward|backward|both|masked|next)_loss|memory"
                   r"|(masked|next)_accuracy)")  # fmt: skip
"""Names of ours that no word in them tells, see `training.curve`."""
_MEASURES = {
    "bits_per_character": {"bpc", "bpb", "bits"}, "perplexity": {"ppl", "perplexity"},
    "learning_rate": {"lr", "learning"}, "gradient_norm": {"grad", "gradient", "gnorm"},
    "tokens_per_second": {"tokens_per_second", "tps"}, "loss": {"loss", "nll", "ce", "xent"},
}  # fmt: skip
"""Words in the name of a column, by what they say that it is of."""


@dataclass(frozen=True)
class FileCurve:
    """A column of a table, its points in order. What the file does not tell is None."""

    column: str  # its name there
    name: str  # of the run, as the column or the file has it
    measure: str  # what its name says that it is, as `training.curve` calls it, or ""
    part: str  # "valid" or "train"
    values: np.ndarray  # (points,) float64, as all below
    steps: np.ndarray | None
    seconds: np.ndarray | None
    tokens: np.ndarray | None


def read(path: Path) -> list[FileCurve]:
    """The curves of a file, in the order of its columns.

    AppError where it cannot be read or holds no column of numbers beside steps or times.
    """
    header, rows = _table(path)
    found = []
    for run, below in _by_run(header, rows).items():
        columns = {name: np.array([_number(row[n]) if n < len(row) else math.nan for row in below])
                   for n, name in enumerate(header)}  # fmt: skip
        found += [curve for curve in _curves(path, run, columns) if curve.values.size]
    if not found:
        raise AppError("{path} holds no curve: a column of steps or times and one of numbers are "
                       "needed.", path=path)  # fmt: skip
    return found


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header, made up where there is none, and the rows below it."""
    text = whole_text(path)
    found = numbered_rows(text, tabs=path.suffix.lower() == ".tsv")
    rows = [[cell or "" for cell in row] for _, row in found if row is not BROKEN and any(row)]
    width = max(map(len, rows), default=0)
    if width < 2:
        raise AppError("{path} is no table: no row has two cells.", path=path)
    if len(rows) > MOST:
        raise AppError("{path} has more than {most} rows. Keep every tenth of them.",
                       path=path, most=MOST)  # fmt: skip
    if any(math.isnan(_number(cell)) for cell in rows[0]):
        named = enumerate(rows.pop(0), 1)  # pandas gives its index no name
        return [name.strip() or f"column {number}" for number, name in named], rows
    others = [f"value {number}" for number in range(1, width)] if width > 2 else ["value"]
    return ["step", *others], rows


def _by_run(header: list[str], rows: list[list[str]]) -> dict[str, list[list[str]]]:
    """The rows of each run, where a column names it as in the tables we write; else all, by ""."""
    at = next((n for n, name in enumerate(header) if name.lower() == "run"), None)
    found: dict[str, list[list[str]]] = {}
    for row in rows:
        found.setdefault(row[at] if at is not None and at < len(row) else "", []).append(row)
    return found


def _curves(path: Path, run: str, columns: dict[str, np.ndarray]) -> list[FileCurve]:
    steps, seconds, tokens = (_first(columns, known) for known in (_STEPS, _SECONDS, _TOKENS))
    if seconds is None and (clock := _first(columns, _CLOCK)) is not None:
        seconds = clock - np.nanmin(clock, initial=math.inf)
    taken = _STEPS | _SECONDS | _CLOCK | _TOKENS
    others = {name: values for name, values in columns.items()
              if name.lower() not in taken | {"run"} and not _BESIDE.search(name)
              and np.isfinite(values).any()}  # fmt: skip
    if steps is None and seconds is None and tokens is None and len(others) > 1:
        steps = others.pop(next(iter(others)))  # what the others stand over
    xs = (steps, seconds, tokens)
    if all(x is None for x in xs):
        return []
    found = [_curve(path, f"{run} - {name}" if run else name, values, xs)
             for name, values in others.items()]  # fmt: skip
    trained = {name for name in others if f"valid_{name}" in others}  # as we name the two parts
    return [replace(curve, part="train") if name in trained else curve
            for name, curve in zip(others, found, strict=True)]  # fmt: skip


def _curve(
    path: Path, column: str, values: np.ndarray, xs: Sequence[np.ndarray | None]
) -> FileCurve:
    """In the order of the steps; of a step that comes twice, the last."""
    order = next(x for x in xs if x is not None)
    kept = np.flatnonzero(np.isfinite(order) & np.isfinite(values))[::-1]
    kept = kept[np.unique(order[kept], return_index=True)[1]]
    steps, seconds, tokens = (
        x[kept] if x is not None and np.isfinite(x[kept]).all() else None for x in xs
    )
    name, said = _said(path, column)
    return FileCurve(column, name, *_guess(said), values[kept], steps, seconds, tokens)


def _said(path: Path, column: str) -> tuple[str, str]:
    """The name of the run, and what the column is of, as TensorBoard, wandb or we write them."""
    download = _DOWNLOAD.fullmatch(path.stem)
    if download and column.lower() == "value":
        return download[1], download[2]
    run, dash, said = column.rpartition(" - ")
    if dash:
        return run, said
    return path.stem, column


def _guess(said: str) -> tuple[str, str]:
    """What a column is of, and of which part, by the words in its name."""
    name = said.lower()
    if ours := _OURS.fullmatch(name):
        return ours[2], "valid" if ours[1] else "train"
    words = {name, *re.split(r"[^a-z]+", name)}
    measure = next((key for key, known in _MEASURES.items() if known & words), "")
    trained = measure in _IN_TRAINING or "train" in words and not words & _HELD_OUT
    return measure, "train" if trained else "valid"


def _first(columns: dict[str, np.ndarray], known: set[str]) -> np.ndarray | None:
    """The column of one of some names."""
    return next((values for name, values in columns.items() if name.lower() in known), None)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
