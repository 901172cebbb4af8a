"""HelpPage: the key of a page of the help in; its text with typeset formulas, to be read, out."""

from PySide6.QtCore import QByteArray, Qt, QUrl, Slot
from PySide6.QtGui import (
    QImage,
    QPainter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QTextBrowser, QWidget

from lmstudio import help_pages
from lmstudio.gui import theme

_SIZE = 0.95  # of formulas, beside the text at scale 1
_LEADING = 120  # per cent of a line's height


class HelpPage(QTextBrowser):
    """Links lead to other pages; formulas are drawn in the colour of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = ""
        self.setOpenLinks(False)
        self.setFont(theme.font(15))
        self.setFrameShape(self.Shape.NoFrame)
        self.document().setDocumentMargin(theme.px(12))
        self.anchorClicked.connect(self._follow)
        theme.signals.changed.connect(self._redraw)

    def show_page(self, key: str) -> None:
        """Show a page from its beginning."""
        self.key = key
        self.setAccessibleName(help_pages.title(key))
        self.document().clear()
        self.document().setMarkdown(help_pages.page(key))
        self._space_out()
        self.verticalScrollBar().setValue(0)

    def _space_out(self) -> None:
        """Sizes of headings, and room between blocks, which Markdown itself tells nothing of."""
        block = self.document().begin()
        while block.isValid():
            cursor, shape = QTextCursor(block), block.blockFormat()
            heading = shape.headingLevel()
            shape.setTopMargin(theme.px(14 if heading > 1 else 0))
            shape.setBottomMargin(theme.px(4 if block.textList() else 8))
            shape.setLineHeight(_LEADING, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.setBlockFormat(shape)
            if heading:
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                letters = QTextCharFormat()
                letters.setFont(theme.font(20 if heading == 1 else 15, bold=True))
                letters.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
                cursor.mergeCharFormat(letters)
            block = block.next()

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: N802
        """The pictures of formulas; nothing else is ever loaded."""
        url = QUrl(name)
        return self._formula(url.path()) if url.scheme() == "formula" else None

    def _formula(self, name: str) -> QImage:
        ink = theme.colour("text").name()
        drawn = QSvgRenderer(QByteArray(help_pages.formula(name, ink)))
        ratio = self.devicePixelRatioF()
        size = drawn.defaultSize() * (_SIZE * theme.scale() * ratio)
        image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawn.render(painter)
        painter.end()
        image.setDevicePixelRatio(ratio)
        return image

    @Slot(QUrl)
    def _follow(self, link: QUrl) -> None:
        if link.path() in help_pages.names():
            self.show_page(link.path())

    @Slot()
    def _redraw(self) -> None:
        if self.key:
            self.show_page(self.key)
