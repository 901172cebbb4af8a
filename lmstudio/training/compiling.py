"""A module's losses -> the same, in code that torch writes for them first."""

import logging
import sys

import torch

from lmstudio.errors import is_out_of_memory
from lmstudio.messages import Message
from lmstudio.models.trainable import Sums, Tensors, Trainable

_log = logging.getLogger(__name__)


class Losses:
    """The losses of a module; where compiling them fails, as they are."""

    def __init__(self, module: Trainable, compiled: bool) -> None:
        self._losses = self._plain = module.losses
        self.note: Message | None = None  # to be told, once
        if compiled and getattr(sys, "frozen", False):
            self.note = Message("This program cannot compile models; only one run from source can.")
        elif compiled:
            self._losses = torch.compile(module.losses)

    def __call__(self, batch: Tensors) -> Sums:
        """See Trainable.losses."""
        try:
            return self._losses(batch)
        except RuntimeError as error:
            if self._losses is self._plain or is_out_of_memory(error):
                raise
            _log.info("not compiled: %s", error)
        self._losses = self._plain
        self.note = Message("The model could not be compiled here; training without.")
        return self._losses(batch)

    def take_note(self) -> Message | None:
        """What is to be told and was not yet."""
        note, self.note = self.note, None
        return note
