"""Ids that a model chose -> tokens to be read, and the text they make."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lmstudio.analysis.generation.sampling import rank, ranked
from lmstudio.data.layout import BOS, EOS
from lmstudio.text.joining import Joiner

ALTERNATIVES = 8
"""Of each token that are kept beside it."""

TAIL = 200
"""Tokens at the end of a text that are shown while it grows."""

End = Literal["", "length", "sentences", "stop", "undefined", "stopped"]
"""Why a text ends where it does; "" while it goes on, "stopped" where somebody wanted it to."""


@dataclass(frozen=True)
class Candidate:
    """A token that could come next."""

    id: int
    piece: str  # its type
    p: float  # the model's own, whatever the options


@dataclass(frozen=True)
class Token:
    """A token that came next."""

    id: int
    piece: str
    text: str  # what it adds to the text, a space before it included
    p: float  # the model's own
    rank: int  # among all of the vocabulary by p, from 1
    share: float  # with which it was drawn; 1 where nothing was


@dataclass(frozen=True)
class Continuation:
    """A text that a model wrote after a prompt, or what is there of it."""

    tokens: tuple[Token, ...]
    text: str  # without what it was stopped at
    end: End
    log_p: float  # the sum of ln p of the tokens
    score: float  # what beams are ranked by: log_p, divided for its length
    alternatives: tuple[tuple[Candidate, ...], ...] = ()  # the likeliest in place of each token


def candidates(probs: np.ndarray, types: list[str], count: int) -> tuple[Candidate, ...]:
    """The likeliest tokens that have a probability; never <s>."""
    ids = [number for number in ranked(probs, count + 1).tolist() if number != BOS][:count]
    return tuple(Candidate(i, types[i], float(probs[i])) for i in ids if probs[i] > 0)


class Line:
    """A text that grows by a token at a time."""

    def __init__(self, types: list[str], joiner: Joiner, line_ends: bool) -> None:
        """`line_ends`: a sentence is a line here."""
        self.tokens: list[Token] = []
        self.alternatives: list[tuple[Candidate, ...]] = []
        self.seen: set[int] = set()  # ids among them
        self.text = ""
        self.ends = 0  # of sentences
        self._types, self._joiner, self._line_ends = types, joiner, line_ends

    @property
    def log_p(self) -> float:
        """The sum of ln p."""
        with np.errstate(divide="ignore"):
            return float(np.log([token.p for token in self.tokens]).sum())

    def add(self, number: int, probs: np.ndarray, share: float) -> Token:
        """Write an id that had `probs` (rows,) and was drawn with `share`."""
        if number == EOS:
            self.ends += 1
            text = self._joiner.end_line() if self._line_ends else ""
        else:
            text = self._joiner.add(self._types[number])
        place = rank(probs, number)
        token = Token(number, self._types[number], text, float(probs[number]), place, share)
        self.tokens.append(token)
        self.alternatives.append(candidates(probs, self._types, ALTERNATIVES))
        self.seen.add(number)
        self.text += text
        return token

    def copy(self) -> "Line":
        """One that goes on by itself."""
        made = Line(self._types, self._joiner.copy(), self._line_ends)
        made.tokens, made.alternatives = list(self.tokens), list(self.alternatives)
        made.seen, made.text, made.ends = set(self.seen), self.text, self.ends
        return made

    def continuation(
        self, end: End, cut: int | None = None, score: float | None = None, *, whole: bool = True
    ) -> Continuation:
        """What is written, up to character `cut`; else than `whole`, its end only.

        That comes without alternatives and sums.
        """
        if not whole:
            tokens = tuple(self.tokens[-TAIL:])
            return Continuation(tokens, "".join(token.text for token in tokens), end, 0.0, 0.0)
        score = self.log_p if score is None else score
        return Continuation(
            tuple(self.tokens), self.text[:cut], end, self.log_p, score, tuple(self.alternatives)
        )

    def stopped_at(self, stops: tuple[str, ...]) -> int:
        """Where the first of `stops` begins that the last token completes; -1: none."""
        before = len(self.text) - len(self.tokens[-1].text) if self.tokens else 0
        found = [self.text.find(stop, max(0, before - len(stop) + 1)) for stop in stops]
        return min((place for place in found if place >= 0), default=-1)
