"""A stream of ids in, slices of whole sentences out: the pieces in which it is scored."""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.layout import BOS


def pieces(stream: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """`<s> w ... </s> <s> ...` cut before a `<s>`, into about `size` ids each.

    A sentence that is longer stays whole.
    """
    starts = np.append(np.flatnonzero(stream == BOS), len(stream))
    sentence = 0
    while sentence < len(starts) - 1:
        begin = starts[sentence]
        following = int(np.searchsorted(starts, begin + size, side="right")) - 1
        sentence = max(following, sentence + 1)
        yield stream[begin : starts[sentence]]
