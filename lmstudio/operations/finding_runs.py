"""The runs that a question which was kept can be put to, and why the others cannot answer it."""

from lmstudio.errors import AppError
from lmstudio.messages import Message, tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import comparison
from lmstudio.operations.findings import can_ask_again
from lmstudio.operations.runs import has_model
from lmstudio.store.rows import FindingRow, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

ASKS = {
    "sentence": "score", "compare": "score", "next": "next", "generate": "next", "fill": "fill",
    "neighbors": "table", "similarity": "table", "attention": "attention", "inside": "inside",
    "lens": "context", "directions": "directions", "layer-similarity": "context",
    "input-sum": "norms", "positions": "norms", "polysemy": "context", "sentences": "layers",
}  # fmt: skip
"""The question of models.capabilities that each kind of finding asks."""
_WORDS = ("auto", "tokens", "spaces", "jieba")  # that are no segmentation


def able(ws: Workspace, row: FindingRow) -> list[RunRow]:
    """The runs that can answer, newest first."""
    return [run for run in ws.runs() if has_model(ws, run) and not why_not(ws, row, run)]


def why_not(ws: Workspace, row: FindingRow, run: RunRow) -> str:
    """Why a run that has a model cannot be asked; "" where it can."""
    if not can_ask_again(row):
        return tr("Questions of this kind cannot be asked again")
    config = RunSpec.from_json(run.spec).config if run.spec else None
    asks = "layers" if row.question.get("layer") else ASKS[row.kind]
    if why := reason(run.model, asks, config):
        return str(why)
    if row.question.get("pooling") == "cls" and run.model != "bert":
        return tr("Only BERT begins a sentence with [CLS].")
    try:
        corpora = _corpora(ws, row)
        if corpora and ws.segmentation(run.segmentation_id).corpus_id not in corpora:
            return tr("it was trained on another corpus")
        return str(_not_comparable(ws, row, run) or "") if row.kind == "compare" else ""
    except AppError as error:  # what the question names was deleted, or it names nothing
        return str(error)


def _corpora(ws: Workspace, row: FindingRow) -> set[int]:
    """Where the question belongs: the corpora of what it names, or else of who has answered."""
    words = row.question.get("words", "auto")
    if row.kind == "compare":
        cuts = {ws.run(row.question.get("base", 0)).segmentation_id}
    elif isinstance(words, str) and words not in _WORDS:
        cuts = {ws.segmentation(words).id}
    else:
        cuts = {run.segmentation_id for run in ws.runs() if run.name in row.answers}
    return {ws.segmentation(cut).corpus_id for cut in cuts}


def _not_comparable(ws: Workspace, row: FindingRow, run: RunRow) -> Message | None:
    base = ws.run(row.question.get("base", 0))
    if base.id == run.id:
        return Message("it is the base itself")
    return next(iter(comparison.choose(ws, [base.id, run.id]).left_out.values()), None)
