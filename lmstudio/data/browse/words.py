"""A segmentation into the words of its text: unknown tokens too, by what they are in the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.browse.patterns import wildcards
from lmstudio.data.layout import PART_NAMES, UNK, CorpusText, Tokens
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.messages import Message

CHUNK = 1 << 20  # tokens looked at between two ticks
_READING = Message("Reading the words")

Neighbours = tuple[list[Sequence[str]], list[Sequence[str]]]
"""Of each hit the words before it and after it, the nearest first."""


@dataclass(frozen=True)
class WordFilter:
    """Which words a list shows. What is left out still counts in totals."""

    stop_words: frozenset[str] = frozenset()
    letters_only: bool = False  # leave out what holds no letter and no digit: punctuation

    def keeps(self, words: Sequence[str]) -> np.ndarray:
        """(T,) bool: the words that are shown."""
        if not self.stop_words and not self.letters_only:
            return np.ones(len(words), bool)
        return np.array([self._keeps(word) for word in words], bool)

    def _keeps(self, word: str) -> bool:
        if word in self.stop_words:
            return False
        return not self.letters_only or any(map(str.isalnum, word))


class Words:
    """Every token of a segmentation as the number of its word.

    Numbers below the vocabulary's are its ids. A token that the vocabulary lacks has a number
    after them, one for each different text; so nothing of the corpus is lost in `<unk>`.
    """

    def __init__(self, corpus: Path, segmentation: Path, *, job: Job) -> None:
        """Read the tokens in the folder `segmentation` of the `corpus` folder."""
        self.tokens = Tokens(segmentation)
        text = CorpusText(corpus)
        job.tick(0, len(self.tokens.ids), _READING)
        vocabulary = Vocabulary.load(segmentation)
        job.check()
        self.tokens.check(vocabulary.rows)
        job.check()
        self.types: list[str] = list(vocabulary.types)
        self.ids: np.ndarray = self.tokens.ids
        sentences = self.tokens.sentences
        self.starts = np.ascontiguousarray(sentences["token"])  # (S + 1,) of sentences
        self.lines = np.ascontiguousarray(sentences["line"][:-1])  # (S,) their lines
        self.parts = np.ascontiguousarray(sentences["part"][:-1])  # (S,) their parts
        self.documents = text.lines["document"][self.lines]  # (S,) their documents
        self._name_unknown(text, job)

    def __len__(self) -> int:
        """Tokens of all parts."""
        return len(self.ids)

    def sentence_of(self, tokens: np.ndarray) -> np.ndarray:
        """Number of the sentence each token stands in."""
        return np.searchsorted(self.starts, tokens, side="right") - 1

    def line_of(self, tokens: np.ndarray) -> np.ndarray:
        """Number of the corpus line each token stands in."""
        return self.lines[self.sentence_of(tokens)]

    def spread(self, values: np.ndarray, start: int, end: int) -> np.ndarray:
        """`values` (S,) of sentences for each token from `start` to `end`."""
        first, last = self.sentence_of(np.array([start, end - 1])).tolist()
        bounds = np.clip(self.starts[first : last + 2], start, end)
        return np.repeat(values[first : last + 1], np.diff(bounds))

    def in_part(self, part: str) -> np.ndarray:
        """(S,) bool: the sentences of a part, or all for ""."""
        if not part:
            return np.ones(len(self.parts), bool)
        return self.parts == PART_NAMES.index(part)

    def chunks(self, job: Job, note: Message) -> Iterator[tuple[int, int]]:
        """Start and end of chunks of tokens, with a tick for each."""
        for start in range(0, len(self), CHUNK):
            job.tick(start, len(self), note)
            yield start, min(start + CHUNK, len(self))

    def matching(self, pattern: str, *, ignore_case: bool = False) -> np.ndarray:
        """(T,) bool: the words that `pattern` means; `*` and `?` in it as in `wildcards`.

        A pattern that is itself a word of the text means that word.
        """
        if pattern in self.types and not ignore_case:
            return np.array([word == pattern for word in self.types], bool)
        expression = wildcards(pattern, ignore_case=ignore_case)
        return np.array([expression.fullmatch(word) is not None for word in self.types], bool)

    def around(self, tokens: np.ndarray, length: int, count: int) -> Neighbours:
        """Up to `count` words of the same line before each token and after its `length` tokens."""
        line = self.line_of(tokens)
        before = np.subtract.outer(tokens, np.arange(1, count + 1))
        after = np.add.outer(tokens + length, np.arange(count))
        return self._words_in(line, before), self._words_in(line, after)

    def _words_in(self, line: np.ndarray, tokens: np.ndarray) -> list[Sequence[str]]:
        """Of each row of `tokens` (H, N), nearest first, the words that stand in its line."""
        inside = (tokens >= 0) & (tokens < len(self))
        tokens = np.where(inside, tokens, 0)
        inside &= self.line_of(tokens) == line[:, None]
        ids = np.where(inside, self.ids[tokens], -1)
        return [tuple(self.types[i] for i in row if i >= 0) for row in ids.tolist()]

    def _name_unknown(self, text: CorpusText, job: Job) -> None:
        """Give tokens of `<unk>` the number of what stands in the text."""
        numbers = {"<unk>": UNK}
        for start, end in self.chunks(job, _READING):
            unknown = start + np.flatnonzero(self.tokens.ids[start:end] == UNK)
            if len(unknown) and self.ids is self.tokens.ids:
                self.ids = np.array(self.tokens.ids)
            if len(unknown):
                self.ids[unknown] = self._named(unknown, text, numbers)
        self.types += list(numbers)[1:]

    def _named(self, unknown: np.ndarray, text: CorpusText, numbers: dict[str, int]) -> list[int]:
        """The numbers of the words at the tokens `unknown`; new words get the next ones."""
        line = self.line_of(unknown)
        first, last = int(line[0]), int(line[-1])
        lines = text.span(first, last - first + 1).split("\n")
        spans = self.tokens.offsets[unknown].tolist()
        found = []
        for number, (start, end) in zip((line - first).tolist(), spans, strict=True):
            fresh = len(self.types) + len(numbers) - 1
            found.append(numbers.setdefault(lines[number][start:end], fresh))
        return found
