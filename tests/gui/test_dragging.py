"""Runs and sentences are dragged from tables onto panels, and over tabs and rooms on the way."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.dragged import MIME, RUN, SENTENCE, Dragged
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace

COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def dropped(target, data):
    """Drop `data` on a window as Qt delivers it; True where it was taken."""
    enter = QDragEnterEvent(QPoint(400, 400), COPY, data, LEFT, NONE)
    QApplication.sendEvent(target, enter)
    drop = QDropEvent(QPointF(400, 400), COPY, data, LEFT, NONE)
    QApplication.sendEvent(target, drop)
    return enter.isAccepted() and drop.isAccepted()


@pytest.fixture
def runs(window):
    ws = window.state.workspace
    cut = run_workspace.segmented(ws)
    made = [run_workspace.counted(ws, cut, 2), run_workspace.counted(ws, cut, 3)]
    made.append(run_workspace.made_up(ws, cut, "lstm"))
    window.state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    return made


def carried_from(table, key):
    """What is dragged from the row of a key."""
    table.select([key])
    row = [one.key for one in table.rows()].index(key)
    table.setCurrentIndex(table.model().index(row, 0))
    return table.dragged()


def _carried(window, run):
    return Dragged(RUN, window.state.run_row(run).name, run)


def test_a_run_goes_onto_the_chart_and_into_the_comparison(window, runs):
    window.show_panel("curves")
    panel = window.panel("curves")
    carried = carried_from(panel.table.table, runs[0])
    assert (carried.kind, carried.number) == (RUN, runs[0])
    panel.table.hidden.add(runs[0])
    window.state.select_runs((runs[1],))
    assert dropped(window, carried.mime())
    assert runs[0] not in panel.table.hidden
    assert window.state.run_ids == (runs[1], runs[0])
    window.show_panel("head_to_head")
    head = window.panel("head_to_head")
    head.runs.set_ids([runs[1]])
    assert dropped(window, carried.mime())
    assert head.runs.ids() == [runs[1], runs[0]]


def test_a_run_is_asked_by_the_panel_that_it_is_dropped_on(window, runs):
    window.show_panel("masks")
    row = window.panel("masks").asked
    window.state.asked.show([runs[1]])
    assert [run.id for run in row.runs()] == [runs[1]]
    assert dropped(window, _carried(window, runs[0]).mime())
    assert {run.id for run in row.runs()} == set(runs[:2])


def test_one_that_cannot_answer_is_refused_with_the_reason(window, runs, qtbot):
    window.show_panel("attention")
    with qtbot.waitSignal(window.state.told) as told:
        dropped(window, _carried(window, runs[0]).mime())
    assert "attention" in told.args[0]
    window.show_panel("trash")
    with qtbot.waitSignal(window.state.told) as told:
        dropped(window, Dragged(SENTENCE, "山水。").mime())
    assert told.args == ["This panel takes no sentences."]


@pytest.mark.parametrize("key", ["curves", "masks", "head_to_head"])
def test_a_run_of_another_workspace_is_refused(window, runs, qtbot, key):
    window.show_panel(key)
    before = window.state.run_ids
    for carried in (Dragged(RUN, "2", 9999), Dragged(RUN, "of another workspace", runs[0])):
        with qtbot.waitSignal(window.state.told) as told:
            dropped(window, carried.mime())
        assert told.args == ["This run is not here any more."]
    assert window.state.run_ids == before


@pytest.mark.parametrize("key", ["sentence", "masks", "generation", "attention", "layers"])
def test_a_sentence_is_asked_about(window, runs, key):
    window.show_panel(key)
    assert dropped(window, Dragged(SENTENCE, "山边有水。").mime())
    assert window.state.sentence == "山边有水。"


def test_a_floating_panel_takes_what_is_dropped_on_its_window(window, runs):
    window.floats.take_out("masks")
    window.show_panel("trash")
    target = window.floats.window_of("masks")
    assert dropped(target, Dragged(SENTENCE, "水边有山。").mime())
    assert window.state.sentence == "水边有山。"


def test_a_room_that_something_is_held_over_opens(window, qtbot):
    rail = window._rail
    data = Dragged(SENTENCE, "山。").mime()
    entry = rail._group.button(4)  # Explore
    place = entry.geometry().center()
    QApplication.sendEvent(rail, QDragEnterEvent(place, COPY, data, LEFT, NONE))
    QApplication.sendEvent(rail, QDragMoveEvent(place, COPY, data, LEFT, NONE))
    qtbot.waitUntil(lambda: window.current_panel == "sentence")
    QApplication.sendEvent(rail, QDragLeaveEvent())
    assert window._bar._tabs.changeCurrentOnDrag()
    assert window._bar._tabs.acceptDrops()


def test_sentences_come_from_tables_of_texts(qtbot):
    table = Table([Column("left", "L"), Column("hit", "H")], "hits")
    qtbot.addWidget(table)
    drag_sentences(table, "left", "hit")
    table.set_rows([Row(1, {"left": Cell("山"), "hit": Cell("水")}), Row(2, {})])
    assert carried_from(table, 1) == Dragged(SENTENCE, "山水")
    assert carried_from(table, 2) is None
    assert Dragged.of(Dragged(SENTENCE, "山\n水").mime()).text == "山\n水"
    assert Dragged(SENTENCE, "山").mime().text() == "山"
    assert not Dragged(RUN, "r", 3).mime().hasText()


@pytest.mark.parametrize(
    "garbage", [b"", b"[]", b"{", b'{"kind": "run", "text": "", "number": "1"}', b"\xff\xfe",
                b'{"kind": "file", "text": "", "number": 1}', b"[" * 99_999,
                b'{"kind": "run", "text": "", "number": 99999999999999999999}'],
    ids=["empty", "list", "cut", "type", "binary", "kind", "deep", "number"],
)  # fmt: skip
def test_garbage_of_another_program_is_nothing(garbage):
    data = QMimeData()
    data.setData(MIME, garbage)
    assert Dragged.of(data) is None
