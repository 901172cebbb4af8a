"""Curves of other programs beside the runs: added from a file, drawn dashed, removed."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QToolButton

from lmstudio.gui.dialogs.import_curve import ImportCurveDialog
from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.operations import foreign_curves
from tests.formats.test_curve_file import WANDB, write
from tests.gui.conftest import assert_fits


def dialog_of(panel, qtbot, path):
    panel.importing.look(path)
    qtbot.waitUntil(lambda: bool(panel.window().findChildren(ImportCurveDialog)))
    return panel.window().findChildren(ImportCurveDialog)[-1]


def add(panel, qtbot, dialog):
    with qtbot.waitSignal(panel.importing.added):
        dialog.add.click()


def foreign(panel):
    return [one for one in panel.plot.series() if isinstance(one.key, str)]


def test_a_curve_is_added_from_a_file_shown_and_removed(full, app_state, qtbot, tmp_path):
    path = write(tmp_path, "step,valid bpc\n10,4.5\n100,3.5\n400,3.1\n", "theirs.csv")
    dialog = dialog_of(full, qtbot, path)
    assert dialog.columns.item(0).text() == "valid bpc · Bits per character · valid · 3 points"
    dialog.name.setText("别人的 LSTM")
    add(full, qtbot, dialog)
    assert (full.measure.value(), full.along.value()) == ("bits_per_character", "step")
    (curve,) = foreign(full)
    assert (curve.name, curve.dash, curve.family) == ("别人的 LSTM", 1, "")
    assert curve.y.tolist() == [4.5, 3.5, 3.1]
    assert len(full.plot.series()) == 5
    assert "from files: 别人的 LSTM" in full._card.row.note.full_text()
    full.along.segment("seconds").click()
    assert foreign(full) == []
    assert "without times: 别人的 LSTM" in full._card.row.note.full_text()
    (chip,) = full.foreign.chips()
    assert "theirs.csv: valid bpc" in chip.toolTip()
    chip.cross.click()
    assert full.foreign.isHidden()
    assert foreign_curves.curves(app_state.workspace, app_state.corpus.id) == []


def test_a_loss_is_drawn_as_a_perplexity_too(full, qtbot, tmp_path):
    add(full, qtbot, dialog_of(full, qtbot, write(tmp_path, WANDB, "wandb.csv")))
    assert full.measure.value() in ("loss", "perplexity")
    for measure in ("perplexity", "loss"):
        full.measure.set_value(measure)
        assert {one.name for one in foreign(full)} == {"big", "a"}
    full.part.segment("train").click()
    assert foreign(full) == []
    assert full.foreign.isHidden()


def test_only_the_columns_ticked_are_kept(full, qtbot, tmp_path):
    dialog = dialog_of(full, qtbot, write(tmp_path, WANDB, "wandb.csv"))
    assert not dialog.name.isEnabled()
    dialog.columns.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert dialog.name.placeholderText() == "a"
    add(full, qtbot, dialog)
    assert [curve.name for curve in full.board.foreign()] == ["a"]


def test_what_a_column_does_not_say_must_be_said(full, qtbot, tmp_path):
    dialog = dialog_of(full, qtbot, write(tmp_path, "1,2\n2,1\n", "mine.csv"))
    assert not dialog.add.isEnabled()
    dialog.measure.setCurrentIndex(dialog.measure.findData("learning_rate"))
    dialog.measure.activated.emit(dialog.measure.currentIndex())
    add(full, qtbot, dialog)
    assert full.measure.value() == "learning_rate"
    assert [one.name for one in foreign(full)] == ["mine"]


def test_a_file_without_curves_is_told(full, app_state, qtbot, tmp_path, monkeypatch):
    path = write(tmp_path, "only words\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    add_tool = next(one for one in full.findChildren(QToolButton)
                    if "another program" in one.toolTip())  # fmt: skip
    with qtbot.waitSignal(app_state.problem) as told:
        add_tool.click()
    assert "is no table" in told.args[0]


def test_a_chart_of_files_alone_is_drawn_without_a_run(app_state, cut, shown, qtbot, tmp_path):
    panel = shown(CurvesPanel(app_state))
    panel.importing.look(write(tmp_path, "step,loss\n1,3\n9,2\n"))
    qtbot.waitUntil(lambda: bool(panel.window().findChildren(ImportCurveDialog)))
    add(panel, qtbot, panel.window().findChildren(ImportCurveDialog)[-1])
    assert [one.name for one in foreign(panel)] == ["loss"]
    assert panel._pages.currentIndex() == 0
    assert_fits(panel)
