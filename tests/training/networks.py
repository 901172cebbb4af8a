"""The smallest of every network, and a text for them: what the tests of training share."""

import random
from pathlib import Path

from lmstudio.jobs import Job
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

SMALL = {
    "ffnn": {"order": 3, "width": 8, "hidden": 8, "dropout": 0.1},
    "rnn": {"width": 8, "dropout": 0.1},
    "gru": {"width": 8, "dropout": 0.1},
    "lstm": {"width": 8, "dropout": 0.1, "layers": 2},
    "elmo": {"layers": 2, "width": 8, "cell": 8, "dropout": 0.1},
    "gpt": {"layers": 2, "width": 8, "heads": 2, "window": 16, "dropout": 0.1},
    "bert": {"layers": 2, "width": 8, "heads": 2, "window": 16, "dropout": 0.1},
}
"""Settings of each model, dropout on."""

VARIANTS = {
    **{model: (model, {}) for model in SMALL},
    "rnn of documents": ("rnn", {"context": "document"}),
    "lstm of documents": ("lstm", {"context": "document"}),
    "lstm, sampled": ("lstm", {"softmax": "sampled"}),
    "elmo, carried": ("elmo", {"carried": True}),
    "elmo, joint": ("elmo", {"head": "joint"}),
    "gpt of sentences": ("gpt", {"context": "sentence"}),
    "bert, static": ("bert", {"dynamic": False}),
}
"""Every way in which data, state and randomness come together."""


def spec_of(variant: str, **training) -> RunSpec:
    model, config = VARIANTS[variant]
    training = {
        "batch": 4,
        "length": 8,
        "patience": 0,
        "device": "cpu",
        "warmup": 6,
        "precision": "fp32",
    } | training
    return RunSpec.from_json(
        {"model": model, "config": SMALL[model] | config, "training": training}
    )


def small_text(folder: Path, sentences: int = 90) -> Path:
    """A segmentation of random letters."""
    letters = random.Random(1)
    train = [
        " ".join(letters.choices("abcdefg", k=letters.randint(1, 15))) for _ in range(sentences)
    ]
    return write_segmentation(folder, train=train, valid=train[:16])


class Watched(Job):
    """A job that keeps its points, and can press its own stop at a step."""

    def __init__(self, stop_at: int = 0) -> None:
        super().__init__("watched")
        self.stop_at = stop_at
        self.points: list[tuple[int, str, float]] = []
        self.notes: list[str] = []

    def record(self, done, total=0, note="", **point):
        self.points += [
            (done, name, value)
            for name, value in point.items()
            if "second" not in name and name != "memory"
        ]
        if note:
            self.notes.append(str(note))
        if self.stop_at and done >= self.stop_at:
            self.cancel()
        super().record(done, total, note, **point)

    def remark(self, note):
        self.notes.append(str(note))
        super().remark(note)

    def curve(self, name: str) -> dict[int, float]:
        """The values of one figure by step."""
        return {step: value for step, this, value in self.points if this == name}
