"""The smoothing laboratory: every smoothing on one context, figures under knobs, and growth."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from lmstudio.analysis import laboratory_questions as asking
from lmstudio.analysis import ngram_growth, sentence_walk
from lmstudio.analysis.laboratory import Bars, Column, CountsOfCounts
from lmstudio.analysis.ngram_growth import Point
from lmstudio.analysis.sentence_walk import ONE_MORE, Step
from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK, SegmentationMeta
from lmstudio.data.token_preview import Piece
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError, SpecError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, tr
from lmstudio.models.config import SCORES_ONLY, SETTINGS, SMOOTHINGS, NgramConfig
from lmstudio.operations import segmentations
from lmstudio.options import faults
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

Key = int | str
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Of the train part, for the learning curve."""
_POINTS = 25  # of a curve under a knob
_CLOSER, _BETWEEN = 2, 4  # times that it is looked at closer where it is lowest; points then
_FREQUENT = 200  # contexts that are offered


@dataclass(frozen=True)
class Table:
    """Bars with their words as text."""

    bars: Bars
    context: list[str]
    words: list[str]
    prefix: list[int]  # the ids that were asked about; `bars.context` is the end of them
    notes: tuple[Message, ...] = ()  # what of the text is not in the prefix as it was written

    @property
    def order(self) -> int:
        """That the columns were asked at."""
        return self.bars.columns[0].config.order


@dataclass(frozen=True)
class FrequentContext:
    """A context that is often seen in the train part."""

    ids: list[int]  # what to ask about, `<s>` first where a sentence begins
    words: list[str]  # as they read
    occurrences: int
    followers: int


@dataclass(frozen=True)
class Walk:
    """A sentence that went through a model."""

    steps: list[Step]
    texts: list[str]  # what stands in the sentence at each step but the last, which is its end
    types: list[str]  # of the vocabulary, by id
    notes: tuple[Message, ...] = ()  # what became of the text, and what a formula needs to be read
    proper: bool = True  # False: the figures are scores, no probabilities


def configs(
    order: int, smoothings: Sequence[str] = SMOOTHINGS, **settings: Any
) -> list[NgramConfig]:
    """Smoothings at an order; each takes of the settings of NgramConfig those that are its own."""
    return [NgramConfig(order, name, **settings).applied() for name in smoothings]


def bars(
    ws: Workspace, segmentation: Key, context: str | Sequence[int], asked: Sequence[NgramConfig], *,
    words: Sequence[str] = (), most: int = 10, unseen: int = 0, job: Job,
) -> Table:  # fmt: skip
    """What `asked`, all of one order, give to the words after a text; `words` are listed too.

    A text is cut as the segmentation is; ids are taken as they are. It stands anywhere in a
    sentence, and begins one only with `<s>` at its front. `unseen`: so many frequent words that
    never came here are listed. SpecError for a config out of its limits.
    """
    row = ws.segmentation(segmentation)
    for config in asked:
        _check(config)
    folder = ws.segmentation_folder(row.id)
    prefix, notes = (_ids(ws, row.id, context, job) if isinstance(context, str)
                     else (list(context), ()))  # fmt: skip
    vocabulary = Vocabulary.load(folder)
    wanted = [vocabulary.id_of(word) for word in words]
    found = job.call(
        asking.ask_bars, folder, prefix, asked[0].order, list(asked), most=most, words=wanted,
        unseen=unseen,
    )  # fmt: skip
    types = vocabulary.types
    texts = [types[i] for i in found.context]
    return Table(found, texts, [types[i] for i in found.words], prefix, notes)


def columns(
    ws: Workspace, segmentation: Key, table: Table, asked: Sequence[NgramConfig], *, job: Job
) -> list[Column]:
    """Other columns beside those of a table, for the words that it lists."""
    for config in asked:
        _check(config)
    found = job.call(
        asking.ask_bars, _folder(ws, segmentation), table.prefix, table.order, list(asked),
        most=0, words=table.bars.words[:-1],
    )  # fmt: skip
    return found.columns


def frequent_contexts(
    ws: Workspace, segmentation: Key, order: int, *, job: Job
) -> list[FrequentContext]:
    """Contexts of n-grams of an order that are often seen and differently gone on from."""
    folder = _folder(ws, segmentation)
    found = job.call(asking.ask_frequent, folder, order, most=_FREQUENT)
    types = Vocabulary.load(folder).types
    return [
        FrequentContext(context.ids, [types[i] for i in context.ids], context.occurrences,
                        context.followers)
        for context in found if UNK not in context.ids
    ]  # fmt: skip


