"""Files of word vectors: written from a layer of any network, brought in as runs of their own.

A run of vectors holds layer 0 and nothing else: it has neighbours and maps, and the table of a
network can begin with it.
"""

import tempfile
from pathlib import Path

from lmstudio.analysis import vector_export
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.capabilities import reason
from lmstudio.models.config import ElmoConfig
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import imported_runs, runs
from lmstudio.operations.asked import asked, refusal
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions, Format
from lmstudio.store.rows import Facts, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import imported_vectors
from lmstudio.training.spec import RunSpec


def import_vectors(
    ws: Workspace, path: Path, *, name: str = "", segmentation: int | str | None = None, job: Job
) -> Changes:
    """Add a run of a file of word vectors: word2vec's layouts or GloVe's, also as .gz.

    On a `segmentation` it has the vectors of its words; by itself, of all words of the file.
    AppError where the file holds none, the name is taken or no word is known.
    """
    path = Path(path).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        looked = job.call(imported_vectors.look, path, Path(scratch))

        def make(segmentation_folder: Path, run_folder: Path) -> Facts:
            return job.call(imported_vectors.take, path, Path(scratch), looked,
                            segmentation_folder, run_folder)  # fmt: skip

        return imported_runs.import_run(
            ws, imported_runs.title_of(path), looked.words, make, name=name,
            segmentation=segmentation, any_words=True, job=job,
        )  # fmt: skip


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where a run has no vectors, or is not done."""
    if why := reason(run.model, "table"):
        raise refusal(ws, run, "table", why)
    if run.task is not None:
        raise AppError("{name} is fine-tuned. Write the network that it began with.", name=run.name)
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)


def layout(name: str, title: str, suffix: str) -> Format:
    """The line of operations.exporting for one of vector_export.LAYOUTS."""

    def write(
        ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job
    ) -> Changes:
        of = asked(ws, run.id, "layers" if options.layer else "table")
        notes = job.call(vector_export.write, of, name, options.layer, Path(path).absolute())
        return Changes(notes=tuple(notes))

    return Format(title, suffix, refuse, write, settings=("layer",))


def beginning(
    ws: Workspace, segmentation: int | str, which: str, *, job: Job
) -> tuple[int, Changes]:
    """The run of vectors that a network on a segmentation begins with, `which` by name or file.

    A file is brought in on the segmentation. AppError where it is neither.
    """
    known = [run for run in ws.runs() if run.name == which]
    if known and known[0].model in TRAINABLE:
        raise AppError("{name} is no run of vectors. To begin with its weights: --warm-start.",
                       name=which)  # fmt: skip
    if known:
        return known[0].id, Changes()
    changes = import_vectors(ws, Path(which), segmentation=segmentation, job=job)
    assert changes.new_id is not None
    return changes.new_id, changes


def refuse_beginning(spec: RunSpec, parent: RunRow) -> None:
    """AppError where a network has no table that the vectors of the run `parent` fit into."""
    if MODELS[spec.model].kind != "neural" or (
        isinstance(spec.config, ElmoConfig) and spec.config.characters
    ):
        raise AppError("This model has no table of words to begin with vectors: choose a network "
                       "that looks its words up.")  # fmt: skip
    width = getattr(spec.config, "looked_up", 0) or getattr(spec.config, "width", 0)
    size = parent.spec["config"]["width"]
    if size < width:
        raise AppError(
            "The vectors of {name} have {size} numbers and the table {width}: choose a width of at "
            "most {size}.", name=parent.name, size=size, width=width,
        )  # fmt: skip
