"""Reports: the runs of a workspace in, one HTML file out."""

from datetime import datetime
from itertools import groupby
from pathlib import Path

from lmstudio import __version__
from lmstudio.errors import AppError
from lmstudio.figures import count
from lmstudio.files import unwritten, written
from lmstudio.formats.report import Report, ReportCorpus, ReportRun, html
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation, leaks, run_names, runs
from lmstudio.store.rows import PARTS, CorpusRow, Facts
from lmstudio.store.workspace import Workspace


def write(ws: Workspace, path: Path, *, segmentation: int | str | None = None, job: Job) -> Path:
    """Write the runs of a workspace, or of one segmentation, and give back the path.

    What was measured is shown; nothing is trained or evaluated for it. Raises AppError if the
    file cannot be written.
    """
    rows = sorted(runs.runs(ws, segmentation), key=lambda row: str(row["corpus"]))
    corpora = []
    for name, group in groupby(rows, key=lambda row: str(row["corpus"])):
        job.check()
        corpora.append(_corpus(ws, ws.corpus(name), list(group)))
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    page = html(Report(tuple(corpora), made, __version__))
    with unwritten(path), written(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return path


def _corpus(ws: Workspace, corpus: CorpusRow, rows: list[Facts]) -> ReportCorpus:
    return ReportCorpus(
        corpus.name,
        tuple(_facts(corpus)),
        tuple(_run(ws, row) for row in rows),
        evaluation.oracle(ws, corpus.id, "valid"),
        tuple(map(str, leaks.notes(corpus.facts.get("leaks", {})).values())),
    )


def _facts(corpus: CorpusRow) -> list[tuple[str, str]]:
    names = {"train": tr("Train, characters"), "valid": tr("Valid, characters"),
             "test": tr("Test, characters")}  # fmt: skip
    parts = corpus.facts.get("parts", {})
    return [
        (tr("Documents"), count(corpus.documents)),
        (tr("Lines"), count(corpus.lines)),
        (tr("Encoding"), corpus.encoding),
        *((names[part], count(parts[part]["characters"])) for part in PARTS if part in parts),
    ]


def _run(ws: Workspace, row: Facts) -> ReportRun:
    valid, test = row["valid"] or {}, row["test"] or {}
    why = run_names.own_axis(ws.run(row["id"]), ws.segmentation(row["segmentation_id"]))
    return ReportRun(
        name=row["name"],
        family=row["model"],
        segmentation=row["segmentation"],
        parameters=row["parameters"],
        seconds=row["seconds"],
        valid=valid.get("bits_per_character"),
        test=test.get("bits_per_character"),
        perplexity=test.get("perplexity"),
        events=test.get("events"),
        unknown=test.get("unknown"),
        zero_probability=test.get("zero_probability"),
        context=(test or valid).get("context", ""),
        curve=_curve(ws, row),
        state="" if row["state"] == "done" else run_names.state_name(row["state"]),
        comparable=(test or valid).get("comparable", True),
        why=tr(why) if why else "",
        note=row["note"],
    )


def _curve(ws: Workspace, row: Facts) -> tuple[tuple[float, float], ...]:
    """(seconds, bits per character) of valid; a counting model is one figure, not a curve.

    Nor has a run a curve whose segmentation is damaged; the others are reported all the same.
    """
    if MODELS[row["model"]].kind == "count":
        return ()
    try:
        x, y = evaluation.curve(ws, row["id"])
    except AppError:
        return ()
    return tuple((float(a), float(b)) for a, b in zip(x, y, strict=True))
