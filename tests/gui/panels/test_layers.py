"""Layers and gates: what really trained networks do with a sentence, view by view."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from lmstudio import messages
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore.layers import LayersPanel
from lmstudio.gui.panels.explore.layers_card import VIEWS
from lmstudio.gui.panels.explore.layers_terms import columns
from lmstudio.gui.plot_export import export
from lmstudio.gui.rooms import find
from lmstudio.jobs import Job
from lmstudio.operations import findings, inside, layers
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace

SIZES = {
    "rnn": {}, "lstm": {"layers": 2}, "elmo": {"layers": 2, "cell": 8},
    "bert": {"layers": 2, "heads": 2, "window": 32}, "gpt": {"layers": 2, "heads": 2},
}  # fmt: skip
ABLE = {
    "rnn": {"lens", "similarity", "reach"},
    "lstm": {"gates", "lens", "similarity", "reach"},
    "elmo": {"gates", "directions", "lens", "similarity", "reach"},
    "bert": {"norms", "lens", "similarity", "terms", "positions", "reach"},
    "gpt": {"norms", "lens", "similarity", "terms", "positions", "reach"},
}
TEXT = "小河边有大树"


@pytest.fixture
def open_panel(app_state, cut, shown, qtbot):
    """The panel, asking a network of a few steps."""

    def make(model: str) -> LayersPanel:
        run_workspace.network(app_state.workspace, cut, model, **SIZES[model])
        app_state.apply(Changes(runs=True))
        app_state.set_sentence(TEXT)
        panel = shown(LayersPanel(app_state))
        wait(panel, qtbot)
        return panel

    return make


def wait(panel, qtbot) -> None:
    qtbot.waitUntil(lambda: not panel.busy and not panel._pause.isActive(), timeout=150000)


def show(panel, key, qtbot):
    panel.view.segment(key).click()
    wait(panel, qtbot)
    return panel.views[key]


def run_of(panel) -> int:
    return panel.asked.run().id


@pytest.mark.parametrize("model", SIZES)
def test_every_view_that_a_family_can_answer_is_offered_and_drawn(open_panel, model, qtbot):
    panel = open_panel(model)
    for key in VIEWS:
        segment = panel.view.segment(key)
        assert segment.isEnabled() == (key in ABLE[model]), key
        if key not in ABLE[model]:
            assert panel.asked.run().name in segment.toolTip()
            continue
        view = show(panel, key, qtbot)
        assert panel.card.stack.currentWidget() is view
        assert panel.card.told.full_text() == view.line() != ""
        if key != "reach":
            assert view.found is not None
            paint(view)


def paint(view) -> None:
    """On paper; what is drawn there is more than its ground."""
    image = QImage(QSize(800, 500), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    picture = view.picture()
    if hasattr(picture, "draw"):
        picture.draw(painter, QRectF(0, 0, 800, 500), "light")
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint32)
        assert len(np.unique(pixels)) > 10
    else:
        painter.end()


def test_maps_of_gates_and_norms_are_what_the_operation_finds(open_panel, app_state, qtbot):
    panel = open_panel("lstm")
    known = inside.inside(app_state.workspace, run_of(panel), TEXT, job=Job())
    view = show(panel, "gates", qtbot)
    for number, name in enumerate(known.values):
        view.name.setCurrentIndex(number)
        for layer in range(2):
            view.number.setCurrentIndex(layer)
            expected = known.values[name][layer].T
            np.testing.assert_array_equal(view.map.grid().values, expected)
    assert view.map.grid().columns == tuple(known.tokens)
    cells = view.table.rows()[3].cells
    assert cells["forget"].value == pytest.approx(known.values["forget"][1, 3].mean())


def test_predictions_are_what_the_operation_finds(open_panel, app_state, qtbot):
    panel = open_panel("bert")
    view = show(panel, "lens", qtbot)
    ws = app_state.workspace
    known = layers.lens(ws, run_of(panel), TEXT, job=Job())
    for layer, column in ((0, 0), (2, 4)):
        guess, p = known.guesses(layer, column)[0]
        cell = view.grid.cell(layer, column)
        assert cell.guess == guess
        assert cell.right == (known.truth_ranks[layer, column] == 1)
        view.grid._take(layer, column)
        assert view.table.rows()[0].cells["p"].value == pytest.approx(p)
        shown = {row.key for row in view.table.rows()}
        assert int(known.truth_ranks[layer, column]) in shown
    np.testing.assert_allclose(view.plot.series()[0].y, known.truth_probs[:, 4])
    view.hidden.segment("visible").click()
    wait(panel, qtbot)
    known = layers.lens(ws, run_of(panel), TEXT, "before", False, job=Job())
    np.testing.assert_array_equal(view.found.probs, known.probs)
    view.colour.segment("rank").click()
    assert view.grid.cell(2, 1).note == f"#{known.truth_ranks[2, 1]}"
    view.colour.segment("bits").click()
    assert "bits" in view.grid.cell(2, 1).note


def test_a_blank_that_was_typed_has_guesses_and_no_truth(open_panel, app_state, qtbot):
    panel = open_panel("bert")
    view = show(panel, "lens", qtbot)
    type_in(panel, "小河边[MASK]大树", qtbot)
    assert view.found.columns[3] == "[MASK]"
    view.choose(4, 2)
    assert len(view.table.rows()) == 5
    assert view.grid.cell(2, 3).right is False
    assert app_state.sentence == "小河边[MASK]大树"
    assert show(panel, "norms", qtbot).found.tokens[4] == "[MASK]"


def type_in(panel, text, qtbot) -> None:
    panel.text.setText(text)
    panel.text.textEdited.emit(text)
    wait(panel, qtbot)


def test_what_cannot_be_asked_is_said(open_panel, qtbot):
    panel = open_panel("gpt")
    type_in(panel, "", qtbot)
    assert "Type some words" in panel.card.said.text()
    assert panel.card.stack.currentWidget() is panel.card.said
    type_in(panel, "小[mask]", qtbot)
    assert "never learned from blanks" in panel.card.said.text()
    type_in(panel, "小河", qtbot)
    assert panel.card.stack.currentWidget() is panel.shown


def test_case_h3_what_is_not_read_is_said_first(open_panel, qtbot):
    panel = open_panel("lstm")
    panel.text.setText("我" * 230)
    panel.ask()
    view = show(panel, "lens", qtbot)
    line = panel.card.told.full_text()
    assert line == f"Only the first 200 of 230 tokens are read. {view.line()}"


def test_the_token_stays_chosen_in_another_view_and_arrows_move_it(open_panel, qtbot):
    panel = open_panel("gpt")
    view = show(panel, "lens", qtbot)
    view.choose(3, 2)
    terms = show(panel, "terms", qtbot)
    assert terms.table.selected() == [3]
    assert "Position 3" in terms.sum.terms()[1].name
    norms = show(panel, "norms", qtbot)
    assert norms.map.column() == 3
    qtbot.keyClick(norms.map, Qt.Key.Key_Right)
    assert norms.place == 4
    assert norms.table.selected() == [4]
    view = show(panel, "lens", qtbot)
    assert view.grid.where() == (2, 3)
    qtbot.keyClick(view.grid, Qt.Key.Key_Up)
    qtbot.keyClick(view.grid, Qt.Key.Key_Left)
    assert view.grid.where() == (1, 2)
    assert (view.layer, view.place) == (1, 3)
    similarity = show(panel, "similarity", qtbot)
    qtbot.keyClick(panel, Qt.Key.Key_Down)
    assert similarity.table.selected() == [2]
    qtbot.keyClick(panel, Qt.Key.Key_Down)  # there is no other
    assert similarity.layer == 2


def test_similarity_terms_and_positions_are_what_the_operations_find(open_panel, app_state, qtbot):
    panel = open_panel("gpt")
    ws, run = app_state.workspace, run_of(panel)
    view, known = (
        show(panel, "similarity", qtbot),
        layers.layer_similarity(ws, run, TEXT, job=Job()),
    )
    np.testing.assert_array_equal(view.map.grid().values, known.cosines)
    np.testing.assert_array_equal(view.plot.series()[0].y, known.means)
    view, terms = show(panel, "terms", qtbot), layers.input_terms(ws, run, TEXT, job=Job())
    shown = view.sum.terms()
    np.testing.assert_array_equal(shown[-1].vector, terms.values["sum"][view.place])
    assert sum(term.share for term in shown[:-1]) == pytest.approx(1)
    titles = [column.title for column in columns()]
    assert len(set(titles)) == len(titles)
    view, known = show(panel, "positions", qtbot), layers.positions(ws, run, job=Job())
    np.testing.assert_array_equal(view.own.grid().values, known.own)
    np.testing.assert_array_equal(view.waves.grid().values, known.waves)
    np.testing.assert_allclose(view.plot.series()[0].y, known.by_distance(known.own))


def test_both_directions_walk_towards_a_place(open_panel, app_state, qtbot):
    panel = open_panel("elmo")
    view = show(panel, "directions", qtbot)
    known = layers.two_directions(app_state.workspace, run_of(panel), TEXT, job=Job())
    assert view.layer == view.number.currentData() == len(known.forward) - 1  # as the verb
    assert view._of.full_text().startswith(f"Layer {view.layer}: both stand beside")
    view.choose(2, 2)
    assert view.reached() == (1, 3)
    assert view.forward.grid().barred[0].tolist() == [False] * 2 + [True] * 6
    assert view.backward.grid().barred[0].tolist() == [True] * 3 + [False] * 5
    row = view.table.rows()[0].cells
    for side, found in (("before", known.before), ("behind", known.behind), ("both", known.both)):
        assert row[side].value == found.guesses(2, found.places.index(2))[0][0]
    last = view.table.rows()[-1].cells["before"].text  # the rank comes first: it is never cut
    assert last.startswith(f"#{known.before.truth_ranks[2, known.before.places.index(2)]}  ")
    view.walk()
    assert view.reached() == (0, 7)
    assert "both" not in view.table.rows()[0].cells
    qtbot.waitUntil(lambda: view.reached() != (0, 7))
    qtbot.keyClick(view, Qt.Key.Key_Space)  # stop
    assert not view._beat.isActive()
    for _ in range(7):
        view.on.click()
    assert view.reached() == (1, 3)
    qtbot.keyClick(view, Qt.Key.Key_Comma)
    assert view.reached() == (1, 4)
    lens = show(panel, "lens", qtbot)
    lens.side.segment("behind").click()
    wait(panel, qtbot)
    np.testing.assert_array_equal(lens.found.probs, known.behind.probs)


def test_reach_is_measured_when_it_is_asked_for(open_panel, app_state, qtbot):
    panel = open_panel("rnn")
    view = show(panel, "reach", qtbot)
    assert view.plot.series() == []
    view.measure.click()
    qtbot.waitUntil(lambda: view.found is not None)
    assert len(view.plot.series()) == 2
    assert view.measure.isHidden()
    assert view.all.text() == f"All runs in “{find('reach')[1].title}”"
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        view.all.click()
    assert wanted.args == ["reach"]


@pytest.mark.parametrize(("model", "key"), [
    ("lstm", "gates"), ("elmo", "directions"), ("gpt", "lens"), ("gpt", "similarity"),
    ("bert", "terms"), ("bert", "positions"),
])  # fmt: skip
def test_every_value_is_saved(open_panel, app_state, model, key, tmp_path, qtbot):
    panel = open_panel(model)
    view, path = show(panel, key, qtbot), tmp_path / "f.csv"
    panel.save.save(path, view.save, view.found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(list(view.found.rows()))
    assert len({len(row) for row in rows}) == 1
    for ending in ("png", "svg"):
        picture = tmp_path / f"picture.{ending}"
        export(view.picture(), picture, QSize(900, 500), view.caption())
        assert picture.stat().st_size > 2000


def test_pictures_are_named_by_run_and_view(open_panel, qtbot):
    panel = open_panel("bert")
    show(panel, "positions", qtbot)
    panel.picture()
    (dialog,) = panel.window().findChildren(ExportDialog)
    assert dialog._caption.startswith(panel.asked.run().name + " · Positions")
    dialog.reject()


def test_a_question_is_kept_and_asked_of_another_run(open_panel, app_state, cut, qtbot):
    panel = open_panel("gpt")
    view = show(panel, "lens", qtbot)
    panel.keep()
    (row,) = findings.findings(app_state.workspace)
    assert row.question == {"text": TEXT, "side": "before", "hidden": True}
    assert row.answers[panel.asked.run().name]["columns"] == view.found.columns
    other = run_workspace.network(app_state.workspace, cut, "lstm")
    findings.ask_again(app_state.workspace, row.id, other, job=Job())
    assert len(findings.finding(app_state.workspace, row.id).answers) == 2


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(LayersPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(LayersPanel(app_state)))
