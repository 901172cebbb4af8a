"""What a network makes of a sentence layer by layer, and what it reads of it; tables of that."""

from pathlib import Path

from lmstudio.analysis import input_terms as reading
from lmstudio.analysis import layer_similarity as turning
from lmstudio.analysis import logit_lens, position_vectors
from lmstudio.analysis import two_directions as directions
from lmstudio.analysis.input_terms import InputTerms
from lmstudio.analysis.layer_similarity import LayerSimilarity
from lmstudio.analysis.logit_lens import Lens, Side
from lmstudio.analysis.position_vectors import PositionVectors
from lmstudio.analysis.two_directions import TwoDirections
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import runs
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace


def lens(
    ws: Workspace, run: int | str, text: str, side: Side = "before", hidden: bool = True, *,
    job: Job,
) -> Lens:  # fmt: skip
    """What each layer of a run predicts at each place of a text, read as one sentence.

    `side` is what an ELMo predicts from; `hidden`: a BERT guesses each token without seeing it.
    AppError for an empty text, and for a model without layers.
    """
    runs.refuse_untrained(ws.run(run))
    return job.call(logit_lens.lens, asked(ws, run, "context"), text, side=side, hidden=hidden)


def layer_similarity(ws: Workspace, run: int | str, text: str, *, job: Job) -> LayerSimilarity:
    """How much each layer turns the vectors of a text. AppError as of `lens`."""
    return job.call(turning.layer_similarity, asked(ws, run, "context"), text)


def two_directions(ws: Workspace, run: int | str, text: str, *, job: Job) -> TwoDirections:
    """What both directions of an ELMo have read and predict. AppError for any other model."""
    return job.call(directions.two_directions, asked(ws, run, "directions"), text)


def positions(ws: Workspace, run: int | str, *, job: Job) -> PositionVectors:
    """How alike the positions of a transformer are. AppError for any other model."""
    return job.call(position_vectors.position_vectors, asked(ws, run, "norms"))


def input_terms(ws: Workspace, run: int | str, text: str, *, job: Job) -> InputTerms:
    """What a transformer reads of each token, as a sum. AppError for any other model."""
    return job.call(reading.input_terms, asked(ws, run, "norms"), text)


def lens_header() -> list[str]:
    """Of the rows of a Lens."""
    return [tr("Layer"), tr("Place"), tr("Token"), tr("Rank"), tr("Guess"), tr("p"),
            tr("Rank of the token"), tr("p of the token"), tr("Entropy, bits")]  # fmt: skip


def save_lens(found: Lens, path: Path, *, job: Job) -> None:
    """Write every guess as CSV. AppError if it cannot be written."""
    save_table(path, lens_header(), found.rows(), total=found.ids.size, job=job)


def save_two_directions(found: TwoDirections, path: Path, *, job: Job) -> None:
    """Write every guess of both directions and of both together as CSV."""
    total = sum(each.ids.size for each in (found.before, found.behind, found.both) if each)
    save_table(path, [tr("Side"), *lens_header()], found.rows(), total=total, job=job)


def save_layer_similarity(found: LayerSimilarity, path: Path, *, job: Job) -> None:
    """Write the cosine of each token in each layer as CSV."""
    header = [tr("Layer"), tr("Place"), tr("Token"), tr("Cosine")]
    save_table(path, header, found.rows(), total=found.cosines.size, job=job)


def save_positions(found: PositionVectors, path: Path, *, job: Job) -> None:
    """Write the cosines of all pairs of positions as CSV."""
    header = [tr("Position"), tr("Other position"), tr("Cosine"), tr("Cosine of sinusoids")]
    save_table(path, header, found.rows(), total=found.waves.size, job=job)


def save_input_terms(found: InputTerms, path: Path, *, job: Job) -> None:
    """Write every component of every term as CSV."""
    header = [tr("Place"), tr("Token"), tr("Term"), tr("Component"), tr("Value")]
    total = sum(term.size for term in found.values.values())
    save_table(path, header, found.rows(), total=total, job=job)
