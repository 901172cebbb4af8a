"""Steps of a walk in; what the window says of each, out."""

import math
from collections.abc import Sequence

from lmstudio import figures
from lmstudio.analysis.sentence_walk import Step
from lmstudio.messages import tr

Types = Sequence[str]


def details(step: Step, types: Types) -> list[tuple[str, str]]:
    """(what, how much) of one step."""
    bits = math.nan if math.isnan(step.probability) else step.bits
    order = tr("{order}-gram", order=step.order)
    gram = words([*step.context[len(step.context) - step.order + 1 :], step.token], types)
    found = [
        (tr("Context"), words(step.context, types) or "—"),
        (tr("Answered by"), f"{order}: {gram}"),
        (tr("Back-off weights paid"), " × ".join(map(_four, step.weights)) or tr("none")),
    ]
    if step.own is not None and step.weight is not None and step.shorter is not None:
        found.append((tr("Own share, after the discount"), _four(step.own)))
        mixed = (
            f"{_four(step.weight)} × {_four(step.shorter)} = {_four(step.weight * step.shorter)}"
        )
        found.append((tr("From the shorter n-gram"), mixed))
    found.append((tr("Probability"), _probability(step.probability)))
    found.append((tr("Surprisal, bits"), figures.decimal(bits, 4)))
    return found


def words(ids: Sequence[int], types: Types) -> str:
    """Tokens as they are called."""
    return " ".join(types[number] for number in ids)


def _probability(value: float) -> str:
    return figures.DASH if math.isnan(value) else f"{value:.6g}"


def _four(value: float) -> str:
    return f"{value:.4g}"
