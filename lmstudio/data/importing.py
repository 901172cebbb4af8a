"""Source files to the bulk files of a corpus. The work of an import; runs in a worker process."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lmstudio.data.parts import Document, PartFacts, divide
from lmstudio.data.split import SplitRule
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
class Imported:
    """The documents of a new corpus, in order, and what there is to say of it."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    split: str = "files"
    empty_lines: int = 0
    joined_lines: int = 0
    cut_lines: int = 0
    marks: int = 0  # lines with a literal <s>, </s> or <unk>
    parts: PartFacts = field(default_factory=dict)


def import_sources(
    folder: Path, sources: Sequence[Source], reading: Reading, *, job: Job
) -> Imported:
    """Write source/, text.utf8, lines.idx and shifts.idx into an empty folder.

    Files that cannot be read are skipped, with the reason; so are those without text.
    """
    found = Imported()
    with CorpusWriter(folder) as writer:
        importer = _Importer(folder / "source", reading, writer, found, _Progress(job, sources))
        for source in sources:
            importer.take(source)
        found.marks = writer.marks
    if found.documents:
        found.split, found.parts = divide(folder, found.documents, reading.split, job=job)
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


class _Importer:
    """Takes one file after the other; of one that is skipped nothing stays."""

    def __init__(
        self, sources: Path, reading: Reading, writer: CorpusWriter, found: Imported,
        progress: _Progress,
    ) -> None:  # fmt: skip
        self._sources, self._reading, self._writer = sources, reading, writer
        self._found, self._progress = found, progress
        self._names: dict[str, int] = {}  # taken in the folder of sources, and how often
        sources.mkdir()

    def take(self, source: Source) -> None:
        """Copy a file and add it as a document, or note why not."""
        self._progress.begin(source)
        copy = self._sources / self._free_name(source.path)
        try:
            self._copy(source.path, copy)
            self._add(copy, source)
        except ReadError as error:
            copy.unlink(missing_ok=True)
            self._found.skipped.append(Refusal(shown(source.path), error.message))

    def _free_name(self, path: Path) -> str:
        """The file's name, with a number before its suffixes if another file has it."""
        name = first = shown(path).replace("\\", "_")
        stem, dot, suffixes = name.partition(".")
        while name.casefold() in self._names:
            self._names[first.casefold()] += 1
            name = f"{stem} {self._names[first.casefold()]}{dot}{suffixes}"
        self._names[name.casefold()] = 1
        return name

    def _copy(self, path: Path, target: Path) -> None:
        with OpenFile(path, raw=True) as file, target.open("wb") as copy:
            while data := file.read(_COPY):
                with writing():
                    copy.write(data)
                self._progress.tick(file.position())

    def _add(self, copy: Path, source: Source) -> None:
        """Add a file; where a detected encoding fails further on, try what else it may be."""
        data, whole = sample(copy)
        auto = self._reading.encoding == "auto"
        encoding: str | None = self._reading.encoding
        if auto:
            encoding = detected(data, whole=whole)[0].encoding
        while encoding:
            judged = layout(sample_lines(data, encoding, whole=whole), self._reading.lines)
            document = Document(
                shown(source.path), encoding, judged.rule, _size(copy), self._writer.lines,
                part=source.part,
            )  # fmt: skip
            self._writer.begin_document()
            try:
                return self._add_lines(copy, document, judged)
            except ReadError as error:
                self._writer.drop_document()
                if not auto or not isinstance(error, DecodeError):
                    raise
                encoding = next_encoding(copy, encoding, error.position)
                if encoding is None:
                    raise
        return None

    def _add_lines(self, copy: Path, document: Document, judged: Layout) -> None:
        with OpenFile(copy) as file:
            lines = Lines(self._ticking(file, document.encoding))
            pieces = Pieces(lines, judged)
            try:
                for text, shifts in pieces:
                    self._writer.add(text, shifts)
            except UnicodeEncodeError as error:  # from encodings that can write a lone surrogate
                raise ReadError(
                    "The text holds half a character. Choose another encoding."
                ) from error
        document.lines = self._writer.lines - document.first_line
        if not document.lines:
            raise ReadError("There is no usable text in it.")
        self._found.documents.append(document)
        self._found.empty_lines += pieces.blank
        self._found.joined_lines += pieces.joined
        self._found.cut_lines += lines.cut

    def _ticking(self, file: OpenFile, encoding: str) -> Iterator[str]:
        size = file.size()
        for chunk in text_chunks(file, encoding):
            self._progress.tick(size + file.position())
            yield chunk
