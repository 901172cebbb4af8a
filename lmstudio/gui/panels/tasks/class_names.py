"""The rows and columns of a confusion and the figures of a part, as a reader knows them."""

from lmstudio import figures
from lmstudio.analysis.tasks.errors import ANSWER, BOUNDS, NONE, PartScores
from lmstudio.analysis.tasks.one_sided import one_sided
from lmstudio.messages import msg, tr
from lmstudio.operations.task_results import MEASURES

_COUNTED = {"classify": "examples", "pair": "examples", "tag": "spans", "qa": "questions"}
_COUNTS = {
    "examples": msg("examples {count}"), "spans": msg("spans {count}"),
    "questions": msg("questions {count}"),
}  # fmt: skip


def class_name(kind: str, label: str) -> str:
    """A label of `PartScores.labels`; those that are no class are the program's own."""
    if kind == "qa":
        return tr("answer") if label == ANSWER else tr("no answer")
    if kind == "tag" and label in (NONE, BOUNDS):
        return tr("no span") if label == NONE else tr("other ends")
    return label


def told(found: PartScores) -> str:
    """The figures of the whole in a line, and in another that a run says the same of all."""
    shares = [f"{tr(title)} {figures.percent(found.figures[name], 1)}"
              for name, title in MEASURES[found.task].items() if name in found.figures]  # fmt: skip
    if found.figures.get("lenient_f1", 1.0) < found.figures.get("f1", 0.0):
        shares[-1] = tr("{score} (broken tags count too)", score=shares[-1])
    if "majority" in found.figures:
        share = figures.percent(found.figures["majority"], 1)
        shares.append(tr("always the most frequent class {share}", share=share))
    counted = _COUNTED[found.task]
    count = figures.count(found.figures[counted])
    line = " · ".join([*shares, tr(_COUNTS[counted], count=count)])
    return "\n".join([line, *(str(alike) for alike in [one_sided(found)] if alike)])
