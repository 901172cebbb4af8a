"""UseBars: what a workspace takes, a bar for each kind of file, its trash and its caches."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import ProgressLine, label
from lmstudio.messages import msg, tr
from lmstudio.operations.disk import KINDS, Disk

_MORE = {"trash": msg("Trash"), "rest": msg("Database and dictionaries"),
         "program": msg("Cache of all workspaces")}  # fmt: skip


class UseBars(QWidget):
    """The longest bar is the largest kind; each says its size."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.px(12))
        grid.setVerticalSpacing(theme.px(4))
        grid.setColumnStretch(1, 1)
        self._bars: dict[str, ProgressLine] = {}
        self.sizes = {}
        for row, (kind, title) in enumerate((KINDS | _MORE).items()):
            bar, size = ProgressLine(tr(title), parent=self), label()
            self._bars[kind], self.sizes[kind] = bar, size
            grid.addWidget(label(tr(title)), row, 0)
            grid.addWidget(bar, row, 1)
            grid.addWidget(size, row, 2)
            size.setAlignment(Qt.AlignmentFlag.AlignRight)

    def show_disk(self, found: Disk) -> None:
        """Show what was measured."""
        octets = found.by_kind() | {
            "trash": sum(found.trash.values()), "rest": found.rest, "program": found.program_cache,
        }  # fmt: skip
        most = max(octets.values()) or 1
        for kind, bar in self._bars.items():
            bar.set_share(octets[kind] / most)
            self.sizes[kind].setText(figures.size(octets[kind]))
