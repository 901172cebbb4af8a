"""A network, what reads its layers and a head -> the losses and answers of a labelled task.

A batch is a dict of tensors, rows first (B rows of T ids, built by data/labelled):

    ids (B, T)     <s> words </s>, or of two texts <s> one </s> other </s>; of qa the question first
    sizes (B,)     how many of them are not padding
    types (B, T)   of pairs and qa: 0 in the first text, 1 in the second
    labels (B,)    of classify and pair          | IGNORE where unknown
    tags (B, T)    of tag, IGNORE at marks, padding and pieces that carry no tag
    starts, ends (B,)   of qa: places in ids; 0, the first mark: no answer in this window
    read           what `TaskModel.read` makes of the rest, where it is known from before
"""

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lmstudio.data.batches import IGNORE
from lmstudio.models import weights as stored
from lmstudio.models.bert import Bert
from lmstudio.models.registry import MODELS
from lmstudio.models.scalar_mix import ElmoMix
from lmstudio.models.tasks.class_head import ClassHead, pool, pooling_for
from lmstudio.models.tasks.encoder import TaskEncoder
from lmstudio.models.tasks.span_head import SpanHead
from lmstudio.models.tasks.tag_head import TagHead
from lmstudio.models.trainable import CORRECT, Sums, Tensors, Trainable

if TYPE_CHECKING:
    from lmstudio.models.base import LanguageModel
    from lmstudio.training.spec import RunSpec
    from lmstudio.training.task_config import TaskConfig


class Judge(Protocol):
    """Scores what a model says as it is said to users: over whole texts."""

    def hear(self, model: "TaskModel", batch: Tensors) -> None:
        """Hear what `model` says of a batch."""
        ...

    def score(self) -> float:
        """The score of all that was heard since the last call."""
        ...


