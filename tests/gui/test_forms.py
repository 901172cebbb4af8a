"""Forms: values in and out, faults under their fields, what is folded away."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtWidgets import QApplication

from lmstudio.errors import Fault
from lmstudio.gui.forms import Form
from lmstudio.gui.widgets import scrolled
from lmstudio.messages import Message
from lmstudio.models.config import NgramConfig
from lmstudio.options import options_of
from lmstudio.training.spec import TrainingConfig


@pytest.fixture
def form(qtbot):
    form = Form(TrainingConfig())
    qtbot.addWidget(form)
    form.show()
    return form


def test_values_come_back_as_they_went_in(form, qtbot):
    config = TrainingConfig(epochs=7, learning_rate=0.0003, seed=5, device="cpu")
    with qtbot.assertNotEmitted(form.changed):
        form.set_value(config)
    assert form.value() == config
    assert form.control("learning_rate").text() == "0.0003"


def test_choices_and_ticks(qtbot):
    form = Form(NgramConfig(smoothing="add-k"), choice_names={"add-k": "Add k"})
    qtbot.addWidget(form)
    assert form.value() == NgramConfig(smoothing="add-k")
    assert form.control("smoothing").currentText() == "Add k"


def test_a_change_is_told_and_a_fault_stands_under_its_field(form, qtbot):
    with qtbot.waitSignal(form.changed):
        form.control("length").setValue(0)
    assert [fault.field for fault in form.faults()] == ["length"]
    assert form._faults["length"].text() == "must be at least 1"
    assert form._faults["length"].isVisible()
    assert form.control("length").property("bad")
    form.control("length").setValue(32)
    assert not form._faults["length"].isVisible()


def test_rare_settings_are_folded_and_those_changed_counted(form):
    assert not form.control("seed").isVisible()
    rare = sum(entry.more for _, entry in options_of(TrainingConfig).values())
    assert form._fold.text() == f"More settings ({rare})"
    form._fold.click()
    assert form.control("seed").isVisible()
    form.control("seed").setValue(9)
    assert form._fold.text() == f"More settings ({rare}, 1 changed)"


def test_a_fault_in_a_rare_setting_unfolds(form):
    form.show_faults([Fault("seed", Message("must be a number"))])
    assert form.control("seed").isVisible()


def test_only_some_fields(qtbot):
    form = Form(TrainingConfig(seed=4), only=("epochs",))
    qtbot.addWidget(form)
    assert form.value() == TrainingConfig(seed=4)
    with pytest.raises(KeyError):
        form.control("seed")


def test_what_folds_away_stands_in_the_same_columns(form):
    form._fold.click()
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    places = {form.control(name).mapTo(form, QPoint()).x() for name in ("epochs", "seed", "clip")}
    assert len(places) == 1


def test_what_is_unfolded_is_scrolled_to(form, qtbot):
    area = scrolled(form)
    qtbot.addWidget(area)
    area.resize(400, 240)
    area.show()
    assert not form.control("seed").isVisible()
    form._fold.click()
    qtbot.waitUntil(lambda: form._fold.mapTo(area.viewport(), QPoint()).y() == 0)
    assert form._more.visibleRegion().boundingRect().height() > 100
