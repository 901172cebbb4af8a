"""The disk panel tells what takes how much, and frees what its question was answered for."""

import csv

import pytest
from PySide6.QtWidgets import QLabel

from lmstudio import messages
from lmstudio.files import folder_bytes
from lmstudio.gui.dialogs.ask import DeleteDialog
from lmstudio.gui.panels.settings.disk import DiskPanel
from lmstudio.jobs import Job
from lmstudio.operations import runs, training
from lmstudio.operations.changes import Changes
from lmstudio.training.fit_ngram import fit_speller
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import run_workspace


@pytest.fixture
def idle(app_state, qtbot):
    return lambda: qtbot.waitUntil(lambda: not app_state.jobs.busy)


@pytest.fixture
def net(app_state, cut):
    return run_workspace.network(app_state.workspace, cut, "lstm")


@pytest.fixture
def panel(app_state, net, idle, shown):
    app_state.apply(runs.delete(app_state.workspace, run_workspace.counted(
        app_state.workspace, app_state.segmentation.id, 1)))  # fmt: skip
    made = shown(DiskPanel(app_state))
    idle()
    return made


def agree(panel, key):
    """Press a button of the card and answer its question with yes; what the question said."""
    panel.reclaim.buttons[key].click()
    dialog = panel.window().findChildren(DeleteDialog)[-1]
    said = " ".join(one.text() for one in dialog.findChildren(QLabel))
    dialog.accept()
    return said


def test_it_tells_what_takes_how_much(panel, app_state, net):
    ws = app_state.workspace
    row = next(row for row in panel.table.rows() if row.key == f"run {net}")
    assert row.cells["total"].value == folder_bytes(ws.run_folder(net))
    last = folder_bytes(ws.run_folder(net) / "checkpoints" / "last")
    assert row.cells["last"].value == last
    totals = [row.cells["total"].value for row in panel.table.rows()]
    assert totals == sorted(totals, reverse=True)
    assert panel.bars.sizes["last"].text() == panel.reclaim.buttons["checkpoints"].text()[5:-1]
    assert "in this workspace" in panel.sums.row.note.full_text()


def test_checkpoints_are_freed_after_it_was_said_what_that_means(panel, app_state, net, idle):
    ws = app_state.workspace
    said = agree(panel, "checkpoints")
    assert "cannot be trained longer exactly" in said
    idle()
    assert not (ws.run_folder(net) / "checkpoints" / "last").exists()
    assert (ws.run_folder(net) / "checkpoints" / "best").exists()
    assert not panel.reclaim.buttons["checkpoints"].isEnabled()
    assert panel.bars.sizes["last"].text() == "0 B"


def test_a_stopped_run_keeps_its_checkpoint(panel, app_state, net, idle):
    ws = app_state.workspace
    ws.update_run(net, state="stopped")
    fit_speller(ws.corpus_folder(1), job=Job())
    app_state.apply(Changes(runs=True))
    idle()
    assert not panel.reclaim.buttons["checkpoints"].isEnabled()
    agree(panel, "caches")
    idle()
    training.continue_run(ws, net, max_steps=2, job=Job())
    assert ws.run(net).state == "done"


def test_the_trash_is_freed_and_nothing_while_a_job_runs(panel, app_state, idle):
    assert panel.reclaim.buttons["trash"].isEnabled()
    job = app_state.run("bulk", Job("Work"), _until_stopped)
    assert all(not made.isEnabled() for made in panel.reclaim.buttons.values())
    job.cancel()
    idle()
    agree(panel, "trash")
    idle()
    assert not list((app_state.workspace.folder / "trash").iterdir())
    assert panel.bars.sizes["trash"].text() == "0 B"


def _until_stopped(*, job):
    while True:
        job.check()


def test_the_table_is_saved(panel, tmp_path, idle):
    panel.export_to(tmp_path / "d.csv")
    idle()
    with (tmp_path / "d.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == len(panel.table.rows()) + 1


def test_an_empty_workspace_leads_to_the_import(app_state, idle, shown, qtbot):
    panel = shown(DiskPanel(app_state))
    idle()
    assert panel.pages.currentIndex() == 1
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["corpora"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(app_state, net, idle, shown, language):
    messages.use(language)
    panel = shown(DiskPanel(app_state))
    idle()
    assert_fits(panel)
    assert clipped(panel) == []
