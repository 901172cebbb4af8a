"""Runs and a part of their corpus in; where, and how surely, one of them is better, out.

Runs need not read the same tokens: what each paid is laid onto the characters of the part (see
`analysis.breakdown`) and added up over sentences, words and documents. A sentence is what every
segmentation ends at the same place. All figures are those of one axis: `operations.comparison`
hands over no others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np

from lmstudio.analysis import breakdown
from lmstudio.analysis.asked import Asked
from lmstudio.analysis.bootstrap import SAMPLES, Interval, paired_intervals
from lmstudio.analysis.breakdown import Breakdown, shared_out
from lmstudio.analysis.event_bits import EventBits, event_bits
from lmstudio.data.cut_from import corpus_of
from lmstudio.data.layout import EOS, SPECIALS, UNK, Tokens, ranges
from lmstudio.data.part_text import PartText
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job

UNITS = ("sentence", "document")
"""What the bootstrap draws."""
SENTENCES = 200
"""Sentences that are listed for each run: half where it is better, half where it is worse."""


@dataclass(frozen=True)
class Question:
    """What is asked of runs that can be compared."""

    part: str  # "valid" or "test"
    words: Path | None = None  # segmentation over whose words is added up; None: longest tokens
    by: str = "sentence"  # of UNITS
    base: int = 0  # the run that the others are set against
    samples: int = SAMPLES
    seed: int = 1
    sentences: int = SENTENCES
    keep: bool = True  # what is scored, beside the run


@dataclass(frozen=True)
class SentenceBits:
    """One sentence and what each run needed for it."""

    first: int  # among the characters of the part
    end: int
    line: int  # of the corpus
    document: int
    text: str
    bits: tuple[float, ...]  # of each run, the sentence's end included


@dataclass(frozen=True)
class Comparison:
    """Runs on one part; sums are in bits, differences from the run `base` in bits per character."""

    runs: list[str]
    part: str
    base: int
    pseudo: bool  # figures from both sides: no sentence ends, an axis of their own
    characters: int
    words: int
    words_of: str  # the folder of the segmentation whose words these are
    sentences: int
    share: float  # of the part that was scored
    bits: np.ndarray  # (R,)
    by: str
    units: int  # that the bootstrap drew from
    samples: int
    differences: list[Interval]  # of each run
    positions: Breakdown
    frequencies: Breakdown
    documents: Breakdown
    examples: list[SentenceBits]  # those that differ most

    def bits_per_character(self) -> np.ndarray:
        """(R,)."""
        return self.bits / max(self.characters, 1)


@dataclass(frozen=True)
class TokenBits:
    """A token of a sentence, what it cost, and where it stands among the part's characters."""

    text: str
    first: int
    end: int
    bits: float


@dataclass
class _Laid:
    """What of a part was scored by every run, and what each paid for it."""

    text: PartText
    places: np.ndarray  # (C,) which characters of the part these are, rising
    starts: np.ndarray  # (U,) first character of each sentence, counted among these
    costs: np.ndarray  # (R, C)
    ends: np.ndarray  # (R, U)
    share: float  # of the sentences of the part

    @property
    def sums(self) -> np.ndarray:
        """(R, U) what each sentence cost, its end included."""
        return breakdown.unit_sums(self.starts, self.costs) + self.ends

    @property
    def lengths(self) -> np.ndarray:
        """(U,) characters of each sentence."""
        return np.diff(self.starts, append=self.costs.shape[1])

    def documents(self) -> np.ndarray:
        """(U,) the document of each sentence."""
        return self.text.documents_at(self.places[self.starts])


def compare(runs: Sequence[Asked], question: Question, *, job: Job) -> Comparison:
    """The runs on the part asked about. AppError where it is empty or a model is unusable."""
    paid = [event_bits(run, question.part, keep=question.keep, job=job) for run in runs]
    laid = _laid(runs, paid, question.part)
    pseudo = any(bits.pseudo for bits in paid)
    folder = question.words or _longest_tokens(runs, question.part)
    begins, counts, sentence_of = _words(folder, laid, question.part)
    grouped = (breakdown.position_groups(sentence_of),
               breakdown.banded(counts, breakdown.FREQUENCIES))  # fmt: skip
    positions, frequencies = (
        breakdown.by_word(groups, begins, laid.costs, laid.ends.sum(axis=1),
                          0 if pseudo else len(laid.starts))
        for groups in grouped
    )  # fmt: skip
    documents = breakdown.by_unit(laid.documents(), laid.starts, laid.costs, laid.ends, sentence_of)
    units = (laid.sums, laid.lengths)
    if question.by == "document":
        units = (documents.bits, documents.characters)
        if len(documents.groups) < 2:
            raise AppError("This part holds one document only; draw sentences instead.")
    return Comparison(
        runs=[run.name for run in runs], part=question.part, base=question.base, pseudo=pseudo,
        characters=laid.costs.shape[1], words=len(begins), words_of=folder.name,
        sentences=len(laid.starts), share=laid.share, bits=laid.sums.sum(axis=1),
        by=question.by, units=len(units[1]), samples=question.samples,
        differences=paired_intervals(*units, question.base, samples=question.samples,
                                     seed=question.seed, job=job),
        positions=positions, frequencies=frequencies, documents=documents,
        examples=_examples(laid, question),
    )  # fmt: skip


