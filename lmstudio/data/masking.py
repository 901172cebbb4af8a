"""Tokens to the same with blanks: which are to be guessed, and what is shown in their places.

The rules are those of create_pretraining_data.py of Devlin et al. 2019 (BERT), with the masks of
whole words that its authors added later.
"""

from dataclasses import dataclass

import numpy as np

MASKED, KEPT = 0.8, 0.1  # shares of the chosen; the others become a random token
FIRST_WORD = 3  # ids of words come after those of <unk>, <s> and </s>


@dataclass(frozen=True)
class Masking:
    """How tokens of a vocabulary with `rows` ids are hidden; [MASK] is the id after them."""

    rows: int
    share: float = 0.15  # of an example's tokens, its marks counted, that are chosen
    random_from: str = "all"  # "all": any id, as published; "others": words, never the same one

    @property
    def mask(self) -> int:
        """The id of [MASK]."""
        return self.rows

    def counts(self, sizes: np.ndarray) -> np.ndarray:
        """How many tokens are chosen of examples with `sizes` tokens, marks included: one at least.

        So no example is without a target, however short (case D-1).
        """
        return np.maximum(1, np.rint(self.share * sizes)).astype(np.int64)

    def choose(
        self,
        examples: np.ndarray,
        open_: np.ndarray,
        begins: np.ndarray | None,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """(N,) bool: the tokens to be guessed.

        `examples` (N,) numbers the example of each token from 0 on, in order, -1 for padding;
        `open_` (N,) bool says which may be chosen: no marks; `begins` (N,) bool where a word
        begins, the tokens of which are chosen together; None: each alone.

        The words of an example are taken in random order while their tokens are within the count.
        The first is taken whatever its length: else a short sentence would only ever hide its
        short words.
        """
        places = np.flatnonzero(open_)
        example = examples[places]
        starts = np.diff(example, prepend=-1) != 0
        starts |= np.diff(places, prepend=-1) != 1  # a mark stands between
        starts |= True if begins is None else begins[places]
        word = np.cumsum(starts) - 1  # (n,)
        owner = example[starts]  # (W,)
        order = np.lexsort((rng.random(len(owner)), owner))  # at random within each example
        sizes = np.bincount(word, minlength=len(owner))[order]
        first = np.diff(owner, prepend=-1) != 0  # `owner` is sorted, before and after
        total = np.cumsum(sizes)
        total -= np.maximum.accumulate(np.where(first, total - sizes, 0))  # within the example
        limits = self.counts(np.bincount(examples[examples >= 0]))[owner]
        taken = np.empty(len(owner), bool)
        taken[order] = first | (total <= limits)
        chosen = np.zeros(len(examples), bool)
        chosen[places] = taken[word]
        return chosen

    def hide(self, ids: np.ndarray, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """`ids` as they are shown: of the chosen most are [MASK], some random, some as they are."""
        shown = ids.copy()
        places = np.flatnonzero(chosen)
        luck = rng.random(len(places))
        shown[places[luck < MASKED]] = self.mask
        replaced = places[luck >= MASKED + KEPT]
        shown[replaced] = self._random(ids[replaced], rng)
        return shown

    def _random(self, ids: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A random id in the place of each."""
        if self.random_from == "all":
            return rng.integers(self.rows + 1, size=len(ids))
        own = ids >= FIRST_WORD  # such a one is left out of the draw
        others = self.rows - FIRST_WORD - own
        drawn = FIRST_WORD + (rng.random(len(ids)) * others).astype(np.int64)
        drawn += own & (drawn >= ids)
        return np.where(others > 0, drawn, ids)
