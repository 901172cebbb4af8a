"""Findings: a question with what models answered, kept with the workspace, asked again of others.

A question is the plain arguments of the operation that answers it, by name, the run left out;
`answers` holds what came back, by the name of the run. So every kind of question is kept, shown,
written to CSV and put to another run in the same way: KINDS is the one place that knows which
operation answers which kind.
"""

import importlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import listed, msg, tr
from lmstudio.operations import tags, trash
from lmstudio.operations.changes import Changes
from lmstudio.store import findings as kept
from lmstudio.store.names import CONTROLS
from lmstudio.store.rows import Facts, FindingRow
from lmstudio.store.workspace import Workspace

TITLE_LENGTH = 200
LARGEST = 2_000_000
"""Characters that the answers of a finding may take."""

KINDS: dict[str, str] = {
    "sentence": "surprisal:summary",
    "compare": "comparison:against",
    "next": "generation:next_table",
    "generate": "generation:generate_again",
    "fill": "fill:fill_blanks",
    "neighbors": "embeddings:neighbors",
    "similarity": "embeddings:similarities",
    "attention": "attention:summary",
    "inside": "inside:inside",
    "lens": "layers:lens",
    "directions": "layers:two_directions",
    "layer-similarity": "layers:layer_similarity",
    "input-sum": "layers:input_terms",
    "positions": "layers:positions",
    "polysemy": "polysemy:of_word",
    "sentences": "sentences:similarity",
}
"""module:function in operations that answers (ws, run, **question, job=...), by kind."""

TITLES: dict[str, str] = {
    "sentence": msg("Sentence"),
    "compare": msg("Head to head"),
    "next": msg("Next word"),
    "generate": msg("Generation"),
    "fill": msg("Masks"),
    "neighbors": msg("Neighbours"),
    "similarity": msg("Similarity"),
    "inside": msg("Layers and gates"),
    "lens": msg("Predictions of each layer"),
    "directions": msg("Both directions"),
    "layer-similarity": msg("Similarity of layers"),
    "input-sum": msg("Input of a transformer"),
    "positions": msg("Positions"),
    "attention": msg("Attention"),
    "polysemy": msg("Polysemy"),
    "sentences": msg("Sentence similarity"),
}
"""What kinds of questions are called."""

CHANGED = Changes(findings=True)


def findings(ws: Workspace) -> list[FindingRow]:
    """All that were kept, newest first."""
    return kept.findings(ws.db)


def search(ws: Workspace, words: str) -> list[FindingRow]:
    """Those in whose title, question, runs or tags all `words` stand, newest first."""
    found = tags.tags(ws, "finding")
    return [
        row for row in findings(ws)
        if tags.matches(words, row.title, kind_name(row.kind), *row.answers, *found.get(row.id, ()),
                        json.dumps(row.question, ensure_ascii=False))
    ]  # fmt: skip


def kind_name(kind: str) -> str:
    """What a kind of question is called in the language in use."""
    return tr(TITLES[kind]) if kind in TITLES else kind


def finding(ws: Workspace, number: int) -> FindingRow:
    """One of them. AppError if there is none of that number."""
    return kept.finding(ws.db, number)


def save(
    ws: Workspace, kind: str, title: str, question: Mapping[str, Any], answers: Mapping[str, Any]
) -> Changes:
    """Keep a question (see above) and what each run answered, by name.

    Answers may be dataclasses and arrays. AppError where they are too large to be kept.
    """
    title = _title(title)
    number = kept.add(ws.db, kind, title, plain(question), _checked(plain(answers)))
    return Changes(findings=True, new_id=number)


def new(
    ws: Workspace, kind: str, title: str, question: Mapping[str, Any], run: int | str, *, job: Job
) -> Changes:
    """Put a question to a run and keep it with the answer. AppError as in `ask_again`."""
    asked = ws.run(run)
    answer = _answering(kind)(ws, asked.id, **_arguments(kind, question), job=job)
    return save(ws, kind, title, question, {asked.name: answer})


def rename(ws: Workspace, number: int, title: str) -> Changes:
    """Give a finding another title."""
    kept.set_title(ws.db, finding(ws, number).id, _title(title))
    return CHANGED


def delete(ws: Workspace, number: int) -> Changes:
    """Put a finding into the trash."""
    return trash.delete(ws, "finding", finding(ws, number).id)


def check_kind(kind: str) -> None:
    """AppError where there is no such kind of question: which there are."""
    if kind not in KINDS:
        raise AppError("There is no kind of question {kind}. There are: {kinds}.", kind=kind,
                       kinds=listed(KINDS))  # fmt: skip


def check_question(kind: str, question: Mapping[str, Any]) -> None:
    """AppError where a question lacks what its operation must be told."""
    known = inspect.signature(_answering(kind)).parameters
    needed = [name for name, parameter in list(known.items())[2:]
              if parameter.default is parameter.empty and name != "job"]  # fmt: skip
    if missing := [name for name in needed if name not in question]:
        raise AppError("The question lacks {names}.", names=listed(missing))


def defaults(kind: str) -> dict[str, Any]:
    """What a question of a kind means where it does not say: values by argument."""
    known = inspect.signature(_answering(kind)).parameters
    return {name: one.default for name, one in known.items() if one.default is not one.empty}


def can_ask_again(row: FindingRow) -> bool:
    """Whether this program knows what answers its kind of question."""
    return row.kind in KINDS


def ask_again(ws: Workspace, number: int, run: int | str, *, job: Job) -> Changes:
    """Put the question of a finding to a run, and keep its answer beside the others.

    AppError where nothing answers that kind of question, or the run cannot.
    """
    row, asked = finding(ws, number), ws.run(run)
    arguments = _arguments(row.kind, row.question)
    answer = plain(_answering(row.kind)(ws, asked.id, **arguments, job=job))
    answers = _checked({**finding(ws, number).answers, asked.name: answer})
    kept.set_answers(ws.db, row.id, answers)
    return CHANGED


def plain(value: Any) -> Any:  # noqa: ANN401 - it is made of anything
    """JSON values of dataclasses, arrays, tuples and what stands in them."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # numpy's arrays and numbers, without importing it here
        return plain(value.tolist())
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _answering(kind: str) -> Callable[..., Any]:
    if kind not in KINDS:
        raise AppError("Questions of the kind {kind} cannot be asked again.", kind=kind)
    module, _, name = KINDS[kind].partition(":")
    function: Callable[..., Any] = getattr(
        importlib.import_module(f"lmstudio.operations.{module}"), name
    )
    return function


def _arguments(kind: str, question: Mapping[str, Any]) -> dict[str, Any]:
    """The question as its operation takes it. AppError where it lacks an argument.

    A panel may keep more with a question than the operation is told; that is left out.
    """
    check_question(kind, question)
    known = inspect.signature(_answering(kind)).parameters
    return {name: value for name, value in question.items() if name in known and name != "job"}


def _title(title: str) -> str:
    """One line, not empty, not too long."""
    title = CONTROLS.sub(" ", title).strip()
    return title[:TITLE_LENGTH] or tr("Untitled")


def _checked(answers: Facts) -> Facts:
    size = len(json.dumps(answers, ensure_ascii=False))
    if size > LARGEST:
        raise AppError(
            "The answers are too large to be kept with the workspace ({size} characters, at most "
            "{most}). Export them instead.", size=size, most=LARGEST,
        )  # fmt: skip
    return answers
