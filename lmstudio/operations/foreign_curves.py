"""Curves of other programs' trainings: taken from a file, kept with a corpus, shown, removed.

Each is a file of the corpus' folder, curves/<number>.json. What they measure is what the user says
it is: nothing of them was measured here.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import read_json, write_json
from lmstudio.formats import curve_file
from lmstudio.formats.curve_file import FileCurve
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, shortened, tr
from lmstudio.operations.changes import Changes
from lmstudio.operations.metric_names import TITLES
from lmstudio.store import names
from lmstudio.store.workspace import Workspace

FOLDER = "curves"
MEASURES = tuple(TITLES)
"""What a curve may be of; as in `training.curve`."""
PARTS = ("valid", "train")
MOST = 200
"""Curves that are taken at a time."""
_NAMED = 8  # columns that a message names


@dataclass(frozen=True)
class ForeignCurve:
    """A curve kept with a corpus. What its file did not tell is None."""

    number: int
    name: str  # of the run; its curves of other measures and parts have the same
    measure: str  # of MEASURES
    part: str  # of PARTS
    source: str  # name of the file and of its column
    values: tuple[float, ...]
    steps: tuple[float, ...] | None = None
    seconds: tuple[float, ...] | None = None
    tokens: tuple[float, ...] | None = None

    def points(self, measure: str, x: str) -> tuple[np.ndarray, np.ndarray]:
        """(x, y) float64 in a measure; `x` is "seconds", "step" or "tokens". Empty: not known.

        A loss (nats an event) and a perplexity are one another's.
        """
        xs = {"seconds": self.seconds, "step": self.steps, "tokens": self.tokens}[x]
        if xs is None or not self.shows(measure):
            return np.empty(0), np.empty(0)
        values = np.array(self.values)
        if measure != self.measure:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                values = np.exp(values) if measure == "perplexity" else np.log(values)
        return np.array(xs), values

    def shows(self, measure: str) -> bool:
        """It can be drawn in this measure."""
        return measure == self.measure or {measure, self.measure} == {"loss", "perplexity"}


def look(path: Path, *, job: Job) -> list[FileCurve]:
    """The curves in a file. AppError where there is none."""
    job.check()
    return curve_file.read(Path(path))


def add(
    ws: Workspace, corpus: int | str, path: Path, *, name: str = "", columns: Sequence[str] = (),
    measure: str = "", part: str = "", job: Job,
) -> Changes:  # fmt: skip
    """Keep curves of a file with a corpus: those of `columns`, else those whose names tell.

    `name`, where it is one curve; `measure` of MEASURES and `part`, else what the name of a column
    says. Columns of one run have one name, which no run of the corpus has. AppError where no curve
    can be taken, or a name is no name.
    """
    row, found = ws.corpus(corpus), look(path, job=job)
    chosen = _chosen(found, columns, measure)
    if name:
        names.check(name)
    made = [replace(one, measure=measure or one.measure, part=part or one.part) for one in chosen]
    apart = len({(one.measure, one.part) for one in made}) == len(made)
    if name and not (apart and len({one.name for one in made}) == 1):
        raise AppError("One name is given for {count} curves. Choose one of the columns.",
                       count=len(chosen))  # fmt: skip
    kept, folder = curves(ws, row.id), ws.corpus_folder(row.id) / FOLDER
    called = _called(_runs_of(ws, row.id), kept, made, f"{path.name}: ", name)
    first = max((one.number for one in kept), default=0) + 1
    for number, (one, title) in enumerate(zip(made, called, strict=True), first):
        curve = ForeignCurve(
            number, title, one.measure, one.part, f"{path.name}: {shortened(one.column)}",
            _plain(one.values) or (), _plain(one.steps), _plain(one.seconds), _plain(one.tokens),
        )  # fmt: skip
        folder.mkdir(exist_ok=True)
        write_json(folder / f"{number}.json", asdict(curve))
    left = [] if columns else [one.column for one in found if one not in chosen]
    notes = [Message("Left out, for it is not known what they measure: {names}. Take one with "
                     "--column and --measure.", {"names": _listed(left)})]  # fmt: skip
    return Changes(runs=True, notes=tuple(notes if left else ()))


def _runs_of(ws: Workspace, corpus: int) -> set[str]:
    """Names of the runs of a corpus."""
    return {run.name for cut in ws.segmentations(corpus) for run in ws.runs(cut.id, tuned=True)}


def _called(
    runs: set[str], kept: list[ForeignCurve], made: list[FileCurve], source: str, name: str
) -> list[str]:
    """The names of new curves of a file, whose sources begin with `source`.

    Those of one run share a name, unless they are of the same measure and part.
    """
    keys: list[tuple[str, int]] = []  # the run, and which of its curves of the same kind
    for place, one in enumerate(made):
        kind = (one.name, one.measure, one.part)
        keys.append((one.name, sum((o.name, o.measure, o.part) == kind for o in made[:place])))
    found: dict[tuple[str, int], str] = {}
    for key in dict.fromkeys(keys):
        kinds = {(o.measure, o.part) for o, k in zip(made, keys, strict=True) if k == key}
        taken = runs | set(found.values()) | {
            one.name for one in kept
            if not one.source.startswith(source) or (one.measure, one.part) in kinds
        }  # fmt: skip
        wanted = name or key[0]
        found[key] = names.free(tr("{name} (file)", name=wanted) if wanted in runs else wanted,
                                taken)  # fmt: skip
    return [found[key] for key in keys]


def _chosen(found: list[FileCurve], columns: Sequence[str], measure: str) -> list[FileCurve]:
    known = _listed([curve.column for curve in found])
    for column in columns:
        if all(curve.column != column for curve in found):
            raise AppError("There is no column {name}. There are: {known}.",
                           name=shortened(column), known=known)  # fmt: skip
    if columns or len(found) == 1 or measure:
        chosen = [curve for curve in found if not columns or curve.column in columns]
    else:
        chosen = [curve for curve in found if curve.measure]
    unknown = [curve.column for curve in chosen if not (measure or curve.measure)]
    if unknown or not chosen:
        raise AppError("What {names} is a curve of is not in its name. Say so with --measure: "
                       "{choices}.", names=_listed(unknown) if unknown else known,
                       choices=_listed(MEASURES))  # fmt: skip
    if len(chosen) > MOST:
        raise AppError("{count} curves are too many at a time. Name columns, {most} at most.",
                       count=len(chosen), most=MOST)  # fmt: skip
    return chosen


def _listed(columns: Sequence[str]) -> Message | str:
    """The first columns, and how many there are besides."""
    told = listed(map(shortened, columns[:_NAMED]))
    if len(columns) <= _NAMED:
        return told
    return Message("{names} and {count} more", {"names": told, "count": len(columns) - _NAMED})


def curves(ws: Workspace, corpus: int | str) -> list[ForeignCurve]:
    """Those kept with a corpus, in the order they came. A damaged file is as if it were not."""
    folder = ws.corpus_folder(ws.corpus(corpus).id) / FOLDER
    found = [curve for file in folder.glob("*.json") if (curve := _read(file)) is not None]
    return sorted(found, key=lambda curve: curve.number)


def rename(ws: Workspace, corpus: int | str, number: int, name: str) -> Changes:
    """Call one otherwise."""
    row = ws.corpus(corpus)
    names.check(name)
    file = ws.corpus_folder(row.id) / FOLDER / f"{number}.json"
    write_json(file, asdict(replace(_one(ws, row.id, number), name=name)))
    return Changes(runs=True)


def remove(ws: Workspace, corpus: int | str, key: int | str) -> Changes:
    """Forget one by its number, or all of a name. AppError where there is none."""
    row = ws.corpus(corpus)
    one = _one(ws, row.id, key)
    for curve in curves(ws, row.id):
        if curve.number == one.number or curve.name == key:
            (ws.corpus_folder(row.id) / FOLDER / f"{curve.number}.json").unlink()
    return Changes(runs=True)


def _one(ws: Workspace, corpus: int, key: int | str) -> ForeignCurve:
    known = curves(ws, corpus)
    for curve in known:
        if key in (curve.number, curve.name):
            return curve
    listed = names.listed([curve.name for curve in known])
    raise AppError("There is no curve from a file named {name}. There are: {known}.",
                   name=key, known=listed)  # fmt: skip


def _read(file: Path) -> ForeignCurve | None:
    try:
        data: dict[str, Any] = read_json(file)
        lists = {name: None if data[name] is None else tuple(map(float, data[name]))
                 for name in ("values", "steps", "seconds", "tokens")}  # fmt: skip
        return ForeignCurve(**(data | lists | {"number": int(file.stem)}))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _plain(values: np.ndarray | None) -> tuple[float, ...] | None:
    return None if values is None else tuple(map(float, values.tolist()))
