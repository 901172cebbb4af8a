"""RunSpec: everything that decides how a run goes, as JSON in and out, checked all at once."""

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lmstudio.errors import AppError, Fault, SpecError
from lmstudio.files import read_json
from lmstudio.messages import Message, listed, msg
from lmstudio.models.config import PRESETS, NgramConfig
from lmstudio.models.config.ngram import STORED
from lmstudio.models.registry import MODELS, TRAINABLE, Config
from lmstudio.options import from_dict, option
from lmstudio.training.task_config import TUNING, TaskConfig

LARGEST_SHEET = 100 << 20
"""Bytes of a file of settings, or of a run sheet, that is read whole."""
DEVICE = re.compile(r"auto|cpu|mps|(cuda|xpu)(:\d+)?")


@dataclass(frozen=True)
class TrainingConfig:
    """How a neural model is trained; counting models have nothing to set here."""

    epochs: int = option(
        4, msg("Epochs"), msg("Times the training text is read"), low=1, high=10000
    )
    minutes: float = option(
        0.0, msg("Minutes"),
        msg("Stop after so many minutes of training on this computer; 0: after the epochs"),
        low=0, high=100_000,
    )  # fmt: skip
    max_steps: int = option(
        0, msg("Most steps"), msg("Stop after so many steps; 0 means after the epochs"),
        low=0, high=100_000_000, more=True,
    )  # fmt: skip
    learning_rate: float = option(
        0.005, msg("Learning rate"), msg("After warm-up"), low=0, high=1, above=True
    )
    batch: int = option(
        16, msg("Batch"),
        msg("Sentences, windows or pieces of text in a step; 0: as many as fit into memory"),
        low=0, high=65536,
    )  # fmt: skip
    length: int = option(
        64, msg("Length"), msg("Tokens of a sentence read in one piece"), low=1, high=4096
    )
    optimizer: str = option(
        "auto", msg("Optimiser"),
        msg("auto: Muon for transformers, AdamW for the others; Muon: AdamW for all but the "
            "matrices inside the layers"),
        choices=("auto", "adamw", "muon", "sgd"), more=True,
    )  # fmt: skip
    warmup: int = option(
        100, msg("Warm-up steps"),
        msg("Steps in which the learning rate rises from zero; a twentieth of all steps at most"),
        low=0, high=1_000_000, more=True,
    )  # fmt: skip
    weight_decay: float = option(
        0.01, msg("Weight decay"), msg("On matrices only"), low=0, high=1, more=True
    )
    clip: float = option(
        1.0, msg("Clip"), msg("Longest gradient allowed; 0 switches clipping off"),
        low=0, high=1000, more=True,
    )  # fmt: skip
    accumulate: int = option(
        1, msg("Parts of a batch"),
        msg("Work a batch out in so many parts, which need less memory; the figures stay the same"),
        low=1, high=65536, more=True,
    )  # fmt: skip
    share: float = option(
        1.0, msg("Share of the text"), msg("Train on the first part of the training text only"),
        low=0, high=1, above=True, more=True,
    )  # fmt: skip
    validate_every: int = option(
        0, msg("Validate every"),
        msg("Steps between two looks at the valid part; 0: at most ten an epoch and fifty in all, "
            "in fine-tuning fewer, down to one an epoch, where looking takes long"),
        low=0, high=1_000_000, more=True,
    )  # fmt: skip
    patience: int = option(
        10, msg("Patience"),
        msg("Validations without a better figure before stopping; 0: never"),
        low=0, high=10000, more=True,
    )  # fmt: skip
    save_minutes: float = option(
        1.0, msg("Save every"), msg("Minutes of work that a power cut may cost"),
        low=0, high=1000, above=True, more=True,
    )  # fmt: skip
    precision: str = option(
        "auto", msg("Number precision"), msg("auto: bf16 where this processor is faster with it"),
        choices=("auto", "fp32", "bf16", "fp16"), more=True,
    )  # fmt: skip
    compile: bool = option(
        False, msg("Compile"), msg("Let torch write code for this model first; for long runs"),
        more=True,
    )  # fmt: skip
    seed: int = option(
        1, msg("Seed"), msg("Start of the random numbers"), low=0, high=2**31 - 1, more=True
    )
    device: str = option("auto", msg("Device"), msg("auto, cpu, cuda, cuda:1, mps, xpu"), more=True)


