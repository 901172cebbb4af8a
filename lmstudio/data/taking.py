"""The documents of a file to lines of a corpus: joined, normalised, written, counted."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.parts import Document
from lmstudio.data.writer import CorpusWriter
from lmstudio.text.alignment import composed, moved
from lmstudio.text.document import MarkedLine, RawDocument, Refusal
from lmstudio.text.files import documents
from lmstudio.text.lines import Lines, is_blank
from lmstudio.text.normalize import Normalizer
from lmstudio.text.read import ReadError
from lmstudio.text.wrapping import Layout, Pieces, layout

_SAMPLE = 64 * 1024  # characters that a lines rule is judged by
_SAMPLE_LINES = 200  # the same, where words are given


@dataclass
class Taken:
    """What was counted on the way."""

    empty_lines: int = 0
    joined_lines: int = 0
    cut_lines: int = 0
    blank_documents: int = 0
    marks: int = 0  # lines with a literal <s>, </s> or <unk>
    given_words: int = 0
    tags: int = 0  # kinds of them
    normalise: dict[str, dict[str, Any]] = field(default_factory=dict)  # see Normalizer.facts


class TakenDocuments:
    """Takes one file after the other. `documents` are all so far, `of_source` the last file's."""

    def __init__(self, writer: CorpusWriter, options: ImportOptions) -> None:
        self._writer, self._reading = writer, options.reading
        self._normalizer = Normalizer(options.normalise)
        self._of_titles = Normalizer(
            replace(options.normalise, digits="keep", lower=False, spaces="keep")
        )  # for a title is read, not counted
        self._taken = Taken()
        self.documents: list[Document] = []
        self.of_source: list[Document] = []
        self.formats: set[str] = set()  # of the last file's documents

    def take(
        self, path: Path, source: int, part: str, tick: Callable[[float], None]
    ) -> list[Refusal]:
        """Add the documents of a file; what cannot be taken comes back. ReadError if none can."""
        self.of_source, self.formats = [], set()
        refused: list[Refusal] = []
        blank = 0
        for raw in documents(path, self._reading, tick=tick):
            if isinstance(raw, Refusal):
                refused.append(raw)
                continue
            try:
                blank += not self._kept(raw, source, part)
            except ReadError as error:
                refused.append(Refusal(raw.name, error.message))
        if self.of_source:
            self._taken.blank_documents += blank
        return refused

    def _kept(self, raw: RawDocument, source: int, part: str) -> bool:
        """Add a document; False, and nothing is added or counted, if there is no text in it."""
        place, counted = self._writer.place(), replace(self._taken)
        document = None
        try:
            document = self._added(raw, source, part)
        finally:
            if not (document and document.lines):
                self._writer.cut_back(place)
                self._taken = counted
        if document.lines:
            self.documents.append(document)
            self.of_source.append(document)
            self.formats.add(raw.format)
        return document.lines > 0

    def facts(self) -> Taken:
        """What was counted."""
        self._taken.marks = self._writer.marks
        self._taken.given_words, self._taken.tags = self._writer.given_words, self._writer.tags
        self._taken.normalise = self._normalizer.facts()
        return self._taken

    def _added(self, raw: RawDocument, source: int, part: str) -> Document:
        """Write a document; it has no lines if there is no text in it."""
        first, begin = self._writer.lines, self._writer.bytes
        self._writer.begin_document()
        try:
            rule = self._add_marked(raw) if raw.marked is not None else self._add_text(raw)
        except UnicodeEncodeError as error:  # what some encodings and JSON can write
            raise ReadError("The text holds half a character. Choose another encoding.") from error
        return Document(
            _whole(raw.name), raw.encoding, rule, self._writer.bytes - begin, first,
            self._writer.lines - first, part=part or raw.part, source=source,
            title=self._of_titles.apply(_whole(raw.title))[0], label=_whole(raw.label),
        )  # fmt: skip

    def _rule(self, raw: RawDocument) -> str:
        """What a line is, or "auto"."""
        chosen = self._reading.lines
        return raw.lines or "auto" if chosen == "auto" else chosen

    def _add_text(self, raw: RawDocument) -> str:
        judged, chunks = _judged(raw.chunks or (), self._rule(raw))
        lines = Lines(chunks)
        pieces = Pieces(lines, judged)
        normalizer = self._normalizer if self._normalizer else None
        for text, shifts in pieces:
            if normalizer:
                text, moves = normalizer.apply(text)
                if is_blank(text):
                    self._taken.empty_lines += 1
                    continue
                shifts = composed(shifts, moves)
            self._writer.add(text, shifts)
        self._taken.empty_lines += pieces.blank
        self._taken.joined_lines += pieces.joined
        self._taken.cut_lines += lines.cut
        return judged.rule

    def _add_marked(self, raw: RawDocument) -> str:
        lines = iter(raw.marked or ())
        sample = list(islice(lines, _SAMPLE_LINES))
        rule = self._rule(raw)
        if rule == "auto":
            rule = layout([line.text for line in sample]).rule
        for line in chain(sample, lines):
            line = self._normalised(line) if self._normalizer else line
            if is_blank(line.text):
                self._taken.empty_lines += 1
            else:
                self._writer.add(line.text, line.shifts, line.words, line.tags)
        return "paragraph" if rule == "wrapped" else rule  # given words are not joined

    def _normalised(self, line: MarkedLine) -> MarkedLine:
        """A line in its form, with the words of which something is left."""
        text, moves = self._normalizer.apply(line.text)
        if not moves:
            return MarkedLine(text, line.shifts, line.words, line.tags)
        spans = moved(line.words, moves, len(text)).tolist()
        left = [number for number, (start, end) in enumerate(spans) if start < end]
        return MarkedLine(
            text,
            tuple(composed(line.shifts, moves)),
            tuple((spans[number][0], spans[number][1]) for number in left),
            tuple(line.tags[number] for number in left) if line.tags else (),
        )


def _judged(chunks: Iterable[str], rule: str) -> tuple[Layout, Iterator[str]]:
    """How the lines of a text are to be taken, and its chunks, of which some were looked at."""
    rest = iter(chunks)
    if rule not in ("auto", "wrapped"):
        return Layout(rule, 0.0), rest
    seen: list[str] = []
    size, whole = 0, True
    for chunk in rest:
        seen.append(chunk)
        size += len(chunk)
        if size >= _SAMPLE:
            whole = False
            break
    lines = [text for _, text in Lines(["".join(seen)])]
    return layout(lines if whole or len(lines) < 2 else lines[:-1], rule), chain(seen, rest)


def _whole(text: str) -> str:
    """A name on one line, as it can be stored even if it holds half a character."""
    return " ".join(text.split()).encode("utf-8", "backslashreplace").decode()
