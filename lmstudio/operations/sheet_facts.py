"""A run -> all that somebody needs to judge or repeat it, as plain data: what a run sheet holds.

Keys of `sheet_of`: "format", "version", "made", "made_by", and "runs", each with

    name, model, title, parameters, created, note, seconds, steps, why_ended, continued, sweep
    spec             the RunSpec; resolved: the same with what was decided while it was trained
    plan             of a network: steps and validations, as training.plan has it
    corpus           name, files (name, sha256, bytes), encoding, documents, lines, characters,
                     options, split, parts
    segmentation     name, segmenter, options, version, vocabulary, tokens, dictionary, tokenizer,
                     stop_words
    sha256           of text, split and tokens, see data.digest
    warm_start       name of the run whose weights it began with, also the encoder of a fine-tuning
    task             name and kind of what it is fine-tuned for
    made_with        programs and processor, see training.environment; device, precision, processes
    commands         import, segment, train
    curves, scores   see operations.metrics
"""

from dataclasses import asdict
from datetime import UTC, datetime

from lmstudio import __version__
from lmstudio.data.digest import digests
from lmstudio.errors import AppError
from lmstudio.files import read_json
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.checkpoint_folder import checkpoint
from lmstudio.models.registry import MODELS
from lmstudio.operations import metrics, runs, sheet_commands
from lmstudio.operations.run_recorder import CONTINUED
from lmstudio.store.rows import CorpusRow, Facts, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.plan import Plan

FORMAT, VERSION = "lmstudio run sheet", 1


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where a run has no sheet: it is not trained, or was not trained here."""
    if "imported" in run.facts or MODELS[run.model].kind == "table":
        raise AppError("{name} was imported: how it was trained is not known here.", name=run.name)
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)


def sheet_of(ws: Workspace, rows: list[RunRow], *, job: Job) -> Facts:
    """The sheet of runs, one or several to be compared. AppError as in `refuse`."""
    for row in rows:
        refuse(ws, row)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return {"format": FORMAT, "version": VERSION, "made": made,
            "made_by": f"LM Workbench {__version__}",
            "runs": [_run(ws, row, job) for row in rows]}  # fmt: skip


def plan_of(ws: Workspace, run: RunRow) -> Plan | None:
    """By which a network was trained; None of what counts, and where no checkpoint tells."""
    folder = ws.run_folder(run.id)
    found = checkpoint(folder, "last") or checkpoint(folder, "best")
    if found is None:
        return None
    try:
        return Plan(**read_json(found / "meta.json")["progress"]["plan"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _run(ws: Workspace, run: RunRow, job: Job) -> Facts:
    cut = ws.segmentation(run.segmentation_id)
    corpus = ws.corpus(cut.corpus_id)
    spec, plan = runs.spec_of(ws, run.id), plan_of(ws, run)
    resolved = sheet_commands.resolved(spec, run.facts, plan)
    (measured,) = metrics.plain(ws, [run.id])
    why = run.facts.get("why_ended")
    return {
        "name": run.name, "model": run.model, "title": MODELS[run.model].title,
        "parameters": run.parameters, "created": run.created, "note": run.note,
        "seconds": run.seconds, "steps": run.step, "state": run.state,
        "why_ended": str(Message(*why)) if why else "", "sweep": run.sweep,
        "continued": run.facts.get(CONTINUED, []),
        "spec": spec.to_json(), "resolved": resolved.to_json(),
        "plan": None if plan is None else asdict(plan),
        "corpus": _corpus(ws, corpus), "segmentation": _segmentation(cut),
        "sha256": job.call(digests, ws.corpus_folder(corpus.id), ws.segmentation_folder(cut.id)),
        "warm_start": None if run.parent is None else ws.run(run.parent).name,
        "task": None if run.task is None else _task(ws, run.task),
        "made_with": run.facts.get("made_with", {}) | {
            name: run.facts[name] for name in ("device", "precision", "processes")
            if name in run.facts
        },
        "commands": {
            "import": sheet_commands.import_command(ws, corpus),
            "segment": sheet_commands.segment_command(ws, cut),
            "train": sheet_commands.train_command(ws, run, resolved),
        },
        "curves": measured["curves"], "scores": measured["scores"],
    }  # fmt: skip


def _task(ws: Workspace, number: int) -> Facts:
    row = ws.task(number)
    return {"name": row.name, "kind": row.kind}


def _corpus(ws: Workspace, corpus: CorpusRow) -> Facts:
    files = [{"name": s.name, "sha256": s.sha256, "bytes": s.bytes} for s in ws.sources(corpus.id)]
    return {"name": corpus.name, "files": files, "encoding": corpus.encoding,
            "documents": corpus.documents, "lines": corpus.lines,
            "characters": corpus.characters, "options": corpus.facts.get("options", {}),
            "split": corpus.split_rule, "parts": corpus.facts.get("parts", {})}  # fmt: skip


def _segmentation(cut: SegmentationRow) -> Facts:
    known = {name: cut.facts.get(name) for name in ("options", "version", "tokens", "types",
                                                    "dictionary", "tokenizer", "stop_words",
                                                    "parts", "axis")}  # fmt: skip
    return {"name": cut.name, "segmenter": cut.segmenter, "vocabulary": cut.vocabulary} | known
