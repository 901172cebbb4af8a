"""Names of what is recorded in training, see `training.curve` -> what they are called and show."""

from collections.abc import Callable

from lmstudio import figures
from lmstudio.messages import msg, tr

VALID = "valid_"
"""What the names of a validation begin with."""

TITLES = {
    "bits_per_character": msg("Bits per character"),
    "perplexity": msg("Perplexity"),
    "loss": msg("Loss (nats)"),
    "total_loss": msg("All losses together"),
    "forward_loss": msg("Loss read from the left"),
    "backward_loss": msg("Loss read from the right"),
    "both_loss": msg("Loss from both sides"),
    "masked_loss": msg("Loss of the blanks"),
    "masked_accuracy": msg("Accuracy of the blanks"),
    "next_loss": msg("Loss of next sentences"),
    "next_accuracy": msg("Accuracy of next sentences"),
    "learning_rate": msg("Learning rate"),
    "gradient_norm": msg("Length of the gradient"),
    "tokens_per_second": msg("Tokens/s"),
    "memory": msg("Memory"),
}
"""Catalogue sentences by name; those of a validation have VALID before the name."""
_POINTS = {"run": msg("Run"), "step": msg("Step"), "seconds": msg("Seconds")}


def title(name: str) -> str:
    """What a column of `operations.metrics.table` is called; a name that is not known stays."""
    measure = name.removeprefix(VALID)
    if name in _POINTS or measure not in TITLES:
        return tr(_POINTS[name]) if name in _POINTS else name
    found = tr(TITLES[measure])
    return f"{tr('Valid')} · {found}" if name.startswith(VALID) else found


def shown(name: str, value: object) -> object:
    """A cell of such a column for people: rates and bytes as text, other values as they are."""
    show = _SHOWN.get(name)
    return show(value) if show and isinstance(value, int | float) else value


def rate(value: float) -> str:
    """A learning rate, however small: "3.0e-04"."""
    return f"{value:.1e}"


_SHOWN: dict[str, Callable[[float], str]] = {
    "learning_rate": rate, "memory": figures.size,
    "tokens_per_second": figures.count,
}  # fmt: skip
