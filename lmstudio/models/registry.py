"""MODELS: the one table of models: what can be trained, and what comes in files. Free of torch."""

from dataclasses import dataclass
from typing import Literal

from lmstudio.messages import msg
from lmstudio.models.config import (
    BertConfig,
    ClassNgramConfig,
    ElmoConfig,
    FfnnConfig,
    GptConfig,
    GruConfig,
    LstmConfig,
    NgramConfig,
    RnnConfig,
    VectorsConfig,
)

NeuralConfig = FfnnConfig | RnnConfig | GruConfig | LstmConfig | ElmoConfig | BertConfig | GptConfig
Config = NgramConfig | ClassNgramConfig | NeuralConfig | VectorsConfig


@dataclass(frozen=True)
class ModelInfo:
    """One family on the timeline."""

    title: str  # a catalogue sentence
    year: int
    author: str
    paper: str
    summary: str  # a catalogue sentence: what it looks at
    kind: Literal["count", "neural", "table"]  # the last is not trained here
    config: type[Config]
    module: str  # where its code is


MODELS: dict[str, ModelInfo] = {
    "ngram": ModelInfo(
        msg("n-gram"), 1948, "Shannon", "Shannon 1948; Kneser & Ney 1995; Chen & Goodman 1999",
        msg("Counts the last n − 1 tokens"), "count", NgramConfig, "lmstudio.models.ngram.model",
    ),
    "class-ngram": ModelInfo(
        msg("Class n-gram"), 1992, "Brown", "Brown et al. 1992; Kneser & Ney 1993",
        msg("Counts classes of words"), "count", ClassNgramConfig,
        "lmstudio.models.ngram.class_model",
    ),
    "ffnn": ModelInfo(
        msg("FFNN"), 2003, "Bengio", "Bengio, Ducharme, Vincent & Jauvin 2003",
        msg("Embeds the last n − 1 tokens"), "neural", FfnnConfig, "lmstudio.models.ffnn",
    ),
    "rnn": ModelInfo(
        msg("RNN"), 2010, "Mikolov", "Elman 1990; Mikolov et al. 2010",
        msg("Reads from the left, with a state"), "neural", RnnConfig, "lmstudio.models.rnn",
    ),
    "lstm": ModelInfo(
        msg("LSTM"), 2012, "Sundermeyer", "Hochreiter & Schmidhuber 1997; Sundermeyer et al. 2012",
        msg("Reads from the left, with gates"), "neural", LstmConfig, "lmstudio.models.lstm",
    ),
    "gru": ModelInfo(
        msg("GRU"), 2014, "Cho", "Cho et al. 2014; Chung et al. 2014",
        msg("Reads from the left, with fewer gates"), "neural", GruConfig, "lmstudio.models.gru",
    ),
    "elmo": ModelInfo(
        msg("ELMo"), 2018, "Peters", "Peters et al. 2018",
        msg("Reads from both ends, apart"), "neural", ElmoConfig, "lmstudio.models.elmo",
    ),
    "gpt": ModelInfo(
        msg("GPT"), 2018, "Radford", "Radford et al. 2018; Radford et al. 2019",
        msg("Looks at all tokens before"), "neural", GptConfig, "lmstudio.models.gpt",
    ),
    "bert": ModelInfo(
        msg("BERT"), 2019, "Devlin", "Devlin, Chang, Lee & Toutanova 2019",
        msg("Looks at both sides of a blank"), "neural", BertConfig, "lmstudio.models.bert",
    ),
    "vectors": ModelInfo(
        msg("Word vectors"), 2013, "Mikolov",
        "Mikolov et al. 2013; Pennington, Socher & Manning 2014",
        msg("A vector for each word, from a file"), "table", VectorsConfig,
        "lmstudio.models.vectors",
    ),
}  # fmt: skip

TRAINABLE = {name: info for name, info in MODELS.items() if info.kind != "table"}
"""What can be trained, in the same order."""


def table_rows(config: NeuralConfig | VectorsConfig, rows: int) -> int:
    """Rows of the embedding of a network over `rows` ids: BERT's has one more, for [MASK]."""
    return rows + isinstance(config, BertConfig)
