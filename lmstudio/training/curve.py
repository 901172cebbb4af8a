"""Sums and counts of losses -> the figures of a curve: losses, shares of right guesses, speed.

By name, of a point of the training curve (those of a validation begin with "valid_"):

    loss               mean of the headline losses (see Trainable), in nats an event
    total_loss         mean of all that is minimised, where there are several losses
    NAME_loss          mean of each, where there are several
    NAME_accuracy      share of right guesses, of losses that count them
    learning_rate, gradient_norm, tokens_per_second, memory (bytes), seconds (since the beginning)
"""

import math
import time
from collections.abc import Callable

import torch
from torch import Tensor

from lmstudio.errors import AppError
from lmstudio.models.trainable import CORRECT, Sums


def figures(
    sums: dict[str, float], events: dict[str, float], headline: tuple[str, ...] = ()
) -> dict[str, float]:
    """The losses and accuracies; a loss of which nothing was seen is left out."""
    seen = {name: total / events[name] for name, total in sums.items() if events.get(name)}
    found = {}
    if chosen := [seen[name] for name in headline or seen if name in seen]:
        found["loss"] = sum(chosen)
    if len(events) > 1:
        found |= {"total_loss": sum(seen.values())} if seen else {}
        found |= {f"{name}_loss": mean for name, mean in seen.items()}
    for name in seen:
        if name + CORRECT in sums:
            found[f"{name}_accuracy"] = sums[name + CORRECT] / events[name]
    return found


class Recent:
    """What happened since the last point of the curve; sums stay on the device until asked."""

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        has_best: Callable[[], bool] = lambda: False,
        worthless: Callable[[], bool] = lambda: False,
    ) -> None:
        """`now` counts the seconds of work; `has_best`: a best checkpoint was kept before.

        `worthless`: its validation loss is worse than that of a guess that all tokens are as
        likely.
        """
        self.now, self._has_best, self._worthless = now, has_best, worthless
        self._clear()

    def _clear(self) -> None:
        self.since = self.now()  # moved by what is no part of the speed of training
        self._sums: Sums = {}
        self._events: Sums = {}
        self._norms: list[Tensor] = []
        self._tokens = 0

    def add(self, events: Sums, sums: Sums, norm: Tensor, tokens: int) -> None:
        """Take in a step: its counts and sums, the length of its gradient, the tokens shown."""
        for totals, values in ((self._events, events), (self._sums, sums)):
            for name, value in values.items():
                totals[name] = totals[name] + value if name in totals else value
        self._norms.append(norm)
        self._tokens += tokens

    def check(self) -> None:
        """Raise AppError if a step has gone wrong, before its weights are used or kept."""
        values = [*self._sums.values(), *self._norms]
        if not values or all(map(math.isfinite, plain(values))):
            return
        if self._has_best() and self._worthless():
            raise AppError(
                "The training loss became NaN (not a number) or infinite. Lower the learning rate, "
                "or clip gradients to a smaller length. The best checkpoint so far is kept, but it "
                "predicts worse than a guess that takes all tokens to be as likely: train anew."
            )
        if self._has_best():
            raise AppError(
                "The training loss became NaN (not a number) or infinite. Lower the learning rate, "
                "or clip gradients to a smaller length. The best checkpoint so far is kept."
            )
        raise AppError(
            "The training loss became NaN (not a number) or infinite before there was a best "
            "checkpoint. Lower the learning rate, or clip gradients to a smaller length."
        )

    def take(self, headline: tuple[str, ...]) -> dict[str, float]:
        """The figures since the last call; starts anew."""
        self.check()
        sums = dict(zip(self._sums, plain(list(self._sums.values())), strict=True))
        events = dict(zip(self._events, plain(list(self._events.values())), strict=True))
        found = figures(sums, events, headline)
        norms = plain(self._norms)
        found["gradient_norm"] = sum(norms) / len(norms)
        found["tokens_per_second"] = self._tokens / max(self.now() - self.since, 1e-9)
        self._clear()
        return found


def plain(values: list[Tensor]) -> list[float]:
    """The numbers, waiting for the device once."""
    if not values:
        return []
    return torch.stack([value.detach().float() for value in values]).tolist()
