"""ImportReportDialog: the report of an import in; a table that can be saved out."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import label
from lmstudio.messages import tr
from lmstudio.operations.import_report import ReportRow
from lmstudio.store.rows import CorpusRow

_TONES = {"skipped": "bad", "partly": "bad", "leak": "warn", "copies": "warn", "near": "warn"}
_SHOWN = 2000  # rows; all are in the CSV


class ImportReportDialog(Dialog):
    """What was taken, left out, found twice and changed, one line each."""

    save_wanted = Signal()

    def __init__(
        self, corpus: CorpusRow, rows: list[ReportRow], parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Import of {name}", name=corpus.name), parent)
        self.setMinimumWidth(theme.px(860))
        told = label(summary(corpus), tone="muted", wrap=True)
        columns = (
            Column("what", tr("What"), width=120),
            Column("name", tr("Name"), width=260),
            Column("count", tr("Number"), right=True, show=figures.count, width=84),
            Column("detail", tr("Detail")),
        )
        self.table = Table(columns, tr("Report of the import"), self)
        self.table.setMinimumHeight(theme.px(300))
        self.table.set_rows([_row(number, row) for number, row in enumerate(rows[:_SHOWN])])
        self.body.addWidget(told)
        self.body.addWidget(self.table, 1)
        save = self.add_button(tr("Save as CSV…"), "link", left=True)
        save.clicked.connect(self.save_wanted)
        self.add_primary(tr("Close"))


def _row(number: int, row: ReportRow) -> Row:
    return Row(number, {
        "what": Cell(row.title(), tone=_TONES.get(row.kind, "")),
        "name": Cell(row.name, tip=row.name), "count": Cell(row.count),
        "detail": Cell(row.detail, tip=row.detail),
    })  # fmt: skip


def summary(corpus: CorpusRow) -> str:
    """The whole import in a sentence."""
    facts = corpus.facts
    copies = facts.get("duplicates", {})
    parts = [
        tr("Documents: {count}", count=figures.count(corpus.documents)),
        tr("left out: {count}", count=figures.count(len(facts.get("skipped", [])))),
        tr("exact copies: {count}", count=figures.count(copies.get("exact_documents", 0))),
        tr("near copies: {count}", count=figures.count(copies.get("near_documents", 0))),
        *(
            tr("of {part} also in train: {share}", part=tr(part),
               share=figures.percent(found["share"], 1))
            for part, found in facts.get("leaks", {}).items() if found["leaked_characters"]
        ),
    ]  # fmt: skip
    return " · ".join(parts)
