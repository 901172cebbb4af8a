"""Runs that can be asked a question, ready to be handed to a worker."""

from lmstudio.analysis.asked import Asked
from lmstudio.errors import AppError
from lmstudio.models.capabilities import reason
from lmstudio.operations import runs, segmentations
from lmstudio.store.workspace import Workspace

OF_THE_HEAD = ("fill", "score", "next", "directions")
"""Questions to what names tokens; all others are answered by what is below that."""


def asked(ws: Workspace, run: int | str, question: str = "") -> Asked:
    """A run as the functions of analysis take it.

    AppError where it has no model yet or, with `question` (of models.capabilities), where its
    family cannot answer that.
    """
    row = ws.run(run)
    if not runs.has_model(ws, row):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=row.name)
    spec = runs.spec_of(ws, row.id)
    if question and (why := reason(spec.model, question, spec.config)):
        raise AppError("{name} cannot answer this: {reason}.", name=row.name, reason=why)
    if question in OF_THE_HEAD:
        runs.refuse_untrained(row)
    plan = segmentations.cut_plan(ws, ws.segmentation(row.segmentation_id))
    return Asked(
        row.name, ws.segmentation_folder(row.segmentation_id), ws.run_folder(row.id), spec, plan,
        keep=not ws.read_only,
    )  # fmt: skip
