"""Next tokens and texts that runs go on with, side by side; and their tables as files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lmstudio.analysis.generation import generate as writing
from lmstudio.analysis.generation import next_table as looking
from lmstudio.analysis.generation.generate import Generated, Start
from lmstudio.analysis.generation.next_table import NextTable
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.token import Continuation, End
from lmstudio.errors import SpecError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.operations.asked import asked
from lmstudio.options import faults, from_dict
from lmstudio.store.workspace import Workspace

Key = int | str
ENDS: dict[End, str] = {
    "": msg("stopped"), "length": msg("most tokens"), "sentences": msg("most sentences"),
    "stop": msg("a text to stop at"), "undefined": msg("nothing is defined here"),
}  # fmt: skip
"""Why a text ends; "" where somebody stopped it."""


def next_table(ws: Workspace, run: Key, text: str, *, count: int = 10, job: Job) -> NextTable:
    """The `count` likeliest next tokens after a text, with their exact p.

    AppError for a run without a model, one that reads both sides, and where p is undefined.
    """
    return job.call(looking.next_table, asked(ws, run, "next"), text, count=count)


def generate(
    ws: Workspace, runs: Sequence[Key], text: str, options: GenerationOptions,
    kept: Mapping[int, Sequence[int]] | None = None, *, job: Job,
) -> list[Generated]:  # fmt: skip
    """What each run goes on with after a text. Job.partial shows it while it grows.

    `kept`: the ids that the texts of a run, by its id, begin with. A job that is stopped gives what
    was written until then. SpecError for options out of their limits; AppError as in `next_table`.
    """
    if wrong := faults(options):
        raise SpecError(wrong)
    kept = kept or {}
    starts = [Start(asked(ws, run, "next"), tuple(kept.get(ws.run(run).id, ()))) for run in runs]
    return job.call(writing.generate, starts, text, options)


def generate_again(
    ws: Workspace, run: Key, text: str, options: Mapping[str, Any], *, job: Job
) -> Generated:
    """The same for one run, with options as plain data: what a finding keeps."""
    made, wrong = from_dict(GenerationOptions, dict(options))
    if wrong:
        raise SpecError(wrong)
    return generate(ws, [run], text, made, job=job)[0]


def save_next(tables: Sequence[NextTable], path: Path, *, job: Job) -> None:
    """Write next tokens as CSV, a row for each guess. AppError if it cannot be written."""
    header = (tr("Run"), tr("Rank"), tr("Token"), "p", tr("Bits"))
    save_table(path, header, _guesses(tables), total=len(tables), job=job)


def save_generated(found: Sequence[Generated], path: Path, *, job: Job) -> None:
    """Write texts as CSV, a row for each token. AppError if it cannot be written."""
    header = (tr("Run"), tr("Text"), tr("Place"), tr("Token"), tr("Written"), "p", tr("Bits"),
              tr("Rank"), tr("Drawn with"), tr("Alternatives"))  # fmt: skip
    save_table(path, header, _tokens(found), total=len(found), job=job)


def _guesses(tables: Sequence[NextTable]) -> Iterator[tuple[object, ...]]:
    for table in tables:
        for rank, guess in enumerate(table.guesses, 1):
            yield table.name, rank, guess.piece, guess.p, bits(guess.p)
        yield table.name, "", tr("others"), table.rest, ""


def _tokens(found: Sequence[Generated]) -> Iterator[tuple[object, ...]]:
    for one in found:
        for number, text in enumerate(one.texts, 1):
            for place, row in enumerate(_of_text(text), 1):
                yield one.name, number, place, *row


def _of_text(text: Continuation) -> Iterator[tuple[object, ...]]:
    others = text.alternatives or ((),) * len(text.tokens)
    for token, near in zip(text.tokens, others, strict=True):
        listed = " | ".join(f"{other.piece} {other.p:.6g}" for other in near)
        yield token.piece, token.text, token.p, bits(token.p), token.rank, token.share, listed


def bits(p: float) -> float:
    """Surprisal: -log2 p, infinite where p is 0."""
    return 0.0 - math.log2(p) if p > 0 else math.inf
