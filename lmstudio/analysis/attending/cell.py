"""One cell of a head in; the query, the key and the value behind it, and all arithmetic, out.

weight = exp(q · k / √d) / Σ exp(q · k' / √d) over all k' that may be seen, and weight · v is what
the column gives to the row (Vaswani et al. 2017, "Attention is all you need", equation 1).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.attending.attention import looks_of
from lmstudio.analysis.attending.text import Head, Question, check_head, read_text
from lmstudio.errors import AppError
from lmstudio.jobs import Job


@dataclass(frozen=True)
class CellArithmetic:
    """Of one token that asks and one that is looked at; d numbers in each vector."""

    row: str
    column: str
    query: np.ndarray  # (d,) float32
    key: np.ndarray
    value: np.ndarray
    product: float  # q · k
    scaled: float  # over √d
    exponential: float
    row_sum: float  # of the exponentials of all that may be seen
    weight: float
    seen: bool  # False: it is later, and may not be seen
    pairs: int  # of tokens in a cell of words: this one is the strongest of them

    @property
    def dimensions(self) -> int:
        """d."""
        return len(self.query)

    @property
    def given(self) -> np.ndarray:
        """(d,) what the column adds to the row: weight · v."""
        return self.weight * self.value

    def rows(self) -> Iterator[tuple[int, float, float, float, float, float]]:
        """(number from 1, q, k, q k, v, weight v) of each dimension."""
        columns = (self.query, self.key, self.query * self.key, self.value, self.given)
        for number, values in enumerate(zip(*(c.tolist() for c in columns), strict=True), 1):
            yield number, *values


def cell(
    asked: Asked, question: Question, head: Head, row: int, column: int, *, job: Job
) -> CellArithmetic:  # fmt: skip
    """What makes the weight of a row and a column, which count all words or tokens, marks too.

    Of words it is the strongest pair of their tokens. AppError where there is no such cell.
    """
    read = read_text(asked, question, job=job)
    looks = looks_of(read, question, job=job)
    check_head(*head, *looks.weights.shape[:2])
    if not (0 <= row < len(read.names) and 0 <= column < len(read.names)):
        raise AppError("There are {number} rows and columns.", number=len(read.names))
    own = (slice(read.starts[row], read.ends[row]), slice(read.starts[column], read.ends[column]))
    pairs = looks.weights[head][own]  # the tokens of both
    best = np.unravel_index(int(pairs.argmax()), pairs.shape)
    at, to = int(best[0] + read.starts[row]), int(best[1] + read.starts[column])
    q, k, v = (part[head[1]].astype(np.float64) for part in looks.projections(head[0]))
    products = k @ q[at]  # (T,)
    scaled = products / math.sqrt(q.shape[1])
    last = at + 1 if read.causal else len(scaled)
    with np.errstate(over="ignore"):
        exponentials = np.exp(scaled[:last])
    seen = to < last
    total = float(exponentials.sum())
    one = float(exponentials[to]) if seen else 0.0
    return CellArithmetic(
        read.tokens[at], read.tokens[to],
        q[at].astype(np.float32), k[to].astype(np.float32), v[to].astype(np.float32),
        float(products[to]), float(scaled[to]), one, total,
        float(looks.weights[head][at, to]), seen, pairs.size,
    )  # fmt: skip
