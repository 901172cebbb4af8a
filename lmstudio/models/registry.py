"""MODELS: the one table of what can be trained. Free of torch."""

from dataclasses import dataclass
from typing import Literal

from lmstudio.messages import msg
from lmstudio.models.config import LstmConfig, NgramConfig

Config = NgramConfig | LstmConfig


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
    "lstm": ModelInfo(
        msg("LSTM"), 2012, "Sundermeyer", "Hochreiter & Schmidhuber 1997; Sundermeyer et al. 2012",
        msg("Reads from the left, with gates"), "neural", LstmConfig, "lmstudio.models.lstm",
    ),
}  # fmt: skip
