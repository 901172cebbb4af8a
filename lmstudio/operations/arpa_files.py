"""ARPA files: an n-gram run written as one, and any of them asked for the figures of a text."""

from pathlib import Path

from lmstudio.analysis import arpa_figures
from lmstudio.analysis.arpa_figures import ArpaFigures
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec


def export(ws: Workspace, run: int | str, path: Path, *, job: Job) -> Changes:
    """Write an n-gram run as an ARPA file. AppError if it is none, or has no back-off weights."""
    row = ws.run(run)
    if row.model != "ngram":
        raise AppError("Only n-gram models can be written as ARPA files.")
    spec = RunSpec.from_json(row.spec)
    types = Vocabulary.load(ws.segmentation_folder(row.segmentation_id)).types
    job.call(arpa_figures.write, ws.run_folder(row.id), spec, types, Path(path))
    return Changes()


def score(file: Path, text: Path, *, job: Job) -> ArpaFigures:
    """The figures of an ARPA file on a file of words, a sentence a line, as each program counts."""
    return job.call(arpa_figures.figures, Path(file), Path(text))
