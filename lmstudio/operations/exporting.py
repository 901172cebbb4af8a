"""A run, the name of a layout and a path in; the file or folder of another program out.

FORMATS is the one table of layouts: the command line and the window list it.
"""

from dataclasses import fields
from pathlib import Path

from lmstudio import room
from lmstudio.errors import AppError, SpecError
from lmstudio.files import folder_bytes, refuse_inside
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, msg
from lmstudio.operations import (
    arpa_files,
    elmo_files,
    exchange,
    run_files,
    sheets,
    tensorboard,
    vector_files,
)
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions, Format
from lmstudio.options import faults
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

FORMATS: dict[str, Format] = {
    "huggingface": Format(
        msg("Hugging Face folder"), "", exchange.refuse_export, exchange.write_model
    ),
    "run": Format(
        msg("Run as a file"), run_files.SUFFIX, run_files.refuse, run_files.write, settings=("all",)
    ),
    "sheet": Format(msg("Run sheet"), ".html", sheets.refuse, sheets.write),
    "tensorboard": Format(msg("TensorBoard log"), "", tensorboard.refuse, tensorboard.write),
    "arpa": Format(msg("ARPA file"), ".arpa", arpa_files.refuse, arpa_files.write),
    "elmo": Format(msg("ELMo folder (AllenNLP)"), "", elmo_files.refuse, elmo_files.write),
    "word2vec": vector_files.layout("word2vec", msg("word2vec text"), ".txt"),
    "word2vec-binary": vector_files.layout("word2vec-binary", msg("word2vec binary"), ".bin"),
    "glove": vector_files.layout("glove", msg("GloVe text"), ".txt"),
    "projector": vector_files.layout("projector", msg("Embedding Projector folder"), ""),
}


def export(
    ws: Workspace, run: int | str, name: str, path: Path,
    options: ExportOptions | None = None, *, job: Job,
) -> Changes:  # fmt: skip
    """Write a run in the layout `name`, a key of FORMATS.

    AppError where a run of its kind cannot be written so, `options` hold what that layout does
    not heed, or the path cannot be written; nothing is half written.
    """
    row, options = ws.run(run), options or ExportOptions()
    if reason := why_not(ws, row, name):
        raise _refused(ws, row, reason)
    if wrong := faults(options):
        raise SpecError(wrong)
    for field in fields(options):
        if getattr(options, field.name) != field.default and field.name not in _heeded(name):
            raise AppError("{setting} means nothing to the layout {format}.",
                           setting=field.name, format=name)  # fmt: skip
    path = Path(path)
    room.refuse_disk(path.parent, folder_bytes(ws.run_folder(row.id)))
    refuse_inside(path)
    return FORMATS[name].write(ws, row, path, options, job=job)


def why_not(ws: Workspace, run: RunRow, name: str) -> Message | None:
    """Why a run cannot be written in a layout; None where it can. Quick: for lists of layouts."""
    try:
        FORMATS[name].refuse(ws, run)
    except AppError as error:
        return error.message
    return None


def _refused(ws: Workspace, run: RunRow, reason: Message) -> AppError:
    """Why a run cannot be written so, and in which layouts it can."""
    known = listed(name for name in FORMATS if why_not(ws, run, name) is None)
    if not known:
        return AppError(reason.sentence, **reason.values)
    return AppError("{reason} This run can be written with --format {known}.",
                    reason=reason, known=known)  # fmt: skip


def _heeded(name: str) -> tuple[str, ...]:
    return FORMATS[name].settings
