"""What can be set of each model, free of torch so that forms and the command line can show it.

Each neural config also knows its exact parameter arithmetic: `parameters(rows)` lists
(what, arithmetic, count) terms whose counts sum to the number of trained weights.
"""

from lmstudio.models.config.bert import BertConfig
from lmstudio.models.config.elmo import ElmoConfig
from lmstudio.models.config.ffnn import FfnnConfig
from lmstudio.models.config.gpt import GptConfig
from lmstudio.models.config.ngram import (
    DISCOUNTING,
    SCORES_ONLY,
    SETTINGS,
    SMOOTHINGS,
    ClassNgramConfig,
    NgramConfig,
)
from lmstudio.models.config.presets import PRESETS, UNUSED
from lmstudio.models.config.recurrent import GruConfig, LstmConfig, RnnConfig
from lmstudio.models.config.terms import Term
from lmstudio.models.config.vectors import VectorsConfig

__all__ = [
    "DISCOUNTING", "PRESETS", "SCORES_ONLY", "SETTINGS", "SMOOTHINGS", "UNUSED", "BertConfig",
    "ClassNgramConfig", "ElmoConfig", "FfnnConfig", "GptConfig", "GruConfig", "LstmConfig",
    "NgramConfig", "RnnConfig", "Term", "VectorsConfig",
]  # fmt: skip
