"""MEASURES: names of what is recorded of a run -> what they are called and how they are drawn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lmstudio import figures
from lmstudio.operations import evaluation
from lmstudio.operations.metric_names import TITLES
from lmstudio.operations.metric_names import VALID as VALID
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.store.rows import RunRow


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
    "bits_per_character": Measure(TITLES["bits_per_character"], "lower"),
    "perplexity": Measure(TITLES["perplexity"], "lower"),
    "loss": _loss(TITLES["loss"]),
    "total_loss": _loss(TITLES["total_loss"]),
    "forward_loss": _loss(TITLES["forward_loss"]),
    "backward_loss": _loss(TITLES["backward_loss"]),
    "both_loss": _loss(TITLES["both_loss"]),
    "masked_loss": _loss(TITLES["masked_loss"]),
    "masked_accuracy": _accuracy(TITLES["masked_accuracy"]),
    "next_loss": _loss(TITLES["next_loss"]),
    "next_accuracy": _accuracy(TITLES["next_accuracy"]),
    "learning_rate": Measure(TITLES["learning_rate"], show=_rate, in_training=True),
    "gradient_norm": Measure(TITLES["gradient_norm"], in_training=True),
    "tokens_per_second": Measure(
        TITLES["tokens_per_second"], "higher", figures.short, in_training=True
    ),
    "memory": Measure(TITLES["memory"], show=figures.size, in_training=True),
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
