"""FindingCard: a finding in; its question, tags and answers out; changed and deleted here."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from lmstudio.gui import renaming
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.panels.explore.finding_answers import FindingAnswers
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, tool
from lmstudio.messages import tr
from lmstudio.operations import finding_questions, findings, tags
from lmstudio.operations.finding_tables import save_finding
from lmstudio.store.rows import FindingRow


class FindingCard(Card):
    """Everything that is known of one finding."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Question"), parent=parent)
        self._state = state
        self._row: FindingRow | None = None
        self.tags = QLineEdit(self)
        self.answers = FindingAnswers(self)
        self.save = SaveAs(state, self)
        self._said = ElidedLabel(size=12, tone="muted")
        self.edit = tool("edit", tr("Rename…"), parent=self)
        self.csv = tool("table", tr("Save all answers as CSV"), parent=self)
        self.remove = tool("delete", tr("Delete…"), parent=self)
        self.tags.setPlaceholderText(tr("Tags, with spaces between"))
        self.tags.setAccessibleName(tr("Tags of the finding"))
        for widget in (self.edit, self.csv, self.remove):
            self.row.add_tool(widget)
        self.body.addWidget(self._said)
        self.body.addWidget(self.tags)
        self.body.addWidget(self.answers, 1)
        self.tags.editingFinished.connect(self._set_tags)
        self.edit.clicked.connect(self.rename)
        self.csv.clicked.connect(self.export)
        self.remove.clicked.connect(self.delete)

    def show_finding(self, row: FindingRow | None) -> None:
        """Show another one, or none."""
        ws = self._state.workspace
        self._row = row
        self.answers.show_finding(row, {run.name: run.model for run in self._state.runs()})
        self.row.set_title(row.title if row else tr("Question"))
        self.row.set_note(findings.kind_name(row.kind) if row else "")
        said = finding_questions.told(row.kind, row.question) if row else ""
        self._said.setText(said)
        self._said.setVisible(row is not None and said != row.title)
        self.tags.setText(" ".join(tags.tags(ws, "finding").get(row.id, ())) if row else "")
        for widget in (self.edit, self.csv, self.remove, self.tags):
            widget.setEnabled(row is not None)

    @Slot()
    def _set_tags(self) -> None:
        if self._row is not None:
            words = tags.words_of(self.tags.text())
            renaming.set_tags(self._state, "finding", self._row.id, self._row.title, words)

    @Slot()
    def rename(self) -> None:
        """Ask for another title."""
        if self._row is not None:
            dialog = NameDialog(tr("Rename the finding"), self._row.title, self.window())
            dialog.named.connect(self.rename_to)
            dialog.open()

    @Slot(str)
    def rename_to(self, title: str) -> None:
        """Give it another title."""
        if self._row is not None:
            row = self._row
            renaming.rename(self._state, findings.rename, row.id, row.title, title)

    @Slot()
    def delete(self) -> None:
        """Ask whether it may be deleted."""
        if self._row is not None:
            detail = tr("The question and its answers go to the trash: {title}",
                        title=self._row.title)  # fmt: skip
            dialog = DeleteDialog(tr("Delete the finding?"), detail, self.window())
            dialog.accepted.connect(self.delete_now)
            dialog.open()

    @Slot()
    def delete_now(self) -> None:
        """Forget it."""
        if self._row is not None:
            self._state.deletions.delete(findings.delete, self._row.id)

    @Slot()
    def export(self) -> None:
        """Save all answers as CSV."""
        if self._row is not None:
            self.save.ask(f"finding {self._row.id}", save_finding, self._row)
