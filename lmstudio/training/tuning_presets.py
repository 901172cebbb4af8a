"""Ways to fine-tune that have a name: what the books do, and what small networks need."""

from dataclasses import dataclass, field
from typing import Any

from lmstudio.messages import msg
from lmstudio.training.task_config import APPLIES, KINDS, TUNING


@dataclass(frozen=True)
class TuningPreset:
    """Settings that differ from TaskConfig() and TUNING."""

    title: str  # a catalogue sentence
    help: str  # a catalogue sentence
    task: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)

    def task_values(self, kind: str) -> dict[str, Any]:
        """Those of `task` that apply to a kind of task."""
        return {name: value for name, value in self.task.items()
                if kind in APPLIES.get(name, KINDS)}  # fmt: skip

    def training_values(self) -> dict[str, Any]:
        """Every setting of the training that is not TrainingConfig's own default."""
        return TUNING | self.training


TUNING_PRESETS: dict[str, TuningPreset] = {
    "small": TuningPreset(
        msg("Small network"), msg("The whole encoder at a rate that suits networks made here"),
        {"crf": True},
    ),
    "bilstm": TuningPreset(
        msg("BiLSTM-CRF"),
        msg("Huang et al. 2015: the look-up table alone, read by an LSTM in both directions; "
            "quick, and strong at tags"),
        {"layers": "table", "reader": "bilstm", "crf": True, "dropout": 0.3},
        {"optimizer": "adamw"},
    ),
    "published": TuningPreset(
        msg("As published"), msg("Devlin et al. 2019: 3 epochs of batches of 32 at rate 5e-5"),
        {}, {"epochs": 3, "learning_rate": 5e-5, "optimizer": "adamw"},
    ),
    "frozen": TuningPreset(
        msg("Only the head"), msg("The encoder stays as it is; what it knows already is read off"),
        {"tuned": 0}, {"learning_rate": 2e-3, "optimizer": "adamw"},
    ),
    "features": TuningPreset(
        msg("ELMo features"),
        msg("Peters et al. 2018: a learned mix of frozen layers, read by an LSTM"),
        {"tuned": 0, "layers": "mix", "reader": "bilstm", "crf": True},
        {"learning_rate": 2e-3, "optimizer": "adamw"},
    ),
    "scratch": TuningPreset(
        msg("From scratch"),
        msg("The same network with random weights: what pre-training is worth"),
        {"start": "scratch", "crf": True},
    ),
}  # fmt: skip
"""By name; the first is what a form begins with."""
