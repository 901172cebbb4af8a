"""What goes on inside a run: gates and norms at each token, and how far back it sees."""

from pathlib import Path

from lmstudio.analysis import context_reach
from lmstudio.analysis import inside as looking
from lmstudio.analysis.context_reach import ContextReach
from lmstudio.analysis.inside import Inside
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import runs
from lmstudio.operations.asked import asked
from lmstudio.store.rows import Part
from lmstudio.store.workspace import Workspace


def inside(ws: Workspace, run: int | str, text: str, *, job: Job) -> Inside:
    """The gates or the norms of a network at each token of a text, read as one sentence.

    AppError for an empty text, and for a model that has neither.
    """
    return job.call(looking.inside, asked(ws, run, "inside"), text)


def reach(ws: Workspace, run: int | str, part: Part, *, job: Job) -> ContextReach:
    """How much worse a run predicts when what is further away is cut off or shuffled.

    It takes half a minute at most. AppError if the part is empty.
    """
    row = ws.run(run)
    runs.refuse_unscored(ws, row)
    return job.call(context_reach.context_reach, ws.segmentation_folder(row.segmentation_id),
                    ws.run_folder(row.id), runs.spec_of(ws, row.id), part)  # fmt: skip


def save_inside(found: Inside, path: Path, *, job: Job) -> None:
    """Write every value as CSV. AppError if it cannot be written."""
    header = [tr("Token"), tr("Place"), tr("Layer"), tr("Name"), tr("Unit"), tr("Value")]
    total = sum(values.size for values in found.values.values())
    save_table(path, header, found.rows(), total=total, job=job)


def save_reach(found: ContextReach, path: Path, *, job: Job) -> None:
    """Write the losses at each distance as CSV. AppError if it cannot be written."""
    header = [tr("Distance"), tr("Share of events with more"), tr("Cut, nats"),
              tr("Shuffled, nats"), tr("Cut, bits per character"),
              tr("Shuffled, bits per character")]  # fmt: skip
    columns = (found.distances, found.longer, found.cut, found.shuffled,
               found.bits_per_character(found.cut),
               found.bits_per_character(found.shuffled))  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    save_table(path, header, rows, total=len(found.distances), job=job)
