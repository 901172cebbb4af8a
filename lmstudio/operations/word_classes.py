"""The word classes of a class-based n-gram run: read to be browsed, and saved as CSV."""

from collections.abc import Sequence
from pathlib import Path

from lmstudio.analysis import class_words
from lmstudio.analysis.class_words import WordClass
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.workspace import Workspace

MODEL = "class-ngram"


def classes(ws: Workspace, run: int | str, *, top: int = 20, job: Job) -> list[WordClass]:
    """The classes of a run, that of most tokens first, with `top` words each at most.

    AppError for a model without classes, or one that is not trained yet.
    """
    row = ws.run(run)
    if row.model != MODEL:
        raise AppError("Only n-gram models of classes have word classes.")
    folder = ws.segmentation_folder(row.segmentation_id)
    return job.call(class_words.word_classes, folder, ws.run_folder(row.id), most=top)


def save(found: Sequence[WordClass], path: Path, *, job: Job) -> None:
    """Write classes as CSV: a line for each, its words between spaces."""
    header = (tr("Word class"), tr("Share of tokens"), tr("Different words"), tr("Frequent words"))
    rows = ((one.number, one.share, one.size, " ".join(one.words)) for one in found)
    save_table(path, header, rows, total=len(found), job=job)
