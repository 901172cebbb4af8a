"""Labelled examples and a segmentation -> rows of ids with targets, as a network reads them.

A row is `<s> text </s>`, or `<s> text </s> other </s>`; of a question `<s> question </s> passage
</s>`. What does not fit is cut as the task says, or read in overlapping windows, a row each; what
is lost by that is counted (`Lost`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lmstudio.data.batches import IGNORE
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import tags_of
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.data.vocab import Vocabulary
from lmstudio.data.watched import watched
from lmstudio.figures import percent
from lmstudio.jobs import Job
from lmstudio.messages import Message

MOST_UNKNOWN = 0.1  # of the tokens, without a word about it
MOST_QUESTION = 64  # tokens of a question (Devlin et al. 2019: max_query_length)


@dataclass(frozen=True)
class Cutting:
    """How texts are fitted into rows; see training.task_config.TaskConfig."""

    kind: str
    labels: tuple[str, ...]  # classes, or tags, "O" first
    length: int
    cut: str = "head"
    stride: int = 64
    scheme: str = "BIO"


@dataclass(frozen=True)
class Row:
    """What is read at once, T ids."""

    example: int  # number of the example
    ids: np.ndarray  # (T,) int64
    types: np.ndarray  # (T,) int64: 0, and 1 in what comes second
    place: int  # in `ids`, of the first piece of the text that is looked at; of qa, the passage
    numbers: np.ndarray  # (N,) of these pieces among all of the text, in order
    spans: tuple[tuple[int, int], ...]  # (N,) where they stand in it
    label: int = IGNORE  # classify, pair
    tags: np.ndarray | None = None  # (T,) tag
    start: int = 0  # qa: places in `ids` of the answer's ends, both included; 0: none here, and
    end: int = 0  # IGNORE: not known

    def known(self, kind: str) -> bool:
        """What is right of it is known; of tags it may be so of some."""
        return kind == "tag" or (self.start if kind == "qa" else self.label) != IGNORE


@dataclass
class Lost:
    """What was cut off, or cannot be written in the tokens of the segmentation."""

    texts: int = 0  # that were cut
    pieces: int = 0  # tokens of them that are not read
    spans: int = 0  # spans in those
    crossing: int = 0  # spans whose ends are inside a token: they are widened to whole ones
    questions: int = 0  # whose end is not read
    unknown_labels: int = 0  # examples whose label training never shows
    length: int = 0  # tokens that are read at once, marks included
    tokens: int = 0  # of all texts
    unknown: int = 0  # of them, that the vocabulary has not

    def notes(self) -> list[Message]:
        """What the user should know."""
        told = []
        if self.texts and not self.spans:
            told.append(Message(
                "{texts} texts are longer than the length of {length} tokens: {pieces} tokens of "
                "them are cut off.",
                {"texts": self.texts, "length": self.length, "pieces": self.pieces},
            ))  # fmt: skip
        elif self.texts:
            told.append(Message(
                "{texts} texts are longer than the length of {length} tokens: {pieces} tokens of "
                "them, with {spans} labelled spans, are cut off.",
                {"texts": self.texts, "length": self.length, "pieces": self.pieces,
                 "spans": self.spans},
            ))  # fmt: skip
        if self.questions:
            told.append(Message(
                "Questions of which only the beginning is read, as they are too long: {count}.",
                {"count": self.questions},
            ))  # fmt: skip
        if self.unknown > MOST_UNKNOWN * self.tokens:
            told.append(Message(
                "{share} of the tokens are not in the vocabulary: of these the network sees only "
                "that they are unknown.",
                {"share": percent(self.unknown / self.tokens, 0)},
            ))  # fmt: skip
        if self.crossing:
            told.append(Message(
                "{count} spans begin or end inside a token. They are learned as whole tokens and "
                "cannot be found exactly: cut into characters for that.",
                {"count": self.crossing},
            ))  # fmt: skip
        if self.unknown_labels:
            told.append(Message(
                "{count} examples have a label that no example to train with has.",
                {"count": self.unknown_labels},
            ))  # fmt: skip
        return told


@dataclass
class Encoded:
    """The rows of examples, in their order."""

    rows: list[Row]
    lost: Lost = field(default_factory=Lost)


def encode(
    examples: Sequence[Example], cutting: Cutting, plan: CutPlan, vocabulary: Vocabulary, *,
    job: Job,
) -> Encoded:  # fmt: skip
    """The rows of examples; each has one, more only where it is read in windows."""
    texts = pieces_of([one.text for one in examples], plan, vocabulary, job=job)
    others: list[list[Piece]] = [[] for _ in examples]
    if cutting.kind in ("pair", "qa"):
        others = pieces_of([one.other for one in examples], plan, vocabulary, job=job)
    found = Encoded([], Lost(length=cutting.length))
    for pieces in (*texts, *others):
        found.lost.tokens += len(pieces)
        found.lost.unknown += sum(piece.id == UNK for piece in pieces)
    for number, example in enumerate(watched(examples, job)):
        found.rows += _rows(number, example, texts[number], others[number], cutting, found.lost)
    return found


def _rows(
    number: int, example: Example, text: list[Piece], other: list[Piece], cutting: Cutting,
    lost: Lost,
) -> list[Row]:  # fmt: skip
    if cutting.kind == "qa":
        most = min(MOST_QUESTION, cutting.length // 2, cutting.length - 4)  # a token of passage
        lost.questions += len(other) > most
        return _question(number, example, text, other[:most], cutting, lost)
    if cutting.kind == "pair":
        return [_pair(number, example, text, other, cutting, lost)]
    room = cutting.length - 2
    if cutting.cut == "windows":
        parts = windows(len(text), room, cutting.stride)
    else:
        parts = [kept(len(text), room, cutting.cut)]
        _count_cut(lost, len(text) - len(parts[0]))
    label = _label(example, cutting, lost) if cutting.kind == "classify" else IGNORE
    tags = _tags(example, text, cutting, lost) if cutting.kind == "tag" else None
    if tags is not None and cutting.cut != "windows":
        read = {text[n].start for n in parts[0]}
        lost.spans += sum(_first(text, span) not in read for span in example.spans)
    return [_single(number, text, part, label, tags) for part in parts]


def _single(
    number: int, text: list[Piece], part: np.ndarray, label: int, tags: np.ndarray | None
) -> Row:
    ids = np.array([BOS, *(text[n].id for n in part), EOS], np.int64)
    shown = None
    if tags is not None:
        shown = np.full(len(ids), IGNORE, np.int64)
        shown[1:-1] = tags[part]
    spans = tuple((text[n].start, text[n].end) for n in part)
    return Row(number, ids, np.zeros(len(ids), np.int64), 1, part, spans, label, shown)


def _pair(
    number: int, example: Example, text: list[Piece], other: list[Piece], cutting: Cutting,
    lost: Lost,
) -> Row:  # fmt: skip
    first, second = shares(len(text), len(other), cutting.length - 3)
    how = "head" if cutting.cut == "windows" else cutting.cut
    one, two = kept(len(text), first, how), kept(len(other), second, how)
    _count_cut(lost, len(text) + len(other) - first - second)
    ids = [BOS, *(text[n].id for n in one), EOS, *(other[n].id for n in two), EOS]
    types = np.repeat([0, 1], [len(one) + 2, len(two) + 1])
    spans = tuple((text[n].start, text[n].end) for n in one)
    label = _label(example, cutting, lost)
    return Row(number, np.array(ids, np.int64), types, 1, one, spans, label)


def _question(
    number: int, example: Example, text: list[Piece], question: list[Piece], cutting: Cutting,
    lost: Lost,
) -> list[Row]:  # fmt: skip
    before = [BOS, *(piece.id for piece in question), EOS]
    room = cutting.length - len(before) - 1
    first, last = _answer(example, text)
    if last < 0 and example.spans:
        lost.spans += 1
    rows = []
    for part in windows(len(text), room, cutting.stride):
        ids = np.array([*before, *(text[n].id for n in part), EOS], np.int64)
        types = np.repeat([0, 1], [len(before), len(ids) - len(before)])
        inside = last >= 0 and len(part) and part[0] <= first and last <= part[-1]
        start, end = (len(before) + at - int(part[0]) for at in (first, last)) if inside else (0, 0)
        if not example.labelled or (last < 0 and example.spans):
            start = end = IGNORE
        spans = tuple((text[n].start, text[n].end) for n in part)
        rows.append(Row(number, ids, types, len(before), part, spans, start=start, end=end))
    return rows


def _answer(example: Example, text: list[Piece]) -> tuple[int, int]:
    """The first and the last piece of the first answer; (0, -1) where there is none."""
    if not example.spans:
        return 0, -1
    span = example.spans[0]
    within = [n for n, piece in enumerate(text)
              if piece.start < span.end and piece.end > span.start]  # fmt: skip
    return (within[0], within[-1]) if within else (0, -1)


def _label(example: Example, cutting: Cutting, lost: Lost) -> int:
    if not example.labelled:
        return IGNORE
    if example.label in cutting.labels:
        return cutting.labels.index(example.label)
    lost.unknown_labels += 1
    return IGNORE


def _tags(example: Example, text: list[Piece], cutting: Cutting, lost: Lost) -> np.ndarray:
    """(N,) the tag of each piece; IGNORE where it is not known."""
    if not example.labelled:
        return np.full(len(text), IGNORE, np.int64)
    spans, end = [], 0
    for span in sorted(example.spans):
        first = next((n for n, piece in enumerate(text) if piece.end > span.start), len(text))
        last = next((n for n in range(len(text), first, -1) if text[n - 1].start < span.end), first)
        if first >= last or first < end:
            lost.crossing += first < end
            continue
        exact = text[first].start == span.start and text[last - 1].end == span.end
        lost.crossing += not exact
        spans.append(Span(first, last, span.type))
        end = last
    number = {tag: n for n, tag in enumerate(cutting.labels)}
    return np.array([number.get(tag, IGNORE) for tag in tags_of(spans, len(text), cutting.scheme)],
                    np.int64)  # fmt: skip


def _first(text: list[Piece], span: Span) -> int:
    """Where the piece that a span begins in begins; -1 if there is none."""
    return next((piece.start for piece in text if piece.end > span.start), -1)


def _count_cut(lost: Lost, pieces: int) -> None:
    lost.texts += pieces > 0
    lost.pieces += max(0, pieces)


def kept(size: int, room: int, how: str) -> np.ndarray:
    """The numbers of the pieces of a text that are read: its head, its tail, or half of both."""
    if size <= room:
        return np.arange(size)
    if how == "tail":
        return np.arange(size - room, size)
    if how == "both":
        head = (room + 1) // 2
        return np.concatenate([np.arange(head), np.arange(size - (room - head), size)])
    return np.arange(room)


def windows(size: int, room: int, stride: int) -> list[np.ndarray]:
    """Numbers of pieces, window by window; each piece stands in one at least."""
    step = max(1, min(stride, room))
    starts = range(0, max(1, size - room + step), step)
    return [np.arange(start, min(start + room, size)) for start in starts]


def shares(first: int, second: int, room: int) -> tuple[int, int]:
    """How many pieces of two texts are read: the longer one is cut first."""
    half = room // 2
    if first + second <= room:
        return first, second
    if first <= half:
        return first, room - first
    if second <= room - half:
        return room - second, second
    return half, room - half
