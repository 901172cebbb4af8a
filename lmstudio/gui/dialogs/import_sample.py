"""ImportSample: a preview in; the first rows or lines, with what is doubtful about them, out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.column_roles import ROWS, ColumnRoles
from lmstudio.gui.dialogs.encoding_choice import EncodingChoice
from lmstudio.gui.dialogs.sample_text import SampleText
from lmstudio.gui.dialogs.wrapped_lines import WrappedLines
from lmstudio.text.normalize_sample import NormalisedSample
from lmstudio.text.preview import Preview

_FEWER_ROWS = (ROWS, 3, 2)  # of a table, by the number of other things that need room


class ImportSample(QWidget):
    """The left half of the dialog below the list of files."""

    changed = Signal()  # the roles of columns, or whether there is a header

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.encodings = EncodingChoice(self)
        self.columns = ColumnRoles(self)
        self.text = SampleText(self)
        self.wrapped = WrappedLines(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        for widget in (self.encodings, self.columns, self.text, self.wrapped):
            layout.addWidget(widget)
        self.columns.changed.connect(self.changed)

    def show_preview(self, seen: Preview, *, found: bool) -> None:
        """Show what was seen; `found`: the encoding was, and may be doubtful."""
        if found:
            self.encodings.show_candidates(seen)
        self.columns.show_table(seen.table)
        self.text.setVisible(seen.table is None)
        self.text.show_lines(seen.lines)
        self._share_height()
        self.wrapped.show_share(seen.unended if seen.lines_rule == "wrapped" else None)

    @Slot(object)
    def show_changes(self, found: NormalisedSample) -> None:
        """Show what normalisation makes of the lines; of a table only where it does something."""
        changes = any(line.before != line.after for line in found.lines)
        self.text.setVisible(changes or self.columns.isHidden())
        self._share_height(changes)
        self.text.show_changes(found.lines)

    def _share_height(self, changes: bool = False) -> None:  # noqa: FBT001, FBT002
        """A table gives way to what its encoding may be and to the changes of its text."""
        others = int(changes) + int(not self.encodings.isHidden())
        self.columns.show_rows(_FEWER_ROWS[others])
