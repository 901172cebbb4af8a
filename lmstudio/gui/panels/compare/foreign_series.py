"""Curves from files to dashed series of the plot of runs, and what is said of them."""

import numpy as np

from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.run_series import MOST, View
from lmstudio.gui.plots import Series
from lmstudio.messages import listed, msg, tr
from lmstudio.operations.foreign_curves import ForeignCurve

_WITHOUT = {"seconds": msg("without times: {names}"), "step": msg("without steps: {names}"),
            "tokens": msg("without tokens: {names}")}  # fmt: skip


def of_view(curves: list[ForeignCurve], view: View) -> list[ForeignCurve]:
    """Those of the measure and part that are shown, the newest where there are many.

    A loss is no perplexity of a run that brought its perplexities.
    """
    in_training = MEASURES[view.measure].in_training
    own = {(one.name, one.part) for one in curves if one.measure == view.measure}
    return [curve for curve in curves
            if (curve.measure == view.measure
                or curve.shows(view.measure) and (curve.name, curve.part) not in own)
            and (in_training or curve.part == view.part)
            ][-MOST:]  # fmt: skip


def series(curves: list[ForeignCurve], view: View) -> list[Series]:
    """A dashed curve for each that has points along the axis shown."""
    made = []
    for curve in of_view(curves, view):
        x, y = curve.points(view.measure, view.x)
        if len(x) == 1:  # a gap after it tells the plot that it was not counted
            x, y = np.append(x, x), np.append(y, np.nan)
        if len(x):
            made.append(Series(f"file {curve.number}", curve.name, x, y, dash=1))
    return made


def notes(curves: list[ForeignCurve], drawn: list[Series], view: View) -> list[str]:
    """Which are from files, for a run may be dashed too, and why some curve is not there."""
    named = list(dict.fromkeys(one.name for one in drawn))
    told = [tr("from files: {names}", names=listed(named))] if drawn else []
    known = {one.key for one in drawn}
    missing = [one.name for one in of_view(curves, view) if f"file {one.number}" not in known]
    if missing:
        told.append(tr(_WITHOUT[view.x], names=listed(missing)))
    return told
