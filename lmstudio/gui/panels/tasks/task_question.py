"""What is typed into the boxes of a kind of task in; what a fine-tuned run says of it out."""

from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.operations import predicting
from lmstudio.store.workspace import Workspace

DEBOUNCE_MS = 150
FIELDS = {
    "classify": (msg("Text"), ""), "tag": (msg("Text"), ""),
    "pair": (msg("First text"), msg("Second text")), "qa": (msg("Passage"), msg("Question")),
}  # fmt: skip
"""What the one or two boxes of a kind of task are called."""


def predict(
    ws: Workspace, run: int, text: str, others: list[str], *, job: Job
) -> tuple[Prediction, tuple[str, ...]]:  # fmt: skip
    """What is said, and the labels that its probabilities are of."""
    labels = predicting.asked_task(ws, run).labels
    return predicting.predict(ws, run, [text], others, job=job)[0], labels
