"""Language models put to a task that they never learned, by a prompt; as values and as a table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lmstudio.analysis.tasks import zero_shot
from lmstudio.analysis.tasks.zero_shot import Prompt, ShownTask, ZeroShot
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import listed, tr
from lmstudio.operations.asked import asked
from lmstudio.store.rows import Part, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.prompt_templates import places

LIMIT = 1000
TEMPLATES = {
    ("classify", "zh"): "{text}这是", ("classify", "en"): "{text} This is ",
    ("pair", "zh"): "{text}{other}前后两句的关系是",
    ("pair", "en"): "{text} {other} The relation of the two is ",
}  # fmt: skip
"""What is offered, by kind of task and language of its texts."""


def default_prompt(ws: Workspace, task: int | str) -> Prompt:
    """What is offered for a task: its labels as words. AppError where no word can be the answer."""
    row = _of_classes(ws, task)
    language = "zh" if _chinese(ws, row) else "en"
    return Prompt(TEMPLATES[row.kind, language], {label: label for label in _labels(row)})


def score(
    ws: Workspace, runs: Sequence[int | str], task: int | str, prompt: Prompt | None = None, *,
    part: Part = "test", limit: int = LIMIT, calibrated: bool = False, job: Job,
) -> list[ZeroShot]:  # fmt: skip
    """How well runs that read from the left do a task of classes with no more than a prompt.

    At most `limit` examples of the part. AppError for a model that reads both sides, for a task
    whose answers are no classes, and for a prompt that lacks a place, or a word for each label.
    """
    row = _of_classes(ws, task)
    prompt = prompt or default_prompt(ws, row.id)
    labels = _labels(row)
    _check(prompt, row, labels)
    given = ShownTask(row.name, ws.task_folder(row.id), labels)
    found = []
    for run in map(ws.run, runs):
        one = job.call(zero_shot.zero_shot, asked(ws, run.id, "next"), given, prompt, part=part,
                       limit=limit, calibrated=calibrated)  # fmt: skip
        found.append(replace(one, parameters=run.parameters))
    return found


def check_askable(
    ws: Workspace, runs: Sequence[int | str], task: int | str, prompt: Prompt
) -> None:
    """AppError where `score` would refuse the prompt, or each of the runs."""
    row = _of_classes(ws, task)
    _check(prompt, row, _labels(row))
    faults = []
    for run in runs:
        try:
            asked(ws, run, "next")
        except AppError as error:
            faults.append(error)
    if faults and len(faults) == len(runs):
        raise faults[-1]


def save_figures(path: Path, found: Sequence[ZeroShot], *, job: Job) -> None:
    """Write the figures as CSV, a row for each run."""
    header = [tr("Run"), tr("Parameters"), tr("accuracy"), tr("macro F1"), tr("Commonest class"),
              tr("Examples")]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for one in found:
            known = one.figures
            yield [one.run, one.parameters, known["accuracy"], known["macro_f1"],
                   known["majority"], int(known["examples"])]  # fmt: skip

    save_table(path, header, rows(), total=len(found), job=job)


def _of_classes(ws: Workspace, task: int | str) -> TaskRow:
    row = ws.task(task)
    if row.kind not in ("classify", "pair"):
        raise AppError("A word after a prompt can name a class; {name} asks for stretches of text.",
                       name=row.name)  # fmt: skip
    return row


def _labels(row: TaskRow) -> tuple[str, ...]:
    return tuple(row.facts["labels"])


def _check(prompt: Prompt, row: TaskRow, labels: Sequence[str]) -> None:
    for place in ("text", "other") if row.kind == "pair" else ("text",):
        if place not in places(prompt.template):
            raise AppError("A prompt for this task needs {place}, where the text stands.",
                           place=f"{{{place}}}")  # fmt: skip
    missing = [label for label in labels if not prompt.words.get(label, "").strip()]
    if missing:
        raise AppError("These labels have no word to answer with: {labels}.",
                       labels=listed(missing))  # fmt: skip
    words = Counter(prompt.words[label].strip() for label in labels)
    (word, times), *_ = words.most_common(1)
    if times > 1:
        raise AppError("Several labels have the word {word}. Choose words that differ.", word=word)


def _chinese(ws: Workspace, row: TaskRow) -> bool:
    """Whether the texts of a task are mostly Chinese, by its first examples."""
    text = "".join(one.text for one in read_part(ws.task_folder(row.id), "train")[:50])
    return sum("\u4e00" <= char <= "\u9fff" for char in text) * 3 > len(text)
