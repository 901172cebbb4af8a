"""All dialogs: names for screen readers, reasons why not, Tab, and input methods."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid

from lmstudio import messages
from lmstudio.gui import reading_order
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.dialogs.continue_run import ContinueDialog
from lmstudio.gui.dialogs.error import ErrorDialog
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.dialogs.export_run import ExportRunDialog
from lmstudio.gui.dialogs.import_files import ImportDialog
from lmstudio.gui.dialogs.import_task import TaskImportDialog
from lmstudio.gui.dialogs.paste_text import PasteDialog
from lmstudio.gui.dialogs.problem_report import ReportDialog
from lmstudio.gui.dialogs.prompt_template import PromptDialog
from lmstudio.gui.dialogs.score_file import ScoreFileDialog
from lmstudio.gui.dialogs.sweep import SweepDialog
from lmstudio.gui.dialogs.tags import TagsDialog
from lmstudio.gui.save_as import SaveAs
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.panels import run_workspace
from tests.gui.test_every_control import nameless, parts_of_qt


def _text_file(folder):
    (folder / "a.txt").write_text("第一句。\n第二句。\n", encoding="utf-8")
    return [folder / "a.txt"]


def _table(folder):
    (folder / "t.csv").write_text("text,label\n好,1\n坏,0\n" * 20, encoding="utf-8")
    return [folder / "t.csv"]


DIALOGS = {
    "name": lambda state, over, _: NameDialog("Rename", "a", over),
    "delete": lambda state, over, _: DeleteDialog("Delete?", "It goes.", over),
    "continue": lambda state, over, _: ContinueDialog("a", done=True, parent=over),
    "error": lambda state, over, _: ErrorDialog("The disk is full.", "Traceback", over),
    "chart": lambda state, over, _: ExportDialog(state, over.panel("curves").plot, "x", over),
    "run": lambda state, over, _: ExportRunDialog(
        state, state.runs()[0], SaveAs(state, over), over
    ),
    "files": lambda state, over, folder: ImportDialog(state, _text_file(folder), over),
    "task": lambda state, over, folder: TaskImportDialog(state, _table(folder), over),
    "paste": lambda state, over, _: PasteDialog(state, "第一句。", over),
    "report": lambda state, over, _: ReportDialog(state, over),
    "prompt": lambda state, over, _: PromptDialog(state, "山水", over),
    "score": lambda state, over, _: ScoreFileDialog(state, [1], "spaces", over),
    "sweep": lambda state, over, _: SweepDialog(state, RunSpec.from_json({"model": "lstm"}), over),
    "tags": lambda state, over, _: TagsDialog(state, "run", 1, "a", over),
}


@pytest.mark.parametrize("language", messages.LANGUAGES)
@pytest.mark.parametrize("name", DIALOGS)
def test_it_can_be_heard_and_used_by_keys_alone(window, app_state, qtbot, tmp_path, name, language):
    messages.use(language)
    ws = app_state.workspace
    run_workspace.counted(ws, run_workspace.segmented(ws), 2)
    app_state.apply(Changes(corpora=True, segmentations=True, runs=True))
    dialog = DIALOGS[name](app_state, window, tmp_path)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    QApplication.processEvents()
    assert not nameless(dialog)
    _assert_reasons(dialog)
    _assert_tab_goes_round(dialog)
    _assert_takes_chinese(dialog)
    dialog.reject()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)


def _assert_reasons(dialog):
    off = [one for one in dialog.findChildren(QWidget)
           if one.isVisible() and not one.isEnabled() and one.parentWidget().isEnabled()
           and one.focusPolicy() & Qt.FocusPolicy.TabFocus and not parts_of_qt(one)]  # fmt: skip
    assert all(one.toolTip() or one.accessibleDescription() for one in off), off


def _assert_tab_goes_round(dialog):
    stops = reading_order.stops(dialog)
    stops[0].setFocus(Qt.FocusReason.TabFocusReason)
    reached = [stops[0]]
    for _ in stops[1:]:
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        reached.append(dialog.focusWidget())
    assert reached == stops
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    assert dialog.focusWidget() is stops[0]


def _takes_text(field):
    if not isValid(field) or not isinstance(field, (QLineEdit, QPlainTextEdit)):
        return False
    free = not field.isReadOnly() and not (isinstance(field, QLineEdit) and field.validator())
    return free and field.isVisible() and field.isEnabled() and not parts_of_qt(field)


def _assert_takes_chinese(dialog):
    """Case I-4. What is typed in one field may make others anew."""
    for field in dialog.findChildren(QWidget):
        if not _takes_text(field):
            continue
        assert field.window().windowType() != Qt.WindowType.Popup
        field.clear()
        field.setFocus()
        event = QInputMethodEvent("", [])
        event.setCommitString("你好")
        QApplication.sendEvent(field, event)
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        assert text == "你好", field.accessibleName()
