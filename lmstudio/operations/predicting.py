"""What fine-tuned runs say of texts, pairs and questions, as values and as files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lmstudio.analysis.tasks import predicting
from lmstudio.analysis.tasks.asked_task import AskedTask
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.data.labelled.example import Example
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.encoding import utf8
from lmstudio.text.read import whole_text
from lmstudio.training import fit_task

Key = int | str


def asked_task(ws: Workspace, run: Key) -> AskedTask:
    """A fine-tuned run, ready to be handed to a worker.

    AppError where it is a language model, or has no checkpoint yet.
    """
    row = ws.run(run)
    if row.task is None:
        raise AppError("{name} is a language model. Fine-tune it for a task first.", name=row.name)
    one = asked(ws, row.id)
    folder = ws.run_folder(row.id)
    labels = fit_task.read_labels(folder)
    return AskedTask(one, ws.task(row.task).kind, labels, ws.task_folder(row.task),
                     folder)  # fmt: skip


def predict(
    ws: Workspace, run: Key, texts: Sequence[str], others: Sequence[str] = (), *, job: Job
) -> list[Prediction]:  # fmt: skip
    """What a run says of each text: to be classified or tagged, the first of a pair, a passage.

    `others`: as many second texts of pairs, or questions. AppError where a text is empty, or the
    kind of the task wants others or wants none.
    """
    one = asked_task(ws, run)
    return job.call(predicting.predict, one, examples(one.task, texts, others))


def examples(kind: str, texts: Sequence[str], others: Sequence[str]) -> list[Example]:
    """Texts as examples of a kind of task. AppError as of `predict`."""
    two = kind in ("pair", "qa")
    if not texts and not others:
        raise AppError("There is no text to read.")
    if kind == "qa" and len(texts) != len(others):
        raise AppError("Give a question with each passage.")
    if two and len(texts) != len(others):
        raise AppError("Give two texts for each pair.")
    if others and not two:
        raise AppError("This task reads one text at a time.")
    for text in (*texts, *others):
        utf8(text)
        if not text.strip():
            raise AppError("There is no text to read.")
    pairs = zip(texts, others if two else [""] * len(texts), strict=True)
    return [Example(text, other, labelled=False) for text, other in pairs]


def read_lines(path: Path, kind: str) -> tuple[list[str], list[str], int]:
    """The texts of a file, one a line; what comes second, after a tab; how many lines are empty.

    Of a question the line is: question, tab, passage. ReadError where it is no text; AppError
    where a line lacks its tab or one of its texts, or there is none.
    """
    text = whole_text(path)
    texts, others, empty = [], [], 0
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            empty += 1
            continue
        if kind not in ("pair", "qa"):
            texts.append(line)
            continue
        first, tab, second = line.partition("\t")
        if not tab:
            raise AppError("Line {line} of {path} has no tab between its two texts.",
                           line=number, path=path.name)  # fmt: skip
        if not first.strip() or not second.strip():
            raise AppError("Line {line} of {path} has only one of its two texts.",
                           line=number, path=path.name)  # fmt: skip
        texts.append(second if kind == "qa" else first)
        others.append(first if kind == "qa" else second)
    if not texts:
        raise AppError("The file {path} has no line with text.", path=path.name)
    return texts, others, empty


def save_predictions(
    found: Sequence[Prediction], labels: Sequence[str], path: Path, *, job: Job
) -> None:  # fmt: skip
    """Write predictions as CSV: a row each; of tags a row for each span that was found."""
    if any(one.answers for one in found):
        header = [tr("Row"), tr("Question"), tr("Passage"), tr("Answer"), tr("Start"), tr("End"),
                  "p"]  # fmt: skip
        save_table(path, header, _answer_rows(found), total=len(found), job=job)
    elif any(one.probabilities for one in found):
        header = [tr("Row"), tr("Text"), tr("Second text"), tr("Label"),
                  *(f"p({label})" for label in labels)]  # fmt: skip
        rows = ([number, one.text, one.other, one.label, *one.probabilities]
                for number, one in enumerate(found, 1))  # fmt: skip
        save_table(path, header, rows, total=len(found), job=job)
    else:
        header = [tr("Row"), tr("Text"), tr("Start"), tr("End"), tr("Type"), tr("Span"), "p"]
        save_table(path, header, _span_rows(found), job=job)


def _span_rows(found: Sequence[Prediction]) -> Iterator[list[object]]:
    for number, one in enumerate(found, 1):
        if not one.spans:
            yield [number, one.text, "", "", "", "", ""]
        for span in one.spans:
            words = one.text[span.start : span.end]
            yield [number, one.text, span.start, span.end, span.type, words, span.p]


def _answer_rows(found: Sequence[Prediction]) -> Iterator[list[object]]:
    for number, one in enumerate(found, 1):
        best = one.answers[0]
        yield [number, one.other, one.text, best.text, best.start, best.end, best.p]
