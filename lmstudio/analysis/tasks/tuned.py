"""A fine-tuned run in; its model, opened once and kept to be asked again, out.

Free of torch until one is opened.
"""

from lmstudio.analysis.asked import model_state
from lmstudio.analysis.last_used import LastUsed
from lmstudio.analysis.tasks.asked_task import AskedTask
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.training.feeds import train_counts

KEPT = 4
"""Models that are kept open."""


class Tuned:
    """A fine-tuned run whose model is open."""

    def __init__(self, asked: AskedTask) -> None:
        """AppError where its files are missing or damaged."""
        from lmstudio.models.tasks import task_model

        folder = asked.asked.segmentation_folder
        self.asked = asked
        self.vocabulary = Vocabulary.load(folder)
        self.model = task_model.load(
            asked.folder, asked.asked.spec, train_counts(folder), folder, asked.labels
        )
        self.may_be_none = asked.task == "qa" and any(
            example.labelled and not example.spans
            for example in read_part(asked.task_folder, "train")
        )  # who never saw a question without an answer need not say so


_open = LastUsed[Tuned](KEPT)


def tuned(asked: AskedTask, *, job: Job) -> Tuned:
    """The run's model: the one kept, where its files are still those that it was read from."""

    def opened() -> Tuned:
        job.check()
        return Tuned(asked)

    return _open.get(asked.folder, (model_state(asked.asked), asked), opened)
