"""A run as one file, PATH.lmrun: written here, opened in another workspace and asked there.

The parcel (see `formats.parcel`) holds

    rows.json       the rows of the run and of what it stands on, see `operations.run_rows`
    runs/0, runs/1  files of runs: model or best checkpoint, labels, log; with everything also the
                    last checkpoint and what the replay shows
    segmentation/   vocabulary, meta and how texts are cut, without the tokens
    corpus/         the speller of unknown words, without the text
    task/           the examples of a task, with everything only

Where the workspace has the same segmentation, told by the digests of its files, the run is put on
it. Else it stands on a corpus without text, and what needs the text says so.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lmstudio.analysis import run_check
from lmstudio.analysis.corpus_speller import corpus_speller
from lmstudio.analysis.run_check import PLACES, STRANGE, told_of
from lmstudio.data.layout import ABSENT, SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json
from lmstudio.formats import parcel
from lmstudio.formats.foreign import digest
from lmstudio.formats.ngram_file import save_speller
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.checkpoint_folder import asked
from lmstudio.models.registry import MODELS
from lmstudio.operations import run_rows, runs, tags
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.operations.run_rows import Contents
from lmstudio.store.rows import Facts, Part, RunRow
from lmstudio.store.trash import BULK
from lmstudio.store.unfinished import without_mark
from lmstudio.store.workspace import Workspace
from lmstudio.training.fit_ngram import SPELLER_FILE
from lmstudio.training.spec import RunSpec

SUFFIX = ".lmrun"
KIND = parcel.Kind("run", 1)
_CUT = ("vocab.json", "meta.json", "tokenizer.json", "vocab.txt", "dictionary.txt",
        "stop_words.txt")  # fmt: skip
_FILM = ("probes.jsonl", "snapshots.json", "snapshots.bin")


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where a run cannot be written as a file."""
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)
    if run.state == "running":
        raise AppError("The run {name} is being trained. Stop it first.", name=run.name)


def write(
    ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job
) -> Changes:  # fmt: skip
    """Write a run, with what it was fine-tuned from; with `options.all` all it has."""
    cut = ws.segmentation(run.segmentation_id)
    with tempfile.TemporaryDirectory() as scratch:
        rows = Path(scratch, "rows.json")
        write_json(rows, run_rows.rows_of(ws, run, everything=options.all))
        files = [("rows.json", rows), *_files(ws, run, everything=options.all)]
        about = {"name": run.name, "tokens": cut.facts.get("absent", "")}
        corpus = ws.corpus_folder(cut.corpus_id)
        job.call(_pack, path.absolute(), about, files, corpus, ws.segmentation_folder(cut.id),
                 Path(scratch), keep=not ws.read_only)  # fmt: skip
    return Changes()


def _pack(
    path: Path, about: Facts, files: list[tuple[str, Path]], corpus: Path, segmentation: Path,
    scratch: Path, *, keep: bool, job: Job,
) -> None:  # fmt: skip
    """In the worker: with the digest of the tokens, and the speller of unknown words."""
    if (tokens := segmentation / "tokens.bin").exists():
        about["tokens"] = digest(tokens, job=job)
    with suppress(AppError):  # there is no text to learn it from
        save_speller(scratch / SPELLER_FILE, corpus_speller(corpus, keep=keep, job=job))
        files = [*files, (f"corpus/{SPELLER_FILE}", scratch / SPELLER_FILE)]
    parcel.pack(path, KIND, about, files, job=job)


def _files(ws: Workspace, run: RunRow, *, everything: bool) -> Iterator[tuple[str, Path]]:
    """Names in the parcel and files."""
    cut = ws.segmentation(run.segmentation_id)
    for name in _CUT:
        yield from _if_there("segmentation", ws.segmentation_folder(cut.id), name)
    for number, one in enumerate(run_rows.chain(ws, run)):
        home, folder = f"runs/{number}", ws.run_folder(one.id)
        for name in ("model.ngram", "labels.json", "log.txt", *(_FILM if everything else ())):
            yield from _if_there(home, folder, name)
        if MODELS[one.model].kind != "count":
            yield from _checkpoints(home, folder, everything=everything)
    if everything and run.task is not None:
        for part in ("train", "valid", "test"):
            yield from _if_there("task", ws.task_folder(run.task), f"{part}.jsonl")


