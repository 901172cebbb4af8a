"""Runs as rows: listed, named, noted, deleted; what they were trained with and what they said."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from lmstudio.errors import AppError
from lmstudio.messages import Message
from lmstudio.models.capabilities import reason
from lmstudio.models.checkpoint_folder import checkpoint
from lmstudio.operations import tags, trash
from lmstudio.operations.changes import Changes
from lmstudio.operations.run_recorder import RunLog
from lmstudio.store.rows import HELD_OUT, Facts, Part, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

CHANGED = Changes(runs=True)
NOTE_LENGTH = 10_000
"""Characters that a note may have."""


def runs(ws: Workspace, segmentation: int | str | None = None, search: str = "") -> list[Facts]:
    """Every run with its figures on valid and test, oldest first, as plain data.

    "warm_start" is the name of the run whose weights it began with, "" if it began at random,
    "lacking" the held-out parts that it could be scored on and is not, see `lacking`. With
    `search`, those in whose name, model, corpus, note, sweep or tags all its words stand.
    """
    key = None if segmentation is None else ws.segmentation(segmentation).id
    names, words = {run.id: run.name for run in ws.runs()}, tags.tags(ws, "run")
    rows = []
    for run in ws.runs(key):
        entry = asdict(run)
        cut = ws.segmentation(run.segmentation_id)
        entry |= {"segmentation": cut.name, "corpus": ws.corpus(cut.corpus_id).name}
        entry["warm_start"] = names.get(run.parent or 0, "")
        entry["tags"] = list(words.get(run.id, ()))
        figures = {part: ws.evaluation(run.id, part) for part in HELD_OUT}
        entry |= {str(part): found for part, found in figures.items()}
        entry["lacking"] = lacking(run, cut, figures)
        if tags.matches(search, run.name, run.model, entry["corpus"], cut.name, run.note, run.sweep,
                        *entry["tags"]):  # fmt: skip
            rows.append(entry)
    return rows


def rename(ws: Workspace, run: int | str, name: str) -> Changes:
    """Give a run another name."""
    ws.rename("run", ws.run(run).id, name)
    return CHANGED


def note(ws: Workspace, run: int | str, text: str) -> Changes:
    """Write down what the user thinks of a run, in place of what was there; "" removes it."""
    row = ws.run(run)
    if len(text) > NOTE_LENGTH:
        raise AppError("The note has {count} characters. At most {most} are allowed.",
                       count=len(text), most=NOTE_LENGTH)  # fmt: skip
    ws.update_run(row.id, note=text.strip())
    return CHANGED


def delete(ws: Workspace, run: int | str) -> Changes:
    """Put a run with its checkpoints into the trash."""
    row = ws.run(run)
    if row.state == "running":
        raise AppError("The run {name} is being trained. Stop it first.", name=row.name)
    return trash.delete(ws, "run", row.id)


def spec_of(ws: Workspace, run: int | str) -> RunSpec:
    """What a run was trained with, to train another like it. AppError if it is damaged."""
    row = ws.run(run)
    if not row.spec:
        raise AppError("The settings of the run {name} are damaged. Delete it and train again.",
                       name=row.name)  # fmt: skip
    return RunSpec.from_json(row.spec)


def has_model(ws: Workspace, run: RunRow) -> bool:
    """There is something to ask questions of."""
    folder = ws.run_folder(run.id)
    return (folder / "model.ngram").exists() or (folder / "checkpoints").is_dir()


def has_last(ws: Workspace, run: RunRow) -> bool:
    """There is a checkpoint that training can go on from."""
    return checkpoint(ws.run_folder(run.id), "last") is not None


def why_unscored(run: RunRow) -> Message | None:
    """Why a run says nothing of how likely a text is: of its kind, or imported without a head."""
    if run.facts.get("imported", {}).get("untrained"):
        return Message("the head that fills blanks was not in the files that were imported")
    return reason(run.model, "score")


def lacking(
    run: RunRow, cut: SegmentationRow, measured: Mapping[Part, Facts | None]
) -> list[Part]:  # fmt: skip
    """The held-out parts that a language model which is trained could be scored on, and is not.

    Its scoring was stopped, the program ended meanwhile, or it was imported, and is scored when it
    is asked. `measured` are its figures by part. None lacks where the text is not there.
    """
    if run.state != "done" or run.task is not None or why_unscored(run) or "absent" in cut.facts:
        return []
    parts = cut.facts.get("parts", {})
    return [part for part in HELD_OUT
            if part in parts and parts[part]["sentences"] and measured[part] is None]  # fmt: skip


def unmeasured(ws: Workspace, run_id: int) -> bool:
    """Whether a run of the workspace lacks figures of a part."""
    run = ws.run(run_id)
    found = {part: ws.evaluation(run_id, part) for part in HELD_OUT}
    return bool(lacking(run, ws.segmentation(run.segmentation_id), found))


def refuse_unscored(ws: Workspace, run: RunRow) -> None:
    """AppError where a run has no model, or one that says nothing of how likely a text is."""
    if not has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)
    refuse_untrained(run)


def refuse_untrained(run: RunRow) -> None:
    """AppError where a run has no head that names tokens."""
    if why := why_unscored(run):
        raise AppError("{name} cannot answer this: {reason}.", name=run.name, reason=why)


def log(ws: Workspace, run: int | str) -> str:
    """The dated lines of a run's training, all sittings together."""
    return RunLog(ws.run_folder(ws.run(run).id)).read()


def message(run: RunRow) -> str:
    """Why a run failed or was interrupted, in the language in use."""
    return str(Message(*json.loads(run.message))) if run.message else ""


def notes(facts: Facts) -> list[Message]:
    """What a run had to say for itself: fall-backs, shortened windows."""
    return [Message.from_json(note) for note in facts.get("notes", [])]