class TaskModel(Trainable):
    """Parts by name: `encoder`, as it was pre-trained, `mix`, `reader` (None where unused), `head`.

    `rates` says how fast each weight moves; what is frozen has no gradient and no dropout.
    """

    exact = True  # a label hangs on which of two scores is larger

    def __init__(
        self,
        encoder: Trainable,
        config: "TaskConfig",
        labels: Sequence[str],
        weights: Sequence[float] | None = None,
    ) -> None:
        """`labels`: classes or tags, "O" among them; of qa none. `weights`: see ClassHead."""
        super().__init__()
        self.config, self.labels = config, tuple(labels)
        self.encoder = encoder
        self.optimizer = encoder.optimizer  # weights are of the size that it made them
        self.view = TaskEncoder(encoder)
        width = self.view.width
        self.mix = ElmoMix(self.view.layers + 1) if config.layers == "mix" else None
        self.reader: nn.LSTM | None = None
        if config.reader == "bilstm":
            self.reader = nn.LSTM(width, config.reader_width, batch_first=True, bidirectional=True)
            width = 2 * config.reader_width
        self.head = self._head(width, weights)
        self.pooling = config.pooling
        if config.pooling == "auto":
            marked = isinstance(encoder, Bert) and config.layers != "table" and not self.reader
            reads = "none" if config.layers == "table" or self.reader else self.view.reads
            self.pooling = pooling_for(reads, bert=marked)
        self.frozen = self._freeze()
        self.judge: Judge | None = None  # who scores what is said of a validation batch

    def _head(self, width: int, weights: Sequence[float] | None) -> ClassHead | TagHead | SpanHead:
        config = self.config
        if config.kind == "tag":
            return TagHead(width, self.labels, config.dropout, crf=config.crf, scheme=config.scheme)
        if config.kind == "qa":
            return SpanHead(width, config.dropout)
        return ClassHead(width, len(self.labels), config.dropout, weights)

    # --- what moves --------------------------------------------------------------------------

    def _freeze(self) -> bool:
        """Let no gradient reach what is not tuned or not used; whether all of it stands still."""
        for parameter in self.encoder.parameters():
            parameter.requires_grad_(False)
        for group in self._moving():
            for parameter in group:
                parameter.requires_grad_(True)
        return not self._moving()

    def _moving(self) -> list[list[nn.Parameter]]:
        """The groups of weights of the encoder that are trained, from the bottom to the top."""
        groups = self.view.groups()
        if self.config.layers == "table":
            groups = groups[:1]
        tuned = self.config.tuned
        return groups if tuned < 0 else groups[max(0, len(groups) - tuned) :]

    def rates(self) -> dict[nn.Parameter, float]:
        """Of each weight that moves, the share of the learning rate that it moves at."""
        inside = {id(parameter) for parameter in self.encoder.parameters()}
        found = {p: self.config.head_rate for p in self.parameters() if id(p) not in inside}
        for depth, group in enumerate(reversed(self._moving())):
            found |= dict.fromkeys(group, self.config.layer_decay**depth)
        return found

    def train(self, mode: bool = True) -> "TaskModel":
        """Training of what moves; an encoder that is frozen stays as it is asked otherwise."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    # --- what is read ------------------------------------------------------------------------

    def vectors(self, batch: Tensors) -> Tensor:
        """What the head reads: (B, D) of texts that have a class, (B, T, D) of all others."""
        sizes = batch["sizes"]
        x = batch["read"] if "read" in batch else self.read(batch)
        if self.mix is not None:
            x = self.mix(x.transpose(0, 1))
        if self.reader is not None:
            x = _read_both_ways(self.reader, x, sizes)
        return pool(x, sizes, self.pooling) if isinstance(self.head, ClassHead) else x

    def read(self, batch: Tensors) -> Tensor:
        """(B, T, D) of the layer of the encoder that is read, or (B, L + 1, T, D) to be mixed.

        (B, 1, D) where nothing but the first token counts.
        """
        ids, sizes, types = batch["ids"], batch["sizes"], batch.get("types")
        first_only = isinstance(self.head, ClassHead) and self.pooling == "first"
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            if self.config.layers == "table":
                return self.view.table(ids)
            if self.mix is not None:
                return torch.stack(self.view(ids, sizes, types), 1)
            first_only = first_only and self.reader is None
            return self.view.last(ids, sizes, types, first_only=first_only)

    # --- training ----------------------------------------------------------------------------

    def events(self, batch: Tensors) -> Sums:
        """See Trainable: class; tags; starts and ends."""
        return self.head.events(batch)

    def losses(self, batch: Tensors) -> Sums:
        """See Trainable."""
        return self.head.losses(self.vectors(batch), batch)

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same; the judge hears what is said. Tags are right as a row is read in the end."""
        batch = batch if "read" in batch else batch | {"read": self.read(batch)}
        if self.judge is not None:
            self.judge.hear(self, batch)
        x = self.vectors(batch)
        sums = self.head.losses(x, batch)
        if isinstance(self.head, TagHead) and self.head.crf is not None:
            sums |= {"tags" + CORRECT: self.head.right(x, batch)}
        yield sums

    def figures(self, sums: dict[str, float], events: dict[str, float]) -> dict[str, float]:
        """ "score", from 0 to 1, of what the judge heard; nothing where nothing was seen."""
        if self.judge is None:
            return {}
        score = self.judge.score()
        return {"score": score} if any(events.values()) else {}

    @property
    def by_score(self) -> bool:
        """See Trainable."""
        return self.config.choose_by == "score"

    def criterion(self, figures: dict[str, float]) -> float:
        """See Trainable: the score, if the best is to be chosen by that."""
        if self.by_score and "score" in figures:
            return -figures["score"]
        return super().criterion(figures)

    # --- answers -----------------------------------------------------------------------------

    @torch.no_grad()
    def classes(self, batch: Tensors) -> Tensor:
        """(B, C) p of each class; of classify and pair."""
        assert isinstance(self.head, ClassHead)
        return torch.softmax(self.head(self.vectors(batch)).float(), 1)

    @torch.no_grad()
    def tags(self, batch: Tensors, *, sure: bool = True) -> tuple[list[list[int]], Tensor]:
        """The numbers of the tags of each row, one a place, and p (B, T, C); of tag.

        Places are where the batch has `tags` that are not IGNORE; without `tags`, all but the
        first and the last mark. Not `sure`: 0 for each p.
        """
        assert isinstance(self.head, TagHead)
        ids, sizes = batch["ids"], batch["sizes"]
        columns = torch.arange(ids.shape[1], device=ids.device)
        places = (columns > 0) & (columns < sizes.unsqueeze(1) - 1)
        if "tags" in batch:
            places = batch["tags"] != IGNORE
        return self.head.decode(self.vectors(batch), places, sure=sure)

    @torch.no_grad()
    def ends(self, batch: Tensors) -> tuple[Tensor, Tensor]:
        """Scores (B, T) of places as start and as end of the answer, -inf where none can be; qa."""
        assert isinstance(self.head, SpanHead)
        starts, ends = self.head(self.vectors(batch), batch)
        return starts, ends

    def predict(
        self, batch: Tensors
    ) -> Tensor | tuple[list[list[int]], Tensor] | tuple[Tensor, Tensor]:
        """`classes`, `tags` or `ends`, by the kind of the task. In evaluation mode, see `eval`."""
        if isinstance(self.head, ClassHead):
            return self.classes(batch)
        return self.tags(batch) if isinstance(self.head, TagHead) else self.ends(batch)

    def model(self) -> "LanguageModel":
        """See Trainable: the encoder as a language model, tuned as it is."""
        return self.encoder.model()


def _read_both_ways(reader: nn.LSTM, x: Tensor, sizes: Tensor) -> Tensor:
    """(B, T, 2 W): what an LSTM makes of x (B, T, D) from both sides, padding left out."""
    packed = pack_padded_sequence(x, sizes.cpu(), batch_first=True, enforce_sorted=False)
    read: Tensor
    read, _ = pad_packed_sequence(reader(packed)[0], batch_first=True, total_length=x.shape[1])
    return read


def build(
    spec: "RunSpec",
    counts: np.ndarray,
    segmentation_folder: Path,
    labels: Sequence[str],
    weights: Sequence[float] | None = None,
) -> TaskModel:
    """A new model, its encoder too; torch's seed decides its weights.

    `counts` (V,) of the ids as the encoder was built with, `weights` as of `class_head.balanced`.
    """
    assert spec.task is not None
    family = importlib.import_module(MODELS[spec.model].module)
    encoder: Trainable = family.build(spec.config, counts, segmentation_folder)
    return TaskModel(encoder, spec.task, labels, weights)


def begin_with(model: TaskModel, run_folder: Path) -> None:
    """Put the best weights of the encoder's own run into `model`; AppError if there are none."""
    stored.load(run_folder, model.encoder)


def load(
    run_folder: Path,
    spec: "RunSpec",
    counts: np.ndarray,
    segmentation_folder: Path,
    labels: Sequence[str],
) -> TaskModel:
    """The trained model of a run, from its best checkpoint, in evaluation mode."""
    model = build(spec, counts, segmentation_folder, labels)
    stored.load(run_folder, model)
    return model.eval()
