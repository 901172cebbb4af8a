"""What a network answered to the same few questions at each validation of its training."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.workspace import Workspace
from lmstudio.training import probes as asked
from lmstudio.training.probes import ProbeRecord


def probes(ws: Workspace, run: int | str, *, job: Job) -> list[ProbeRecord]:
    """The records of a run, by step; none where it has not been validated yet."""
    job.check()
    return asked.read(ws.run_folder(ws.run(run).id))


def save_probes(records: Sequence[ProbeRecord], path: Path, *, job: Job) -> None:
    """Write every answer as CSV, a guess or a neighbour a row. AppError if it cannot be written."""
    header = [tr("Step"), tr("Question"), tr("Text"), tr("True word"), tr("Rank"), tr("Answer"),
              tr("Value")]  # fmt: skip
    save_table(path, header, _answers(records), total=len(records), job=job)


def _answers(records: Sequence[ProbeRecord]) -> Iterator[tuple[object, ...]]:
    for record in records:
        for blank in record.blanks:
            text = " ".join([*blank.before, "▁▁", *blank.after])
            for rank, (word, p) in enumerate(blank.guesses, 1):
                yield record.step, tr("Blank"), text, blank.truth, rank, word, p
        for one in record.neighbours:
            for rank, (word, cosine) in enumerate(one.nearest, 1):
                yield record.step, tr("Neighbour"), one.token, "", rank, word, cosine
        if record.line:
            yield record.step, tr("Written line"), " ".join(record.line), "", "", "", ""
