"""Leaks of a corpus: what of its held-out parts stands in the training part as well.

They are counted at the import and kept in `CorpusRow.facts["leaks"]`, see
`data.leaks.LeakReport.to_json`; of a corpus from before they were, when they are first asked for.
"""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.copies.leaks import leaks as leaks_of
from lmstudio.data.layout import CorpusText
from lmstudio.errors import AppError
from lmstudio.figures import percent
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace

TOLD = 0.01
"""The share of a part's characters above which every figure on it is told with its leak."""

_PARTS = {"valid": Message("valid"), "test": Message("test")}


@dataclass(frozen=True)
class LeakedLine:
    """A held-out line and the first line of train with the same text; numbers from 0."""

    part: str
    line: int
    text: str
    train_line: int
    train_text: str


def leaks(ws: Workspace, corpus: int | str, *, job: Job) -> Facts:
    """What leaks, by held-out part; AppError if the text is needed and not there."""
    row = ws.corpus(corpus)
    if "leaks" in row.facts:
        return dict(row.facts["leaks"])
    found: Facts = job.call(leaks_of, ws.corpus_folder(row.id)).to_json()
    if not ws.read_only:
        ws.set_facts("corpus", row.id, ws.corpus(row.id).facts | {"leaks": found})
    return found


def examples(ws: Workspace, corpus: int | str, *, job: Job) -> list[LeakedLine]:
    """The first leaked lines of each part, with their text."""
    found = leaks(ws, corpus, job=job)
    text = CorpusText(ws.corpus_folder(ws.corpus(corpus).id))
    return [
        LeakedLine(part, line, text.line(line), train, text.line(train))
        for part, own in found.items()
        for line, train in own["examples"]
    ]


def save_examples(ws: Workspace, corpus: int | str, path: Path, *, job: Job) -> None:
    """Write the examples as CSV, lines numbered from 1. AppError if it cannot be written."""
    header = [tr("Part"), tr("Corpus line"), tr("Text"), tr("Corpus line in train"), tr("Its text")]
    rows = (
        (_PARTS[one.part], one.line + 1, one.text, one.train_line + 1, one.train_text)
        for one in examples(ws, corpus, job=job)
    )  # fmt: skip
    save_table(path, header, rows, job=job)


def notes(found: Facts) -> dict[str, Message]:
    """By part, what is to be said beside every figure on it; `found` as `leaks` gives it."""
    return {
        part: Message(
            "{share} of the characters of the {part} part stand in the training part as well, word "
            "for word or nearly: figures on it look better than they would on new text.",
            {"share": percent(own["share"]), "part": _PARTS[part]},
        )
        for part, own in found.items()
        if own["share"] > TOLD
    }


def notes_on_run(ws: Workspace, run: int | str, *, job: Job) -> dict[str, Message]:
    """The notes on a run's corpus; none where its text is gone, which the figures do not need."""
    try:
        found = leaks(ws, ws.segmentation(ws.run(run).segmentation_id).corpus_id, job=job)
    except AppError:
        return {}
    return notes(found)
