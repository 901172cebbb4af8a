"""Corpora: looked at before they are imported, imported, pasted.

`CorpusRow.facts`: "empty_lines", "joined_lines", "cut_lines" (cuts in lines over 4 Mi characters),
"marks" (lines with a literal <s>, </s> or <unk>), "skipped" ([name, sentence, values] each) and
"parts" (for each part "documents", "lines" and "characters").
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lmstudio.data.importing import Imported, Reading, Source, import_sources
from lmstudio.data.layout import PART_NAMES
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError, SpecError
from lmstudio.files import written_folder
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations.changes import Changes
from lmstudio.operations.guards import check_idle
from lmstudio.options import faults
from lmstudio.store.rows import CorpusRow, DocumentRow, Part
from lmstudio.store.workspace import CONTROLS, Workspace
from lmstudio.text.encoding import known_encoding
from lmstudio.text.preview import Preview
from lmstudio.text.preview import preview as preview_files
from lmstudio.text.read import SUFFIXES, Refusal, files_in, shown
from lmstudio.text.wrapping import RULES

_SPLIT = SplitRule()
_HELD_OUT = re.compile(r"(^|[._-])(valid|validation|dev|test)$", re.IGNORECASE)
_TEST = re.compile(r"(^|[._-])test$", re.IGNORECASE)
_TRAINING = re.compile(r"(^|[._-])train(ing)?$", re.IGNORECASE)
_NOTES = 5  # files named in a message


def preview(paths: Sequence[Path], encoding: str = "auto") -> Preview:
    """What importing these files and folders would find. Quick, whatever their size."""
    return preview_files(paths, encoding if encoding == "auto" else known_encoding(encoding))


def import_files(
    ws: Workspace, paths: Sequence[Path], *, name: str = "", encoding: str = "auto",
    lines: str = "auto", split: SplitRule = _SPLIT, job: Job,
) -> Changes:  # fmt: skip
    """Add a corpus of these files and the files in these folders, split by rule.

    Without a name it takes that of the first path. Raises AppError if nothing can be used.
    """
    wrong = faults(split)
    if wrong:
        raise SpecError(wrong)
    files, refused = files_in(paths)
    _check_training_part(paths, files, refused)
    sources = [Source(file) for file in files]
    reading = Reading(*_checked(encoding, lines), split)
    if not sources:
        raise _nothing_usable(refused)
    changes = _add(ws, _name(ws, name, paths), sources, refused, reading, job)
    return replace(changes, notes=(*_given_parts(files), *changes.notes))


def import_splits(
    ws: Workspace, train: Sequence[Path], valid: Sequence[Path], test: Sequence[Path], *,
    name: str = "", encoding: str = "auto", lines: str = "auto", job: Job,
) -> Changes:  # fmt: skip
    """Add a corpus whose parts are given; "auto" lines are a sentence each."""
    if not train:
        raise AppError(
            "There is no training part. Name the files to train on, or import the files without "
            "parts and let them be split."
        )
    sources, refused = [], []
    for part, paths in zip(PART_NAMES, (train, valid, test), strict=True):
        files, others = files_in(paths)
        if paths and not files:
            raise _nothing_usable(others)
        sources += [Source(file, part) for file in files]
        refused += others
    lines = "sentence" if lines == "auto" else lines
    reading = Reading(*_checked(encoding, lines))
    return _add(ws, _name(ws, name, train), sources, refused, reading, job)


def import_text(ws: Workspace, text: str, *, name: str, job: Job) -> Changes:
    """Add a corpus of pasted text."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise AppError(
            "Character {position} of the text is half a character. Remove it.",
            position=error.start + 1,
        ) from error
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "text.txt")
        file.write_bytes(data)
        return import_files(ws, [file], name=name, encoding="utf-8", job=job)


def rename(ws: Workspace, corpus: int | str, name: str) -> Changes:
    """Give a corpus another name."""
    ws.rename("corpus", ws.corpus(corpus).id, name)
    return Changes(corpora=True)


def delete(ws: Workspace, corpus: int | str, *, job: Job) -> Changes:
    """Delete a corpus, its segmentations and the runs on them; AppError while one is trained."""
    job.check()
    row = ws.corpus(corpus)
    for cut in ws.segmentations(row.id):
        check_idle(ws.runs(cut.id))
    ws.delete("corpus", row.id)
    return Changes(corpora=True, segmentations=True, runs=True)


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


