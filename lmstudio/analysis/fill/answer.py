"""What a model says of the blanks of a question, as plain data."""

from dataclasses import dataclass

METHODS = ("exact", "rescored", "masked", "joint", "directions")
"""How blanks are filled: every word scored with both sides; candidates named from the left and
scored with both sides; learned so, all hidden at once; by both directions together; by the product
of two directions."""


@dataclass(frozen=True)
class Guess:
    """A word that may stand in a blank."""

    text: str
    probability: float  # of it there, given both sides
    known: bool = True  # False: some piece of it is unknown to the model


@dataclass(frozen=True)
class BlankAnswer:
    """What a model says of one blank."""

    guesses: tuple[Guess, ...]  # the likeliest first
    truth: Guess | None  # what stands there; None behind a mark
    rank: int  # of the truth, from 1; 0 behind a mark
    least: bool  # the rank is at least that: not all that might be likelier was scored
    pieces: int  # tokens of the model that the blank stands for
    scored: int  # candidates
    unscored: float  # 0 to 1: mass of what was no candidate
    left: int  # tokens that were looked at on this side of the blank
    right: int


@dataclass(frozen=True)
class Answer:
    """What a model says of all blanks of a question."""

    method: str  # one of METHODS
    blanks: tuple[BlankAnswer, ...]
    text: str  # the question's, with the likeliest word in each blank
    in_order: bool  # each blank knows the words put into those before it; else none does
    proper: bool  # False: made of scores that are no probabilities of a text
