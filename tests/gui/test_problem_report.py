"""Help > Report a problem…: shown first, then saved where the user says."""

import zipfile

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from lmstudio import messages
from lmstudio.gui.dialogs.problem_report import ReportDialog
from tests.gui.conftest import clipped


def test_what_is_saved_is_what_was_shown(window, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "report.zip"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "ZIP (*.zip)"))
    window.actions_by_key["report"].trigger()
    dialog = window.findChild(ReportDialog)
    qtbot.waitUntil(lambda: dialog.save.isEnabled())
    shown = dialog.shown.toPlainText()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == shown
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(path.exists)
    with zipfile.ZipFile(path) as zipped:
        for name in zipped.namelist():
            assert zipped.read(name).decode("utf-8").strip() in shown
    qtbot.waitUntil(lambda: not window.state.jobs.busy)


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_nothing_is_clipped(app_state, qtbot, language):
    messages.use(language)
    dialog = ReportDialog(app_state)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.save.isEnabled())
    assert clipped(dialog) == []
