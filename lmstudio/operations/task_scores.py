"""How well fine-tuned runs do on the parts of their task, kept with them; and where they err."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lmstudio.analysis.tasks import errors
from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.data.labelled.example import Example
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations.predicting import asked_task
from lmstudio.store.rows import Part
from lmstudio.store.workspace import Workspace

Key = int | str


def score_part(
    ws: Workspace, run: Key, part: Part = "test", *, lean: bool = False, job: Job
) -> PartScores:  # fmt: skip
    """The scores of a run on a part of its task, example by example; its figures are kept.

    `lean`: without the tag of every token, and with the best answers alone. AppError where the part
    has no labelled examples.
    """
    found = job.call(errors.score_part, asked_task(ws, run), part, lean=lean)
    if not ws.read_only:
        ws.set_evaluation(ws.run(run).id, part, dict(found.figures))
    return found


def usual_part(ws: Workspace, task: Key | None) -> Part:
    """Where a task is scored if nobody says: on the valid part where it has no test part."""
    return "test" if task is None or ws.task(task).facts["counts"].get("test") else "valid"


def chosen(found: PartScores, gold: str = "", guess: str = "") -> list[int]:
    """The examples of a cell of the confusion; of a row or column where one is "".

    Without either, all that are not right.
    """
    if not gold and not guess:
        return found.wrong
    golds = [gold] if gold else [name for name in found.labels if name != guess]
    guesses = [guess] if guess else [name for name in found.labels if name != gold]
    numbers = [n for one in golds for other in guesses for n in found.cell(one, other)]
    return list(dict.fromkeys(numbers))


def save_errors(found: PartScores, numbers: Sequence[int], path: Path, *, job: Job) -> None:
    """Write examples with what is right and what was said as CSV, a row each."""
    header = [tr("Row"), tr("Place"), tr("Text"), tr("Second text"), tr("What is right"),
              tr("Said"), "p", tr("Score, 0 to 1")]  # fmt: skip
    if found.exact:
        header.append(tr("Exact match"))

    def rows() -> Iterator[list[object]]:
        for number in numbers:
            example, said = found.examples[number], found.predictions[number]
            yield [number + 1, example.place, example.text, example.other,
                   right_of(found.task, example), said_of(found.task, said), found.sure[number],
                   found.each[number], *found.exact[number : number + 1]]  # fmt: skip

    save_table(path, header, rows(), total=len(numbers), job=job)


def save_scores(found: PartScores, path: Path, *, job: Job) -> None:
    """Write the row of each class or type, and the confusion beside it, as CSV."""
    header = [tr("Label"), tr("Precision"), tr("Recall"), "F1", tr("Correct"), tr("Support"),
              tr("Found"), *found.labels]  # fmt: skip
    rows: list[list[object]] = []
    for name, line in zip(found.labels, found.confusion.tolist(), strict=True):
        one = found.rows.get(name)
        counts = (
            (one.precision, one.recall, one.f1, one.correct, one.gold, one.found)
            if one
            else [""] * 6
        )
        rows.append([name, *counts, *line])
    save_table(path, header, rows, total=len(rows), job=job)


def save_classes(found: Sequence[tuple[str, PartScores]], path: Path, *, job: Job) -> None:
    """Write the scores of each class or type of span of runs, by their names, as one CSV."""
    header = [tr("Run"), tr("Part"), tr("Label"), tr("Precision"), tr("Recall"), "F1",
              tr("Correct"), tr("Support"), tr("Found")]  # fmt: skip
    rows = [[name, scores.part, label, one.precision, one.recall, one.f1, one.correct, one.gold,
             one.found]
            for name, scores in found for label, one in scores.rows.items()]  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def right_of(kind: str, example: Example) -> str:
    """What is right of an example, in a line."""
    if kind == "tag":
        return _listed(example.text, [(one.start, one.end, one.type) for one in example.spans])
    if kind == "qa":
        texts = [example.text[span.start : span.end] for span in example.spans]
        return " / ".join(dict.fromkeys(texts)) or tr("no answer")
    return example.label


def said_of(kind: str, prediction: Prediction) -> str:
    """What was said of an example, in a line."""
    if kind == "tag":
        spans = [(one.start, one.end, one.type) for one in prediction.spans]
        return _listed(prediction.text, spans)
    if kind == "qa":
        return prediction.answer or tr("no answer")
    return prediction.label


def apart(kind: str, example: Example, said: Prediction) -> tuple[str, str]:
    """`right_of` and `said_of`; of tags, where they are not the same, the spans of one alone."""
    if kind == "tag":
        gold = [(one.start, one.end, one.type) for one in example.spans]
        found = [(one.start, one.end, one.type) for one in said.spans]
        if set(gold) != set(found):
            return (_listed(example.text, [one for one in gold if one not in found]),
                    _listed(example.text, [one for one in found if one not in gold]))  # fmt: skip
    return right_of(kind, example), said_of(kind, said)


def _listed(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    return ", ".join(f"{text[start:end]}/{kind}" for start, end, kind in spans)
