"""The page of the panel on screen beside the window, with its formulas."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument

from lmstudio import help_pages, messages
from lmstudio.gui import theme
from lmstudio.gui.help_window import HelpPages, HelpWindow
from lmstudio.gui.widgets.help_page import HelpPage

pytestmark = pytest.mark.gui


def test_the_page_of_the_panel_follows_until_it_is_hidden(qtbot):
    window = HelpWindow(None)
    qtbot.addWidget(window)
    window.follow("masks")
    assert window.pages is None
    assert window.toggle("attention")
    assert window.pages.page.key == "attention"
    window.follow("masks")
    assert window.pages.page.key == "masks"
    assert window.pages.list.currentItem().text() == messages.tr("Masks")
    assert window.toggle("masks")
    assert not window.isVisible()
    assert not window.toggle("help")
    assert not window.isVisible()


def test_a_page_is_chosen_in_the_list(qtbot):
    pages = HelpPages()
    qtbot.addWidget(pages)
    assert pages.list.count() == len(help_pages.names())
    pages.list.setCurrentRow(3)
    shown = pages.page.toPlainText()
    assert shown.startswith(help_pages.title(pages.page.key))
    assert pages.page.accessibleName() == pages.list.currentItem().text()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_formulas_are_pictures_in_the_colour_of_the_text(qtbot, qapp, mode):
    theme.apply(qapp, mode)
    page = HelpPage()
    qtbot.addWidget(page)
    page.show_page("smoothing")
    image = page.loadResource(QTextDocument.ResourceType.ImageResource, QUrl("formula:kneser-ney"))
    assert image.width() > 100
    ink = theme.colour("text")
    inked = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())
             if image.pixelColor(x, y).alpha() == 255]  # fmt: skip
    assert inked
    assert all(abs(pixel.lightness() - ink.lightness()) <= 3 for pixel in inked)
    theme.apply(qapp, "light")


@pytest.mark.parametrize("address", ["file:///etc/passwd", "https://example.org/a.png", "a.png"])
def test_nothing_else_is_loaded(qtbot, address):
    page = HelpPage()
    qtbot.addWidget(page)
    assert page.loadResource(QTextDocument.ResourceType.ImageResource, QUrl(address)) is None
