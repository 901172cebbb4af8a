"""A hole in a sentence of ids into words for it with their probabilities: one way for each family.

A word of m ids is guessed id by id from the left, and its probability is the product; the likeliest
beginnings are gone on with, and the true one always. Neither end of a sentence fills a hole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.fill.sentence import Hole
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.models.base import BothSidesModel, CountingModel, LanguageModel, ReadingModel

BEGINNINGS = 24
"""Of words of several ids: so many are gone on with."""
SMALL = 4096
"""Words of one id: of so many at most a network that reads from the left scores all."""
RESCORED = 512
"""Candidates that it scores with both sides where there are more; rows that it reads at once."""
FREQUENT = 128
"""Of these, those that are named for being frequent rather than by what stands before."""
NEAR = 12
"""Tokens after the blank that a network without a window scores: those further away hardly tell
words apart."""
FULLY = 48
"""Of candidates, the best that are scored with all of these tokens, the others with the next one:
all of a small vocabulary are where a window ends what can tell them apart."""
LISTED = 200
"""Candidates that are handed back."""

_Following = Callable[[np.ndarray], np.ndarray]
"""Words (B, k) -> (B, rows) p of each id after them."""


@dataclass(frozen=True)
class Context:
    """What a hole is filled from."""

    ids: np.ndarray  # (T,) int64
    hidden: np.ndarray  # (T,) bool: not to be looked at; the hole itself is hidden
    hole: Hole

    @property
    def left(self) -> np.ndarray:
        """Ids before the hole; what is hidden there counts as unknown."""
        return np.where(self.hidden, UNK, self.ids)[: self.hole.first]

    @property
    def right(self) -> np.ndarray:
        """Ids after the hole up to the next one, or with the end of the sentence."""
        gaps = np.flatnonzero(self.hidden[self.hole.end :])
        after = np.append(self.ids[self.hole.end :], EOS)
        return after[: gaps[0]] if len(gaps) else after

    def beginning(self, size: int) -> np.ndarray | None:
        """The first ids of the truth."""
        return None if self.hole.truth is None else self.hole.truth[:size]


@dataclass(frozen=True)
class Found:
    """Candidates of a hole of m ids."""

    words: np.ndarray  # (N, m) the likeliest first, LISTED at most
    probs: np.ndarray  # (N,) float64
    truth: float  # p of the truth, NaN where there is none
    rank: int  # of the truth, 0 where there is none
    least: bool  # nobody named the truth, so that others not scored may be likelier as well
    scored: int
    unscored: float  # mass of what was not scored, 0 to 1


@dataclass(frozen=True)
class _Table:
    """p (B, rows) of the words that go on from B beginnings by an id each."""

    beginnings: np.ndarray  # (B, m - 1)
    probs: np.ndarray

    def listed(self) -> tuple[np.ndarray, np.ndarray]:
        """(N, m) the likeliest words and (N,) their p; the first of equals first."""
        flat = self.probs.ravel()
        most = min(LISTED, int((flat > 0).sum()))
        chosen = np.argpartition(-flat, most - 1)[:most] if most else np.empty(0, np.int64)
        chosen = np.sort(chosen)
        chosen = chosen[np.argsort(-flat[chosen], kind="stable")]
        return self.words(chosen), flat[chosen]

    def words(self, places: np.ndarray) -> np.ndarray:
        """(N, m) the words at places of the flat table."""
        row, number = np.divmod(places, self.probs.shape[1])
        return np.concatenate([self.beginnings[row], number[:, None]], axis=1)

    def place(self, word: np.ndarray) -> int:
        """Where one of its words stands in the flat table."""
        row = np.flatnonzero((self.beginnings == word[:-1]).all(axis=1))[0]
        return int(row * self.probs.shape[1] + word[-1])


def search(
    model: LanguageModel, context: Context, unigrams: np.ndarray, reach: int, *,
    windowed: bool = False,
) -> Found:  # fmt: skip
    """Fill a hole. `unigrams` (rows,) are counts; `reach`: so many tokens after it matter.

    `windowed`: what stands behind them cannot see the hole at all.
    """
    if hasattr(model, "fill_rows"):
        return _from_both_sides(cast(BothSidesModel, model), context)
    if hasattr(model, "fill_logs"):
        return _by_counting(cast(CountingModel, model), context)
    reading = cast(ReadingModel, model)
    return _by_reading(reading, context, unigrams, reach, windowed=windowed)


def _from_both_sides(model: BothSidesModel, context: Context) -> Found:
    """As the model has learned to."""
    hole, hidden = context.hole, context.hidden.copy()

    def following(words: np.ndarray) -> np.ndarray:
        ids = np.repeat(context.ids[None], len(words), axis=0)
        place = hole.first + words.shape[1]
        ids[:, hole.first : place] = words
        hidden[hole.first : place] = False
        return model.fill_rows(ids, hidden, place)

    begun = _begun(following, context)
    table = _Table(begun.words, begun.probs[:, None] * following(begun.words))
    return _found(table, context, scored=table.probs.size, unscored=1 - begun.probs.sum(),
                  missed=begun.missed)  # fmt: skip


def _by_counting(model: CountingModel, context: Context) -> Found:
    """Each word of one id, and each last id, is scored with all that it touches."""
    left, right = context.left, context.right
    begun = _begun(_after(model, left), context)
    logs = np.stack([model.fill_logs(np.concatenate([left, word]), right) for word in begun.words])
    logs[:, EOS] = -np.inf
    with np.errstate(divide="ignore"):
        logs += np.log(begun.probs)[:, None]
    table = _Table(begun.words, _shares(logs) * begun.probs.sum())
    return _found(table, context, scored=table.probs.size, unscored=1 - begun.probs.sum(),
                  missed=float(begun.added))  # fmt: skip


def _by_reading(
    model: ReadingModel, context: Context, unigrams: np.ndarray, reach: int, *, windowed: bool
) -> Found:
    """All words, or candidates named by what stands before and frequent ones, with both sides.

    With the next token first; what the best get of that is shared out among them again by all
    tokens.
    """
    left, right = context.left, context.right[:reach]
    after = _after(model, left)
    begun = _begun(after, context)
    named = _Table(begun.words, begun.probs[:, None] * after(begun.words))
    places, forced = _named(named, context, unigrams)
    whole = len(right) <= 1 or (windowed and len(unigrams) <= SMALL)
    logs = _read(model, left, named.words(places), right if whole else right[:1])
    shares = _shares(logs)
    if not whole and shares.any():
        best = np.argsort(-shares, kind="stable")[:FULLY]
        logs = _read(model, left, named.words(places[best]), right)
        shares[best] = _shares(logs) * shares[best].sum()
    mass = named.probs.ravel()[places].sum()
    probs = np.zeros(named.probs.shape)
    probs.ravel()[places] = shares * mass
    return _found(_Table(begun.words, probs), context, scored=len(places), unscored=1 - mass,
                  missed=float(forced or begun.added))  # fmt: skip


def _read(
    model: ReadingModel, left: np.ndarray, words: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """(N,) ln p of words (N, m) and what stands after them."""
    rows = np.concatenate([words, np.broadcast_to(right, (len(words), len(right)))], axis=1)
    found = [model.continuations(left, rows[first : first + RESCORED]).sum(1)
             for first in range(0, len(rows), RESCORED)]  # fmt: skip
    return np.concatenate(found) if found else np.empty(0)


def _named(
    table: _Table, context: Context, unigrams: np.ndarray
) -> tuple[np.ndarray, bool]:  # fmt: skip
    """Places in the flat table of what is to be scored, and whether the truth had to be added."""
    flat, one = table.probs.ravel(), context.hole.size == 1
    fit = np.flatnonzero(flat > 0)
    if len(fit) <= (SMALL if one else RESCORED):
        return fit, False
    by_left = RESCORED - FREQUENT if one else RESCORED
    chosen = np.zeros(len(flat), bool)
    chosen[np.argpartition(-flat, by_left)[:by_left]] = True
    if one:
        frequent = fit[np.argsort(-unigrams[fit], kind="stable")]
        chosen[frequent[~chosen[frequent]][:FREQUENT]] = True
    forced = False
    if (truth := context.hole.truth) is not None:
        place = table.place(truth)
        forced = not chosen[place]
        chosen[place] = True
    return np.flatnonzero(chosen), forced


# --- words of several ids ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Begun:
    """B beginnings of a word, all but its last id."""

    words: np.ndarray  # (B, m - 1)
    probs: np.ndarray  # (B,)
    missed: float  # the largest p of those left out
    added: bool  # that of the truth was not among the likeliest


def _begun(following: _Following, context: Context) -> _Begun:
    """The likeliest beginnings, and that of the truth."""
    words, probs = np.empty((1, 0), np.int64), np.ones(1)
    missed, added = 0.0, False
    for size in range(1, context.hole.size):
        table = _Table(words, probs[:, None] * following(words))
        flat = table.probs.ravel()
        some = min(BEGINNINGS, len(flat) - 1)
        order = np.argpartition(-flat, some)
        chosen = order[:some]
        truth = context.beginning(size)
        if truth is not None and not (table.words(chosen) == truth).all(axis=1).any():
            chosen = np.append(chosen, table.place(truth))
            added = True
        missed = max(missed, float(flat[order[some]]))
        words, probs = table.words(chosen), flat[chosen]
    return _Begun(words, probs, missed, added)


def _after(model: LanguageModel, left: np.ndarray) -> _Following:
    """p of what follows `left` and some words, of what can stand within a sentence."""

    def following(words: np.ndarray) -> np.ndarray:
        probs = np.stack([model.next_probs(np.concatenate([left, word])) for word in words])
        probs = np.nan_to_num(probs)
        probs[:, [BOS, EOS]] = 0.0
        sums = probs.sum(1, keepdims=True)
        return np.divide(probs, sums, out=probs, where=sums > 0)

    return following


# --- probabilities -------------------------------------------------------------------------------


def _shares(logs: np.ndarray) -> np.ndarray:
    """exp of logs, made to sum to 1 over all of them; 0 where nothing is possible."""
    most = logs.max(initial=-np.inf)
    if most == -np.inf:
        return np.zeros(logs.shape)
    shares = np.exp(logs - most)
    return shares / shares.sum()


def _found(
    table: _Table, context: Context, *, scored: int, unscored: float, missed: float
) -> Found:  # fmt: skip
    """`missed`: nothing that was not scored has a larger p."""
    words, probs = table.listed()
    truth, rank, least = np.nan, 0, False
    if context.hole.truth is not None:
        flat, place = table.probs.ravel(), table.place(context.hole.truth)
        truth = float(flat[place])
        before = int((flat > truth).sum()) + int((flat[:place] == truth).sum())
        rank, least = 1 + before, missed > truth
    rest = min(max(float(unscored), 0.0), 1.0)
    return Found(words, probs, truth, rank, least, scored, rest if rest > 1e-9 else 0.0)
