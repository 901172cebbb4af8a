"""Kinds of tasks, labels and settings as a reader knows them."""

from lmstudio.messages import msg, tr

KIND_TITLES = {
    "classify": msg("Classification"), "tag": msg("Tagging"),
    "pair": msg("Text pairs"), "qa": msg("Answering"),
}  # fmt: skip

CHOICES = {
    "pretrained": msg("encoder's weights"), "scratch": msg("new random weights"),
    "auto": msg("automatic"), "first": msg("first mark"), "last": msg("last token"),
    "layers.last": msg("last layer"),
    "mean": msg("mean of all"), "max": msg("largest of all"), "mix": msg("learned mix of all"),
    "table": msg("look-up table only"), "none": msg("none of them"),
    "bilstm": msg("bidirectional LSTM"), "head": msg("keep the beginning"),
    "tail": msg("keep the end"), "both": msg("keep both ends"),
    "windows": msg("overlapping windows"), "score": msg("best score"), "loss": msg("lowest loss"),
    "balanced": msg("balanced by frequency"),
}  # fmt: skip
"""What stands in the form for a choice of TaskConfig, or for that of one field."""

_QUESTIONS = {"answer": msg("with an answer"), "no answer": msg("without an answer")}


def kind_title(kind: str) -> str:
    """What a kind of task is called."""
    return tr(KIND_TITLES[kind])


def label_title(kind: str, label: str) -> str:
    """A label as it is shown: those of questions are the program's own."""
    if kind == "qa" and label in _QUESTIONS:
        return tr(_QUESTIONS[label])
    return label or tr("word")
