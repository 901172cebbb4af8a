"""Word vectors of another run -> the rows of a fresh network's look-up table.

Words are matched by how they are written; those without a vector stay random. Vectors that are
longer than the rows are projected on their principal components.
"""

import torch
from torch import Tensor, nn

from lmstudio.errors import AppError
from lmstudio.messages import Message

_TABLES = ("embedding.weight", "words.weight")


def begin_with_vectors(
    module: nn.Module, vectors: Tensor, ours: list[str], theirs: list[str]
) -> list[Message]:
    """Fill the table of `module`, whose words are `ours`, with `vectors` (V, D) of `theirs`.

    What is to be told of it. AppError where the module has no table, its rows are longer than the
    vectors, or no word is known; words with a vector of zeros are not.
    """
    weights = dict(module.named_parameters())
    table = next((weights[name] for name in _TABLES if name in weights), None)
    if table is None:
        raise AppError("This model has no table of words to begin with vectors: choose a network "
                       "that looks its words up.")  # fmt: skip
    number = {word: i for i, word in enumerate(theirs)}
    has_one = vectors.any(1).tolist()
    pairs = [(i, number[word]) for i, word in enumerate(ours)
             if word in number and has_one[number[word]]]  # fmt: skip
    if not pairs:
        raise AppError("None of the words has a vector in the run to begin with.")
    to, source = torch.tensor(pairs).t()
    width, size = table.shape[1], vectors.shape[1]
    if size < width:
        raise AppError("The vectors have {size} numbers and the table {width}: choose a width of "
                       "at most {size}.", size=size, width=width)  # fmt: skip
    notes = [Message(
        "The look-up table begins with vectors for {known} of {rows} words; the others are random.",
        {"known": len(pairs), "rows": len(ours)},
    )]  # fmt: skip
    chosen = vectors[source]
    if size > width:
        chosen, share = _projected(chosen, width)
        notes.append(Message(
            "Their {size} numbers were projected on the first {width} principal components, which "
            "keep {percent} % of the variance.",
            {"size": size, "width": width, "percent": round(100 * share, 1)},
        ))  # fmt: skip
    with torch.no_grad():
        table[to.to(table.device)] = chosen.to(table)
    return notes


def _projected(vectors: Tensor, width: int) -> tuple[Tensor, float]:
    """(N, width) of (N, D), and the share of the variance that is kept."""
    centred = (vectors - vectors.mean(0)).double()
    values, axes = torch.linalg.eigh(centred.t() @ centred)  # rising
    share = values[-width:].sum() / values.sum().clamp(min=torch.finfo(values.dtype).tiny)
    return (centred @ axes[:, -width:].flip(1)).float(), float(share)
