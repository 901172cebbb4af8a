"""The folders of a run and of what it is asked about: a model, and a part of a corpus, come out."""

import importlib
from pathlib import Path
from typing import Any, cast

import numpy as np

from lmstudio.data.layout import Tokens
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.formats import ngram_file
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import LanguageModel
from lmstudio.models.checkpoint_folder import WEIGHTS
from lmstudio.models.registry import MODELS
from lmstudio.training.fit_ngram import MODEL_FILE
from lmstudio.training.spec import RunSpec


def part_of(segmentation_folder: Path, part: str) -> tuple[Tokens, np.ndarray, int]:
    """All tokens, the stream of one part of them, and how many ids their vocabulary has.

    AppError if the part is empty or the files are damaged.
    """
    tokens, rows = Tokens(segmentation_folder), len(read_counts(segmentation_folder))
    tokens.check(rows)
    stream = tokens.stream(part)
    if not len(stream):
        raise AppError("The {part} part of this corpus is empty; there is nothing to score. Import "
                       "its text again with a share for it (--shares).", part=Message(part),
                       )  # fmt: skip
    return tokens, stream, rows


def load(run_folder: Path, spec: RunSpec, rows: int, name: str = "") -> LanguageModel:
    """The trained model of a run; torch is imported only for neural ones.

    AppError if its file is missing, damaged, or not of a vocabulary of `rows` ids, and for weights
    that are no numbers; `name`: what the run is called, else its file is named.
    """
    info = MODELS[spec.model]
    if info.kind == "count":
        model = ngram_file.load_either(run_folder / MODEL_FILE)
        if model.rows != rows:
            raise AppError("{name} is of another vocabulary. Train again to replace it.",
                           name=MODEL_FILE)  # fmt: skip
        return model
    network: LanguageModel = importlib.import_module(info.module).load(
        run_folder, spec.config, rows
    )
    for weights in cast(Any, network).module.parameters():
        if not bool(weights.isfinite().all()):
            raise AppError("The weights of {name} hold values that are no numbers. Train a new run "
                           "to replace it.", name=name or WEIGHTS)  # fmt: skip
    return network


def load_checked(run_folder: Path, spec: RunSpec, rows: int, *, job: Job) -> LanguageModel:
    """The same, for those who ask it much: a large file is read from end to end before."""
    model = load(run_folder, spec, rows)
    if MODELS[spec.model].kind == "count":
        ngram_file.check(run_folder / MODEL_FILE, job=job)
    return model
