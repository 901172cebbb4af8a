"""A whole workspace as one file: packed here, unpacked and opened elsewhere.

Its database is copied as it is at one moment, without what is in the trash; the files beside it
follow, but for those of the trash and those that are being written.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePath

from lmstudio import room
from lmstudio.errors import AppError, WorkspaceError
from lmstudio.files import DATABASE, folder_beside, folder_bytes, refuse_inside, unwritten
from lmstudio.formats import parcel
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations.run_recorder import LOGGED_TO
from lmstudio.store.migrations import MIGRATIONS
from lmstudio.store.trash import BULK
from lmstudio.store.trash import FOLDER as TRASH
from lmstudio.store.workspace import Workspace

SUFFIX = ".zip"
KIND = parcel.Kind("workspace", 1)
_OWN = (TRASH, "workspace.lock", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm",
        f"{DATABASE}-journal")  # fmt: skip
_WRITTEN = 3  # how deep files are written that are not finished: runs/7/x.tmp


def export_workspace(ws: Workspace, path: Path, *, job: Job) -> None:
    """Pack a workspace. AppError while a run is trained, or where `path` cannot be written."""
    for run in ws.runs(tuned=True):
        if run.state == "running":
            raise AppError("The run {name} is being trained. Stop it first.", name=run.name)
    path = Path(path).absolute()
    refuse_inside(path)
    room.refuse_disk(path.parent, sum(folder_bytes(ws.folder / name) for name in BULK.values()))
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, DATABASE)
        ws.db.copy_to(copy, "delete from trash")
        files = [(DATABASE, copy), *_files(ws.folder)]
        job.call(parcel.pack, path, KIND, {"name": ws.folder.name}, files)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a workspace by the names they have in the parcel; links are left out."""
    for home, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _left_out(folder, Path(home, name)))
        for name in sorted(names):
            path = Path(home, name)
            if path.is_file() and not path.is_symlink() and not _left_out(folder, path):
                yield path.relative_to(folder).as_posix(), path


def _left_out(folder: Path, path: Path) -> bool:
    """What is made anew, and what a job has not finished; a text may be called x.tmp too."""
    depth = len(path.relative_to(folder).parts)
    return (depth == 1 and path.name in _OWN) or (depth <= _WRITTEN and path.suffix == ".tmp")


def unpack_workspace(path: Path, folder: Path, *, job: Job) -> Path:
    """Unpack a workspace into a folder that is empty or not there; its path, to be opened.

    AppError where the file is unusable or of a newer version, the folder is not empty, or in
    another workspace; nothing is left of it then.
    """
    folder = Path(folder).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AppError("{path} is not empty. Choose another folder.", path=folder)
    with unwritten(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with folder_beside(folder) as scratch:
        job.call(_unpack, Path(path).absolute(), scratch)
        with unwritten(folder):
            if folder.exists():
                folder.rmdir()  # it is empty, and some systems rename onto nothing that is there
            os.replace(scratch, folder)
    return folder


def _forget_places(ws: Workspace) -> None:
    """Curves are not written to folders of another computer, as runs are gone on with."""
    for run in ws.runs(tuned=True):
        place = PurePath(str(run.facts.get(LOGGED_TO, "")))
        if place.is_absolute() or ".." in place.parts:
            facts = {name: fact for name, fact in run.facts.items() if name != LOGGED_TO}
            ws.update_run(run.id, facts=facts)


def _unpack(path: Path, folder: Path, *, job: Job) -> None:
    """In the worker: unpack, and see whether the database is one of ours."""
    parcel.unpack(path, folder, KIND, job=job)
    job.tick(0, 0, Message("Opening the workspace"))
    damaged = AppError(parcel.DAMAGED, path=path)
    if not (folder / DATABASE).is_file():
        raise damaged
    try:
        with closing(sqlite3.connect(folder / DATABASE)) as database:
            version = database.execute("pragma user_version").fetchone()[0]
            whole = database.execute("pragma quick_check(1)").fetchone()[0] == "ok"
        if version > len(MIGRATIONS):
            raise AppError(parcel.NEWER, path=path)
        with Workspace(folder) as opened:
            _forget_places(opened)
    except (WorkspaceError, sqlite3.Error) as error:
        raise damaged from error
    if not whole:
        raise damaged
