"""ARPA files: n-gram runs written as such, any of them brought in, or asked of a text."""

from pathlib import Path

from lmstudio.analysis import arpa_figures
from lmstudio.analysis.arpa_figures import ArpaFigures
from lmstudio.data.layout import SegmentationMeta
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.formats import arpa, arpa_reading
from lmstudio.jobs import Job
from lmstudio.models.config import SETTINGS, NgramConfig
from lmstudio.models.config.ngram import STORED
from lmstudio.operations import imported_runs, runs
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.store.rows import Facts, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import imported_ngram


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where a run is no n-gram model, has no back-off weights, or is not done."""
    if run.model == "class-ngram":
        raise AppError("{name} is an n-gram model of word classes: an ARPA file has no place for "
                       "what class a word is in. Write a run of --model ngram instead.",
                       name=run.name)  # fmt: skip
    if run.model != "ngram":
        raise AppError("Only n-gram models can be written as ARPA files.")
    config = runs.spec_of(ws, run.id).config
    if isinstance(config, NgramConfig) and config.smoothing not in (
        *SETTINGS["min_counts"],
        STORED,
    ):
        raise AppError(arpa.NOT_BACKOFF, smoothing=config.smoothing)
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)


def write(ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job) -> Changes:
    """Write an n-gram run as an ARPA file, see operations.exporting."""
    types = Vocabulary.load(ws.segmentation_folder(run.segmentation_id)).types
    spec = runs.spec_of(ws, run.id)
    job.call(arpa_figures.write, ws.run_folder(run.id), spec, types, Path(path))
    return Changes()


def import_file(
    ws: Workspace, path: Path, *, name: str = "", segmentation: int | str | None = None, job: Job
) -> Changes:
    """Add a run of an ARPA file of any program, see operations.imported_runs.

    AppError where the file is not as it should, or its words are not those of the segmentation.
    """
    path = Path(path).absolute()
    words = job.call(arpa_reading.vocabulary, path)

    def make(segmentation_folder: Path, run_folder: Path) -> Facts:
        return job.call(imported_ngram.take, path, segmentation_folder, run_folder)

    return imported_runs.import_run(
        ws, imported_runs.title_of(path), words, make, name=name, segmentation=segmentation,
        spelled=arpa.spellings, job=job,
    )  # fmt: skip


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
