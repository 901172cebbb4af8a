"""A run of single characters into words that no dictionary has: jieba's hidden Markov model.

Characters begin (B), continue (M) or end (E) a word, or are one (S); the likeliest states are
found by the Viterbi algorithm. It adds and compares in jieba's order, so it decides as jieba does
to the last bit, some ten times faster.
"""

from operator import add
from typing import Any

_STATES = ("B", "M", "E", "S")
_NEVER = -3.14e100  # jieba's logarithm of zero

Scores = tuple[float, ...]  # of B, M, E, S
_NOWHERE: Scores = (_NEVER,) * 4


class NewWords:
    """The model of `jieba.finalseg`."""

    def __init__(self, tables: Any) -> None:
        """`tables` is the module: start_P, trans_P and emit_P, natural logarithms."""
        emit = tables.emit_P
        characters = set().union(*emit.values())
        self._emit: dict[str, Scores] = {
            c: tuple(emit[state].get(c, _NEVER) for state in _STATES) for c in characters
        }
        self._start = tuple(tables.start_P[state] for state in _STATES)
        moves = ("EB", "SB", "BM", "MM", "BE", "ME", "ES", "SS")
        self._moves = tuple(tables.trans_P[move[0]][move[1]] for move in moves)

    def cut(self, run: str) -> list[str]:
        """The words of a run of at least one character."""
        words, end = [], len(run)
        states = self._states(run)
        for position in range(len(run) - 1, 0, -1):
            if states[position - 1] in "ES":
                words.append(run[position:end])
                end = position
        words.append(run[:end])
        return words[::-1]

    def _states(self, run: str) -> list[str]:
        """The likeliest state of each character."""
        eb, sb, bm, mm, be, me, es, ss = self._moves
        emit = [self._emit.get(character, _NOWHERE) for character in run]
        b, m, e, s = map(add, self._start, emit[0])
        came_from: list[dict[str, str]] = []
        for to_b, to_m, to_e, to_s in emit[1:]:
            from_e, from_s = e + eb + to_b, s + sb + to_b
            from_b, from_m = b + bm + to_m, m + mm + to_m
            b_to_e, m_to_e = b + be + to_e, m + me + to_e
            e_to_s, s_to_s = e + es + to_s, s + ss + to_s
            came_from.append(
                {
                    "B": "E" if from_e > from_s else "S",
                    "M": "B" if from_b > from_m else "M",
                    "E": "B" if b_to_e > m_to_e else "M",
                    "S": "E" if e_to_s > s_to_s else "S",
                }
            )
            b = from_e if from_e > from_s else from_s
            m = from_b if from_b > from_m else from_m
            e = b_to_e if b_to_e > m_to_e else m_to_e
            s = e_to_s if e_to_s > s_to_s else s_to_s
        states = ["E" if e > s else "S"]
        for step in reversed(came_from):
            states.append(step[states[-1]])
        return states[::-1]
