"""FoundFiles: a preview in; the files and how they are read, or why they are left out, out."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.file_kinds import format_name
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import label
from lmstudio.messages import tr
from lmstudio.text.preview import FoundFile, Preview

SHOWN = 500  # of a folder with more files, the first


class FoundFiles(QWidget):
    """A sentence and a table; refused files come first and say why."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sum = label(tr("Looking at the files…"), tone="muted")
        columns = (
            Column("name", tr("File"), width=240),
            Column("found", tr("Read as")),
            Column("size", tr("Size"), right=True, show=figures.size, width=90),
        )
        self.table = Table(columns, tr("Files to import"), self)
        self.table.setFixedHeight(theme.px(92))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self._sum)
        layout.addWidget(self.table)

    def show_files(self, seen: Preview) -> None:
        """Show what was found."""
        refused = [
            Row(f"refused {number}", {
                "name": Cell(one.name, tip=one.name),
                "found": Cell(str(one.reason), tone="bad", tip=str(one.reason)),
            })
            for number, one in enumerate(seen.refused[:SHOWN])
        ]  # fmt: skip
        taken = [
            Row(str(one.path), {
                "name": Cell(one.name, tip=str(one.path)),
                "found": Cell(_read_as(one)),
                "size": Cell(one.bytes),
            })
            for one in seen.files[: SHOWN - len(refused)]
        ]  # fmt: skip
        self.table.set_rows([*refused, *taken])
        octets = sum(file.bytes for file in seen.files)
        said = tr("Files: {count} · {size}", count=len(seen.files), size=figures.size(octets))
        if seen.refused:
            said += " · " + tr("{count} left out", count=len(seen.refused))
        self._sum.setText(said)

    def text(self) -> str:
        """The sentence above the table."""
        return self._sum.text()


def _read_as(file: FoundFile) -> str:
    """Format and encoding, as far as they were looked at."""
    known = [format_name(file.format), file.encoding.upper()]
    return " · ".join(filter(None, known)) or tr("seen when it is imported")
