"""Corpora: looked at before they are imported, imported, pasted, imported again.

What `CorpusRow.facts` hold is said in `operations.import_rows`.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lmstudio import room
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.importing import Imported, import_sources
from lmstudio.data.layout import IMPORT_AGAIN, PART_NAMES, CorpusText
from lmstudio.data.source_files import Source
from lmstudio.errors import AppError, SpecError
from lmstudio.files import written_folder
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, phrases
from lmstudio.operations import import_rows, trash
from lmstudio.operations.changes import Changes
from lmstudio.operations.guards import check_idle
from lmstudio.operations.import_rows import NAMED
from lmstudio.store.names import CONTROLS
from lmstudio.store.rows import CorpusRow, Facts, Part, SourceRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.encoding import known_encoding, utf8
from lmstudio.text.preview import Preview
from lmstudio.text.preview import preview as preview_files
from lmstudio.text.read import SUFFIXES, Refusal, files_in, shown

_DEFAULT = ImportOptions()
_HELD_OUT = re.compile(r"(^|[._-])(valid|validation|dev|test)$", re.IGNORECASE)
_TEST = re.compile(r"(^|[._-])test$", re.IGNORECASE)
_TRAINING = re.compile(r"(^|[._-])train(ing)?$", re.IGNORECASE)


def preview(paths: Sequence[Path], reading: ReadOptions = _DEFAULT.reading) -> Preview:
    """What importing these files and folders would find. Quick, whatever their size."""
    return preview_files(paths, _known(reading))


def import_files(
    ws: Workspace, paths: Sequence[Path], *, name: str = "", options: ImportOptions = _DEFAULT,
    facts: Facts | None = None, job: Job,
) -> Changes:  # fmt: skip
    """Add a corpus of these files and the files in these folders, split by rule.

    Without a name it takes that of the first path; `facts` go to those of its row. Raises AppError
    if nothing can be used.
    """
    options = _checked(options)
    files, refused = files_in(paths)
    _check_training_part(paths, files, refused)
    sources = [Source(file) for file in files]
    if not sources:
        raise _nothing_usable(refused)
    changes = _add(ws, _name(ws, name, paths), sources, refused, options, job, facts=facts)
    return replace(changes, notes=(*_given_parts(files), *changes.notes))


def import_splits(
    ws: Workspace, train: Sequence[Path], valid: Sequence[Path], test: Sequence[Path], *,
    name: str = "", options: ImportOptions = _DEFAULT, job: Job,
) -> Changes:  # fmt: skip
    """Add a corpus whose parts are given; "auto" lines are a sentence each."""
    if not train:
        raise AppError(
            "There is no training part. Name the files to train on, or import the files without "
            "parts and let them be split."
        )
    options = _checked(options)
    sources, refused = [], []
    for part, paths in zip(PART_NAMES, (train, valid, test), strict=True):
        files, others = files_in(paths)
        if paths and not files:
            raise _nothing_usable(others)
        sources += [Source(file, part) for file in files]
        refused += others
    if options.reading.lines == "auto":
        options = replace(options, reading=replace(options.reading, lines="sentence"))
    return _add(ws, _name(ws, name, train), sources, refused, options, job)


def import_text(
    ws: Workspace, text: str, *, name: str, options: ImportOptions = _DEFAULT,
    facts: Facts | None = None, job: Job,
) -> Changes:  # fmt: skip
    """Add a corpus of pasted text; `facts` go to those of its row."""
    data = utf8(text)
    reading = replace(options.reading, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "text.txt")
        file.write_bytes(data)
        return import_files(ws, [file], name=name, options=replace(options, reading=reading),
                            facts=facts, job=job)  # fmt: skip


def import_again(
    ws: Workspace, corpus: int | str, options: ImportOptions, *, name: str = "", job: Job
) -> Changes:
    """Add a corpus of the files that another was made of, read and split in another way.

    Files that were given as parts stay in them. Without a name it takes that of the other.
    """
    row = ws.corpus(corpus)
    options = _checked(options)
    folder = ws.corpus_folder(row.id) / "source"
    given = _parts_of_sources(ws, row)
    sources = [Source(folder / s.name, given.get(s.number, "")) for s in ws.sources(row.id)]
    for source in sources:
        if not source.path.is_file():
            raise AppError(IMPORT_AGAIN, path=source.path)
    if name:
        ws.check_name("corpus", name)
    name = name or ws.free_name("corpus", row.name)
    return _add(ws, name, sources, [], options, job, known=False)


def _parts_of_sources(ws: Workspace, row: CorpusRow) -> dict[int, str]:
    """The parts of the files of a corpus, by number, if its parts were given as files."""
    if row.split_rule != "files":
        return {}
    return {document.source: document.part for document in ws.documents(row.id)}


def options_of(ws: Workspace, corpus: int | str) -> ImportOptions:
    """How a corpus was imported; the defaults where that was not yet kept."""
    return ImportOptions.from_json(ws.corpus(corpus).facts.get("options", {}))


def sources(ws: Workspace, corpus: int | str) -> list[SourceRow]:
    """The files a corpus was made of."""
    return ws.sources(ws.corpus(corpus).id)


def documents_csv(ws: Workspace, corpus: int | str, path: Path, *, job: Job) -> None:
    """Write every document with its text; the file can be imported again, to the same lines.

    Columns name, title, label, part, text, whose names an import knows. UTF-8 with a mark.
    """
    row = ws.corpus(corpus)
    text = CorpusText(ws.corpus_folder(row.id))

    def rows() -> Iterator[Sequence[object]]:
        for d in ws.documents(row.id):
            lines = map(text.line, range(d.first_line, d.first_line + d.lines))
            part = "" if d.part == "mixed" else d.part
            yield d.name, d.title, d.label, part, "\n".join(lines)

    save_table(path, ["name", "title", "label", "part", "text"], rows(), job=job)


def rename(ws: Workspace, corpus: int | str, name: str) -> Changes:
    """Give a corpus another name."""
    ws.rename("corpus", ws.corpus(corpus).id, name)
    return Changes(corpora=True)


def delete(ws: Workspace, corpus: int | str, *, job: Job) -> Changes:
    """Put a corpus, its segmentations and the runs on them into the trash.

    AppError while one of them is trained.
    """
    job.check()
    row = ws.corpus(corpus)
    for cut in ws.segmentations(row.id):
        check_idle(ws.runs(cut.id, tuned=True))
    return trash.delete(ws, "corpus", row.id)


def parts_by_name(files: Sequence[Path]) -> dict[Part, list[Path]] | None:
    """The parts that all files are named as ("ptb.train.txt"); None if they are not.

    There is a training part and a held-out one in it.
    """
    parts: dict[Part, list[Path]] = {"train": [], "valid": [], "test": []}
    for file in files:
        if _TRAINING.search(_stem(file)):
            parts["train"].append(file)
        elif _HELD_OUT.search(_stem(file)):
            parts["test" if _TEST.search(_stem(file)) else "valid"].append(file)
        else:
            return None
    return parts if parts["train"] and (parts["valid"] or parts["test"]) else None


def name_for(ws: Workspace, paths: Sequence[Path]) -> str:
    """The name that a corpus of these paths gets if none is given: that of the first, if free.

    Control characters in it become `_`, and a long one is shortened.
    """
    return ws.free_name("corpus", CONTROLS.sub("_", _stem(paths[0])))


def _name(ws: Workspace, name: str, paths: Sequence[Path]) -> str:
    """The name that was chosen, which must be free, or one after the first path."""
    if name:
        ws.check_name("corpus", name)
        return name
    return name_for(ws, paths)


def _stem(path: Path) -> str:
    """A file's name without its suffixes."""
    name = shown(path if path.name not in ("", "..") else path.resolve()) or str(path)
    while Path(name).suffix.lower() in (*SUFFIXES, ".csv", ".tsv", ".json", ".jsonl"):
        name = Path(name).stem
    return name


