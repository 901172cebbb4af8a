"""A model that has read a beginning -> the likeliest texts that it could go on with: beam search.

At each step the `beam` best beginnings are kept of all that are one token longer. What has ended
is ranked by ln p / ((5 + tokens) / 6) ** a, as in Wu et al. 2016, "Google's neural machine
translation system", equation 14. Nothing is drawn, and p is the model's own. It ends when nothing
that goes on could still be better than what has ended.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.sampled_texts import end_of
from lmstudio.analysis.generation.sampling import ranked
from lmstudio.analysis.generation.token import Continuation, Line
from lmstudio.data.layout import UNK
from lmstudio.models.reading import Reading


@dataclass
class _Beam:
    """A beginning, and the row of the reading that has read it."""

    line: Line
    log_p: float
    row: int


class BeamTexts:
    """The `options.count` best texts of one model; which they are shows when all have ended."""

    def __init__(
        self, reading: Reading, line: Line, options: GenerationOptions, kept: Sequence[int] = ()
    ) -> None:
        """`line` is copied; all texts begin with the ids `kept`."""
        self._reading, self._options, self._kept = reading, options, list(kept)
        self._going = [_Beam(line.copy(), 0.0, 0)]
        self._ended: list[Continuation] = []
        self._steps = 0
        self._nothing = [line.continuation("undefined")]  # where p is not defined

    @property
    def done(self) -> bool:
        """Whether nothing better can be found."""
        if not self._going:
            return True
        if len(self._ended) < self._options.beam:
            return False
        worst = sorted((text.score for text in self._ended), reverse=True)[self._options.beam - 1]
        most = max(beam.log_p for beam in self._going)
        return worst >= self._score(most, self._options.length)

    def step(self) -> None:
        """Make each beginning a token longer."""
        self._steps += 1
        probs = self._reading.probs()
        going = []
        for beam, number in self._best(probs):
            line = beam.line.copy()
            line.add(number, probs[beam.row], 1.0)
            longer = _Beam(line, beam.log_p + float(np.log(probs[beam.row][number])), beam.row)
            end, cut = end_of(line, self._options)
            if end:
                score = self._score(longer.log_p, len(line.tokens))
                self._ended.append(line.continuation(end, cut, score))
            else:
                going.append(longer)
        self._going = going[: self._options.beam]
        if self._going:
            ids = [beam.line.tokens[-1].id for beam in self._going]
            self._reading.read([beam.row for beam in self._going], ids)
            for row, beam in enumerate(self._going):
                beam.row = row

    def _best(self, probs: np.ndarray) -> list[tuple[_Beam, int]]:
        """The best beginnings with a token more; twice as many as are kept, for some end there."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.nan_to_num(probs, nan=0.0))  # (B, rows)
        place = len(self._going[0].line.tokens)
        if place < len(self._kept):
            logs[:, np.arange(logs.shape[1]) != self._kept[place]] = -np.inf
        elif not self._options.unknown:
            logs[:, UNK] = -np.inf
        totals = (logs[[beam.row for beam in self._going]].T
                  + [beam.log_p for beam in self._going]).T.flatten()  # fmt: skip
        best = ranked(totals, 2 * self._options.beam).tolist()
        rows = logs.shape[1]
        return [(self._going[place // rows], place % rows) for place in best
                if totals[place] > -np.inf]  # fmt: skip

    def _score(self, log_p: float, tokens: int) -> float:
        return log_p / ((5 + tokens) / 6) ** self._options.length_penalty

    @property
    def written(self) -> int:
        """Tokens of the longest beginning, for each beam."""
        return self._steps * self._options.beam

    def texts(self, *, whole: bool = True) -> list[Continuation]:
        """The best until now, those that have ended first."""
        ended = sorted(self._ended, key=lambda text: -text.score)
        going = [
            beam.line.continuation("", None, self._score(beam.log_p, len(beam.line.tokens)))
            for beam in self._going
        ]
        return (ended or going or self._nothing)[: self._options.count]
