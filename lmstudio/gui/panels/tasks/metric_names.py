"""Names of what is recorded while a model is fine-tuned -> what they are called."""

from lmstudio.messages import msg, tr

METRICS = {
    "valid_score": msg("Score, valid part"),
    "valid_accuracy": msg("Accuracy, valid part"),
    "valid_macro_f1": msg("Macro F1, valid part"),
    "valid_f1": msg("F1, valid part"),
    "valid_em": msg("Exact match, valid part"),
    "valid_loss": msg("Loss, valid part"),
    "loss": msg("Loss in training"),
    "learning_rate": msg("Learning rate"),
}


def metric_title(name: str) -> str:
    """In the language in use; "" for what is not drawn."""
    return tr(METRICS[name]) if name in METRICS else ""


def is_score(name: str) -> bool:
    """It lies between 0 and 1 and is told in percent."""
    return name.startswith("valid_") and name != "valid_loss"


def metric_order(name: str) -> tuple[bool, bool, str]:
    """Scores on the valid part first, then its losses, then those of the training."""
    return not name.startswith("valid_"), name.endswith("loss"), name
