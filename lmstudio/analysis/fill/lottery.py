"""A typed sentence in; which of its tokens BERT would be asked for in training, once drawn, out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lmstudio.analysis.fill.words import cut
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.masking import Masking
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job

Fate = Literal["open", "masked", "random", "kept"]
"""What becomes of a token: it is not asked for; or it is, and is hidden, swapped, or left."""


@dataclass(frozen=True)
class DrawnToken:
    """A token of the sentence and what the lot has made of it."""

    text: str  # as it stands there
    shown: str  # what the model reads
    fate: Fate


@dataclass(frozen=True)
class Lottery:
    """One drawing for a sentence."""

    tokens: tuple[DrawnToken, ...]

    def count(self, fate: Fate) -> int:
        """Tokens of a fate."""
        return sum(token.fate == fate for token in self.tokens)

    @property
    def chosen(self) -> int:
        """Tokens that are asked for."""
        return len(self.tokens) - self.count("open")


def lottery(
    segmentation: Path, plan: CutPlan, text: str, seed: int, *, share: float = 0.15,
    whole_words: bool = False, job: Job,
) -> Lottery:  # fmt: skip
    """Draw as data.masking does for the sentence `<s> text </s>`; another seed, another lot.

    A token that is swapped for itself counts as kept. AppError for a text without tokens.
    """
    vocabulary = Vocabulary.load(segmentation)
    pieces, words = cut(segmentation, plan, text, job=job)
    if not pieces:
        raise AppError("There is no token in this text. Type some words.")
    masking, rng = Masking(vocabulary.rows, share), np.random.default_rng(seed)
    ids = np.array([BOS, *(piece.id for piece in pieces), EOS])
    inner = np.ones(len(ids), bool)
    inner[[0, -1]] = False
    starts = {word.start for word in words}
    begins = np.array([True, *(piece.start in starts for piece in pieces), True])
    chosen = masking.choose(np.zeros(len(ids), int), inner, begins if whole_words else None, rng)
    read = masking.hide(ids, chosen, rng)
    types = [*vocabulary.types, "[MASK]"]
    return Lottery(tuple(
        DrawnToken(piece.text, types[shown] if shown != piece.id else piece.text,
                   _fate(chose, shown, piece.id, masking.mask))
        for piece, chose, shown in zip(pieces, chosen[1:-1].tolist(), read[1:-1].tolist(),
                                       strict=True)
    ))  # fmt: skip


def _fate(chosen: bool, shown: int, true: int, mask: int) -> Fate:
    if not chosen:
        return "open"
    if shown == true:
        return "kept"
    return "masked" if shown == mask else "random"