@dataclass(frozen=True)
class RunSpec:
    """A model, its settings and its training. The segmentation and the name are the run's own.

    With a `task` it is a fine-tuning: the model is the encoder that a head is put on.
    """

    model: str
    config: Config
    training: TrainingConfig = field(default_factory=TrainingConfig)
    task: TaskConfig | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        data = {"model": self.model, "config": asdict(self.config)}
        if MODELS[self.model].kind == "neural":
            data["training"] = asdict(self.training)
        if self.task:
            data["task"] = asdict(self.task)
        return data

    def refuse_untrainable(self) -> None:
        """AppError for models that only come in files of other programs."""
        if self.model not in TRAINABLE:
            raise AppError("Word vectors come in files; they are not trained. Choose another "
                           "model.")  # fmt: skip
        if getattr(self.config, "smoothing", "") == STORED:
            raise AppError("The probabilities of this n-gram model came in a file; they are not "
                           "trained. Choose a smoothing.")  # fmt: skip

    def as_draft(self) -> "RunSpec":
        """Where a new run can start from: what came in a file gets the usual smoothing."""
        if isinstance(self.config, NgramConfig) and self.config.smoothing == STORED:
            return replace(self, config=NgramConfig(order=self.config.order))
        return self

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "RunSpec":
        """The spec in `data` (model, preset, config, training, task); else a SpecError."""
        spec, faults = cls.read(data)
        if faults:
            raise SpecError(faults)
        return spec

    @classmethod
    def read(cls, data: dict[str, Any]) -> "tuple[RunSpec, list[Fault]]":
        """The spec in `data` and everything that is wrong with it."""
        model = data.get("model", "")
        if model not in MODELS:
            known = listed(TRAINABLE)
            which: dict[str, object] = {"choices": known}
            wrong = (Message("must be one of {choices}", which) if model
                     else Message("say which kind with --model: {choices}", which))  # fmt: skip
            raise SpecError([Fault("model", wrong)])
        preset, faults = _preset(model, data.get("preset", ""))
        kind = MODELS[model].config
        config, wrong_config = from_dict(kind, preset.get("model", {}) | data.get("config", {}))
        of_task = data.get("task")
        task, wrong_task = (None, []) if of_task is None else from_dict(TaskConfig, of_task)
        usual = preset.get("training", {}) if task is None else TUNING
        training, wrong_training = from_dict(TrainingConfig, usual | data.get("training", {}))
        if MODELS[model].kind != "neural":
            unknown = Message("is not a known setting of {model}", {"model": MODELS[model].title})
            wrong_training = [Fault(name, unknown) for name in data.get("training", {})]
        elif not DEVICE.fullmatch(str(training.device)):
            wrong_training.append(
                Fault("device", Message("must be auto, cpu, mps, cuda, cuda:1 or xpu"))
            )
        faults += [*wrong_config, *wrong_training, *wrong_task]
        return cls(model, config, training, task), faults

    def check(self) -> list[Fault]:
        """Everything that is wrong with this spec; nothing if it can be trained."""
        return RunSpec.read(self.to_json())[1]


def read_file(path: Path) -> dict[str, Any]:
    """The data of a spec file, not yet checked."""
    try:
        data = read_json(path, largest=LARGEST_SHEET)
    except OSError as error:
        raise AppError(
            "{path} cannot be read: {error}.", path=path, error=error.strerror
        ) from error
    except ValueError as error:
        raise AppError("{path} is not JSON ({error}).", path=path, error=error) from error
    if not isinstance(data, dict) or not all(
        isinstance(data.get(name, {}), dict) for name in ("config", "training")
    ):
        raise AppError("{path} does not hold a run's settings.", path=path)
    return data


def _preset(model: str, name: str) -> tuple[dict[str, dict[str, Any]], list[Fault]]:
    presets = PRESETS[model]
    if not name or name in presets:
        return presets.get(name, {}), []
    if not presets:
        none = Message("{model} has no presets", {"model": MODELS[model].title})
        return {}, [Fault("preset", none)]
    choices = listed(presets)
    return {}, [Fault("preset", Message("must be one of {choices}", {"choices": choices}))]
