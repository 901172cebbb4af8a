"""Trained models of one segmentation in; the weights that mix them best, and the figures, out.

    p(w | h) = sum over models m of  weight(m) p_m(w | h)

Jelinek & Mercer 1980, "Interpolated estimation of Markov source parameters from sparse data": the
weights are found by the EM algorithm on text that was not trained on, here the valid part. A cache
is a further model: how often the word was among the last N of the text that is being read (Kuhn &
De Mori 1990, "A cache-based natural language model for speech recognition"). It looks beyond the
sentence, as no n-gram does here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.instalments import PIECES, instalments
from lmstudio.analysis.loading import load_checked
from lmstudio.analysis.perplexity import bits_per_character, pooled_perplexity
from lmstudio.data.layout import BOS, HELD_OUT, Tokens
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

_ROUNDS = 2000
_ENOUGH = 1e-6  # nats an event that other weights could still gain
_SCORING = msg("Scoring the text")


@dataclass(frozen=True)
class Asked:
    """A run that is to be mixed."""

    name: str
    folder: Path
    spec: RunSpec


@dataclass(frozen=True)
class Score:
    """Figures on a part; infinite where an event has no probability."""

    bits_per_character: float
    perplexity: float


@dataclass(frozen=True)
class Interpolated:
    """K models, the cache last if there is one."""

    weights: list[float]  # (K,) they sum to 1
    scores: dict[str, list[Score]]  # by part that has text: (K + 1,) of each model and the mixture


def interpolate(
    segmentation_folder: Path, runs: Sequence[Asked], *, cache: int = 0, job: Job
) -> Interpolated:
    """Mix runs on a segmentation, and with `cache` > 0 one of so many words.

    AppError without a valid part, for a model whose figures are no probabilities, or unusable
    files.
    """
    tokens, rows = Tokens(segmentation_folder), len(read_counts(segmentation_folder))
    tokens.check(rows)
    streams = {part: tokens.stream(part) for part in HELD_OUT}
    if not len(streams["valid"]):
        raise AppError("The valid part is empty; the weights of a mixture are tuned on it.")
    streams = {part: stream for part, stream in streams.items() if len(stream)}
    found = [_logprobs(asked, streams, rows, (n, len(runs)), job) for n, asked in enumerate(runs)]
    if cache:
        events = {part: stream[stream != BOS] for part, stream in streams.items()}
        found.append({p: _log(cache_probs(ids, cache, rows - 1)) for p, ids in events.items()})
    logprobs = {part: np.stack([of[part] for of in found]) for part in streams}
    weights = tuned_weights(logprobs["valid"], job)
    scores = {}
    for part, table in logprobs.items():
        counts = tokens.meta.parts[part]
        scores[part] = [
            Score(bits_per_character(nats, counts.characters, counts.spelling_bits),
                  pooled_perplexity([nats], [table.shape[1]]))
            for nats in (*-table.sum(axis=1), -mixed(table, weights).sum())
        ]  # fmt: skip
    return Interpolated(weights.tolist(), scores)


def _logprobs(
    asked: Asked, streams: dict[str, np.ndarray], rows: int, place: tuple[int, int], job: Job
) -> dict[str, np.ndarray]:
    """(T,) ln p of each event, by part; `place`: the number of the run, and of how many."""
    model = load_checked(asked.folder, asked.spec, rows, job=job)
    number, runs = place
    length = sum(map(len, streams.values()))
    done, found = number * length, {}
    size = PIECES[MODELS[asked.spec.model].kind]
    for part, stream in streams.items():
        scored = []
        for piece, logprobs in instalments(model, stream, size):
            scored.append(logprobs)
            done += len(piece)
            job.tick(done, runs * length, Message(_SCORING))
        found[part] = np.concatenate(scored)
    if not model.proper or any(np.isnan(logprobs).any() for logprobs in found.values()):
        raise AppError("The figures of {name} are no probabilities, so it cannot be mixed.",
                       name=asked.name)  # fmt: skip
    return found


def cache_probs(events: np.ndarray, size: int, vocabulary: int) -> np.ndarray:
    """(T,) p of each event: its share of the `size` events before it, sentence ends included.

    While there are none, each of the `vocabulary` has the same.
    """
    places = np.arange(len(events), dtype=np.int64)
    width = len(events) + 1
    keys = events * np.int64(width) + places  # each id's places stand together, rising
    ordered = np.sort(keys)
    first = np.maximum(places - min(size, len(events)), 0)
    counts = np.searchsorted(ordered, keys) - np.searchsorted(ordered, keys - places + first)
    held = places - first
    return np.where(held > 0, counts, 1 / vocabulary) / np.maximum(held, 1)


def tuned_weights(logprobs: np.ndarray, job: Job) -> np.ndarray:
    """(K,) weights under which the events of `logprobs` (K, T) are likeliest, by EM.

    Events that no model thinks possible have no say. Never worse than the best model alone.
    """
    alone = logprobs.sum(axis=1)
    possible = np.isfinite(logprobs).any(axis=0)
    probs = _scaled(logprobs[:, possible])
    models, events = probs.shape
    weights = np.full(models, 1 / models)
    for number in range(_ROUNDS if events else 0):
        gains = (probs / (weights @ probs)).mean(axis=1)
        if gains.max() - 1 < _ENOUGH:  # what the best weights gain is less, as ln is concave
            break
        weights = weights * gains
        weights /= weights.sum()
        if number % 10 == 0:
            job.check()
    if alone.max() > mixed(logprobs, weights).sum():
        weights = (np.arange(models) == np.argmax(alone)).astype(float)
    return weights


def mixed(logprobs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(T,) ln of the weighted mean of the probabilities whose logarithms are `logprobs` (K, T)."""
    highest = _highest(logprobs)
    return _log(weights @ np.exp(logprobs - highest)) + highest


def _log(probs: np.ndarray) -> np.ndarray:
    """ln p, -inf of 0."""
    return np.log(probs, out=np.full(probs.shape, -math.inf), where=probs > 0)


def _scaled(logprobs: np.ndarray) -> np.ndarray:
    """(K, T) probabilities, those of each event divided by the highest: none underflows."""
    return np.exp(logprobs - _highest(logprobs))


def _highest(logprobs: np.ndarray) -> np.ndarray:
    """(T,) the highest of each event; 0 where none is possible."""
    highest = logprobs.max(axis=0)
    return np.where(np.isfinite(highest), highest, 0.0)