def _checked(options: ImportOptions) -> ImportOptions:
    """Options as they are used, or an AppError."""
    if wrong := options.all_faults():
        raise SpecError(wrong)
    return replace(options, reading=_known(options.reading))


def _known(reading: ReadOptions) -> ReadOptions:
    """With the encoding as this program calls it; AppError if there is none of that name."""
    if reading.encoding == "auto":
        return reading
    return replace(reading, encoding=known_encoding(reading.encoding))


def _check_training_part(
    paths: Sequence[Path], files: Sequence[Path], refused: Sequence[Refusal]
) -> None:
    """A folder that holds a test or validation part and nothing else is no corpus to train on."""
    names = [shown(file) for file in files] + [refusal.name for refusal in refused]
    held_out = all(_HELD_OUT.search(_stem(Path(name))) for name in names)
    if names and held_out and all(path.is_dir() for path in paths):
        raise AppError(
            "There is no training part: the folder holds only {names}. Add a file to train on "
            "(.txt, .md or .gz), or choose the file itself to use it as a corpus of its own.",
            names=listed(names),
        )


def _given_parts(files: Sequence[Path]) -> Iterator[Message]:
    """Files that are named as parts were split anew, which may not be what was wanted."""
    held_out = [shown(file) for file in files if _HELD_OUT.search(_stem(file))]
    if held_out and any(_TRAINING.search(_stem(file)) for file in files):
        yield Message(
            "{names} may be parts that were given; all text was split anew. To keep them, "
            "import the files as training, validation and test part.",
            {"names": listed(held_out[:NAMED])},
        )


