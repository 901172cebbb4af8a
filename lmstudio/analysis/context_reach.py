"""A trained model and a sample of events in; their loss with less and less context out.

How far back a model sees (Khandelwal, He, Qi & Jurafsky 2018, "Sharp nearby, fuzzy far away"): of
each event's context all but the last d tokens are cut off, or put into a random order. Where the
loss no longer falls with d, the model makes no use of what stands further away, or not of its
order. The same question to every kind of model, since all are asked through whole texts:

- what is left of a context begins with <s>, as if a sentence or a text began there;
- the context is that of the model, its sentence or the text before with the ends of sentences,
  and at most LONGEST tokens;
- of a model that sees both sides, d tokens are kept on each, and ends of sentences are no events.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from lmstudio.analysis.loading import load, part_of
from lmstudio.data.layout import BOS, EOS, PartCounts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import LanguageModel
from lmstudio.training.spec import RunSpec

EVENTS = 500  # in a sample, if the seconds last
SECONDS = 30.0
LONGEST = 256  # tokens that count as all of a context


@dataclass(frozen=True)
class ContextReach:
    """Mean losses of one sample of events, in nats an event; infinite where one has p = 0."""

    distances: np.ndarray  # (K,) 1, 2, 4, .. tokens, as far as a context of the sample goes
    cut: np.ndarray  # (K,) with nothing further away than that
    shuffled: np.ndarray  # (K,) with what is further away in a random order
    longer: np.ndarray  # (K,) share of the events whose context goes further
    full: float  # with all of the context
    events: int  # in the sample
    context: str  # "sentence" or "document"
    both_sides: bool  # the distance is that to the left and to the right
    events_per_character: float  # of the whole part

    def bits_per_character(self, nats: np.ndarray) -> np.ndarray:
        """Losses an event on the axis that segmentations share; unknown words are not spelled."""
        return nats / math.log(2) * self.events_per_character


class FillingModel(LanguageModel, Protocol):
    """A model that predicts from both sides."""

    def fill_probs(self, ids: np.ndarray, place: int) -> np.ndarray:
        """(rows,) p of each id at `place` of the sentence `ids`, from all others."""
        ...


@dataclass(frozen=True)
class _Event:
    """A token or end of a sentence, and what the model may see of what stands around it."""

    place: int  # in the stream
    left: np.ndarray
    target: int
    right: np.ndarray  # empty unless both sides are seen

    @property
    def reach(self) -> int:
        return max(len(self.left), len(self.right))

    def cut(self, distance: int) -> "_Event":
        """Only the nearest tokens are left."""
        left = self.left[max(0, len(self.left) - distance) :]
        return _Event(self.place, left, self.target, self.right[:distance])

    def shuffled(self, distance: int, seed: int) -> "_Event":
        """All others are in a random order, each on its side."""
        generator = np.random.default_rng([seed, self.place, distance])
        edge = max(0, len(self.left) - distance)
        left = np.concatenate([generator.permutation(self.left[:edge]), self.left[edge:]])
        far = generator.permutation(self.right[distance:])
        return _Event(self.place, left, self.target, np.concatenate([self.right[:distance], far]))


def context_reach(
    segmentation_folder: Path, run_folder: Path, spec: RunSpec, part: str, *,
    events: int = EVENTS, seconds: float = SECONDS, seed: int = 1, job: Job,
) -> ContextReach:  # fmt: skip
    """How far back the model of a run sees in a part ("train", "valid", "test").

    Of `events` that `seed` draws, those that can be scored in `seconds`; the same ones for the same
    segmentation. AppError if the part is empty, or the model's file unusable.
    """
    tokens, stream, rows = part_of(segmentation_folder, part)
    model = load(run_folder, spec, rows)
    counts = tokens.meta.parts[part]
    return reach(model, stream, counts, events=events, seconds=seconds, seed=seed, job=job)


def reach(
    model: LanguageModel, stream: np.ndarray, counts: PartCounts, *,
    events: int = EVENTS, seconds: float = SECONDS, seed: int = 1, job: Job,
) -> ContextReach:  # fmt: skip
    """The same of a model and a stream `<s> w ... </s> <s> ...`, whose `counts` are given."""
    both = _filling(model) is not None
    sample = _sample(stream, model.context, both, events, seed)
    if not sample:
        raise AppError("No sentence of this part holds a word; there is nothing to predict.")
    longest = max(event.reach for event in sample)
    distances = [1 << k for k in range(max(1, (longest - 1).bit_length()))]
    began, found = time.monotonic(), []
    for number, event in enumerate(sample, 1):
        found.append(_losses(model, event, distances, seed))
        job.tick(number, len(sample), Message("Cutting contexts"))
        if time.monotonic() - began > seconds:
            break
    full, cut, shuffled = (np.mean(losses, 0) for losses in zip(*found, strict=True))
    reaches = np.array([event.reach for event in sample[: len(found)]])
    events = counts.tokens if both else counts.events  # both sides seen: no end is an event
    return ContextReach(
        np.array(distances), cut, shuffled, (reaches[:, None] > distances).mean(0), float(full),
        len(found), model.context, both, events / max(counts.characters, 1),
    )  # fmt: skip


# --- events -------------------------------------------------------------------------------------


def _sample(stream: np.ndarray, context: str, both: bool, events: int, seed: int) -> list[_Event]:
    """`events` of a stream, in random order."""
    asked = (stream != BOS) & ((stream != EOS) | (not both))
    places = np.random.default_rng(seed).permutation(np.flatnonzero(asked))[:events]
    starts, ends = np.flatnonzero(stream == BOS), np.flatnonzero(stream == EOS)
    sentences = np.searchsorted(starts, places) - 1
    return [
        _event(stream, int(place), int(starts[n]), int(ends[n]), context, both)
        for place, n in zip(places, sentences, strict=True)
    ]


def _event(
    stream: np.ndarray, place: int, start: int, end: int, context: str, both: bool
) -> _Event:
    """The event at a place of the sentence from `start` to `end`."""
    if context == "document":
        start = max(0, place - 2 * LONGEST)  # for each <s> that is left out there is a </s>
    left = stream[start:place]
    right = stream[place + 1 : end] if both else stream[:0]
    return _Event(place, left[left != BOS][-LONGEST:], int(stream[place]), right[:LONGEST])


# --- scores -------------------------------------------------------------------------------------


def _losses(
    model: LanguageModel, event: _Event, distances: Sequence[int], seed: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """-ln p of an event with all of its context, and cut and shuffled at each distance."""
    changed = [d for d in distances if d < event.reach]
    cases = [event, *(event.cut(d) for d in changed), *(event.shuffled(d, seed) for d in changed)]
    full, *rest = -np.fromiter(_logprobs(model, cases), float, len(cases))
    cut, shuffled = np.full((2, len(distances)), full)
    cut[: len(changed)], shuffled[: len(changed)] = np.split(np.array(rest), 2)
    return float(full), cut, shuffled


def _logprobs(model: LanguageModel, cases: Sequence[_Event]) -> Iterator[float]:
    """ln p of each event; those of sentences by themselves are scored together."""
    if filling := _filling(model):
        for case in cases:
            ids = np.concatenate([case.left, [case.target], case.right]).astype(np.int32)
            p = filling.fill_probs(ids, len(case.left))[case.target]
            yield math.log(p) if p > 0 else -math.inf
    elif model.context == "document":
        for case in cases:
            yield float(model.logprobs(_text(case))[len(case.left)])
    else:
        texts = [_text(case) for case in cases]
        scored = model.logprobs(np.concatenate(texts))
        begins = np.cumsum([0, *(len(text) - 1 for text in texts)])
        yield from (
            float(scored[i + len(case.left)]) for i, case in zip(begins, cases, strict=False)
        )


def _text(event: _Event) -> np.ndarray:
    """The stream whose event number `len(left)` is this one."""
    ids = [BOS]
    for number in [*event.left.tolist(), event.target]:
        ids += [EOS, BOS] if number == EOS else [number]
    return np.array(ids[:-1] if event.target == EOS else [*ids, EOS], np.int32)


def _filling(model: LanguageModel) -> FillingModel | None:
    """The model, if it sees both sides of what it predicts."""
    return cast(FillingModel, model) if not model.proper and hasattr(model, "fill_probs") else None
