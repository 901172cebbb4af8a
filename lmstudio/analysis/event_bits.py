"""A run and a part in; the bits that each of its events cost, kept beside the run, out.

What a token costs is -log2 p of its event and, where it is unknown, the spelling of the word: they
add up to the figures of `analysis.perplexity`. Scoring a part may take minutes, so the bits are
kept in the run's folder with the state of the files they come from, and worked out anew only when
those have changed.
"""

import json
import math
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked, model_state
from lmstudio.analysis.corpus_speller import corpus_speller
from lmstudio.analysis.instalments import PIECES, PSEUDO_TOKENS, instalments
from lmstudio.analysis.loading import load_checked, part_of
from lmstudio.data.cut_from import corpus_of
from lmstudio.data.layout import BOS, UNK, Tokens
from lmstudio.data.part_text import PartText
from lmstudio.data.pieces import pieces
from lmstudio.files import unwritten, written
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.base import LanguageModel
from lmstudio.models.registry import MODELS
from lmstudio.text.marks import UNKNOWN

_SCORING = msg("Scoring the text with {name}")
_VERSION = 1  # of the files written here


@dataclass(frozen=True)
class EventBits:
    """What the events of a part cost; infinite where p is zero, NaN where nothing was scored."""

    tokens: np.ndarray  # (N,) float32, in the order of the corpus
    ends: np.ndarray  # (S,) float32, of </s>; all NaN where a model predicts none
    pseudo: bool  # each from both of its sides: no probabilities of a text


def event_bits(asked: Asked, part: str, *, keep: bool = True, job: Job) -> EventBits:
    """The bits of a part, as they were kept or scored now, and then kept if `keep`.

    AppError if the part is empty or the model's file unusable.
    """
    known = kept_bits(asked, part)
    if known is not None:
        return known
    found = _scored(asked, part, job)
    if keep:
        _write(asked, part, found)
    return found


def kept_bits(asked: Asked, part: str) -> EventBits | None:
    """The bits that were kept, where the files of the run are as they were then."""
    path = _path(asked, part)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if str(kept["stamp"]) == _stamp(asked):
                return EventBits(kept["tokens"], kept["ends"], bool(kept["pseudo"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass  # not there, or damaged: it is made again
    return None


def _path(asked: Asked, part: str) -> Path:
    return asked.run_folder / f"bits-{part}.npz"


def _stamp(asked: Asked) -> str:
    return json.dumps([_VERSION, model_state(asked)])


def _write(asked: Asked, part: str, found: EventBits) -> None:
    path = _path(asked, part)
    with unwritten(path, own=True), written(path) as temporary, temporary.open("wb") as file:
        np.savez(file, tokens=found.tokens, ends=found.ends, pseudo=np.array(found.pseudo),
                 stamp=np.array(_stamp(asked)))  # fmt: skip


def _scored(asked: Asked, part: str, job: Job) -> EventBits:
    tokens, stream, rows = part_of(asked.segmentation_folder, part)
    note = Message(_SCORING, {"name": asked.name})
    job.tick(0, len(stream), note)
    model = load_checked(asked.run_folder, asked.spec, rows, job=job)
    pseudo = not model.proper and MODELS[asked.spec.model].kind == "neural"
    bits = np.full(len(stream), math.nan)
    for begin, piece, logprobs in _instalments(model, stream, asked.spec.model, pseudo):
        places = begin + np.flatnonzero(piece != BOS)
        if len(places) != len(logprobs) or not (pseudo or not np.isnan(logprobs).any()):
            raise ValueError("a model gave NaN for a probability, or figures for other events")
        bits[places] = logprobs / -math.log(2)
        job.tick(begin + len(piece), len(stream), note)
    lengths = np.diff(tokens.bounds(part), axis=1)[:, 0]
    ends = np.cumsum(lengths + 2) - 1
    inside = np.ones(len(stream), bool)
    inside[ends] = inside[ends - lengths - 1] = False
    of_tokens = bits[inside] + _spelling(asked, tokens, part, stream[inside] == UNK, job)
    return EventBits(of_tokens.astype(np.float32), bits[ends].astype(np.float32), pseudo)


def _instalments(
    model: LanguageModel, stream: np.ndarray, name: str, pseudo: bool
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """(place in the stream, slice, log p of its events); of a long part only some, if `pseudo`.

    Those are the slices that `instalments.spread` takes, so the figures are those of the run.
    """
    begin = 0
    if not pseudo:
        for piece, logprobs in instalments(model, stream, PIECES[MODELS[name].kind]):
            yield begin, piece, logprobs
            begin += len(piece)
        return
    step = math.ceil(len(stream) / PSEUDO_TOKENS)
    for number, piece in enumerate(pieces(stream, PIECES["pseudo"])):
        if number % step == 0:
            yield begin, piece, model.logprobs(piece)
        begin += len(piece)


def _spelling(asked: Asked, tokens: Tokens, part: str, unknown: np.ndarray, job: Job) -> np.ndarray:
    """(N,) bits for the spelling of tokens: 0 but for unknown ones that are words."""
    bits = np.zeros(len(unknown))
    if unknown.any():
        corpus = corpus_of(asked.segmentation_folder)
        places = np.flatnonzero(unknown)
        words = PartText(corpus, part).token_texts(tokens, places)
        spelled = [i for i, word in enumerate(words) if word != UNKNOWN]
        speller = corpus_speller(corpus, keep=asked.keep, job=job)
        bits[places[spelled]] = speller.bits_of([words[i] for i in spelled])
    return bits
