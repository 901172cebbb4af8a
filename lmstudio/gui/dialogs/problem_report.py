"""ReportDialog: everything that a report of a problem holds, to be read before it is saved."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import tr
from lmstudio.operations import problem_report
from lmstudio.operations.problem_report import Contents


class ReportDialog(Dialog):
    """Nothing is written or sent by it; `accepted_report` says that it is to be saved."""

    accepted_report = Signal(dict)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Report a problem"), parent)
        self.report: Contents = {}
        self.resize(theme.px(720), theme.px(520))
        told = tr("A file about the program, for whoever looks into the problem. It holds what you "
                  "see here and no more: none of your texts, and no names of files, corpora or "
                  "runs. Nothing is sent; you decide whom you give it to.")  # fmt: skip
        self.body.addWidget(label(told, wrap=True))
        self.shown = QPlainTextEdit(tr("Collecting…"), self)
        self.shown.setReadOnly(True)
        self.shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setAccessibleName(tr("What the report holds"))
        self.body.addWidget(self.shown, 1)
        self.copy = self.add_button(tr("Copy"), left=True)
        self.copy.clicked.connect(self._copy)
        self.add_cancel()
        self.save = self.add_primary(tr("Save…"))
        for one in (self.copy, self.save):
            disable(one, tr("Collecting…"))
        self.accepted.connect(self._accept_report)
        asker = Asker(state, self)
        asker.answered.connect(self._show)
        asker.failed.connect(self._fail)
        asker.ask(problem_report.contents, state.workspace if state.has_workspace else None)

    @Slot(object)
    def _show(self, report: Contents) -> None:
        self.report = report
        parts = (f"== {name} ==\n{text}" for name, text in report.items())
        self.shown.setPlainText("\n".join(parts))
        for one in (self.copy, self.save):
            enable(one)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.shown.setPlainText(str(error))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.shown.toPlainText())

    @Slot()
    def _accept_report(self) -> None:
        self.accepted_report.emit(self.report)
