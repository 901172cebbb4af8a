"""ELMo in the layout of bilm-tf and AllenNLP: brought in as a run, written from one."""

from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.formats import arpa
from lmstudio.formats.elmo_files import refuse_without_h5py
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.models.config import ElmoConfig
from lmstudio.models.registry import MODELS
from lmstudio.operations import imported_runs, runs
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.store.rows import Facts, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import imported_elmo


def import_folder(
    ws: Workspace, path: Path, *, name: str = "", segmentation: int | str | None = None, job: Job
) -> Changes:
    """Add a run of an ELMo: a folder with options.json and weights, or one of these files.

    It spells the words of any `segmentation`; without, those of a vocab.txt beside it. One that has
    an output layer stands on the words of that. AppError where there are no words, or the files are
    not as they should.
    """
    path = Path(path).absolute()
    found = job.call(imported_elmo.look, path)
    if segmentation is None and not found.words:
        raise AppError("An ELMo spells any word, and no file of words is beside this one: say with "
                       "--segmentation which words it is to know.")  # fmt: skip

    def make(segmentation_folder: Path, run_folder: Path) -> Facts:
        return job.call(imported_elmo.take, found, segmentation_folder, run_folder)

    return imported_runs.import_run(
        ws, found.weights.resolve().parent.name, found.words, make, name=name,
        segmentation=segmentation, spelled=arpa.spellings, any_words=not found.has_head,
        job=job,
    )  # fmt: skip


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where a run is no ELMo of characters, is not done, or h5py is missing."""
    if run.model != "elmo":
        raise AppError("{name} is of the kind {model}: only an ELMo can be written as one.",
                       name=run.name, model=tr(MODELS[run.model].title))  # fmt: skip
    config = runs.spec_of(ws, run.id).config
    if not (isinstance(config, ElmoConfig) and config.characters):
        raise AppError(
            "{name} looks its words up, and files of ELMo hold networks that spell them. Train one "
            "from characters (--characters).", name=run.name,
        )  # fmt: skip
    if run.task is not None:
        raise AppError("{name} is fine-tuned. Write the network that it began with.", name=run.name)
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)
    refuse_without_h5py()


def write(ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job) -> Changes:
    """Write an ELMo run as a folder that AllenNLP reads, see operations.exporting."""
    notes = job.call(
        imported_elmo.write, Path(path).absolute(), ws.run_folder(run.id),
        ws.segmentation_folder(run.segmentation_id), runs.spec_of(ws, run.id).config,
    )  # fmt: skip
    return Changes(notes=tuple(notes))
