"""Fixtures of the panels of runs: a state whose corpus is segmented, and a panel on screen."""

import pytest
from PySide6.QtWidgets import QApplication

from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.fixture
def cut(app_state):
    """The id of a segmentation by characters, selected."""
    made = run_workspace.segmented(app_state.workspace)
    app_state.apply(Changes(corpora=True, segmentations=True, new_id=made))
    return made


@pytest.fixture(scope="session")
def _jieba_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("jieba")


@pytest.fixture
def jieba_home(_jieba_folder, monkeypatch):
    """One folder of the user for all tests that cut with jieba: making it takes seconds."""
    monkeypatch.setenv("LMSTUDIO_HOME", str(_jieba_folder))


@pytest.fixture
def shown(qtbot):
    """Puts a panel on screen as large as the smallest screen leaves room for."""

    def show(panel):
        qtbot.addWidget(panel)
        panel.resize(1294, 612)
        panel.show()
        qtbot.waitExposed(panel)
        QApplication.processEvents()
        return panel

    return show


@pytest.fixture
def full(app_state, cut, shown):
    """The panel over two counted runs and two networks; runs by name."""
    ws = app_state.workspace
    ids = {
        "1": run_workspace.counted(ws, cut, 1),
        "ML": run_workspace.counted(ws, cut, 5, "maximum-likelihood"),
        "LSTM": run_workspace.made_up(ws, cut, "LSTM 2×256", best=1.0),
        "stopped": run_workspace.made_up(ws, cut, "LSTM 1×128", best=1.2, state="stopped"),
    }
    app_state.apply(Changes(runs=True))
    panel = shown(CurvesPanel(app_state))
    panel.ids = ids
    return panel
