"""What a workspace takes of the disk, by what it is for; some of it can be had back.

Kinds of bytes: "data" (texts, tokens, examples), "model" (what is asked), "last" (what training
goes on from), "film" (what the replay shows), "cache" (made again at need), "other" (logs).
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.layout import TEXT
from lmstudio.data.whole_words import WORDS
from lmstudio.errors import AppError
from lmstudio.figures import size
from lmstudio.files import folder_bytes
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, msg, tr
from lmstudio.models.checkpoint_folder import WEIGHTS, checkpoint
from lmstudio.operations import trash
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import RunRow
from lmstudio.store.settings import cache_folder
from lmstudio.store.trash import BULK, is_known
from lmstudio.store.trash import FOLDER as TRASH
from lmstudio.store.workspace import Workspace
from lmstudio.training.fit_ngram import SPELLER_FILE

KINDS = {
    "data": msg("Texts and tokens"), "model": msg("Models"), "last": msg("Last checkpoints"),
    "film": msg("Replay"), "cache": msg("Caches"), "other": msg("Logs"),
}  # fmt: skip
RECLAIMS = {
    "checkpoints": (
        msg("Last checkpoints of runs that are done"),
        msg("The models stay. These runs cannot be trained longer exactly where they ended; a new "
            "run can begin with their weights."),
    ),
    "caches": (msg("Caches"), msg("Nothing is lost: they are made again when they are needed, "
                                  "which takes a moment.")),
    "trash": (msg("Trash"), msg("What was deleted cannot be brought back any more.")),
    "leftovers": (msg("Left by what was interrupted"), msg("Nothing is lost: no corpus, "
                  "segmentation, run or task owns these files.")),
}  # fmt: skip
"""What can be had back: how it is called, and what is lost by it."""
NOUNS = trash.NOUN_NAMES | {"workspace": msg("Workspace")}
_FILM = ("snapshots.json", "snapshots.bin", "probes.jsonl")
_SWAPPED = ("best.old", "best.new", "last.old", "last.new")


@dataclass(frozen=True)
class Use:
    """What one corpus, segmentation, run or task takes, or a part of the workspace itself."""

    noun: str
    id: int
    name: str
    bytes: dict[str, int]  # by kind, "" for what is of none

    @property
    def total(self) -> int:
        """In bytes."""
        return sum(self.bytes.values())


@dataclass(frozen=True)
class Disk:
    """What a workspace takes, in bytes."""

    uses: tuple[Use, ...]  # the largest first
    trash: dict[int, int]  # by number
    program_cache: int  # shared by all workspaces
    rest: int  # the database, dictionaries
    free: int  # on the disk
    reclaimable: dict[str, int]  # by what RECLAIMS names

    @property
    def total(self) -> int:
        """All of the workspace, its trash too."""
        return sum(use.total for use in self.uses) + sum(self.trash.values()) + self.rest

    def lines(self) -> list[Use]:
        """Uses that make up the total, with the trash and what belongs to none; largest first."""
        others = {tr("Trash"): sum(self.trash.values()), tr("Database and dictionaries"): self.rest}
        more = [
            Use("workspace", number, name, {"": octets})
            for number, (name, octets) in enumerate(others.items())
            if octets
        ]
        return sorted([*self.uses, *more], key=lambda use: -use.total)

    def by_kind(self) -> dict[str, int]:
        """The sums over corpora, segmentations, runs and tasks."""
        return {kind: sum(use.bytes.get(kind, 0) for use in self.uses) for kind in KINDS}


def disk(ws: Workspace, *, job: Job) -> Disk:
    """Measure a workspace."""
    uses = []
    entries = list(_entries(ws))
    for number, (noun, row_id, name, folder) in enumerate(entries):
        job.tick(number, len(entries), Message("Measuring files"))
        uses.append(Use(noun, row_id, name, _by_kind(noun, folder)))
    deleted, program = trash_bytes(ws), folder_bytes(cache_folder())
    everything = folder_bytes(ws.folder)
    rest = everything - sum(use.total for use in uses) - folder_bytes(ws.folder / TRASH)
    caches = sum(folder_bytes(path) for path in _caches(ws)) + program
    lasts = sum(folder_bytes(path) for path in _spare_checkpoints(ws))
    return Disk(
        tuple(sorted(uses, key=lambda use: -use.total)), deleted, program, rest,
        shutil.disk_usage(ws.folder).free,
        {"checkpoints": lasts, "caches": caches, "trash": sum(deleted.values()),
         "leftovers": sum(folder_bytes(path) for path in _leftovers(ws))},
    )  # fmt: skip


def trash_bytes(ws: Workspace) -> dict[int, int]:
    """What each thing in the trash takes, by its number."""
    return {one.id: folder_bytes(ws.folder / TRASH / str(one.id)) for one in trash.deleted(ws)}


def reclaim(ws: Workspace, what: str, *, job: Job) -> Changes:
    """Delete for good what a key of RECLAIMS names; the note tells how much is free again.

    What a run needs that is not done, and what could not be made again, is left alone. AppError
    while a run is trained.
    """
    if what not in RECLAIMS:
        raise AppError("There is no {kind} to reclaim. There are: {kinds}.", kind=what,
                       kinds=listed(RECLAIMS))  # fmt: skip
    if what == "trash":
        freed = sum(trash_bytes(ws).values())
        trash.empty(ws, job=job)
    else:
        _refuse_training(ws)
        found = {"caches": _caches, "leftovers": _leftovers, "checkpoints": _spare_checkpoints}
        with ws.db.transaction():  # no import is between its folders and its rows
            paths = list(found[what](ws))
        freed = _delete(paths, job)
    if what == "caches":
        freed += _delete(list(cache_folder().glob("*")), job)
    return Changes(runs=what == "checkpoints", trash=what == "trash",
                   notes=(Message("{size} is free again.", {"size": size(freed)}),))  # fmt: skip


def save_csv(found: Disk, path: Path, *, job: Job) -> None:
    """Write the table of what takes how much, in bytes. AppError if it cannot be written."""
    header = [tr("Kind"), tr("Name"), *(tr(title) for title in KINDS.values()), tr("Total")]
    rows: list[Sequence[object]] = [
        [tr(NOUNS[use.noun]), use.name, *(use.bytes.get(kind, 0) for kind in KINDS), use.total]
        for use in found.lines()
    ]  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def _refuse_training(ws: Workspace) -> None:
    for run in ws.runs(tuned=True):
        if run.state == "running":
            raise AppError("The run {name} is being trained. Stop it first.", name=run.name)


def _entries(ws: Workspace) -> Iterator[tuple[str, int, str, Path]]:
    for corpus in ws.corpora():
        yield "corpus", corpus.id, corpus.name, ws.corpus_folder(corpus.id)
    for cut in ws.segmentations():
        yield "segmentation", cut.id, cut.name, ws.segmentation_folder(cut.id)
    for run in ws.runs(tuned=True):
        yield "run", run.id, run.name, ws.run_folder(run.id)
    for task in ws.tasks():
        yield "task", task.id, task.name, ws.task_folder(task.id)


def _by_kind(noun: str, folder: Path) -> dict[str, int]:
    """The bytes of a folder by kind, those that are none left out."""
    found: dict[str, int] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        parts = path.iterdir() if path.name == "checkpoints" else [path]
        for part in parts:
            kind = _kind(noun, part)
            found[kind] = found.get(kind, 0) + folder_bytes(part)
    return {kind: octets for kind, octets in found.items() if octets}


def _kind(noun: str, path: Path) -> str:
    if path.name in (WORDS, SPELLER_FILE) or path.match("bits-*.npz"):
        return "cache"
    if noun != "run":
        return "data"
    if path.name in _FILM:
        return "film"
    if path.parent.name == "checkpoints":
        return "model" if path.name.startswith("best") else "last"
    return "other" if path.suffix == ".txt" else "model"


def _caches(ws: Workspace) -> Iterator[Path]:
    """Files of the workspace that are made again; only where there is a text to make them of."""
    for corpus in ws.corpora():
        folder = ws.corpus_folder(corpus.id)
        if (folder / TEXT).exists():
            yield folder / SPELLER_FILE
            yield from (ws.segmentation_folder(cut.id) / WORDS
                        for cut in ws.segmentations(corpus.id))  # fmt: skip
            for cut in ws.segmentations(corpus.id):
                for run in ws.runs(cut.id, tuned=True):
                    yield from ws.run_folder(run.id).glob("bits-*.npz")


def _spare_checkpoints(ws: Workspace) -> Iterator[Path]:
    """What training would go on from, of runs that are done and have a whole best one."""
    for run in ws.runs(tuned=True):
        for name in ("last", *_SWAPPED):
            path = ws.run_folder(run.id) / "checkpoints" / name
            if path.exists() and ws.run(run.id).state == "done" and _has_best(ws, run):
                yield path


def _leftovers(ws: Workspace) -> Iterator[Path]:
    """Folders that belong to no row, also none in the trash: a kill came before their row."""
    for noun, home in BULK.items():
        for folder in (ws.folder / home).glob("*"):
            if folder.name.isdecimal() and not is_known(ws.db, noun, int(folder.name)):
                yield folder


def _has_best(ws: Workspace, run: RunRow) -> bool:
    best = ws.run_folder(run.id) / "checkpoints" / "best"
    return checkpoint(ws.run_folder(run.id), "best") == best and (best / WEIGHTS).exists()


def _delete(paths: Iterable[Path], job: Job) -> int:
    """Delete files and folders; how many bytes that were."""
    freed = 0
    for path in paths:
        job.tick(0, 0, Message("Deleting files"))
        octets = folder_bytes(path)
        with suppress(OSError):  # in use, on some systems
            if path.parent.name == "checkpoints":  # a half of one would pass for a whole one
                gone = path.parents[1] / f"{path.name}.tmp"
                shutil.rmtree(gone, ignore_errors=True)
                path = path.rename(gone)
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        freed += octets - folder_bytes(path)
    return freed
