"""Token ids and a run into the rows of its look-up table, and the one-hot product that they equal.

A network's first step is often drawn as a one-hot row of the vocabulary's length times a matrix of
weights (Bengio et al. 2003, "A neural probabilistic language model"). All but one factor is zero,
so programs read the row instead. Here both are done. Torch is not needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.jobs import Job
from lmstudio.models.checkpoint_folder import ENCODER, TRAIN_AGAIN, WEIGHTS, asked
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

TABLE, ELMO_TABLE = "embedding.weight", "words.weight"
"""What our networks call their look-up table."""


@dataclass(frozen=True)
class Lookup:
    """N tokens, V rows of the table, D numbers in each."""

    ids: list[int]
    vocabulary: int  # V: length of a one-hot row
    rows: np.ndarray  # (N, D) float32, read from the table
    products: np.ndarray  # (N, D) float32, one-hot row times matrix

    @property
    def equal(self) -> bool:
        """Whether the products are the rows, number for number."""
        return bool(np.array_equal(self.rows, self.products))


def look_up(run_folder: Path, spec: RunSpec, ids: Sequence[int], *, job: Job) -> Lookup:
    """The rows of `ids` read, and computed as one-hot row times matrix.

    AppError for a model without a table, an id that is in none of its rows, or damaged weights.
    """
    table = _table(run_folder, spec)
    chosen = _checked(ids, table)
    products = np.empty((len(chosen), table.shape[1]), np.float32)
    for place, number in enumerate(chosen):
        job.check()
        one_hot = np.zeros(len(table), np.float32)
        one_hot[number] = 1
        products[place] = one_hot @ table
    return Lookup(chosen, len(table), table[chosen], products)


def _table(run_folder: Path, spec: RunSpec) -> np.ndarray:
    """(V, D) float32."""
    from safetensors import SafetensorError, safe_open

    if MODELS[spec.model].kind == "count":
        raise AppError(
            "A model that counts has no look-up table: it knows a token by its number alone, "
            "which is the one-hot row. Choose a neural run."
        )
    path = asked(run_folder) / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError), safe_open(path, framework="numpy") as weights:
        known = set(weights.keys())
        for name in (TABLE, ELMO_TABLE, ENCODER + TABLE, ENCODER + ELMO_TABLE):
            if name in known:
                return weights.get_tensor(name)
    raise AppError(
        "This network makes the vector of a word out of its characters: it has no look-up table."
    )


def _checked(ids: Sequence[int], table: np.ndarray) -> list[int]:
    chosen = [int(number) for number in ids]
    if any(not 0 <= number < len(table) for number in chosen):
        raise AppError("Ids go from 0 to {last} in this vocabulary.", last=len(table) - 1)
    return chosen