def sentence_tokens(
    runs: Sequence[Asked], part: str, first: int, end: int, *, keep: bool = True, job: Job
) -> list[list[TokenBits]]:
    """The tokens of each run from one character of a part to before another, in order.

    The end of a sentence is the token `</s>` where the run predicts it.
    """
    text = _part_text(runs, part)
    found = []
    for run in runs:
        tokens, paid = Tokens(run.segmentation_folder), event_bits(run, part, keep=keep, job=job)
        spans = text.spans(tokens)
        chosen = np.flatnonzero((spans[:, 0] >= first) & (spans[:, 0] < end))
        shown = [
            TokenBits(word, int(spans[i, 0]), int(spans[i, 1]), float(paid.tokens[i]))
            for i, word in zip(chosen, text.token_texts(tokens, chosen), strict=True)
        ]
        starts = text.sentence_starts(tokens)
        for number in np.flatnonzero((starts >= first) & (starts < end)):
            if not np.isnan(paid.ends[number]):
                last = int(starts[number + 1]) if number + 1 < len(starts) else text.characters
                shown.append(TokenBits(SPECIALS[EOS], last, last, float(paid.ends[number])))
        found.append(sorted(shown, key=lambda token: (token.first, token.first != token.end)))
    return found


def _part_text(runs: Sequence[Asked], part: str) -> PartText:
    """The characters of a part, of the corpus that all runs read."""
    tokens = Tokens(runs[0].segmentation_folder)
    spaces = tokens if tokens.meta.axis == "spaces" else None
    return PartText(corpus_of(runs[0].segmentation_folder), part, spaces)


def _laid(runs: Sequence[Asked], paid: Sequence[EventBits], part: str) -> _Laid:
    text = _part_text(runs, part)
    tokens = [Tokens(run.segmentation_folder) for run in runs]
    begins = [text.sentence_starts(t) for t in tokens]
    starts = reduce(np.intersect1d, begins)
    costs = np.stack([
        shared_out(text.spans(t), bits.tokens, text.characters)
        for t, bits in zip(tokens, paid, strict=True)
    ])  # fmt: skip
    ends = np.stack([
        np.bincount(_unit_of(starts, begin), np.nan_to_num(bits.ends, posinf=np.inf), len(starts))
        for begin, bits in zip(begins, paid, strict=True)
    ])  # fmt: skip
    scored = ~np.isnan(breakdown.unit_sums(starts, costs)).any(axis=0)
    if not scored.any():
        raise AppError("There is no sentence that all of these runs have scored.")
    lengths = np.diff(starts, append=text.characters)
    chosen = np.repeat(scored, lengths)
    firsts = (np.cumsum(lengths * scored) - lengths * scored)[scored]
    return _Laid(text, np.flatnonzero(chosen), firsts, costs[:, chosen], ends[:, scored],
                 float(scored.mean()))  # fmt: skip


def _unit_of(starts: np.ndarray, characters: np.ndarray) -> np.ndarray:
    """The sentence in which each character stands."""
    return np.searchsorted(starts, characters, side="right") - 1


def _longest_tokens(runs: Sequence[Asked], part: str) -> Path:
    """The segmentation of a run with the fewest tokens: its tokens are words, or nearest to."""
    folders = dict.fromkeys(run.segmentation_folder for run in runs)
    return min(folders, key=lambda folder: Tokens(folder).meta.parts[part].tokens)


def _words(folder: Path, laid: _Laid, part: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First character, count in the train part (0: unknown) and sentence of each word."""
    tokens = Tokens(folder)
    begins = laid.text.spans(tokens)[:, 0]
    ids = tokens.ids[ranges(tokens.bounds(part))]
    counts = np.where(ids == UNK, 0, read_counts(folder)[ids])
    place = np.searchsorted(laid.places, begins)
    kept = laid.places[np.minimum(place, len(laid.places) - 1)] == begins
    place = place[kept]
    return place, counts[kept], _unit_of(laid.starts, place)


def _examples(laid: _Laid, question: Question) -> list[SentenceBits]:
    """Where each run is furthest above and below the base, by the size of the difference."""
    sums, half = laid.sums, max(1, question.sentences // 2)
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(sums - sums[question.base], nan=0.0, posinf=np.inf, neginf=-np.inf)
    chosen: set[int] = set()
    for row in np.delete(apart, question.base, axis=0):
        order = np.argsort(row, kind="stable")
        chosen |= {int(i) for i in order[:half] if row[i] < 0}
        chosen |= {int(i) for i in order[::-1][:half] if row[i] > 0}
    lengths, documents = laid.lengths, laid.documents()
    lines = laid.text.lines_at(laid.places[laid.starts])
    found = []
    for unit in sorted(chosen, key=lambda unit: -float(np.abs(apart[:, unit]).max())):
        first = int(laid.places[laid.starts[unit]])
        end = first + int(lengths[unit])
        found.append(SentenceBits(
            first, end, int(lines[unit]), int(documents[unit]), laid.text.between(first, end),
            tuple(float(value) for value in sums[:, unit]),
        ))  # fmt: skip
    return found
