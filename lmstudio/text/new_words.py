"""Runs of single characters into words that no dictionary has: jieba's hidden Markov model.

Characters begin (B), continue (M) or end (E) a word, or are one (S); the likeliest states are
found by the Viterbi algorithm, for all runs of a text at once. It adds and compares in jieba's
order, so it decides as jieba does to the last bit.
"""

from typing import Any

import numpy as np

_STATES = "BMES"
_B, _M, _E, _S = range(4)
_NEVER = -3.14e100  # jieba's logarithm of zero
_LAST = 0x9FD5  # no character above has a probability
_FORMER = np.array([
    [(_E, _S)[step & 1], (_B, _M)[step >> 1 & 1], (_B, _M)[step >> 2 & 1], (_E, _S)[step >> 3]]
    for step in range(16)
], np.uint8)  # fmt: skip
"""(16, 4): by step and state the state before. E or S precede B and S, B or M precede M and E."""


class NewWords:
    """The model of `jieba.finalseg`."""

    def __init__(self, tables: Any) -> None:
        """`tables` is the module: start_P, trans_P and emit_P, natural logarithms."""
        self._emit = np.full((4, _LAST + 1), _NEVER)
        for row, state in zip(self._emit, _STATES, strict=True):
            codes = [ord(character) for character in tables.emit_P[state]]
            row[codes] = list(tables.emit_P[state].values())
        self._start = [tables.start_P[state] for state in _STATES]
        moves = ("EB", "SB", "BM", "MM", "BE", "ME", "ES", "SS")
        self._moves = [tables.trans_P[move[0]][move[1]] for move in moves]

    def ends(self, codes: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """(N,) bool: after which characters a word ends.

        `codes` (N,) are the code points of all runs, one after the other, up to U+9FD5; `lengths`
        (R,) how many belong to each run.
        """
        order = np.argsort(-lengths, kind="stable")  # so that the runs still going come first
        first = (np.cumsum(lengths) - lengths)[order]
        lengths = lengths[order]
        going = [int(n) for n in np.searchsorted(-lengths, -np.arange(lengths[0] + 1))]
        steps, state = self._best_steps(self._emit[:, codes], first, going)
        ends = np.zeros(len(codes), bool)
        ends[first + lengths - 1] = True
        for t in range(len(going) - 2, 0, -1):
            n = going[t]
            at = first[:n] + t
            state[:n] = _FORMER[steps[at], state[:n]]
            ends[at - 1] = state[:n] >= _E
        return ends

    def _best_steps(
        self, emit: np.ndarray, first: np.ndarray, going: list[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each character whence its states are best reached, and the last state of each run.

        A step has a bit for each state that is reached from the second of the two that may precede
        it; they win ties. `going[t]` runs have more than t characters.
        """
        eb, sb, bm, mm, be, me, es, ss = self._moves
        b, m, e, s = (start + row[first] for start, row in zip(self._start, emit, strict=True))
        steps = np.zeros(emit.shape[1], np.uint8)
        for t in range(1, len(going) - 1):
            n = going[t]
            at = first[:n] + t
            to_b, to_m, to_e, to_s = emit[:, at]
            old_b, old_m, old_e, old_s = b[:n], m[:n], e[:n], s[:n]
            pairs = (
                (old_e + eb + to_b, old_s + sb + to_b),
                (old_b + bm + to_m, old_m + mm + to_m),
                (old_b + be + to_e, old_m + me + to_e),
                (old_e + es + to_s, old_s + ss + to_s),
            )
            for bit, (one, other) in enumerate(pairs):
                steps[at] |= (one <= other).astype(np.uint8) << bit
            b[:n], m[:n], e[:n], s[:n] = (np.maximum(one, other) for one, other in pairs)
        return steps, np.where(e > s, _E, _S)
