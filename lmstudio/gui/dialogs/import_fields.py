"""ImportFields: what nearly every import asks for: name, encoding, lines and held-out shares."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QWidget

from lmstudio.data.split import SplitRule
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.split_fields import SplitFields
from lmstudio.gui.file_kinds import FORMAT_NAMES, format_name
from lmstudio.gui.panels.corpora.importing import Parts
from lmstudio.gui.widgets import label
from lmstudio.messages import msg, phrases, tr
from lmstudio.text.document import FORMATS, ReadOptions
from lmstudio.text.preview import Preview
from lmstudio.text.read import shown

ENCODINGS = ("utf-8", "gb18030", "big5", "utf-16-le", "utf-16-be")
LINES = {
    "auto": msg("as found"),
    "sentence": msg("one sentence a line"),
    "paragraph": msg("one paragraph a line"),
    "wrapped": msg("wrapped at the page's width: join"),
}
"""What a line of the files is; the values are those of `ReadOptions.lines`."""


class ImportFields(QWidget):
    """Fields with what was found shown as their first choice."""

    reading_changed = Signal()  # the files must be looked at again
    changed = Signal()  # anything else

    def __init__(
        self, reading: ReadOptions, split: SplitRule, proposed: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.name = QLineEdit(self)
        self.encoding, self.format, self.lines = QComboBox(self), QComboBox(self), QComboBox(self)
        self.split = SplitFields(split, self)
        self.given = QCheckBox(self)
        self.given.hide()
        self._fill(proposed)
        self._lay_out()
        self.set_encoding(reading.encoding)
        self.format.setCurrentIndex(self.format.findData(reading.format))
        self.lines.setCurrentIndex(self.lines.findData(reading.lines))
        for box in (self.encoding, self.format):
            box.currentIndexChanged.connect(self.reading_changed)
        self.lines.currentIndexChanged.connect(self.changed)
        self.given.toggled.connect(self.changed)
        self.name.textChanged.connect(self.changed)
        self.split.changed.connect(self.changed)

    def _fill(self, proposed: str) -> None:
        self.name.setAccessibleName(tr("Name of the corpus"))
        self.name.setPlaceholderText(proposed)
        self.encoding.setAccessibleName(tr("Encoding"))
        self.format.setAccessibleName(tr("Text is"))
        self.lines.setAccessibleName(tr("Lines"))
        self.encoding.addItem(sentence_case(tr("found by itself")), "auto")
        for encoding in ENCODINGS:
            self.encoding.addItem(encoding.upper(), encoding)
        for kind in FORMATS:
            self.format.addItem(sentence_case(tr(FORMAT_NAMES[kind])), kind)
        for rule, title in LINES.items():
            self.lines.addItem(sentence_case(tr(title)), rule)
        for box in (self.encoding, self.format, self.lines):
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(12)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.px(12))
        grid.setVerticalSpacing(theme.px(8))
        pairs = (
            (tr("Name"), self.name, 0, 0), (tr("Encoding"), self.encoding, 0, 2),
            (tr("Lines"), self.lines, 1, 0), (tr("Text is"), self.format, 1, 2),
        )  # fmt: skip
        for title, field, row, column in pairs:
            grid.addWidget(_caption(title, field), row, column)
            grid.addWidget(field, row, column + 1)
        grid.addWidget(_caption(tr("Held out"), self.split), 2, 0)
        grid.addWidget(self.split, 2, 1, 1, 3)
        grid.addWidget(self.given, 3, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)

    def show_preview(self, seen: Preview) -> None:
        """Say in the first choices what was found."""
        if self.encoding.currentData() == "auto":
            found = seen.encoding.upper()
            text = tr("found by itself: {encoding}", encoding=found) if found else ""
            self.encoding.setItemText(0, sentence_case(text or tr("found by itself")))
        if self.format.currentData() == "auto":
            found = format_name(seen.format)
            text = tr("as found: {rule}", rule=found) if found else tr(FORMAT_NAMES["auto"])
            self.format.setItemText(0, sentence_case(text))
        rule = tr(LINES[seen.lines_rule]) if seen.lines_rule else ""
        text = tr("as found: {rule}", rule=rule) if rule else tr(LINES["auto"])
        self.lines.setItemText(0, sentence_case(text))

    def set_encoding(self, encoding: str) -> None:
        """Choose an encoding, one that is not in the list included."""
        if self.encoding.findData(encoding) < 0:
            self.encoding.addItem(encoding.upper(), encoding)
        self.encoding.setCurrentIndex(self.encoding.findData(encoding))

    def set_lines(self, rule: str) -> None:
        """Choose a lines rule."""
        self.lines.setCurrentIndex(self.lines.findData(rule))

    def offer_parts(self, parts: Parts | None) -> None:
        """Offer to keep the parts that the files are named as."""
        self.given.setVisible(parts is not None)
        if parts is not None:
            names = phrases(
                f"{part}: {', '.join(map(shown, paths))}"
                for part, paths in parts.items() if paths
            )  # fmt: skip
            self.given.setText(tr("Keep the parts as the files are named: {names}", names=names))
            self.given.setChecked(True)


def _caption(text: str, field: QWidget) -> QLabel:
    made = label(text, tone="muted")
    made.setBuddy(field)
    return made
