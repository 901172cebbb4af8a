"""Runs and workspaces go out and come in by the window's menus and by drops."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QFileDialog

from lmstudio.errors import AppError
from lmstudio.gui.drop import DropOverlay
from lmstudio.gui.rooms import ROOMS
from lmstudio.jobs import Job
from lmstudio.operations import exporting, runs, workspace_files
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace
from tests.gui.panels import run_workspace, tuned_workspace
from tests.gui.test_window import drop

EXPLORE = [entry.key for room in ROOMS for entry in room.panels]


@pytest.fixture
def idle(app_state, qtbot):
    return lambda: qtbot.waitUntil(lambda: not app_state.jobs.busy)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a network and of a fine-tuned run, and a packed workspace of both."""
    folder = tmp_path_factory.mktemp("files")
    with Workspace(folder / "w") as ws:
        (tuned,) = tuned_workspace.trained(ws, "classify")
        net = run_workspace.network(ws, ws.segmentations()[0].id, "lstm")
        made = {}
        for name, run in (("net", net), ("tuned", tuned)):
            made[name] = folder / f"{name}.lmrun"
            exporting.export(ws, run, "run", made[name], job=Job())
        made["workspace"] = folder / "packed.zip"
        workspace_files.export_workspace(ws, made["workspace"], job=Job())
    return made


def test_a_dropped_run_is_imported_and_shown(window, app_state, files, idle):
    assert drop(window, QUrl.fromLocalFile(str(files["net"]))) == []  # nothing for the corpora
    idle()
    (run,) = app_state.runs()
    assert app_state.segmentation.id == run.segmentation_id
    assert window.current_panel == "curves"
    overlay = window.findChild(DropOverlay)
    overlay.show_for([files["net"], files["tuned"]])
    assert overlay.accessibleName() == "Drop to import 2 runs"


def test_chosen_runs_are_imported_and_a_bad_one_is_told(window, app_state, files, idle, tmp_path,
                                                        monkeypatch, qtbot):  # fmt: skip
    bad = tmp_path / "bad.lmrun"
    bad.write_text("x")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(files["tuned"])], ""))
    window.actions_by_key["import_run"].trigger()
    idle()
    assert window.current_panel == "task_results"
    assert [run.name for run in app_state.workspace.tuned_runs()] == ["classify run"]
    assert [task.name for task in app_state.tasks()] == ["classify"]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(bad)], ""))
    with qtbot.waitSignal(app_state.problem) as told:
        window.actions_by_key["import_run"].trigger()
    assert "damaged or cut off" in told.args[0]


def test_every_panel_opens_on_a_run_without_its_text(window, app_state, files, idle):
    """What needs the text says so in its place; nothing is a bug."""
    problems = []
    window.packing.import_runs([files["net"], files["tuned"]])
    idle()
    app_state.problem.connect(lambda *problem: problems.append(problem))
    for key in EXPLORE:
        window.show_panel(key)
        idle()
    assert [text for text, details in problems if details] == []
    assert all("not here" in text for text, _ in problems), problems


def test_the_workspace_is_packed_and_opened_elsewhere(
    window, app_state, idle, tmp_path, monkeypatch
):
    cut = run_workspace.segmented(app_state.workspace)
    run_workspace.counted(app_state.workspace, cut, 2)
    app_state.apply(Changes(runs=True))
    path, target = tmp_path / "包.zip", tmp_path / "打开"
    target.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "ZIP (*.zip)"))
    window.actions_by_key["pack"].trigger()
    idle()
    assert path.exists()
    before = runs.runs(app_state.workspace)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(target))
    window.actions_by_key["unpack"].trigger()
    idle()
    assert app_state.workspace.folder == target
    assert runs.runs(app_state.workspace) == before


def test_a_packed_workspace_can_be_stopped_and_leaves_nothing(files, tmp_path):
    with pytest.raises(AppError, match="not empty"):
        workspace_files.unpack_workspace(files["workspace"], files["workspace"].parent, job=Job())
    assert workspace_files.unpack_workspace(files["workspace"], tmp_path / "x", job=Job())
