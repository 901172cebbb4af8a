"""What runs made of a word -> cells of the board, curves of the plot, names of groups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio import figures
from lmstudio.analysis.polysemy import LayerGroups, Polysemy
from lmstudio.data.browse.uses import Occurrence
from lmstudio.gui.panels.explore.layer_board import LayerCell
from lmstudio.gui.plot_curves import Series
from lmstudio.messages import msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.store.rows import RunRow

MEASURES = {
    "silhouette": msg("silhouette"), "sense_silhouette": msg("silhouette of the senses"),
    "agreement": msg("agreement with the senses"),
}  # fmt: skip
"""What the plot can show of a layer, by its field of LayerGroups."""


@dataclass(frozen=True)
class LayerOf:
    """A layer of a run."""

    run: int
    layer: int


def best(answers: Mapping[int, Polysemy]) -> LayerOf | None:
    """The layer with the highest silhouette of all; None where there is no answer."""
    found = [(one.layers[one.best].silhouette, run, one.best) for run, one in answers.items()]
    found = [entry for entry in found if entry[0] == entry[0]] or found
    if not found:
        return None
    _, run, layer = max(found, key=lambda entry: entry[0])
    return LayerOf(run, layer)


def cells(
    runs: Sequence[RunRow], answers: Mapping[int, Polysemy]
) -> list[tuple[LayerOf, LayerCell]]:
    """A cell for each layer of the runs that have answered, in their order.

    Where the look-up tables have but one point, one of them stands for all.
    """
    shown = [run for run in runs if run.id in answers]
    models = Counter(run.model for run in shown)
    alike = all(answers[run.id].layers[0].groups < 2 for run in shown)
    made = []
    for number, run in enumerate(shown):
        name = run.name if models[run.model] > 1 else tr(MODELS[run.model].title)
        for layer, found in enumerate(answers[run.id].layers):
            if layer or not alike:
                title = _title(name, layer)
            elif number == 0:
                title = tr("Look-up table")
            else:
                continue
            made.append((LayerOf(run.id, layer), _cell(run.id, title, found)))
    return made


def _cell(run: int, title: str, layer: LayerGroups) -> LayerCell:
    points = tuple((x, y) for x, y in layer.points.tolist())
    value = figures.decimal(layer.silhouette)
    note = tr("silhouette {value}", value=value)
    if layer.groups > 1:
        note = tr("silhouette {value}, {groups} groups", value=value, groups=layer.groups)
    return LayerCell(run, title, note, value, points, layer.groups < 2)


def _title(name: str, layer: int) -> str:
    if not layer:
        return tr("{name}: look-up table", name=name)
    return tr("{name}, layer {number}", name=name, number=layer)


def curves(runs: Sequence[RunRow], answers: Mapping[int, Polysemy], measure: str) -> list[Series]:
    """A measure by layer; none where all occurrences are one point, as in the look-up table."""
    made, seen = [], Counter[str]()
    for run in runs:
        if run.id not in answers:
            continue
        layers = answers[run.id].layers
        values = [np.nan if layer.groups < 2 else getattr(layer, measure) for layer in layers]
        y = np.array(values, np.float64)
        made.append(Series(run.id, run.name, np.arange(len(y), dtype=np.float64), y, run.model,
                           dash=seen[run.model], dots=True))  # fmt: skip
        seen[run.model] += 1
    return made


def group_names(uses: Sequence[Occurrence], labels: Sequence[int]) -> dict[int, str]:
    """A group by the sense that most of its known occurrences have, else by its number."""
    names = {}
    for group in sorted(set(labels) - {-1}):
        senses = Counter(one.sense for one, label in zip(uses, labels, strict=True)
                         if label == group and one.sense)  # fmt: skip
        number = str(group + 1)
        names[group] = f"{number} {tr(senses.most_common(1)[0][0])}" if senses else number
    return names
