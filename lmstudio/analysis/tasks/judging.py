"""What a network that is being tuned says of the valid part -> its score, as a finished run has it.

The windows of a text are put together and its spans and answers read as `predicting` does, so that
the score by which a checkpoint is chosen is the one that is told of it afterwards.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lmstudio.analysis.tasks.errors import scored
from lmstudio.analysis.tasks.predicting import said
from lmstudio.analysis.tasks.reading import RowAnswer, answers
from lmstudio.data.labelled.encoding import Row
from lmstudio.data.labelled.example import Example
from lmstudio.training.fit_task import Way

if TYPE_CHECKING:
    from lmstudio.models.tasks.task_model import TaskModel
    from lmstudio.models.trainable import Tensors

MEASURE = {"classify": "accuracy", "pair": "accuracy", "tag": "f1", "qa": "f1"}
"""What is called the score of a kind of task: spans strictly, answers by the rule of CMRC."""


class Judge:
    """Hears what is said of rows, batch after batch, and scores the examples that they are of."""

    def __init__(self, way: Way, examples: Sequence[Example], rows: Sequence[Row]) -> None:
        """`rows` are those of the `examples`, whose answers are known."""
        self.way, self.examples, self.rows = way, examples, rows
        self._heard: dict[int, RowAnswer] = {}

    def hear(self, model: "TaskModel", batch: "Tensors") -> None:
        """What `model` says of a batch, which has "row", (B,): the numbers of its rows."""
        numbers = batch["row"].tolist()
        self._heard |= zip(numbers, answers(model, batch, sure=False), strict=True)

    def score(self) -> float:
        """From 0 to 1, of what was heard since the last call."""
        heard, self._heard = self._heard, {}
        windows: dict[int, list[tuple[Row, RowAnswer]]] = {}
        for number in sorted(heard):
            row = self.rows[number]
            windows.setdefault(row.example, []).append((row, heard[number]))
        examples = [self.examples[number] for number in windows]
        found = said(self.way, examples, list(windows.values()))
        return scored(self.way, "valid", examples, found).figures[MEASURE[self.way.task]]


def judge(way: Way, examples: Sequence[Example], rows: Sequence[Row]) -> Judge:
    """A judge, made where the network is trained."""
    return Judge(way, examples, rows)
