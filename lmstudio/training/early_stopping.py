"""Validation losses, or scores, one after the other -> which is best, and whether to go on."""

import math
from dataclasses import dataclass

from lmstudio.messages import Message


@dataclass
class EarlyStopping:
    """Remembers the best loss; a loss that is not a number is never the best."""

    patience: int  # looks without a better loss before stopping; 0: never stop
    best_loss: float | None = None
    best_step: int = 0
    waited: int = 0  # looks since the best
    not_finite: bool = False  # the last look gave NaN or infinity

    def update(self, loss: float, step: int) -> bool:
        """Take in the loss at `step`; true if it is the best so far."""
        self.not_finite = not math.isfinite(loss)
        if not self.not_finite and (self.best_loss is None or loss < self.best_loss):
            self.best_loss, self.best_step, self.waited = loss, step, 0
            return True
        self.waited += 1
        return False

    def reason(self, *, of_scores: bool = False) -> Message | None:
        """Why to stop now, None to go on. `of_scores`: the losses are scores, turned round."""
        if not self.patience or self.waited < self.patience:
            return None
        if self.best_loss is None:
            return Message("Stopped: none of {looks} validations gave a finite loss.",
                           {"looks": self.waited})  # fmt: skip
        values: dict[str, object] = {"looks": self.waited, "step": self.best_step}
        if self.not_finite:
            return Message(
                "Stopped: the validation loss became NaN (not a number); "
                "no better one in {looks} validations. The best is from step {step}.",
                values,
            )
        if of_scores:
            return Message(
                "Stopped early: no better score on the valid part in {looks} validations. "
                "The best is from step {step}.",
                values,
            )
        return Message(
            "Stopped early: no better validation loss in {looks} validations. "
            "The best is from step {step}.",
            values,
        )
