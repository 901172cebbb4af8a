"""What cutting a corpus takes, as plain data that goes to other processes."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.files import read_json
from lmstudio.text.segment import Segmenter, SegmentOptions, segmenter
from lmstudio.text.stop_words import read_stop_words


@dataclass(frozen=True)
class CutPlan:
    """How to cut: `options.sentences` is "line" or "punctuation" here, no longer "auto"."""

    options: SegmentOptions
    dictionary: Path | None  # of jieba's user words
    cache: Path  # where jieba's own dictionary is kept ready
    tokenizer: Path | None = None  # the pieces of a subword segmenter, trained or loaded
    stop_words: Path | None = None  # words that are unknown whatever their count
    words: Path | None = None  # JSON, a list: the only words that the vocabulary has, if any
    known: Path | None = None  # a segmentation whose types are known here too

    def segmenter(self) -> Segmenter:
        """The segmenter of this plan."""
        return segmenter(self.options, self.dictionary, cache=self.cache, tokenizer=self.tokenizer)

    def stopped(self) -> frozenset[str]:
        """The stop words. AppError if their file cannot be read."""
        return read_stop_words(self.stop_words) if self.stop_words else frozenset()

    def always(self) -> tuple[str, ...]:
        """Types that the vocabulary has whatever their count. AppError if they cannot be read."""
        special = self.options.special_tokens
        if self.known is None:
            return special
        return tuple(dict.fromkeys([*Vocabulary.load(self.known).types[len(SPECIALS) :], *special]))

    def given_words(self) -> list[str] | None:
        """The words that the vocabulary is made of; None where the text decides."""
        if self.words is None:
            return None
        found: list[str] = read_json(self.words)
        return found
