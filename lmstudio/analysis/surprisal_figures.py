"""Scored sentences in; perplexities of every accounting, and bits by word and by character, out.

By token, an unknown one is the event `<unk>`, as in every perplexity. Where runs are compared, by
word or by character, its spelling is paid for as well: see "Perplexity on one axis" in the design.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.perplexity import pooled_perplexity
from lmstudio.analysis.surprisal import PSEUDO, Kind, Scored
from lmstudio.data.layout import EOS, SPECIALS, UNK
from lmstudio.data.token_preview import Piece

_LN2 = math.log(2)


@dataclass(frozen=True)
class Figures:
    """Of one sentence or of several together. `<s>` is no event; NaN where nothing was scored.

    One event of probability 0 makes the whole impossible, whatever stands beside it.
    """

    kind: Kind
    events: int  # the tokens and, unless the kind is pseudo, the ends
    tokens: int
    unknown: int  # of the tokens; scored as `<unk>`
    zero: int  # events of probability 0
    undefined: int  # events without a probability: with one and none of 0, sums are NaN
    nats: float  # -ln p of all events
    perplexity: float  # over all events
    without_end: float  # over the tokens
    without_unknown: float  # over the events that are not `<unk>`
    without_both: float
    characters: int
    spelling_bits: float

    @property
    def bits(self) -> float:
        """-log2 p of all events, unknown tokens as `<unk>`."""
        return self.nats / _LN2

    @property
    def text_bits(self) -> float:
        """-log2 p of the text itself: unknown tokens are spelled."""
        return self.bits + self.spelling_bits

    @property
    def bits_per_character(self) -> float:
        """Of the text; NaN where it has no characters."""
        return self.text_bits / self.characters if self.characters else math.nan

    @property
    def pseudo(self) -> bool:
        """Both sides of each token were seen: no probability of a text."""
        return self.kind in PSEUDO


def figures(sentences: Sequence[Scored], kind: Kind) -> Figures:
    """All of them together: the sums are pooled, never means of means."""
    none = np.empty(0)
    nats = -np.concatenate([none, *(sentence.logprobs[kind] for sentence in sentences)])
    is_token = np.concatenate([none, *(
        np.arange(len(s.logprobs[kind])) < len(s.pieces) for s in sentences
    )]).astype(bool)  # fmt: skip
    unknown = np.zeros(len(nats), bool)
    unknown[is_token] = [piece.id == UNK for s in sentences for piece in s.pieces]
    return Figures(
        kind, len(nats), int(is_token.sum()), int(unknown.sum()), int(np.isposinf(nats).sum()),
        int(np.isnan(nats).sum()), _sum(nats), _perplexity(nats), _perplexity(nats[is_token]),
        _perplexity(nats[~unknown]), _perplexity(nats[is_token & ~unknown]),
        sum(s.characters for s in sentences), math.fsum(float(s.spelling.sum()) for s in sentences),
    )  # fmt: skip


def _sum(nats: np.ndarray) -> float:
    return math.inf if np.isposinf(nats).any() else math.fsum(nats)


def _perplexity(nats: np.ndarray) -> float:
    total = _sum(nats) if len(nats) else math.nan
    return total if math.isnan(total) else pooled_perplexity([total], [len(nats)])


def token_bits(sentence: Scored, kind: Kind) -> np.ndarray:
    """(T,) surprisal of each token, of an unknown one as `<unk>`."""
    logs: np.ndarray = sentence.logprobs[kind][: len(sentence.pieces)]
    return 0.0 - logs / _LN2


def end_bits(sentence: Scored, kind: Kind) -> float | None:
    """Surprisal of the sentence's end; None where that is no event."""
    logs = sentence.logprobs[kind]
    return float(0.0 - logs[-1] / _LN2) if len(logs) > len(sentence.pieces) else None


def word_bits(sentence: Scored, kind: Kind, *, spelled: bool = True) -> np.ndarray:
    """(W,) surprisal summed over the tokens that begin in each word."""
    bits = token_bits(sentence, kind) + (sentence.spelling if spelled else 0.0)
    found = np.zeros(len(sentence.words))
    np.add.at(found, sentence.word_of, bits)
    found[sentence.word_of[np.isposinf(bits)]] = np.inf  # also beside what is undefined
    return found


def character_bits(sentence: Scored, kind: Kind) -> np.ndarray:
    """(code points,) a token's surprisal spread evenly over its characters; NaN where none stands.

    White space has a share only in a token of nothing else.
    """
    text, bits = sentence.text, token_bits(sentence, kind) + sentence.spelling
    found = np.full(len(text), np.nan)
    for piece, own in zip(sentence.pieces, bits.tolist(), strict=True):
        span = range(piece.start, piece.end)
        places = [place for place in span if not text[place].isspace()] or list(span)
        for place in places:
            before = 0.0 if math.isnan(found[place]) else found[place]
            found[place] = before + own / len(places)
    return found


@dataclass(frozen=True)
class Event:
    """One scored event of a sentence: a token, or its end."""

    token: str  # what stands there; "</s>" at the end
    piece: str  # its type in the vocabulary
    start: int  # code points of the sentence
    end: int
    probability: float  # NaN where none is defined
    logprob: float  # natural
    bits: float
    spelling: float  # bits that an unknown one costs besides
    unknown: bool
    order: int | None  # of the n-gram that answered; None of other models
    paid: float | None  # the product of the back-off weights


def events(sentence: Scored, kind: Kind, first: int = 0, last: int | None = None) -> list[Event]:
    """All events in order, or those from `first` on before `last`; their log p add up to the
    sentence's."""
    logs, told, mark = sentence.logprobs[kind], sentence.origin, SPECIALS[EOS]
    end = Piece(len(sentence.text), len(sentence.text), mark, mark, EOS, False)
    made = []
    for place in range(first, len(logs) if last is None else min(last, len(logs))):
        piece = sentence.pieces[place] if place < len(sentence.pieces) else end
        logp = float(logs[place])
        made.append(Event(
            piece.text, piece.piece, piece.start, piece.end, math.exp(logp), logp,
            0.0 - logp / _LN2, 0.0 if piece is end else float(sentence.spelling[place]),
            piece.unknown, int(told.orders[place]) if told else None,
            float(told.paid[place]) if told else None,
        ))  # fmt: skip
    return made


def event(sentence: Scored, kind: Kind, number: int) -> Event:
    """One of the events."""
    return events(sentence, kind, number, number + 1)[0]


def ranks(totals: Sequence[float]) -> list[int]:
    """1 for the least surprising, equal ones alike; what has no figure comes last, behind the
    impossible."""
    known = [total for total in totals if not math.isnan(total)]
    return [
        1 + len(known) if math.isnan(total) else
        1 + sum(one < total and not math.isclose(one, total, rel_tol=1e-9) for one in known)
        for total in totals
    ]  # fmt: skip
