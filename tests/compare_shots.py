"""Pictures of runs head to head, by place and by document, and of findings."""

from pathlib import Path

from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import findings, tags
from lmstudio.store.workspace import Workspace
from tests.segment_shots import wait


def fill(ws: Workspace, cut: int) -> None:
    """Two findings, one with tags."""
    first, second = [run.name for run in ws.runs(cut) if run.model == "ngram"][:2]
    question = {"base": first, "part": "test"}
    kept = findings.new(ws, "compare", f"{first}, {second}", question, second, job=Job())
    assert kept.new_id is not None
    tags.set_tags(ws, "finding", kept.new_id, ["课堂", "重要"])
    findings.new(ws, "next", "他们在", {"text": "他们在"}, first, job=Job())


def show(window: Window, out: Path, suffix: str, wanted: list[str]) -> None:
    """The same runs in other groups."""
    if wanted and "head_to_head" not in wanted:
        return
    panel = window.panel("head_to_head")
    window.show_panel("head_to_head")
    panel.runs.set_ids([run.id for run in panel.runs.known()][:5])
    wait(window, lambda: not panel.busy and not panel.sentences._asker.busy)
    for kind in ("positions", "documents"):
        panel.where.kind.segment(kind).click()
        window.grab().save(str(out / f"12-head_to_head-{kind}-{suffix}.png"))
