"""Source files to the bulk files of a corpus. The work of an import; runs in a worker process."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lmstudio.data.layout import LINE, PART_NAMES
from lmstudio.data.split import SplitRule, split
from lmstudio.data.writer import CorpusWriter, writing
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.lines import Lines
from lmstudio.text.read import (
    DecodeError,
    OpenFile,
    ReadError,
    Refusal,
    detected,
    next_encoding,
    sample,
    sample_lines,
    shown,
    text_chunks,
)
from lmstudio.text.wrapping import Layout, Pieces, layout

_COPY = 1 << 20  # bytes between two ticks
_COUNT = 1 << 18  # the same while characters are counted


@dataclass(frozen=True)
class Source:
    """A file to import; `part` is given, or empty for one that is to be split."""

    path: Path
    part: str = ""


@dataclass(frozen=True)
class Reading:
    """How files are to be read: an encoding and a lines rule, or "auto" for what is found."""

    encoding: str = "auto"
    lines: str = "auto"
    split: SplitRule = field(default_factory=SplitRule)


@dataclass
class Document:
    """What became of one file. `part` is "mixed" where its blocks of lines were split."""

    name: str
    encoding: str
    rule: str
    bytes: int
    first_line: int
    lines: int = 0
    characters: int = 0  # that are not white space
    part: str = ""


@dataclass
class Imported:
    """The documents of a new corpus, in order, and what there is to say of it."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    split: str = "files"
    empty_lines: int = 0
    joined_lines: int = 0
    cut_lines: int = 0
    marks: int = 0  # lines with a literal <s>, </s> or <unk>
    parts: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        """Lines of all documents."""
        return sum(document.lines for document in self.documents)


def import_sources(
    folder: Path, sources: Sequence[Source], reading: Reading, *, job: Job
) -> Imported:
    """Write source/, text.utf8, lines.idx and shifts.idx into an empty folder.

    Files that cannot be read are skipped, with the reason; so are those without text.
    """
    progress = _Progress(job, sources)
    found = Imported()
    (folder / "source").mkdir()
    with CorpusWriter(folder) as writer:
        for source in sources:
            progress.begin(source)
            try:
                _import(source, folder / "source", reading, writer, found, progress)
            except ReadError as error:
                found.skipped.append(Refusal(shown(source.path), error.message))
        found.marks = writer.marks
    if found.documents:
        _divide(folder, found, reading.split, job)
    return found


class _Progress:
    """Ticks for the bytes of all sources: each is copied and then read, so it counts twice."""

    def __init__(self, job: Job, sources: Sequence[Source]) -> None:
        self._job = job
        self._total = 2 * sum(_size(source.path) for source in sources)
        self._before = self._after = 0
        self._note = Message("")

    def begin(self, source: Source) -> None:
        self._before, self._after = self._after, self._after + 2 * _size(source.path)
        self._note = Message("Reading {name}", {"name": shown(source.path)})
        self.tick(0)

    def tick(self, done: int) -> None:
        self._job.tick(self._before + done, self._total, self._note)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _import(
    source: Source, sources: Path, reading: Reading, writer: CorpusWriter, found: Imported,
    progress: _Progress,
) -> None:  # fmt: skip
    """Copy one file and add it as a document, or leave nothing of it and raise ReadError."""
    copy = sources / _free_name(sources, shown(source.path).replace("\\", "_"))
    try:
        _copy(source.path, copy, progress)
        _add_document(copy, source, reading, writer, found, progress)
    except ReadError:
        copy.unlink(missing_ok=True)
        raise


def _free_name(folder: Path, name: str) -> str:
    """`name`, or with a number before its suffixes, so that it is not in `folder`."""
    taken = {path.name.casefold() for path in folder.iterdir()}
    stem, dot, suffixes = name.partition(".")
    number, free = 2, name
    while free.casefold() in taken:
        free, number = f"{stem} {number}{dot}{suffixes}", number + 1
    return free


