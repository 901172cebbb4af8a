"""Fixtures of the panels of runs: a state whose corpus is segmented, and a panel on screen."""

import pytest
from PySide6.QtWidgets import QApplication

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
