"""AskedTask: all that a worker needs to know of a fine-tuned run to predict with it."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.analysis.asked import Asked
from lmstudio.training.task_config import TaskConfig


@dataclass(frozen=True)
class AskedTask:
    """A fine-tuned run as the functions of analysis take it."""

    asked: Asked
    task: str  # its kind, one of training.task_config.KINDS
    labels: tuple[str, ...]  # classes; of tag all tags, O first; none of questions
    task_folder: Path  # the examples it was tuned with
    folder: Path  # of the run

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.asked.name

    @property
    def config(self) -> TaskConfig:
        """The settings of its head."""
        config = self.asked.spec.task
        assert config is not None  # operations.predicting.asked_task lets no other through
        return config
