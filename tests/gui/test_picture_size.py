"""Sizes of pictures: in any unit, at any resolution, the same chart."""

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.picture_size import MOST, PictureSize
from lmstudio.gui.plots import Plot, Series


@pytest.mark.parametrize(
    ("size", "layout", "pixels"),
    [(PictureSize(), (1600, 900), (1600, 900)),
     (PictureSize(85, 60, "mm", 300), (321, 227), (1003, 709)),
     (PictureSize(4, 3, "in", 192), (384, 288), (768, 576))],
    ids=["px", "mm", "in"],
)  # fmt: skip
def test_layout_and_pixels(size, layout, pixels):
    assert size.layout() == QSize(*layout)
    assert size.pixels() == QSize(*pixels)


def test_another_unit_is_the_same_size():
    size = PictureSize(85, 60, "mm", 300)
    assert size.converted("in").layout() == size.layout()
    assert size.converted("px").converted("mm").width == pytest.approx(85)


def test_what_cannot_be_drawn():
    assert PictureSize(MOST, 900).possible()
    assert not PictureSize(MOST, 900, "px", 192).possible()
    assert not PictureSize(5, 5, "mm").possible()


@pytest.fixture
def dialog(app_state, qtbot):
    plot = Plot("bits")
    qtbot.addWidget(plot)
    x = np.arange(1.0, 9.0)
    plot.set_series([Series(1, "LSTM", x, 1 / x, "lstm")])
    made = ExportDialog(app_state, plot, "比特/字")
    qtbot.addWidget(made)
    return made


def choose(box, value):
    box.setCurrentIndex(box.findData(value))


def test_a_png_has_the_pixels_and_says_its_resolution(dialog, tmp_path):
    choose(dialog.unit, "mm")
    assert dialog.width_.value() == pytest.approx(1600 / 96 * 25.4, abs=0.05)
    dialog.width_.setValue(85)
    dialog.height_.setValue(60)
    choose(dialog.resolution, 300)
    assert "1,003 × 709 pixels" in dialog.note.text()
    dialog.save(tmp_path / "c.png")
    image = QImage(str(tmp_path / "c.png"))
    assert (image.width(), image.height()) == (1003, 709)
    assert image.dotsPerMeterX() == round(300 / 0.0254)


def test_an_svg_has_its_size_in_print_its_text_and_no_images(dialog, tmp_path):
    choose(dialog.unit, "in")
    dialog.width_.setValue(4)
    dialog.height_.setValue(3)
    choose(dialog.resolution, 600)
    dialog.save(tmp_path / "c.svg")
    text = (tmp_path / "c.svg").read_text("utf-8")
    assert 'width="101.6mm" height="76.2mm"' in text
    assert ">比特/字<" in text
    assert "<image" not in text


def test_a_pdf_has_its_size_in_print_and_its_text(dialog, tmp_path):
    from pypdf import PdfReader

    choose(dialog.unit, "in")
    dialog.width_.setValue(4)
    dialog.height_.setValue(3)
    dialog.save(tmp_path / "c.pdf")
    (page,) = PdfReader(tmp_path / "c.pdf").pages
    assert [float(side) for side in page.mediabox[2:]] == [288, 216]
    assert "LSTM" in page.extract_text()
    assert not list(page.images)


def test_what_is_too_large_is_not_drawn(dialog):
    dialog.width_.setValue(15_000)
    assert dialog.choose.isEnabled()
    choose(dialog.resolution, 300)
    assert not dialog.choose.isEnabled()
    assert "pixels wide" in dialog.choose.toolTip()
