"""TaskConfig: what a fine-tuned model has on top of its encoder, and how much of that is trained.

The settings stand beside those of the training (epochs, learning rate, ...) in the run's RunSpec.
Defaults of both: Devlin et al. 2019, appendix A.3, but for epochs and rate, see TUNING.
"""

from dataclasses import dataclass
from typing import Any

from lmstudio.errors import Fault
from lmstudio.messages import Message, msg
from lmstudio.options import option

KINDS = ("classify", "tag", "pair", "qa")
"""A sentence to its class; tokens to tags; two sentences to a class; a question to a span."""

TUNING: dict[str, Any] = {
    "epochs": 10, "batch": 32, "learning_rate": 3e-3, "optimizer": "auto", "patience": 0,
}  # fmt: skip
"""What a fresh fine-tuning begins with instead of the defaults of TrainingConfig.

What is published, 3 epochs by AdamW at 5e-5, is for networks of 100 M parameters. Those made here
need more of both, and move best by what they were pre-trained by: a BERT by Muon had an accuracy of
0.79 on headlines after 3 epochs by AdamW at 1e-3, and of 0.84 by Muon at 3e-3.
"""


@dataclass(frozen=True)
class TaskConfig:
    """A head on an encoder. Settings that do not apply to `kind` mean nothing: see APPLIES."""

    kind: str = option(
        "classify", msg("Kind of task"),
        msg("classify: sentence to class; tag: tokens to tags; pair: two sentences to class; "
            "qa: question to a span of a passage"),
        choices=KINDS,
    )  # fmt: skip
    start: str = option(
        "pretrained", msg("Begin with"),
        msg("The weights of the encoder, or new ones (to see what pre-training is worth)"),
        choices=("pretrained", "scratch"),
    )  # fmt: skip
    pooling: str = option(
        "auto", msg("Pooling"),
        msg("What stands for a sentence; auto: its first mark for BERT, the last token for what "
            "reads from the left, the mean for the others"),
        choices=("auto", "first", "last", "mean", "max"),
    )  # fmt: skip
    layers: str = option(
        "last", msg("Layers read"),
        msg("Read the last layer, a learned mix of all of them as ELMo does, or only the "
            "look-up table"),
        choices=("last", "mix", "table"),
    )  # fmt: skip
    reader: str = option(
        "none", msg("Reader"),
        msg("What reads the vectors before the head: nothing, or an LSTM in both directions"),
        choices=("none", "bilstm"), more=True,
    )  # fmt: skip
    reader_width: int = option(
        128, msg("Width of the reader"), msg("Units of its LSTM in each direction"),
        low=1, high=4096, more=True,
    )  # fmt: skip
    crf: bool = option(
        False, msg("CRF"), msg("Let neighbouring tags decide together (Lafferty et al. 2001)")
    )
    scheme: str = option(
        "BIO", msg("Tag scheme"), msg("How spans are written as tags of tokens"),
        choices=("BIO", "BIOES"), more=True,
    )  # fmt: skip
    tuned: int = option(
        -1, msg("Layers trained"),
        msg("-1: the whole encoder; 0: none of it, only the head; k: its last k layers"),
        low=-1, high=1000,
    )  # fmt: skip
    layer_decay: float = option(
        1.0, msg("Rate of deeper layers"),
        msg("The learning rate of a layer is that of the layer above times this"),
        low=0, high=1, above=True, more=True,
    )  # fmt: skip
    head_rate: float = option(
        1.0, msg("Rate of the head"), msg("Times the learning rate"),
        low=0, high=1000, above=True, more=True,
    )  # fmt: skip
    dropout: float = option(
        0.1, msg("Dropout of the head"), msg("Share of its inputs left out in training"),
        low=0, high=0.9, more=True,
    )  # fmt: skip
    weights: str = option(
        "none", msg("Class weights"),
        msg("balanced: rare classes count for more, in inverse proportion to how many they are"),
        choices=("none", "balanced"), more=True,
    )  # fmt: skip
    length: int = option(
        128, msg("Longest text"), msg("Tokens that are read of a text, marks included"),
        low=4, high=4096,
    )  # fmt: skip
    cut: str = option(
        "auto", msg("Longer texts"),
        msg("Keep the head, the tail, head and tail, or read all of it in overlapping windows; "
            "auto: windows where tokens are tagged, else the head"),
        choices=("auto", "head", "tail", "both", "windows"),
    )  # fmt: skip
    stride: int = option(
        64, msg("Stride"), msg("Tokens from one window to the next"), low=1, high=4096, more=True
    )
    answer_length: int = option(
        30, msg("Longest answer"), msg("Tokens of an answer"), low=1, high=4096, more=True
    )
    choose_by: str = option(
        "score", msg("Best checkpoint"),
        msg("The one with the best score on the valid part, or the lowest loss"),
        choices=("score", "loss"), more=True,
    )  # fmt: skip

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        least = 5  # three marks, and a token of either text
        if self.kind in ("pair", "qa") and self.length < least:
            return [Fault("length", Message("must be at least {low}", {"low": least}))]
        return []


APPLIES: dict[str, tuple[str, ...]] = {
    "pooling": ("classify", "pair"),
    "weights": ("classify", "pair"),
    "crf": ("tag",),
    "scheme": ("tag",),
    "stride": KINDS,
    "answer_length": ("qa",),
}
"""Settings that only some kinds of tasks have; all others apply to each."""