def against_knob(
    ws: Workspace, segmentation: Key, config: NgramConfig, knob: str, *, job: Job
) -> list[tuple[float, float, float]]:
    """(k or D, bits per character, perplexity) of the valid part, by rising values.

    `knob` is "k" or "discount". The value of `config` is among them, and they lie closer together
    around the lowest. One D holds for all orders here: where it is estimated each has its own.
    AppError where the smoothing has no such knob, or there is no valid part.
    """
    _check(config)
    if not SegmentationMeta.load(_folder(ws, segmentation)).parts["valid"].sentences:
        raise AppError("There is no valid part to measure {knob} on.", knob=knob)
    if config.smoothing not in SETTINGS[knob]:
        raise AppError("{knob} is a setting of {choices} only, not of {smoothing}.", knob=knob,
                       choices=listed(SETTINGS[knob]), smoothing=config.smoothing)  # fmt: skip
    even = [i / _POINTS for i in range(1, _POINTS)]
    values = even if knob == "discount" else _powers(1e-4, 10.0, _POINTS)
    if own := getattr(config, knob):
        values.append(own)
    curve: dict[float, tuple[float, float]] = {}
    for _ in range(_CLOSER + 1):
        new = [value for value in dict.fromkeys(values) if value not in curve]
        asked = [replace(config, k=v) if knob == "k" else replace(config, discount=v) for v in new]
        found = job.call(asking.ask_bits, _folder(ws, segmentation), asked)
        curve |= dict(zip(new, found, strict=True))
        values = _closer(curve)
    return [(value, *curve[value]) for value in sorted(curve)]


def figures(
    ws: Workspace, segmentation: Key, asked: Sequence[NgramConfig], *, job: Job
) -> list[tuple[float, float]]:
    """(bits per character, perplexity) of the valid part under each config."""
    return job.call(asking.ask_bits, _folder(ws, segmentation), list(asked))


def guard(ws: Workspace, segmentation: Key, config: NgramConfig, *, job: Job) -> list[Message]:
    """What of a smoothing is not defined on this text, and what is done instead; often nothing."""
    _check(config)
    return job.call(asking.ask_notes, _folder(ws, segmentation), config)


def counts_of_counts(ws: Workspace, segmentation: Key, order: int, *, job: Job) -> CountsOfCounts:
    """How many n-grams of an order occur once, twice, ..., and Good and Turing's r*."""
    return job.call(asking.ask_counts_of_counts, _folder(ws, segmentation), order)


def against_order(
    ws: Workspace, segmentation: Key, config: NgramConfig, *, job: Job
) -> list[Point]:
    """Models of the orders 1 to 7: bits, parameters, V^n, bytes and seconds of each."""
    _check(config)
    orders = list(range(1, 8))
    return job.call(ngram_growth.by_order, _folder(ws, segmentation), config, orders)


def against_size(ws: Workspace, segmentation: Key, config: NgramConfig, *, job: Job) -> list[Point]:
    """The learning curve: the same model on growing shares of the train part."""
    _check(config)
    return job.call(ngram_growth.by_size, _folder(ws, segmentation), config, list(SHARES))


def walk(ws: Workspace, run: Key, sentence: str, *, job: Job) -> Walk:
    """A sentence through an n-gram run, word by word; it is cut as the run's text was."""
    row = ws.run(run)
    if row.model == "class-ngram":
        raise AppError(
            "{name} is an n-gram model of word classes, which cannot be walked through word by "
            "word; its classes: lmstudio classes {run}.",
            name=row.name,
            run=quote(row.name),
        )
    if row.model != "ngram":
        raise AppError("Only n-gram models can be walked through step by step.")
    folder = ws.segmentation_folder(row.segmentation_id)
    marks = [mark for mark in (SPECIALS[BOS], SPECIALS[EOS]) if mark in sentence]
    pieces = segmentations.tokens(ws, row.segmentation_id, sentence, job=job).pieces
    ids = [piece.id for piece in pieces]
    spec, types = RunSpec.from_json(row.spec), Vocabulary.load(folder).types
    steps = job.call(sentence_walk.ask_walk, folder, ws.run_folder(row.id), spec, len(types), ids)
    notes = _unknown(pieces)
    if marks:
        notes.append(
            Message("<s> and </s> are set by the program, once; those written are left out.")
        )
    smoothing = row.spec["config"]["smoothing"]
    if smoothing not in ("add-one", "add-k") and any(ONE_MORE in s.formula for s in steps):
        notes.append(Message(
            "+ 1 in a formula: nothing is taken from what was seen after that context, so one more "
            "occurrence is imagined for all that was not seen."
        ))  # fmt: skip
    texts = [piece.text for piece in pieces]
    return Walk(steps, texts, types, tuple(notes), smoothing not in SCORES_ONLY)


