"""MODELS: the one table of what can be trained. Free of torch."""

from dataclasses import dataclass
from typing import Literal

from lmstudio.messages import msg
from lmstudio.models.config import ClassNgramConfig, LstmConfig, NgramConfig

Config = NgramConfig | ClassNgramConfig | LstmConfig


@dataclass(frozen=True)
class ModelInfo:
    """One family on the timeline."""

    title: str  # a catalogue sentence
    year: int
    author: str
    paper: str
    summary: str  # a catalogue sentence: what it looks at
    kind: Literal["count", "neural"]
    config: type[Config]
    module: str  # where its code is


MODELS: dict[str, ModelInfo] = {
    "ngram": ModelInfo(
        msg("n-gram"), 1948, "Shannon", "Shannon 1948; Kneser & Ney 1995; Chen & Goodman 1999",
        msg("Counts the last n - 1 tokens"), "count", NgramConfig, "lmstudio.models.ngram.model",
    ),
    "class-ngram": ModelInfo(
        msg("Class n-gram"), 1992, "Brown", "Brown et al. 1992; Kneser & Ney 1993",
        msg("Counts classes of words"), "count", ClassNgramConfig,
        "lmstudio.models.ngram.class_model",
    ),
    "lstm": ModelInfo(
        msg("LSTM"), 2012, "Sundermeyer", "Hochreiter & Schmidhuber 1997; Sundermeyer et al. 2012",
        msg("Reads from the left, with gates"), "neural", LstmConfig, "lmstudio.models.lstm",
    ),
}  # fmt: skip
