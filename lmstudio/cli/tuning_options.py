"""The settings of a head and of its training as options of a verb, and what was said of them."""

import argparse

from lmstudio.cli.shared import add_field, given
from lmstudio.cli.terminal import say
from lmstudio.errors import AppError
from lmstudio.messages import tr
from lmstudio.operations import finetuning
from lmstudio.options import options_of
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TUNING, TaskConfig

_TRAINING = set(options_of(TrainingConfig)) - set(options_of(TaskConfig))
"""Settings of the training; the length of a row is that of TaskConfig here."""


def add_tuning(verb: argparse.ArgumentParser) -> None:
    """An option for each setting of a fine-tuning."""
    head = verb.add_argument_group(tr("The head and what is trained"))
    for name, field in options_of(TaskConfig).items():
        if name != "kind":
            add_field(head, name, field, default=field[0].default)
    how = verb.add_argument_group(tr("Training of networks"))
    for name, field in options_of(TrainingConfig).items():
        if name in _TRAINING:
            add_field(how, name, field, default=TUNING.get(name, field[0].default))


def tuning_of(options: argparse.Namespace, kind: str) -> tuple[Facts, Facts]:
    """What was said of the head, and of the training.

    AppError where a setting was given that does not apply to this kind of task.
    """
    said = given(options, TrainingConfig)
    how = {name: value for name, value in said.items() if name in _TRAINING}
    head = given(options, TaskConfig)
    known = finetuning.options(kind)
    for name, (field, _) in options_of(TaskConfig).items():
        if name in head and name not in known and head[name] != field.default:
            raise AppError("{option} means nothing to a task of the kind {kind}. Leave it out.",
                           option=f"--{name.replace('_', '-')}", kind=kind)  # fmt: skip
    return head, how


def say_usual(ws: Workspace, encoder: str, start: str) -> None:
    """Tell that the training is as published, where it is."""
    if start == "pretrained" and finetuning.usual_way(ws, encoder) == "published":
        say(tr("{name} came from elsewhere: 3 epochs by AdamW at 5e-5, as published, unless other "
               "settings are given.", name=ws.run(encoder).name))  # fmt: skip