def _copy(path: Path, target: Path, progress: _Progress) -> None:
    with OpenFile(path, raw=True) as file, target.open("wb") as copy:
        while data := file.read(_COPY):
            with writing():
                copy.write(data)
            progress.tick(file.position())


def _add_document(
    copy: Path, source: Source, reading: Reading, writer: CorpusWriter, found: Imported,
    progress: _Progress,
) -> None:  # fmt: skip
    """Add a file; where a detected encoding fails further on, try what else it may be."""
    data, whole = sample(copy)
    auto = reading.encoding == "auto"
    encoding = detected(data, whole=whole)[0].encoding if auto else reading.encoding
    while True:
        document = Document(shown(source.path), encoding, "", _size(copy), writer.lines)
        judged = layout(sample_lines(data, encoding, whole=whole), reading.lines)
        document.rule, document.part = judged.rule, source.part
        writer.begin_document()
        try:
            _add_lines(copy, document, judged, writer, found, progress)
        except DecodeError as error:
            writer.drop_document()
            wider = next_encoding(copy, encoding, error.position) if auto else None
            if wider is None:
                raise
            encoding = wider
        except ReadError:
            writer.drop_document()
            raise
        else:
            return


def _add_lines(
    copy: Path, document: Document, judged: Layout, writer: CorpusWriter, found: Imported,
    progress: _Progress,
) -> None:  # fmt: skip
    with OpenFile(copy) as file:
        lines = Lines(_ticking(file, document.encoding, progress))
        pieces = Pieces(lines, judged)
        for text, shifts in pieces:
            writer.add(text, shifts)
    document.lines = writer.lines - document.first_line
    if not document.lines:
        raise ReadError("There is no usable text in it.")
    found.documents.append(document)
    found.empty_lines += pieces.blank
    found.joined_lines += pieces.joined
    found.cut_lines += lines.cut


def _ticking(file: OpenFile, encoding: str, progress: _Progress) -> Iterator[str]:
    size = file.size()
    for chunk in text_chunks(file, encoding):
        progress.tick(size + file.position())
        yield chunk


def _divide(folder: Path, found: Imported, rule: SplitRule, job: Job) -> None:
    """Give every line its part, and count documents, lines and characters of each."""
    lines = np.memmap(folder / "lines.idx", LINE, mode="r+")
    given = any(document.part for document in found.documents)
    if not given:
        found.split = split(lines, [d.first_line for d in found.documents], rule)
    found.parts = {name: {"documents": 0, "lines": 0, "characters": 0} for name in PART_NAMES}
    for document in found.documents:
        own = lines[document.first_line : document.first_line + document.lines]
        if given:
            own["part"] = PART_NAMES.index(document.part)
        _count(folder / "text.utf8", own, document, found, job)
    lines.flush()


def _count(text: Path, own: np.ndarray, document: Document, found: Imported, job: Job) -> None:
    """Count a document's lines and characters by part, run by run of lines in one part."""
    ends = [*(np.flatnonzero(np.diff(own["part"])) + 1).tolist(), len(own)]
    first = 0
    for end in ends:
        part = found.parts[PART_NAMES[own["part"][first]]]
        last = own[end - 1]
        size = int(last["start"]) + int(last["size"]) - int(own["start"][first])
        characters = _characters(text, int(own["start"][first]), size, job)
        document.characters += characters
        part["characters"] += characters
        part["lines"] += end - first
        first = end
    present = np.unique(own["part"][[0, *ends[:-1]]])
    for number in present.tolist():
        found.parts[PART_NAMES[number]]["documents"] += 1
    document.part = PART_NAMES[present[0]] if len(present) == 1 else "mixed"


def _characters(text: Path, start: int, size: int, job: Job) -> int:
    """Code points that are not white space in a stretch of text.utf8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    count = done = 0
    with text.open("rb") as file:
        file.seek(start)
        while done < size:
            data = file.read(min(_COUNT, size - done))
            done += len(data)
            count += sum(map(len, decoder.decode(data).split()))
            job.check()
    return count
