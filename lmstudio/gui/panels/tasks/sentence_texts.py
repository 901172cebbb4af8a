"""An example of a scored part, and what was said of it before and now -> what is told of it."""

from lmstudio import figures
from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.messages import tr
from lmstudio.operations import task_scores


def change_of(kind: str, before: Prediction, now: Prediction) -> str:
    """What was said of the text as it was, and what is said of it now."""
    if kind != "tag":
        return f"{_sure(kind, before)} → {_sure(kind, now)}"
    old, new = (task_scores.said_of(kind, one) or tr("no span") for one in (before, now))
    return tr("As before: {said}", said=old) if old == new else f"{old} → {new}"


def _sure(kind: str, said: Prediction) -> str:
    return f"{task_scores.said_of(kind, said)} {figures.percent(said.confidence, 1)}"


def note(found: PartScores, number: int) -> str:
    """Which example it is, and how well it was done."""
    place = found.examples[number].place
    told = [tr("row {number} of {all}", number=figures.count(number + 1),
               all=figures.count(len(found.examples)))]  # fmt: skip
    if place != str(number + 1):
        told.append(place)
    if found.exact:
        told.append(f"EM {figures.percent(found.exact[number])}")
    if found.task in ("tag", "qa"):
        told.append(f"F1 {figures.percent(found.each[number])}")
    return " · ".join(filter(None, told))


def first_place(said: Prediction) -> int:
    """Where what was found begins in the text; -1 where nothing was, or all of it has a class."""
    if said.spans:
        return said.spans[0].start
    return said.answers[0].start if said.answer else -1
