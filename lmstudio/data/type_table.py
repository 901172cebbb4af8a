"""Batches of cut lines into the table of all types with counts, and that into a vocabulary."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lmstudio.data.cut_lines import CutLines, Numbers
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import PART_NAMES, UNK, PartCounts
from lmstudio.data.vocab import Vocabulary, choose, fixed, of_words
from lmstudio.text.marks import UNKNOWN, written_as
from lmstudio.text.segment import PieceSegmenter

Spelling = Callable[[list[str]], np.ndarray]
"""Words to bits (float64): what it costs to spell each, its end included."""


@dataclass(frozen=True)
class Expansion:
    """What stands in the place of each type: one type, or those of its characters.

    Type t becomes `types[first[t] : first[t] + size[t]]`, each of which begins `at` code points
    after the token did.
    """

    first: np.ndarray  # (T,) int64
    size: np.ndarray  # (T,) int64
    types: np.ndarray  # (E,) int32
    at: np.ndarray  # (E,) int32


class TypeTable:
    """Every type seen so far with its counts by part, and what else is counted by part."""

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._counts = np.zeros((len(PART_NAMES), 1024), np.int64)
        self.characters = np.zeros(len(PART_NAMES), np.int64)
        self.sentences = np.zeros(len(PART_NAMES), np.int64)
        self.spaces = 0  # white space that is scored

    def add(self, cut: CutLines) -> np.ndarray:
        """Count a batch; (T,) int32: the numbers of its types here."""
        numbers = self._number(cut.types)
        self._counts[:, numbers] += cut.counts
        self.characters += cut.characters
        self.sentences += np.bincount(cut.sentences["part"], minlength=len(PART_NAMES))
        self.spaces += cut.spaces
        return numbers

    def _number(self, types: list[str]) -> np.ndarray:
        """(T,) int32: their numbers, for which there is room."""
        numbers = np.fromiter(map(self._numbers.__getitem__, types), np.int32, len(types))
        if len(self._numbers) > self._counts.shape[1]:
            room = np.zeros((len(PART_NAMES), 2 * len(self._numbers)), np.int64)
            room[:, : self._counts.shape[1]] = self._counts
            self._counts = room
        return numbers

    @property
    def words(self) -> list[str]:
        """(T,) the types, by number."""
        return list(self._numbers)

    @property
    def counts(self) -> np.ndarray:
        """(parts, T) int64."""
        return self._counts[:, : len(self._numbers)]

    def tokens_of(self, words: Collection[str]) -> int:
        """How many tokens, in all parts, are one of `words`."""
        numbers = [self._numbers[word] for word in words if word in self._numbers]
        return int(self.counts[:, numbers].sum())

    def vocabulary(self, plan: CutPlan) -> tuple[Vocabulary, Expansion | None]:
        """The vocabulary that a plan makes of the train part alone.

        With it, where the plan has unknown words cut into characters, what each type of before
        becomes; the counts are then those of after.
        """
        options, cutter = plan.options, plan.segmenter()
        always, sentences = plan.always(), int(self.sentences[0])
        if isinstance(cutter, PieceSegmenter):
            pieces = [*always, *cutter.vocabulary]
            return fixed(self.words, self.counts[0], pieces, sentences=sentences), None
        if (words := plan.given_words()) is not None:
            return of_words(self.words, self.counts[0], words, sentences=sentences), None
        stopped = plan.stopped()

        def chosen(min_count: int, max_size: int) -> Vocabulary:
            return choose(self.words, self.counts[0], sentences=sentences, min_count=min_count,
                          max_size=max_size, always=always, dropped=stopped)  # fmt: skip

        vocabulary = chosen(options.min_count, options.max_size)
        if options.unknown == "unk" or options.by == "characters":
            return vocabulary, None
        expansion = self._spell_out(vocabulary)
        return chosen(1, 0), expansion

    def _spell_out(self, vocabulary: Vocabulary) -> Expansion:
        """Count the characters of unknown types instead of these."""
        words = self.words
        unknown = vocabulary.encode(words) == UNK
        apart = [[(i, c) for i, c in enumerate(word) if not c.isspace()]
                 if gone and word != UNKNOWN else [(0, word)]
                 for word, gone in zip(words, unknown, strict=True)]  # fmt: skip
        size = np.fromiter(map(len, apart), np.int64, len(apart))
        flat = list(chain.from_iterable(apart))
        types = self._number([word for _, word in flat])
        at = np.fromiter((i for i, _ in flat), np.int32, len(flat))
        before = self.counts[:, : len(words)].copy()
        self._counts[:] = 0
        np.add.at(self._counts.T, types, np.repeat(before, size, axis=1).T)
        return Expansion(np.cumsum(size) - size, size, types, at)

    def parts(self, ids: np.ndarray, spelling: Spelling | None) -> dict[str, PartCounts]:
        """Counts by part, where type t has id `ids[t]`; `spelling` prices the unknown ones."""
        words = self.words
        unknown = np.flatnonzero((ids == UNK) & self.counts.any(axis=0))
        literal = np.array([words[t] == UNKNOWN for t in unknown], bool)
        spelled, written = unknown[~literal], unknown[literal]
        bits = np.zeros(len(spelled))
        if spelling and len(spelled):
            bits = spelling([written_as(words[t]) for t in spelled])
        return {
            name: PartCounts(
                tokens=int(counts.sum()),
                sentences=int(self.sentences[part]),
                characters=int(self.characters[part]),
                unknown=int(counts[unknown].sum()),
                literal_unknown=int(counts[written].sum()),
                spelling_bits=float(counts[spelled] @ bits),
            )
            for part, (name, counts) in enumerate(zip(PART_NAMES, self.counts, strict=True))
        }

    def axis(self, plan: CutPlan) -> str:
        """What keeps the figures from the shared axis ("": nothing), a key of AXES."""
        if plan.options.overlapping:
            return "overlapping"
        cutter = plan.segmenter()
        axis = cutter.axis if isinstance(cutter, PieceSegmenter) else ""
        return "" if axis == "spaces" and not self.spaces else axis
