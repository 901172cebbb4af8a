"""Groups of weights of an optimiser -> the same, each moving as fast as the module says.

A fine-tuned network may move its lower layers more slowly than its upper ones (Howard & Ruder 2018,
"Universal language model fine-tuning for text classification") and its head faster.
"""

from typing import Any

from torch import nn

Group = dict[str, Any]


def by_rate(groups: list[Group], rates: dict[nn.Parameter, float]) -> list[Group]:
    """Each group parted by `rates`, see Trainable: 1 for what is not in there.

    The groups themselves where nothing has a rate of its own, as checkpoints count on their order.
    """
    if not rates:
        return groups
    return [part for group in groups for part in _parted(group, rates)]


def _parted(group: Group, rates: dict[nn.Parameter, float]) -> list[Group]:
    parts: dict[float, list[nn.Parameter]] = {}
    for parameter in group["params"]:
        parts.setdefault(rates.get(parameter, 1.0), []).append(parameter)
    scale = group.get("scale", 1.0)
    return [group | {"params": some, "scale": scale * rate} for rate, some in parts.items()]
