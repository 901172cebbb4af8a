"""A training text in; how often single n-grams stand in it, out: for formulas with their counts."""

from collections.abc import Sequence

import numpy as np

from lmstudio.data.layout import BOS


class Occurrences:
    """Looks n-grams up by reading the text, which needs no table of them all."""

    def __init__(self, stream: np.ndarray) -> None:
        """`<s> w ... </s> <s> ...`."""
        self._stream = stream
        self._ends: dict[int, np.ndarray] = {}
        self.events = int((stream != BOS).sum())

    def of(self, gram: Sequence[int]) -> int:
        """How often it occurs; the events, where it is empty."""
        if not len(gram):
            return self.events
        *before, last = gram
        if last not in self._ends:
            self._ends[last] = np.flatnonzero(self._stream == last)
        places = self._ends[last]
        for reach, word in enumerate(reversed(before), 1):
            places = places[places >= reach]
            places = places[self._stream[places - reach] == word]
        return len(places)
