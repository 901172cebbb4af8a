"""How a corpus is cut: the options of all segmenters, and which of them each one heeds."""

from dataclasses import dataclass

from lmstudio.messages import msg
from lmstudio.options import option

SUBWORD = ("wordpiece", "bpe", "byte-bpe", "unigram")
"""Segmenters whose pieces come from a file, trained on the corpus or loaded."""
OF_WORDS = ("jieba", "whitespace", "given")
"""Segmenters whose tokens are words."""

AXES = {
    "overlapping": msg(
        "Words overlap in this mode: the text is counted more than once, so its figures "
        "stand on an axis of their own and are not comparable with other segmentations."
    ),
    "spaces": msg(
        "White space is kept in the pieces and counts as text here, so the figures stand on an "
        "axis of their own and are not comparable with segmentations that drop it."
    ),
    "folded": msg(
        "Letters are folded or dropped before the text is cut, so there is less to predict: the "
        "figures stand on an axis of their own and are not comparable with those of the full text."
    ),
}
"""Why the figures of a segmentation are not on the shared axis."""

_WORDS = ("sentences", "min_count", "max_size", "unknown", "special")
_PIECES = ("pieces", "sentences", "min_count", "lower", "strip_accents", "clean", "special")
_APPLIES = {
    "characters": ("sentences", "min_count", "max_size", "special"),
    "jieba": ("mode", "hmm", *_WORDS),
    "whitespace": _WORDS,
    "given": _WORDS,
    "wordpiece": ("han_apart", *_PIECES),
    "bpe": _PIECES,
    "byte-bpe": ("pieces", "sentences", "min_count", "special"),
    "unigram": _PIECES,
}
_LEARNT = ("pieces", "min_count")  # decided already where a file of pieces is loaded
_CLEANING = ("lower", "strip_accents", "han_apart", "clean")


@dataclass(frozen=True)
class SegmentOptions:
    """How a corpus becomes tokens, and which of them the vocabulary keeps.

    What does not apply to `by` is ignored and not shown; `applies` tells.
    """

    by: str = option(
        "characters", msg("Segmenter"), msg("What a token is"),
        choices=("characters", *OF_WORDS, *SUBWORD),
    )  # fmt: skip
    mode: str = option(
        "accurate", msg("jieba mode"),
        msg("accurate covers the text once; full and search let words overlap"),
        choices=("accurate", "full", "search"),
    )  # fmt: skip
    hmm: bool = option(
        True, msg("New words"), msg("Let jieba guess words that its dictionary lacks (HMM)")
    )
    pieces: int = option(
        8000, msg("Pieces"), msg("Size of the vocabulary that is learnt from the train part"),
        low=16, high=1_000_000,
    )  # fmt: skip
    sentences: str = option(
        "auto", msg("Ends of sentences"),
        msg("Where a sentence ends: at the end of a line, or at 。！？ too; auto asks the corpus"),
        choices=("auto", "line", "punctuation"),
    )  # fmt: skip
    min_count: int = option(
        1, msg("Minimum count"), msg("Rarer types of the train part become unknown"),
        low=1, high=1_000_000,
    )  # fmt: skip
    max_size: int = option(
        0, msg("Most types"), msg("Only so many types are kept, frequent ones first; 0: all"),
        low=0, high=100_000_000, more=True,
    )  # fmt: skip
    unknown: str = option(
        "unk", msg("Unknown words"),
        msg("unk: one unknown token each; characters: cut into their characters first"),
        choices=("unk", "characters"), more=True,
    )  # fmt: skip
    lower: bool = option(
        False, msg("Lower case"), msg("Take A for a before cutting"), more=True,
    )  # fmt: skip
    strip_accents: bool = option(
        False, msg("Strip accents"), msg("Take é for e before cutting"), more=True,
    )  # fmt: skip
    han_apart: bool = option(
        True, msg("Chinese apart"), msg("Each Chinese character is a word, as in BERT"), more=True,
    )  # fmt: skip
    clean: bool = option(
        False, msg("Clean"), msg("Drop control and zero-width characters, as BERT does"), more=True,
    )  # fmt: skip
    special: str = option(
        "", msg("Special tokens"),
        msg("Kept whole and always in the vocabulary, such as [MASK]; separated by spaces"),
        more=True,
    )  # fmt: skip

    @property
    def overlapping(self) -> bool:
        """Whether tokens cover the text more than once."""
        return self.by == "jieba" and self.mode != "accurate"

    @property
    def folds(self) -> bool:
        """Whether pieces are learnt from less than the text."""
        applied = applies(self.by)
        return any(getattr(self, name) for name in ("lower", "strip_accents", "clean")
                   if name in applied)  # fmt: skip

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The words of `special`, each once."""
        return tuple(dict.fromkeys(self.special.split()))


def applies(by: str, tokenizer: str = "") -> tuple[str, ...]:
    """Names of the options, besides `by`, that segmenter `by` heeds.

    `tokenizer` is the name of a file of pieces where one is loaded: then nothing is learnt, and
    all but a vocab.txt brings its own cleaning.
    """
    names = _APPLIES[by]
    if tokenizer:
        names = tuple(name for name in names if name not in _LEARNT)
    if tokenizer.endswith(".json"):
        names = tuple(name for name in names if name not in _CLEANING)
    return names
