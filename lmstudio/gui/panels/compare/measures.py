"""MEASURES: names of what is recorded of a run -> what they are called and how they are drawn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lmstudio import figures
from lmstudio.messages import msg
from lmstudio.operations import evaluation
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.store.rows import RunRow

VALID = "valid_"
"""What the metrics of a validation begin with; the same without it is of the training."""


@dataclass(frozen=True)
class Measure:
    """A choice of the curves' panel."""

    title: str  # a catalogue sentence
    better: str = ""  # "lower" or "higher", where either is
    show: Callable[[float], str] | None = None  # a value in labels; None: two decimals
    in_training: bool = False  # a validation has no such figure


def _percent(share: float) -> str:
    return figures.percent(share, 1)


def _rate(value: float) -> str:
    return f"{value:.2g}"


def _loss(title: str) -> Measure:
    return Measure(title, "lower")


def _accuracy(title: str) -> Measure:
    return Measure(title, "higher", _percent)


MEASURES: dict[str, Measure] = {
    "bits_per_character": Measure(msg("Bits per character"), "lower"),
    "perplexity": Measure(msg("Perplexity"), "lower"),
    "loss": _loss(msg("Loss (nats)")),
    "total_loss": _loss(msg("All losses together")),
    "forward_loss": _loss(msg("Loss read from the left")),
    "backward_loss": _loss(msg("Loss read from the right")),
    "both_loss": _loss(msg("Loss from both sides")),
    "masked_loss": _loss(msg("Loss of the blanks")),
    "masked_accuracy": _accuracy(msg("Accuracy of the blanks")),
    "next_loss": _loss(msg("Loss of next sentences")),
    "next_accuracy": _accuracy(msg("Accuracy of next sentences")),
    "learning_rate": Measure(msg("Learning rate"), show=_rate, in_training=True),
    "gradient_norm": Measure(msg("Length of the gradient"), in_training=True),
    "tokens_per_second": Measure(msg("Tokens/s"), "higher", figures.short, in_training=True),
    "memory": Measure(msg("Memory"), show=figures.size, in_training=True),
}
"""By name, in the order in which they are offered; see `training.curve`."""

ALWAYS = ("bits_per_character", "perplexity")
_DERIVED = frozenset(evaluation.MEASURES)


def metric(run: RunRow, measure: str, part: str) -> str:
    """The name under which a measure of a part is recorded of a run.

    The only loss of a model that sees both sides has no name of its own there.
    """
    own = "masked_loss" if run.model == "bert" else "both_loss"
    if measure in _DERIVED or measure == own and sees_both_sides(run.spec):
        measure = "loss"
    return VALID + measure if part == "valid" and not MEASURES[measure].in_training else measure


def offered(runs: Iterable[tuple[RunRow, set[str]]]) -> list[str]:
    """Those that some of the runs, each with the names of its metrics, has."""
    runs = list(runs)
    return [
        name for name in MEASURES
        if name in ALWAYS or any(
            metric(run, name, part) in names and not _is_other(run, name)
            for run, names in runs for part in ("train", "valid")
        )
    ]  # fmt: skip


def _is_other(run: RunRow, measure: str) -> bool:
    """The loss of a model that sees both sides is offered under its own name only."""
    return measure == "loss" and sees_both_sides(run.spec)
