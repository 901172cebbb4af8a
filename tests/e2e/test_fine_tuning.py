"""The room of fine-tuning in the real window: a file is dropped, imported, tuned for, tried."""

import csv

import pytest
from PySide6.QtWidgets import QApplication

from lmstudio import cli
from lmstudio.operations.changes import Changes
from tests.gui.panels import tuned_workspace
from tests.gui.panels.imports import drop, write

pytestmark = pytest.mark.slow
WAIT = 120_000
GOOD, BAD = "很好看", "太难看"


def test_drop_import_tune_score_try(window, qtbot, tmp_path, capsys):
    """The encoder goes on with the texts first; what is typed in the end is told rightly."""
    state, ws = window.state, window.state.workspace
    tuned_workspace.encoder(ws)
    state.apply(Changes(runs=True, corpora=True, segmentations=True))
    rows = [f"{city}{said},{label},{('train', 'train', 'dev', 'test')[n]}"
            for city in tuned_workspace.CITIES * 3 for n in range(4)
            for said, label in ((GOOD, "好"), (BAD, "坏"))]  # fmt: skip
    file = write(tmp_path, "影评.csv", "\n".join(["text,label,split", *rows]), "gb18030")

    window.show_panel("tasks")
    drop(window, file)
    panel = window.panel("tasks")
    qtbot.waitUntil(lambda: panel.dialog.accept_button.isEnabled(), timeout=WAIT)
    panel.dialog.accept_button.click()
    qtbot.waitUntil(lambda: panel.task is not None, timeout=WAIT)
    assert panel.task.name == "影评"
    assert panel.task.facts["counts"] == {"train": 48, "valid": 24, "test": 24}

    queued: list[str] = []
    state.jobs.added.connect(lambda job: queued.append(job.title))
    form = panel.tuning.form
    form.texts_first.click()
    form.seeds.setValue(2)
    for name, value in (("epochs", 12), ("batch", 8), ("learning_rate", 0.01)):
        form.training.control(name).setValue(value)
    qtbot.waitUntil(panel.tuning.start.isEnabled, timeout=WAIT)
    panel.tuning.start.click()
    qtbot.waitUntil(lambda: len(ws.tuned_runs()) == 2, timeout=WAIT)  # when the texts are cut
    qtbot.waitUntil(lambda: not state.jobs.jobs(), timeout=WAIT)
    first, *trained = [title for title in queued if title]  # questions have none
    assert first == "Prepare the texts of 影评"
    assert trained == [f"Train {run.name}" for run in (*ws.runs()[1:], *ws.tuned_runs())]
    assert {run.state for run in ws.tuned_runs()} == {"done"}
    assert [run.state for run in ws.runs()] == ["done", "done"]
    assert {run.parent for run in ws.tuned_runs()} == {ws.runs()[1].id}

    window.show_panel("task_results")
    results = window.panel("task_results")
    (shown,) = results.table.rows()
    assert shown.cells["test"].value == pytest.approx(1)
    table = tmp_path / "scores.csv"
    command = ["--workspace", str(ws.folder), "task-results", "影评", "--csv", str(table)]
    assert cli.main(command) == 0
    with table.open(encoding="utf-8-sig", newline="") as found:
        means = {row["Part"]: float(row["mean"]) for row in csv.DictReader(found)}
    assert means["test"] == shown.cells["test"].value
    capsys.readouterr()

    results.try_it.click()
    QApplication.processEvents()
    assert window.current_panel == "try_it"
    box = window.panel("try_it")
    qtbot.waitUntil(lambda: not box.busy and box.found is not None, timeout=WAIT)
    box.text.setPlainText(f"我在上海玩，{BAD}")
    qtbot.waitUntil(lambda: not box.busy, timeout=WAIT)
    assert box.view.said.text().startswith("坏")
