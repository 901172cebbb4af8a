"""The weights of another run -> where a fresh module begins.

What has the same name and shape is copied. Where the vocabularies differ, rows of the tables at
both ends are matched by their word, and those of words that the other run did not know stay as
they began. The rest stays random, and it is said what that is. Of a run of word vectors the look-up
table is taken alone.
"""

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading
from lmstudio.messages import Message, listed
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, asked
from lmstudio.models.registry import MODELS
from lmstudio.models.weights import of_network
from lmstudio.training.vector_start import begin_with_vectors

WORD_TABLES = frozenset(
    (
        "embedding.weight",
        "words.weight",
        "output.weight",
        "head.weight",
        "head.bias",
        "blank.bias",
        "offsets",
    )
)
"""Names, in the modules of models/, of what has a row for each word; shapes alone do not tell."""


def begin_with(
    module: nn.Module, model: str, segmentation_folder: Path, warm: tuple[Path, Path]
) -> list[Message]:
    """Put the best weights of a run into `module`, a fresh `model`; what was taken and what not.

    `warm` are the folders of the run and of the segmentation it was trained on. Raises AppError
    where the run is of another model, has no checkpoint, or nothing fits.
    """
    run_folder, other_segmentation = warm
    folder = asked(run_folder)
    with reading(folder / WEIGHTS, TRAIN_AGAIN, SafetensorError):
        before = of_network(load_file(folder / WEIGHTS))
        other = read_json(folder / "meta.json").get("model", model)
    ours, theirs = Vocabulary.load(segmentation_folder), Vocabulary.load(other_segmentation)
    if other == "vectors":
        return begin_with_vectors(module, before["embedding.weight"], ours.types, theirs.types)
    if other != model:
        raise AppError(
            "The weights of a network of the kind {other} cannot be the beginning of a {model}.",
            other=MODELS[other].title, model=MODELS[model].title,
        )  # fmt: skip
    words = _Words(ours.types, theirs.types)
    left = []
    weights: dict[str, Tensor] = dict(
        module.named_parameters()
    )  # not what was counted, such as unigrams
    if "offsets" in before:  # ids that an imported model never predicts
        weights["offsets"] = module.get_buffer("offsets")
    with torch.no_grad():
        for name, weight in weights.items():
            if not words.copy(before.get(name), weight, by_word=name in WORD_TABLES):
                left.append(name)
    if len(left) == len(weights):
        raise AppError("No weights of the other run have the sizes of those here.")
    return _told(words, len(weights) - len(left), left)


class _Words:
    """The rows of two tables that stand for the same words."""

    def __init__(self, ours: list[str], theirs: list[str]) -> None:
        number = {word: i for i, word in enumerate(theirs)}
        pairs = [(i, number[word]) for i, word in enumerate(ours) if word in number]
        self.ours, self.theirs = len(ours), len(theirs)
        self.to, self.source = torch.tensor(pairs).view(-1, 2).t()
        self.same = ours == theirs

    def copy(self, source: Tensor | None, to: Tensor, *, by_word: bool) -> bool:
        """Fill `to` as far as `source` has what belongs there; whether anything did."""
        if source is None or source.dim() != to.dim():
            return False
        if self.same or not (by_word and self._are_rows(source, to)):
            if source.shape != to.shape:
                return False
            to.copy_(source)
            return True
        to[self.to.to(to.device)] = source[self.source].to(to.device)
        extra = len(to) - self.ours  # [MASK], which is no word of the vocabulary
        if extra:
            to[-extra:] = source[-extra:].to(to.device)
        return True

    def _are_rows(self, source: Tensor, to: Tensor) -> bool:
        """Whether the rows of both stand for words, with as many more than there are."""
        return (
            to.dim() >= 1
            and source.shape[1:] == to.shape[1:]
            and len(to) - self.ours == len(source) - self.theirs
            and 0 <= len(to) - self.ours <= 1
        )


def _told(words: _Words, taken: int, left: list[str]) -> list[Message]:
    notes = [Message("{count} weight tables were taken from the other run.", {"count": taken})]
    if not words.same:
        notes.append(
            Message(
                "Of {rows} words, {known} were known to the other run; the others begin anew.",
                {"rows": words.ours, "known": len(words.to)},
            )
        )
    if left:
        names = listed(left[:5]) + (" ..." if len(left) > 5 else "")
        notes.append(
            Message(
                "{count} weight tables have another size or are new, and begin anew: {names}.",
                {"count": len(left), "names": names},
            )
        )
    return notes
