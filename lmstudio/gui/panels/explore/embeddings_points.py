"""Words with places, and what is marked among them, in; the Points of a ScatterMap out."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lmstudio.analysis.word_groups import Groups
from lmstudio.analysis.word_map import WordMap
from lmstudio.gui.widgets.scatter_layers import Points

MARKED = 20  # words found by a search that get a label


@dataclass
class Marks:
    """What stands out on a map, by word, so that it stays when the words are laid out anew."""

    word: str = ""  # the one chosen
    near: list[str] = field(default_factory=list)  # the nearest to it, by cosine
    wanted: str = ""  # what is searched for
    labels: dict[str, int] = field(default_factory=dict)  # the group of each word
    names: list[str] = field(default_factory=list)  # of the groups

    def take_groups(self, found: WordMap | None, groups: Groups | None) -> None:
        """Colour the words of a map by their groups, or not at all."""
        known = found is not None and groups is not None
        self.names = groups.names if known and groups else []
        self.labels = {}
        if found is not None and groups is not None:
            self.labels = dict(zip(found.words, groups.labels.tolist(), strict=True))

    def on(self, words: Sequence[str], places: np.ndarray, counts: np.ndarray) -> Points:
        """Words at their places (N, 2), with the marks that are among them."""
        at = {word: place for place, word in enumerate(words)}
        near = [at[word] for word in self.near if word in at]
        marked = [at[word] for word in words if self.wanted and self.wanted in word][:MARKED]
        labels = [self.labels.get(word, -1) for word in words] if self.names else []
        return Points(
            list(words), places, counts, np.array(labels, np.int64), self.names,
            at.get(self.word, -1), near, marked,
        )  # fmt: skip