def _checkpoints(home: str, folder: Path, *, everything: bool) -> Iterator[tuple[str, Path]]:
    best = asked(folder)  # the last one, where a run has no best
    name = "best" if best.name.startswith("best") else "last"
    for file in ("weights.safetensors", "meta.json"):
        yield f"{home}/checkpoints/{name}/{file}", best / file
    last = folder / "checkpoints" / "last"
    if everything:
        for file in ("weights.safetensors", "meta.json", "trainer.pt"):
            if name != "last" or file == "trainer.pt":
                yield from _if_there(f"{home}/checkpoints/last", last, file)


def _if_there(home: str, folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    if (folder / name).is_file():
        yield f"{home}/{name}", folder / name


def import_run(ws: Workspace, path: Path, *, name: str = "", job: Job) -> Changes:
    """Add the run of a file. AppError where the file is unusable; nothing is left of it then."""
    if name:
        ws.check_name("run", name)
    home = ws.folder / "runs"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="import.", suffix=".tmp", dir=home, ignore_cleanup_errors=True
    ) as scratch:
        found: Contents
        found, tokens = job.call(_unpack, Path(path).absolute(), Path(scratch))
        known = job.call(_same, Path(scratch), _candidates(ws, found), tokens)
        return _Adding(ws, Path(scratch), found, tokens, known).add(name)


def import_runs(ws: Workspace, paths: Sequence[Path], *, job: Job) -> Changes:
    """Add the runs of several files, the last of them last. AppError as of one: it adds no more."""
    changes = [import_run(ws, path, job=job) for path in paths]
    alone = any(one.corpora for one in changes)
    return Changes(
        corpora=alone, segmentations=alone, runs=True, tasks=any(one.tasks for one in changes),
        notes=tuple(note for one in changes for note in one.notes),
    )  # fmt: skip


def _unpack(path: Path, folder: Path, *, job: Job) -> tuple[Contents, str]:
    """In the worker: the rows of a file and the digest of its tokens, all of it checked."""
    about = parcel.unpack(path, folder, KIND, job=job)
    for file in folder.rglob("*"):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not PLACES.fullmatch(name):
            raise AppError(STRANGE, path=path, name=name)
    with told_of(path, "rows.json"), reading(path, parcel.DAMAGED, OverflowError):
        data = read_json(folder / "rows.json")
        json.dumps(data, ensure_ascii=False).encode("utf-8")  # or half a character is in it
        found, tokens = run_rows.contents(data), str(about["tokens"])
    specs = [(one.row.name, RunSpec.from_json(one.row.spec)) for one in found.runs]
    run_check.check(path, folder, found.segmentation.vocabulary, specs, job=job)
    return found, tokens


def _candidates(ws: Workspace, found: Contents) -> list[tuple[int, Path, str]]:
    """Segmentations that may be the one of the file: id, folder, digest of tokens not here."""
    return [
        (cut.id, ws.segmentation_folder(cut.id), str(cut.facts.get("absent", "")))
        for cut in ws.segmentations()
        if cut.vocabulary == found.segmentation.vocabulary
        and cut.segmenter == found.segmentation.segmenter
    ]


def _same(
    folder: Path, candidates: list[tuple[int, Path, str]], tokens: str, *, job: Job
) -> int | None:  # fmt: skip
    """In the worker: the id of the segmentation with this vocabulary and these tokens."""
    vocabulary = digest(folder / "segmentation" / "vocab.json", job=job)
    for number, cut, absent in candidates:
        path = cut / "vocab.json"
        if tokens and path.exists() and digest(path, job=job) == vocabulary:
            own = cut / "tokens.bin"
            if tokens == (digest(own, job=job) if own.exists() else absent):
                return number
    return None


