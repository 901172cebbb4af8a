"""Runs that can be asked a question, ready to be handed to a worker."""

from lmstudio.analysis.asked import Asked
from lmstudio.errors import AppError
from lmstudio.messages import Message, listed, tr
from lmstudio.models.capabilities import QUESTIONS, reason
from lmstudio.models.registry import MODELS
from lmstudio.operations import runs, segmentations
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

OF_THE_HEAD = ("fill", "score", "next", "directions")
"""Questions to what names tokens; all others are answered by what is below that."""
_NAMED = 5  # runs that can, the newest


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
        raise refusal(ws, row, question, why)
    if question in OF_THE_HEAD:
        runs.refuse_untrained(row)
    plan = segmentations.cut_plan(ws, ws.segmentation(row.segmentation_id))
    return Asked(
        row.name, ws.segmentation_folder(row.segmentation_id), ws.run_folder(row.id), spec, plan,
        keep=not ws.read_only,
    )  # fmt: skip


def refusal(ws: Workspace, run: RunRow, question: str, why: Message) -> AppError:
    """That a run cannot answer a question of models.capabilities, and which runs or kinds can."""
    able = [one.name for one in reversed(ws.runs())
            if one.spec and runs.has_model(ws, one)
            and not reason(one.model, question, RunSpec.from_json(one.spec).config)
            and not (question in OF_THE_HEAD and runs.why_unscored(one))]  # fmt: skip
    if able:
        return AppError("{name} cannot answer this: {reason}. These runs can: {runs}.",
                        name=run.name, reason=why, runs=listed(able[:_NAMED]))  # fmt: skip
    kinds = listed(tr(MODELS[kind].title) for kind in QUESTIONS[question][0])
    return AppError("{name} cannot answer this: {reason}. These models can: {models}.",
                    name=run.name, reason=why, models=kinds)  # fmt: skip
