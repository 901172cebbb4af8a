"""A segmentation and a RunSpec -> the batches its model reads. Free of torch.

`FEEDS` is the one place that says which model reads which batches:

    ffnn              contexts: the n - 1 tokens before each
    rnn, gru, lstm    sentences, or lanes of the whole text where the context is "document"
    elmo              sentences
    gpt               windows of the whole text, or packed sentences where it is "sentence"
    bert              packed sentences, some of their tokens masked
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from lmstudio.data.batches import IGNORE, Batch, SentenceBatches, whole_sentences
from lmstudio.data.layout import BOS, EOS, UNK, SegmentationMeta, Tokens
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import BertConfig, FfnnConfig, GptConfig
from lmstudio.training.spec import RunSpec, TrainingConfig

SAMPLE = 16  # batches, whose mean size is taken for that of all
STRETCHES = 10  # of the valid part, from which a sample of it is taken


class Batches(Protocol):
    """Training data: `len` is the batches of an epoch, `at` the batch of a step of any epoch."""

    @property
    def events(self) -> int:
        """Targets of an epoch."""
        ...

    def __len__(self) -> int: ...

    def at(self, step: int) -> Batch: ...


Valid = Callable[[], Iterable[Batch]]  # begins the validation batches anew


@dataclass
class TrainingData:
    """The batches of a segmentation, and what the user should know of them."""

    train: Batches
    valid: Valid | None  # None where the valid part is empty
    valid_events: int = 0  # tokens and ends of sentences that a validation looks at
    notes: list[Message] = field(default_factory=list)


def feed(
    spec: RunSpec,
    segmentation_folder: Path,
    counts: np.ndarray,
    *,
    valid_tokens: int = 0,
    job: Job,
) -> TrainingData:
    """The batches that `spec` asks for; its batch is known by now, not 0.

    `counts` are `train_counts`; `valid_tokens` of the valid part are enough to look at, 0: all.
    Raises AppError where the train part has no sentence.
    """
    text = _text(spec, segmentation_folder, counts, valid_tokens, job)
    train, valid = FEEDS[spec.model](spec, text)
    if not len(text.valid):
        text.notes.append(
            Message(
                "The valid part is empty: trained without validation, and the last checkpoint "
                "counts as the best."
            )
        )
    some = len(text.valid) > 0
    return TrainingData(train, valid if some else None, text.valid_events, text.notes)


def train_counts(segmentation_folder: Path) -> np.ndarray:
    """(rows,) how often the train part has each id; <s> never."""
    counts = read_counts(segmentation_folder)
    train = SegmentationMeta.load(segmentation_folder).parts["train"]
    counts[[UNK, BOS, EOS]] = train.unknown, 0, train.sentences
    return counts


def tokens_of(batch: Batch) -> int:
    """How many tokens a batch shows, ends of sentences counted, padding not."""
    if "sizes" in batch:  # of examples of a task
        return int(batch["sizes"].sum())
    if "segments" in batch:
        return int((batch["segments"] >= 0).sum())
    if "targets" in batch:
        return int((batch["targets"] != IGNORE).sum())
    return len(next(iter(batch.values())))


def tokens_per_step(train: Batches) -> float:
    """The mean of `tokens_of` some batches from all over an epoch."""
    steps = range(0, len(train), max(1, len(train) // SAMPLE))
    return sum(tokens_of(train.at(step)) for step in steps) / len(steps)


# --- which model reads what -------------------------------------------------------------------


@dataclass
class _Text:
    """What there is to read; notes are added while it is cut."""

    folder: Path
    rows: int  # of the vocabulary
    ids: np.ndarray
    train: np.ndarray  # (S, 2) bounds of sentences
    valid: np.ndarray
    rare: np.ndarray | None
    job: Job  # what is made at first need may take a while
    notes: list[Message] = field(default_factory=list)

    @property
    def events(self) -> int:
        """Tokens and ends of sentences in the train part."""
        return _events(self.train)

    @property
    def valid_events(self) -> int:
        """The same of what is looked at of the valid part."""
        return _events(self.valid)


Feed = Callable[[RunSpec, _Text], tuple[Batches, Valid]]


def _sentences(spec: RunSpec, text: _Text) -> tuple[Batches, Valid]:
    config = spec.training
    longest = int((text.train[:, 1] - text.train[:, 0]).max()) + 1  # with the sentence's end
    if longest < config.length != TrainingConfig().length:  # nobody chose the usual one
        text.notes.append(
            Message(
                "The longest sentence of the train part has {longest} tokens, its end included: "
                "the length {length} is shortened to that.",
                {"longest": longest, "length": config.length},
            )
        )
    train = SentenceBatches(
        text.ids, text.train, rows=config.batch, length=min(longest, config.length),
        seed=config.seed, rare=text.rare,
    )  # fmt: skip
    return train, lambda: whole_sentences(text.ids, text.valid, config.batch)


def _recurrent(spec: RunSpec, text: _Text) -> tuple[Batches, Valid]:
    if getattr(spec.config, "context", "sentence") == "sentence":
        return _sentences(spec, text)
    from lmstudio.data.lanes import LaneBatches, whole_lanes

    config = spec.training
    train = LaneBatches(
        text.ids, text.train, rows=config.batch, length=_shortened(config.length, text),
        seed=config.seed, rare=text.rare,
    )  # fmt: skip
    return train, lambda: whole_lanes(text.ids, text.valid)


def _contexts(spec: RunSpec, text: _Text) -> tuple[Batches, Valid]:
    from lmstudio.data.contexts import ContextBatches, whole_contexts

    assert isinstance(spec.config, FfnnConfig)
    rows, order = spec.training.batch, spec.config.order
    train = ContextBatches(
        text.ids, text.train, rows=rows, order=order, seed=spec.training.seed, rare=text.rare
    )
    return train, lambda: whole_contexts(text.ids, text.valid, rows, order)


def _windows(spec: RunSpec, text: _Text) -> tuple[Batches, Valid]:
    assert isinstance(spec.config, GptConfig)
    rows, window = spec.training.batch, _shortened(spec.config.window, text)
    if spec.config.context == "sentence":
        from lmstudio.data.packing import PackedBatches, whole_packed

        packed = PackedBatches(
            text.ids, text.train, rows=rows, window=window, seed=spec.training.seed, rare=text.rare
        )
        return packed, lambda: whole_packed(text.ids, text.valid, rows, window)
    from lmstudio.data.windows import WindowBatches, whole_windows

    train = WindowBatches(
        text.ids, text.train, rows=rows, window=window, seed=spec.training.seed, rare=text.rare
    )
    return train, lambda: whole_windows(text.ids, text.valid, rows, window)


def _masked(spec: RunSpec, text: _Text) -> tuple[Batches, Valid]:
    from lmstudio.data.masked import MaskedBatches, examples_of
    from lmstudio.data.masking import Masking
    from lmstudio.data.whole_words import word_starts

    config, rows, seed = spec.config, spec.training.batch, spec.training.seed
    assert isinstance(config, BertConfig)
    masking = Masking(text.rows, config.mask_share, config.random_from)
    begins = word_starts(text.folder, job=text.job) if config.whole_words else None

    def masked(bounds: np.ndarray, rare: np.ndarray | None, *, held_out: bool) -> MaskedBatches:
        examples, notice = examples_of(
            text.folder, bounds, config.window, pairs=config.next_sentence, held_out=held_out
        )
        text.notes += [notice] if notice and not held_out else []
        return MaskedBatches(
            text.ids, examples, masking, rows=rows, window=config.window, seed=seed,
            dynamic=config.dynamic, begins=begins, rare=rare,
        )  # fmt: skip

    train = masked(text.train, text.rare, held_out=False)
    valid = masked(text.valid, None, held_out=True) if len(text.valid) else train
    return train, valid.once


FEEDS: dict[str, Feed] = {
    "ffnn": _contexts,
    "rnn": _recurrent,
    "gru": _recurrent,
    "lstm": _recurrent,
    "elmo": _sentences,
    "gpt": _windows,
    "bert": _masked,
}


def _shortened(length: int, text: _Text) -> int:
    """`length`, or all of a train part that is shorter, with a note."""
    if text.events >= length:
        return length
    text.notes.append(
        Message(
            "The train part has only {events} tokens, ends of sentences included: the window "
            "{length} is shortened to that.",
            {"events": text.events, "length": length},
        )
    )
    return text.events


# --- what there is to read --------------------------------------------------------------------


def _text(spec: RunSpec, folder: Path, counts: np.ndarray, valid_tokens: int, job: Job) -> _Text:
    tokens = Tokens(folder)
    tokens.check(len(counts))
    train = _first(tokens.bounds("train"), spec.training.share)
    if not len(train):
        raise AppError("The train part holds no sentence. Choose another split or corpus.")
    valid = _sample(tokens.bounds("valid"), valid_tokens)
    return _Text(folder, len(counts), tokens.ids, train, valid, _rare(counts), job)


def _events(bounds: np.ndarray) -> int:
    return int((bounds[:, 1] - bounds[:, 0] + 1).sum())


def _first(bounds: np.ndarray, share: float) -> np.ndarray:
    """The first sentences, with that share of all events; one at least."""
    if share >= 1:
        return bounds
    events = np.cumsum(bounds[:, 1] - bounds[:, 0] + 1)
    count = np.searchsorted(events, share * events[-1], side="right") if len(bounds) else 0
    return bounds[: max(1, int(count))]


def _sample(bounds: np.ndarray, tokens: int) -> np.ndarray:
    """About so many tokens in whole sentences, from STRETCHES places evenly apart; 0: all."""
    share = tokens / max(_events(bounds), 1)
    if not tokens or share >= 1:
        return bounds
    return np.concatenate([_first(part, share) for part in np.array_split(bounds, STRETCHES)
                           if len(part)])  # fmt: skip


def _rare(counts: np.ndarray) -> np.ndarray | None:
    """(rows,) bool: the words seen once, where the text has no unknown word to learn from."""
    if counts[UNK]:
        return None
    rare: np.ndarray = counts == 1
    rare[[BOS, EOS]] = False
    return rare