class _Adding:
    """The files and rows of a run on their way into a workspace: all of them or none."""

    def __init__(
        self, ws: Workspace, folder: Path, found: Contents, tokens: str, known: int | None
    ) -> None:
        self._ws, self._folder, self._found = ws, folder, found
        self._tokens, self._cut = tokens, known
        self._moved: list[Path] = []

    def add(self, name: str) -> Changes:
        """Add them; what changed."""
        alone = self._cut is None
        try:
            with self._ws.db.transaction():
                if self._cut is None:
                    self._cut = self._segmentation(self._corpus())
                task = self._task()
                run = self._runs(name, task)
        except BaseException:
            for folder in self._moved:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        notes = [Message("{name} is imported.", {"name": self._ws.run(run).name})]
        if alone:
            notes.append(Message(
                "Its text did not come with it. It can be asked and tuned further; what needs the "
                "text says so."
            ))  # fmt: skip
        return Changes(corpora=alone, segmentations=alone, runs=True, tasks=task is not None,
                       new_id=run, notes=tuple(notes))  # fmt: skip

    def _corpus(self) -> int:
        """A corpus without text."""
        row = self._found.corpus
        number, name = self._ws.next_id("corpus"), self._ws.free_name("corpus", row.name)
        self._take("corpus", number, "corpus", absent=True)
        facts = without_mark(row.facts) | {"absent": True}
        row = replace(row, id=number, name=name, facts=facts, documents=0)
        self._ws.add_corpus(row, [])
        return number

    def _segmentation(self, corpus: int) -> int:
        """A segmentation without tokens."""
        row = self._found.segmentation
        number = self._ws.next_id("segmentation")
        folder = self._take("segmentation", number, "segmentation", absent=True)
        meta = SegmentationMeta.load(folder)
        meta.corpus = Path(os.path.relpath(self._ws.corpus_folder(corpus), folder)).as_posix()
        meta.save(folder)
        name = self._ws.free_name("segmentation", row.name)
        facts = without_mark(row.facts) | {"absent": self._tokens}
        self._ws.add_segmentation(replace(row, id=number, corpus_id=corpus, name=name, facts=facts))
        return number

    def _task(self) -> int | None:
        row = self._found.task
        if row is None:
            return None
        number, name = self._ws.next_id("task"), self._ws.free_name("task", row.name)
        examples = (self._folder / "task").is_dir()
        self._take("task", number, "task", absent=not examples)
        self._ws.add_task(replace(row, id=number, name=name))
        return number

    def _runs(self, name: str, task: int | None) -> int:
        """The runs of the file, the one it is of last; the id of that."""
        number = 0
        for place, one in enumerate(self._found.runs):
            row, meant = one.row, one.row is self._found.meant
            title = (name if meant else "") or self._ws.free_name("run", row.name)
            assert self._cut is not None
            made = self._ws.add_run(
                self._cut, title, row.model, row.spec, parent=number or None, sweep=row.sweep,
                task=task if row.task is not None else None,
            )  # fmt: skip
            number = made.id
            self._take("run", number, f"runs/{place}")
            self._ws.update_run(
                number, state=row.state, parameters=row.parameters, seconds=row.seconds,
                step=row.step, facts=row.facts, note=row.note,
            )  # fmt: skip
            self._ws.add_metrics(number, one.metrics)
            tags.set_tags(self._ws, "run", number, one.tags)
            for part, figures in one.evaluations.items():
                self._ws.set_evaluation(number, _part(part), figures)
        return number

    def _take(self, noun: str, number: int, home: str, *, absent: bool = False) -> Path:
        """Move a folder of the parcel to where the workspace has it."""
        source, target = self._folder / home, self._ws.folder / BULK[noun] / str(number)
        source.mkdir(parents=True, exist_ok=True)
        if absent:
            write_json(source / ABSENT, {"from": "run"})
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, target)
        self._moved.append(target)
        return target


def _part(name: str) -> Part:
    return {"train": "train", "valid": "valid", "test": "test"}[name]  # type: ignore[return-value]
