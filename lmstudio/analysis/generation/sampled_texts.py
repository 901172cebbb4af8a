"""A model that has read a beginning -> texts that it goes on with, each token drawn by luck."""

from collections.abc import Sequence

import numpy as np

from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.sampling import drawn, shares
from lmstudio.analysis.generation.token import Continuation, End, Line
from lmstudio.models.reading import Reading


class SampledTexts:
    """`options.count` texts of one model, a token each at every step.

    Text n draws from the random numbers of (seed, n): it is the same however many there are.
    """

    def __init__(
        self, reading: Reading, line: Line, options: GenerationOptions, kept: Sequence[int] = ()
    ) -> None:
        """`line` is copied; all texts begin with the ids `kept`."""
        self._reading, self._options, self._kept = reading, options, list(kept)
        self._lines = [line.copy() for _ in range(options.count)]
        self._cut: list[int | None] = [None] * options.count  # where a text is stopped
        self._ends: list[End] = [""] * options.count
        self._luck = [np.random.default_rng([options.seed, n]) for n in range(options.count)]
        self._rows = [0] * options.count  # of the reading

    @property
    def done(self) -> bool:
        """Whether all texts have ended."""
        return "" not in self._ends

    def step(self) -> None:
        """Write a token of each text that goes on."""
        probs = self._reading.probs()
        for number in self._going:
            self._write(number, probs[self._rows[number]])
        going = self._going
        if going:
            ids = [self._lines[number].tokens[-1].id for number in going]
            self._reading.read([self._rows[number] for number in going], ids)
            for row, number in enumerate(going):
                self._rows[number] = row

    @property
    def _going(self) -> list[int]:
        return [number for number, end in enumerate(self._ends) if not end]

    def _write(self, number: int, probs: np.ndarray) -> None:
        line, place = self._lines[number], len(self._lines[number].tokens)
        luck = self._luck[number].random()  # also for what is kept: the rest stays the same
        if place < len(self._kept):
            line.add(self._kept[place], probs, 1.0)
        else:
            share = shares(probs, self._options, line.seen)
            if not share.any():
                self._ends[number] = "undefined"
                return
            chosen = drawn(share, luck)
            line.add(chosen, probs, float(share[chosen]))
        self._ends[number], self._cut[number] = end_of(line, self._options)

    @property
    def written(self) -> int:
        """Tokens of all texts together."""
        return sum(len(line.tokens) for line in self._lines)

    def texts(self, *, whole: bool = True) -> list[Continuation]:
        """What is written until now; see `Line.continuation`."""
        parts = zip(self._lines, self._ends, self._cut, strict=True)
        return [line.continuation(end, cut, whole=whole) for line, end, cut in parts]


def end_of(line: Line, options: GenerationOptions) -> tuple[End, int | None]:
    """Why a text ends after its last token, "" where it goes on; and where it is to be cut."""
    place = line.stopped_at(options.stops)
    if place >= 0:
        return "stop", place
    if line.ends >= options.sentences:
        return "sentences", None
    return ("length", None) if len(line.tokens) >= options.length else ("", None)