def _checked(encoding: str, lines: str) -> tuple[str, str]:
    """Encoding and lines rule as they are used, or an AppError."""
    if lines not in ("auto", *RULES):
        raise AppError(
            "There is no lines rule called {rule}. Choose auto, sentence, paragraph or wrapped.",
            rule=lines,
        )
    return encoding if encoding == "auto" else known_encoding(encoding), lines


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
            names=", ".join(names),
        )


def _given_parts(files: Sequence[Path]) -> Iterator[Message]:
    """Files that are named as parts were split anew, which may not be what was wanted."""
    held_out = [shown(file) for file in files if _HELD_OUT.search(_stem(file))]
    if held_out and any(_TRAINING.search(_stem(file)) for file in files):
        yield Message(
            "{names} may be parts that were given; all text was split anew. To keep them, "
            "import the files as training, validation and test part.",
            {"names": ", ".join(held_out[:_NOTES])},
        )


def _add(
    ws: Workspace, name: str, sources: Sequence[Source], refused: list[Refusal], reading: Reading,
    job: Job,
) -> Changes:  # fmt: skip
    """Import into a new folder, then add the row; of a failure nothing stays."""
    corpus_id = ws.next_id("corpus")
    folder = ws.corpus_folder(corpus_id)
    with written_folder(folder) as temporary:
        found = job.call(import_sources, temporary, sources, reading)
        found.skipped[:0] = refused
        needed = {source.part or "train" for source in sources}
        if not found.parts or not all(found.parts[part]["lines"] for part in needed):
            raise _nothing_usable(found.skipped)
    try:
        ws.add_corpus(_row(corpus_id, name, found), _document_rows(corpus_id, found))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Changes(corpora=True, new_id=corpus_id, notes=tuple(_notes(found)))


def _row(corpus_id: int, name: str, found: Imported) -> CorpusRow:
    documents = found.documents
    encodings = {document.encoding for document in documents}
    lines_by_rule: Counter[str] = Counter()
    for document in documents:
        lines_by_rule[document.rule] += document.characters
    return CorpusRow(
        id=corpus_id,
        name=name,
        created="",
        encoding=encodings.pop() if len(encodings) == 1 else "mixed",
        lines_rule=lines_by_rule.most_common(1)[0][0],
        split_rule=found.split,
        documents=len(documents),
        lines=sum(document.lines for document in documents),
        characters=sum(document.characters for document in documents),
        bytes=sum(document.bytes for document in documents),
        facts={
            "empty_lines": found.empty_lines,
            "joined_lines": found.joined_lines,
            "cut_lines": found.cut_lines,
            "marks": found.marks,
            "skipped": [[r.name, r.reason.sentence, r.reason.values] for r in found.skipped],
            "parts": found.parts,
        },
    )


def _document_rows(corpus_id: int, found: Imported) -> list[DocumentRow]:
    return [
        DocumentRow(
            corpus_id, number, d.name, d.encoding, d.bytes, d.lines, d.characters, d.first_line,
            d.part,
        )
        for number, d in enumerate(found.documents)
    ]  # fmt: skip


def _notes(found: Imported) -> Iterator[Message]:
    """What the user should be told of an import."""
    for refusal in found.skipped[:_NOTES]:
        yield Message(
            "{name} was left out. {reason}", {"name": refusal.name, "reason": refusal.reason}
        )
    if len(found.skipped) > _NOTES:
        yield Message("{count} more files were left out.", {"count": len(found.skipped) - _NOTES})
    if found.empty_lines:
        yield Message("{count} empty lines were skipped.", {"count": found.empty_lines})
    if found.joined_lines:
        yield Message("{count} line ends were joined.", {"count": found.joined_lines})
    if found.cut_lines:
        yield Message(
            "Lines of more than 4 million characters were cut, {count} times.",
            {"count": found.cut_lines},
        )
    if found.marks:
        yield Message(
            "{count} lines hold <s>, </s> or <unk>. They are taken for marks, not for words.",
            {"count": found.marks},
        )
    if not all(found.parts[part]["lines"] for part in PART_NAMES):
        yield Message(
            "The validation or the test part is empty, and nothing can be measured on it. "
            "A split takes three lines or more."
        )


def _nothing_usable(refused: Sequence[Refusal]) -> AppError:
    """The reason for one file, or a list for several."""
    if not refused:
        return AppError("There is no usable text: no file was found.")
    if len(refused) == 1:
        return AppError("{name}: {reason}", name=refused[0].name, reason=refused[0].reason)
    reasons = "; ".join(f"{r.name}: {r.reason}" for r in refused[:_NOTES])
    return AppError("There is no usable text. {reasons}", reasons=reasons)
