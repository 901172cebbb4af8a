"""Settings that were tried for a task -> how each was tuned, its encoder and seed aside."""

from collections.abc import Sequence
from dataclasses import asdict

from lmstudio.figures import percent
from lmstudio.messages import listed, tr
from lmstudio.operations.finetuning import unusual
from lmstudio.operations.task_results import Setting
from lmstudio.options import from_dict, options_of
from lmstudio.store.rows import Facts
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig

_TOLD = ("seed", "share")  # is no matter of the way, or told by itself


def ways(found: Sequence[Setting]) -> list[str]:
    """A name for each setting, the same for those that were tuned in the same way.

    Such as "fine-tuned" or "mixed layers, frozen"; where that is not all in which they differ, the
    settings that do: "fine-tuned, Epochs 3".
    """
    heads = [_head(setting) for setting in found]
    trainings = [_training(setting) for setting in found]
    names = list(map(_name, heads, trainings))
    settings = [asdict(how) | asdict(head) for head, how in zip(heads, trainings, strict=True)]
    told = []
    for name, own in zip(names, settings, strict=True):
        alike = [other for title, other in zip(names, settings, strict=True) if title == name]
        told.append(listed([name, *_apart(own, alike)], clauses=True))
    return told


def share_of(setting: Setting) -> float:
    """The share of the examples that it was trained with."""
    return _training(setting).share


def _name(head: TaskConfig, training: TrainingConfig) -> str:
    told = unusual(head) or [tr("fine-tuned")]
    if training.share != 1:
        told.append(tr("{share} of the examples", share=percent(training.share)))
    return listed(told, clauses=True)


def _apart(own: Facts, alike: Sequence[Facts]) -> list[str]:
    """The settings in which some of those that are alike are not."""
    labels = options_of(TrainingConfig) | options_of(TaskConfig)
    return [f"{tr(labels[name][1].label)} {_value(own[name])}" for name in own
            if name not in _TOLD and any(other[name] != own[name] for other in alike)]  # fmt: skip


def _value(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _head(setting: Setting) -> TaskConfig:
    return from_dict(TaskConfig, setting.runs[0].run.spec.get("task") or {})[0]


def _training(setting: Setting) -> TrainingConfig:
    return from_dict(TrainingConfig, setting.runs[0].run.spec.get("training", {}))[0]