def _add(
    ws: Workspace, name: str, sources: Sequence[Source], refused: list[Refusal],
    options: ImportOptions, job: Job, *, known: bool = True, facts: Facts | None = None,
) -> Changes:  # fmt: skip
    """Import into a new folder, then add the rows; of a failure nothing stays.

    `known`: say which files stand in other corpora already.
    """
    room.refuse_disk(ws.folder, room.of_import(source.path for source in sources))
    corpus_id = ws.next_id("corpus")
    folder = ws.corpus_folder(corpus_id)
    with written_folder(folder) as temporary:
        found = job.call(import_sources, temporary, sources, options)
        found.skipped[:0] = refused
        needed = {source.part or "train" for source in sources}
        for part in PART_NAMES:
            if part in needed and not (found.parts and found.parts[part]["lines"]):
                raise _nothing_left(part, found)
    told = [*import_rows.notes(found, options), *(_met_before(ws, found) if known else ())]
    row = import_rows.corpus_row(corpus_id, name, options, found)
    try:
        ws.add_corpus(
            replace(row, facts=row.facts | (facts or {})),
            import_rows.document_rows(corpus_id, found),
            import_rows.source_rows(corpus_id, found),
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Changes(corpora=True, new_id=corpus_id, notes=tuple(told))


def _met_before(ws: Workspace, found: Imported) -> Iterator[Message]:
    """The files that another corpus holds as well."""
    twice = [(source.name, names) for source in found.sources
             if (names := ws.corpora_with(source.sha256))]  # fmt: skip
    for name, names in twice[:NAMED]:
        yield Message(
            "{name} was imported before, into {corpora}.",
            {"name": name, "corpora": listed(names[-NAMED:])},
        )
    if len(twice) > NAMED:
        yield Message("{count} more files were imported before.", {"count": len(twice) - NAMED})


def _nothing_left(part: str, found: Imported) -> AppError:
    """Why a part that was asked for is empty."""
    if found.leaks_dropped:
        return AppError(
            "Nothing of the {part} part is left: all of it stands in the training part as well. "
            "Import it with the leaks kept.",
            part=Message(part),
        )
    return _nothing_usable(found.skipped)


def _nothing_usable(refused: Sequence[Refusal]) -> AppError:
    """The reason for one file, or a list for several."""
    if not refused:
        return AppError("There is no usable text: no file was found.")
    if len(refused) == 1:
        return AppError("{name}: {reason}", name=refused[0].name, reason=refused[0].reason)
    reasons = phrases(f"{r.name}: {r.reason}" for r in refused[:NAMED])
    return AppError("There is no usable text. {reasons}", reasons=reasons)
