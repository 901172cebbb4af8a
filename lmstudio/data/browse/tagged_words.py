"""The words that a corpus came with and their tags, in columns that can be searched."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lmstudio.data.browse.patterns import wildcards
from lmstudio.data.browse.search import HIT, Query
from lmstudio.data.browse.words import CHUNK, Neighbours
from lmstudio.data.given import GivenWords, has_given
from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed

_NAMED = 60  # tags that a sentence names


class TaggedWords:
    """Given words by column. AppError if the corpus came without tags."""

    def __init__(self, corpus: Path) -> None:
        """Open the given words of a corpus folder."""
        if not has_given(corpus) or len((given := GivenWords(corpus)).tags) < 2:
            raise AppError(
                "This corpus came without tags. Import a text with tags, word/tag or CoNLL-U, to "
                "search for them."
            )
        self.records, self.tags = given.records, given.tags
        self.text = CorpusText(corpus)

    def __len__(self) -> int:
        return len(self.records)

    def spans(self, words: np.ndarray, length: int) -> np.ndarray:
        """(H,) HIT: from the begin of each of `words` to the end of the last of `length`."""
        hits = np.empty(len(words), HIT)
        hits["line"], hits["start"] = self.records["line"][words], self.records["start"][words]
        hits["end"] = self.records["end"][words + length - 1]
        return hits

    def texts(self, words: np.ndarray) -> list[str]:
        """What stands in the text for each of `words`, which rise."""
        number, line, found = -1, "", []
        for wanted, start, end, _ in self.records[words].tolist():
            if wanted != number:
                number, line = wanted, self.text.line(wanted)
            found.append(line[start:end])
        return found

    def around(self, words: np.ndarray, length: int, count: int) -> Neighbours:
        """Up to `count` words of the same line before each word and after its `length` words."""
        before = np.subtract.outer(words, np.arange(1, count + 1))
        after = np.add.outer(words + length, np.arange(count))
        line = self.records["line"][words]
        return self._words_in(line, before), self._words_in(line, after)

    def _words_in(self, line: np.ndarray, words: np.ndarray) -> list[Sequence[str]]:
        inside = (words >= 0) & (words < len(self))
        words = np.where(inside, words, 0)
        inside &= self.records["line"][words] == line[:, None]
        needed = np.unique(words[inside])
        texts = dict(zip(needed.tolist(), self.texts(needed), strict=True))
        rows = np.where(inside, words, -1).tolist()
        return [tuple(texts[number] for number in row if number >= 0) for row in rows]


def tag_hits(words: TaggedWords, query: Query, part: str, *, job: Job) -> Iterator[np.ndarray]:
    """Numbers (H,) of the words at which the tags of the query begin, inside one line."""
    query.check()
    wanted = [_Unit(unit, words, query.ignore_case) for unit in query.text.split()]
    if missing := [unit for unit, of in zip(query.text.split(), wanted, strict=True)
                   if not of.tags.any()]:  # fmt: skip
        raise AppError(
            "The corpus has no tag {tag}. Its tags: {tags}. Of CoNLL-U the universal ones (UPOS) "
            "are read.",
            tag=missing[0], tags=listed(sorted(filter(None, words.tags))[:_NAMED]),
        )  # fmt: skip
    for start in range(0, len(words), CHUNK):
        job.tick(start, len(words), Message("Searching"))
        end = min(start + CHUNK, len(words))
        found = np.arange(start, min(end, len(words) - len(wanted) + 1))
        line = words.records["line"][found]
        for distance, unit in enumerate(wanted):
            near = words.records[found + distance]
            kept = unit.tags[near["tag"]] & (near["line"] == line)
            found, line = found[kept], line[kept]
        for distance, unit in enumerate(wanted):
            found = found[unit.of_words(found + distance)]
        if part:
            lines = words.text.lines["part"][words.records["line"][found]]
            found = found[lines == PART_NAMES.index(part)]
        yield found


class _Unit:
    """One word of a tag query: `tag` or `word/tag`, with `*` and `?` in both."""

    def __init__(self, unit: str, words: TaggedWords, ignore_case: bool) -> None:
        word, _, tag = unit.rpartition("/")
        expression = wildcards(tag, ignore_case=ignore_case)
        self.tags = np.array([bool(name and expression.fullmatch(name)) for name in words.tags])
        self._word = wildcards(word, ignore_case=ignore_case) if word not in ("", "*") else None
        self._words = words

    def of_words(self, numbers: np.ndarray) -> np.ndarray:
        """(H,) bool: the words whose text is the one asked for."""
        if self._word is None:
            return np.ones(len(numbers), bool)
        texts = self._words.texts(numbers)
        return np.array([self._word.fullmatch(text) is not None for text in texts], bool)
