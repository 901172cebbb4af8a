"""The folder of a run becomes a model that can be asked questions."""

import importlib
from pathlib import Path

from lmstudio.formats import ngram_file
from lmstudio.models.base import LanguageModel
from lmstudio.models.registry import MODELS
from lmstudio.training.fit_ngram import MODEL_FILE
from lmstudio.training.spec import RunSpec


def load(run_folder: Path, spec: RunSpec, rows: int) -> LanguageModel:
    """The trained model of a run; torch is imported only for neural ones."""
    info = MODELS[spec.model]
    if info.kind == "count":
        return ngram_file.load_either(run_folder / MODEL_FILE)
    return importlib.import_module(info.module).load(run_folder, spec.config, rows)
