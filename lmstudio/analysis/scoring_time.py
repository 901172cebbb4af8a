"""A segmentation and a RunSpec -> how long its network will be scored on held-out text afterwards.

A network with random weights scores some sentences of the valid part, which takes as long.
"""

import importlib
import time
from pathlib import Path

import numpy as np

from lmstudio.analysis.instalments import PIECES, instalments, spread
from lmstudio.data.layout import HELD_OUT, Tokens
from lmstudio.jobs import Job
from lmstudio.models.base import LanguageModel
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

SECONDS = 0.7  # of scoring to time, after one piece to warm up
LEAST_PIECES = 3
_READERS = {"ffnn": "FfnnModel", "elmo": "ElmoModel", "bert": "BertModel", "gpt": "GptModel"}
"""The class in the module of a family that scores; modules of the others make their own."""


def scoring_seconds(segmentation_folder: Path, spec: RunSpec, *, job: Job) -> float:
    """Seconds that `perplexity.evaluate` of both held-out parts takes; 0 where they are empty."""
    from lmstudio.training.assembly import build
    from lmstudio.training.device import use_threads
    from lmstudio.training.feeds import train_counts

    tokens = Tokens(segmentation_folder)
    streams = [stream for stream in map(tokens.stream, HELD_OUT) if len(stream)]
    if not streams:
        return 0.0
    use_threads()
    model = reader(spec, build(spec, train_counts(segmentation_folder), segmentation_folder))
    if model.proper:
        ids = sum(map(len, streams))
        both = 2 if hasattr(model, "backward_logprobs") else 1
        return both * ids * seconds_an_id(model, streams[0], PIECES["neural"], job)
    spreads = [spread(stream) for stream in streams]
    return sum(map(len, spreads)) * seconds_an_id(model, spreads[0], PIECES["pseudo"], job)


def reader(spec: RunSpec, module: object) -> LanguageModel:
    """What asks a network of the spec, whatever its weights are."""
    if spec.model not in _READERS:
        made: LanguageModel = module.model()  # type: ignore[attr-defined]
        return made
    family = importlib.import_module(MODELS[spec.model].module)
    found: LanguageModel = getattr(family, _READERS[spec.model])(module)
    return found


def seconds_an_id(model: LanguageModel, stream: np.ndarray, size: int, job: Job) -> float:
    """Timed over pieces from the beginning of a stream."""
    began = first = time.monotonic()
    done = warm = 0
    for number, (piece, _) in enumerate(instalments(model, stream, size), 1):
        job.check()
        done += len(piece)
        if number == 1:
            first, warm = time.monotonic(), done
        elif number >= LEAST_PIECES and time.monotonic() - first > SECONDS:
            break
    now = time.monotonic()
    return (now - first) / (done - warm) if done > warm else (now - began) / max(done, 1)