def save_bars(table: Table, path: Path, *, job: Job) -> None:
    """Write the matrix as CSV: a line for each word, a column for each smoothing.

    Below the words: all others together, what the seen ones have, the sum over the vocabulary, and
    the valid part's bits per character.
    """
    columns = table.bars.columns
    rows: list[tuple[object, ...]] = [
        (word, count, *(float(column.probs[place]) for column in columns))
        for place, (word, count) in enumerate(zip(table.words, table.bars.counts, strict=True))
    ]
    rows += [
        (tr("others"), "", *(column.rest for column in columns)),
        (tr("seen"), "", *(column.seen for column in columns)),
        (tr("sum"), "", *(column.total for column in columns)),
        (tr("Bits per character"), "", *(column.valid_bits for column in columns)),
    ]
    names = [column.config.smoothing for column in columns]
    save_table(path, (tr("Word"), tr("Count"), *names), rows, total=len(rows), job=job)


def save_walk(walk: Walk, path: Path, *, job: Job) -> None:
    """Write a walk as CSV: a line for each event."""
    types = walk.types
    rows = [
        (types[step.token], " ".join(types[i] for i in step.context), step.order,
         " ".join(f"{weight:.6g}" for weight in step.weights), step.own, step.weight, step.shorter,
         step.formula, step.probability, step.bits)
        for step in walk.steps
    ]  # fmt: skip
    header = (tr("Word"), tr("Context"), tr("Answered by"), tr("Back-off weights"),
              tr("Own share"), tr("Weight of the shorter"), tr("p of the shorter"), tr("Formula"),
              "p", tr("Bits"))  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def save_frequent(contexts: Sequence[FrequentContext], path: Path, *, job: Job) -> None:
    """Write frequent contexts as CSV."""
    rows = [(" ".join(c.words), c.occurrences, c.followers) for c in contexts]
    header = (tr("Context"), tr("Count"), tr("Different words after it"))
    save_table(path, header, rows, total=len(rows), job=job)


def save_curve(
    curve: Sequence[tuple[float, float, float]], knob: str, path: Path, *, job: Job
) -> None:
    """Write the curve under a knob as CSV."""
    header = (knob, tr("Bits per character"), tr("Perplexity"))
    save_table(path, header, curve, total=len(curve), job=job)


def save_points(points: Sequence[Point], path: Path, *, job: Job) -> None:
    """Write growth as CSV."""
    rows = [tuple(asdict(point).values()) for point in points]
    header = (tr("Order"), tr("Tokens"), tr("n-grams"), "V^n", tr("Parameters"), tr("Bytes"),
              tr("Seconds"), tr("Bits per character"), tr("Perplexity"))  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def _ids(
    ws: Workspace, segmentation: int, text: str, job: Job
) -> tuple[list[int], tuple[Message, ...]]:
    """A text as ids, `<s>` kept at its front, and what became of the rest of it."""
    begin, rest = SPECIALS[BOS], text.lstrip()
    begins = rest.startswith(begin)
    text = rest.removeprefix(begin).lstrip() if begins else text
    pieces = segmentations.tokens(ws, segmentation, text, job=job).pieces
    notes = []
    if any(mark in text for mark in (begin, SPECIALS[EOS])):
        notes.append(
            Message("<s> counts only at the front and </s> not at all: nothing follows it.")
        )
    notes += _unknown(pieces)
    return [BOS] * begins + [piece.id for piece in pieces], tuple(notes)


def _unknown(pieces: Sequence[Piece]) -> list[Message]:
    """The words that the vocabulary lacks, told."""
    unknown = dict.fromkeys(piece.text for piece in pieces if piece.unknown)
    words: dict[str, object] = {"words": listed(unknown)}
    return [Message("Unknown here and read as <unk>: {words}.", words)] if unknown else []


def _folder(ws: Workspace, segmentation: Key) -> Path:
    return ws.segmentation_folder(ws.segmentation(segmentation).id)


def _check(config: NgramConfig) -> None:
    if wrong := faults(config) or config.idle():
        raise SpecError(wrong)


def _powers(low: float, high: float, count: int) -> list[float]:
    """From low to high, each larger by the same factor."""
    step = math.log(high / low) / (count - 1)
    return [low * math.exp(step * i) for i in range(count)]


def _closer(curve: Mapping[float, tuple[float, float]]) -> list[float]:
    """Values between the two neighbours of the lowest point."""
    values = sorted(curve)
    best = min(range(len(values)), key=lambda place: curve[values[place]][0])
    low, high = values[max(best - 1, 0)], values[min(best + 1, len(values) - 1)]
    return _powers(low, high, _BETWEEN + 2)[1:-1]
