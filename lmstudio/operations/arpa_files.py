"""ARPA files: an n-gram run written as one, and any of them asked for the figures of a text."""

from pathlib import Path

from lmstudio.analysis import arpa_figures
from lmstudio.analysis.arpa_figures import ArpaFigures
from lmstudio.data.layout import SegmentationMeta
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec


def export(ws: Workspace, run: int | str, path: Path, *, job: Job) -> Changes:
    """Write an n-gram run as an ARPA file. AppError if it is none, or has no back-off weights."""
    row = ws.run(run)
    if row.model == "class-ngram":
        raise AppError("{name} is an n-gram model of word classes: an ARPA file has no place for "
                       "what class a word is in. Write a run of --model ngram instead.",
                       name=row.name)  # fmt: skip
    if row.model != "ngram":
        raise AppError("Only n-gram models can be written as ARPA files.")
    spec = RunSpec.from_json(row.spec)
    types = Vocabulary.load(ws.segmentation_folder(row.segmentation_id)).types
    job.call(arpa_figures.write, ws.run_folder(row.id), spec, types, Path(path))
    return Changes()


def write_words(ws: Workspace, segmentation: int | str, part: str, path: Path, *, job: Job) -> int:
    """Write a part as a file of words for `segment-score`; the number of its sentences.

    AppError if the part is empty.
    """
    folder = ws.segmentation_folder(ws.segmentation(segmentation).id)
    if not SegmentationMeta.load(folder).parts[part].sentences:
        raise AppError("The {part} part is empty; there is nothing to write.", part=part)
    return job.call(arpa_figures.write_words, folder, part, Path(path))


def score(file: Path, text: Path, *, job: Job) -> ArpaFigures:
    """The figures of an ARPA file on a file of words, a sentence a line, as each program counts."""
    return job.call(arpa_figures.figures, Path(file), Path(text))
