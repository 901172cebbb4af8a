"""SheetExport: runs in; their sheet as a page, as a PDF or for machines, where the user wants it.

A PDF is painted by Qt's text documents in the window; the other two are written by the operation
that the command line calls.
"""

from pathlib import Path

from PySide6.QtCore import QMarginsF, QObject, QSizeF, QUrl, Slot
from PySide6.QtGui import QFont, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter, QTextDocument
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.sheet import Paper
from lmstudio.gui import theme
from lmstudio.gui.picture_size import LAYOUT
from lmstudio.gui.save_as import SaveAs, chosen_path
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import sheets

_KINDS = "HTML (*.html);;PDF (*.pdf);;JSON (*.json)"
_FINE = 3  # pixels of a drawing to one of the page
_MARGIN = 18.0  # mm


class SheetExport(QObject):
    """Asks for a place, gathers in the background, and tells the user when it is there."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self._save = SaveAs(state, parent)
        self._job: Job | None = None
        self._path = Path()
        state.jobs.finished.connect(self._ended)

    def ask(self, name: str, runs: list[int]) -> None:
        """Ask where to, proposing `name`; then save the sheet of `runs`."""
        if path := chosen_path(self._over, tr("Save the run sheet"), name, _KINDS):
            self.save(path, runs)

    def save(self, path: Path, runs: list[int]) -> None:
        """Write there; the ending says what."""
        ws = self._state.workspace
        if path.suffix.lower() != ".pdf":
            self._save.save(path, sheets.save, ws, runs)
            return
        self._job, self._path = Job(tr("Save {name}", name=path.name)), path
        self._state.run("bulk", self._job, sheets.paper, ws, runs)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state != "done":
            return
        try:
            print_pdf(job.result, self._path)
        except AppError as error:
            self._state.report(error)
        else:
            self._state.told.emit(tr("Saved {path}", path=self._path))


def print_pdf(paper: Paper, path: Path) -> None:
    """Print a page on A4. AppError if it cannot be written."""
    document = QTextDocument()
    font = QFont()
    font.setFamilies(theme.font(12).families())
    document.setDefaultFont(font)
    for name, drawing in paper.drawings.items():
        kind = QTextDocument.ResourceType.ImageResource
        document.addResource(int(kind.value), QUrl(name), _drawn(drawing))
    document.setHtml(paper.html)
    with unwritten(path), written(path) as temporary:
        writer = QPdfWriter(str(temporary))
        writer.setResolution(LAYOUT)
        margins = QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        writer.setPageLayout(
            QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait,
                        margins, QPageLayout.Unit.Millimeter)
        )  # fmt: skip
        document.documentLayout().setPaintDevice(writer)
        document.setDocumentMargin(0)
        document.setPageSize(QSizeF(writer.width(), writer.height()))
        document.print_(writer)
        del writer  # it is whole now


def _drawn(svg: str) -> QImage:
    """An SVG drawing in pixels fine enough for print."""
    renderer = QSvgRenderer(svg.encode())
    image = QImage(renderer.defaultSize() * _FINE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    return image
