"""What a trained model can be asked; see Capabilities in the design."""

from typing import Literal, Protocol

import numpy as np


class LanguageModel(Protocol):
    """A left-to-right model over the ids of one vocabulary."""

    context: Literal["sentence", "document"]  # what it may see before a token

    @property
    def proper(self) -> bool:
        """Whether its figures are probabilities."""
        ...

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """Natural log p of every scored event of `<s> w ... </s> <s> ...` (int32), in order.

        float64, one for each position of the stream that is not `<s>`; -inf where p is zero.
        """
        ...

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """(rows,) p of each id after `prefix` (ids after `<s>`); sums to 1, `<s>` has 0.

        All NaN where the model defines no distribution (maximum likelihood, unseen context).
        """
        ...
