"""Ways to fine-tune that have a name: what the books do, and what small networks need."""

from dataclasses import dataclass, field
from typing import Any

from lmstudio.messages import msg
from lmstudio.training.task_config import TUNING


@dataclass(frozen=True)
class TuningPreset:
    """Settings that differ from TaskConfig() and TUNING."""

    title: str  # a catalogue sentence
    help: str  # a catalogue sentence
    task: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)

    def training_values(self) -> dict[str, Any]:
        """Every setting of the training that is not TrainingConfig's own default."""
        return TUNING | self.training


TUNING_PRESETS: dict[str, TuningPreset] = {
    "small": TuningPreset(
        msg("Small network"), msg("The whole encoder at a rate that suits networks made here"),
        {}, {"epochs": 5},
    ),
    "published": TuningPreset(
        msg("As published"), msg("Devlin et al. 2019: 3 epochs of batches of 32 at rate 5e-5"),
        {}, {"learning_rate": 5e-5},
    ),
    "frozen": TuningPreset(
        msg("Only the head"), msg("The encoder stays as it is; what it knows already is read off"),
        {"tuned": 0}, {"epochs": 10, "learning_rate": 2e-3},
    ),
    "features": TuningPreset(
        msg("ELMo features"),
        msg("Peters et al. 2018: a learned mix of frozen layers, read by an LSTM"),
        {"tuned": 0, "layers": "mix", "reader": "bilstm"},
        {"epochs": 10, "learning_rate": 1e-3},
    ),
    "scratch": TuningPreset(
        msg("From scratch"),
        msg("The same network with random weights: what pre-training is worth"),
        {"start": "scratch"}, {"epochs": 10, "learning_rate": 1e-3},
    ),
}  # fmt: skip
"""By name; the first is what a form begins with."""
