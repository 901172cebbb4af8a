"""What the user arranged is there again after a restart; garbage in its file changes nothing."""

import json

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QSplitter

from lmstudio.gui import rooms
from lmstudio.gui.app import Program
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.machine import Machine
from tests.gui.conftest import settle

PANELS = [entry.key for room in rooms.ROOMS for entry in room.panels]


@pytest.fixture
def start(qapp, tmp_path):
    """Start the window on a workspace as the program does, and close it again."""
    open_ones = []

    def opened(folder: str = "workspace") -> Window:
        program = Program(qapp, Settings.load(), tmp_path / folder)
        program.state.machine = Machine(cores=2, memory_bytes=0)
        open_ones.append(program)
        program.state.open_workspace(tmp_path / folder)
        program.window.restoreGeometry(QByteArray(program.window.remembered.place()))
        program.window.show()
        program.window.take_up(program.window.remembered.floating())
        return program.window

    def closed() -> None:
        program = open_ones.pop()
        program.window.close()
        program.close()
        settle()

    opened.close = closed
    yield opened
    while open_ones:
        closed()


def test_closed_and_opened_anew_it_stands_as_before(start):
    window = start()
    window.resize(1222, 711)
    window.show_panel("task_results")
    results = window.panel("task_results")
    results._pages.setCurrentIndex(0)
    QApplication.processEvents()
    splitter = results.findChild(QSplitter, "upper")
    splitter.setSizes([700, 300])
    splitter.splitterMoved.emit(700, 1)
    shares = splitter.sizes()[0] / sum(splitter.sizes())
    table = results.table
    table.sort_by("name" if "name" in table.column_keys() else table.column_keys()[0])
    table.horizontalHeader().resizeSection(1, 77)
    table.hide_columns({table.column_keys()[2]})
    table.arranged.emit()
    before = table.arrangement()
    start.close()

    window = start()
    assert window.height() == 711
    assert window.current_panel == "task_results"
    results = window.panel("task_results")
    results._pages.setCurrentIndex(0)
    QApplication.processEvents()
    splitter = results.findChild(QSplitter, "upper")
    assert splitter.sizes()[0] / sum(splitter.sizes()) == pytest.approx(shares, abs=0.02)
    assert results.table.arrangement() == before
    assert results.table.columnWidth(1) == 77


def test_each_workspace_has_its_own_panel(start, tmp_path):
    for name in ("甲", "乙"):
        with Workspace(tmp_path / name) as ws:
            corpora.import_text(ws, f"{name}的话。\n" * 9, name=name, job=Job())
    for name, key in (("甲", "disk"), ("乙", "concordance")):
        start(name).show_panel(key)
        start.close()
    for name, key in (("甲", "disk"), ("乙", "concordance")):
        assert start(name).current_panel == key
        start.close()


GARBAGE = [
    "", "{", "[]", "null", '{"task_results/upper": 3, "task_results/both": ["a", true]}',
    '{"task_results/upper": [NaN, 2.0], "task_results/both": [0.5, 0.5, 0.5]}', "[" * 99_999,
    '{"task_results/upper": [1e-320, 1e-320]}',
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(GARBAGE)))
def test_garbage_is_as_if_nothing_was_remembered(start, number):
    settings = Settings.load()
    for name in ("seen", "floating", "splitters", "tables", "window"):
        settings.layout[name] = GARBAGE[number]
    settings.save()
    window = start()
    assert window.current_panel == "welcome"
    assert not window.floats.keys
    window.show_panel("task_results")
    window.panel("task_results")._pages.setCurrentIndex(0)
    QApplication.processEvents()
    sizes = window.panel("task_results").findChild(QSplitter, "upper").sizes()
    assert all(size > 0 for size in sizes)


def test_unknown_panels_and_bad_places_are_left_out(start):
    settings = Settings.load()
    settings.layout["floating"] = json.dumps({"gone": "", "masks": "no base64!", "curves": 7})
    settings.save()
    assert start().floats.keys == ["masks"]


def test_it_is_written_a_moment_after_the_last_change(window, qtbot):
    window.show_panel("disk")
    qtbot.waitUntil(lambda: "disk" in Settings.load().layout.get("seen", ""))


def test_every_splitter_and_table_has_a_name_of_its_own_in_its_panel(window):
    """By which it is remembered. Tables of the same columns may share one."""
    for key in PANELS:
        panel = window.panel(key)
        names = [one.objectName() for one in panel.findChildren(QSplitter)]
        assert all(names), f"{key}: a splitter without a name"
        assert len(set(names)) == len(names), f"{key}: {names}"
        for table in panel.findChildren(RowsView):
            assert table.objectName(), f"{key}: {table.accessibleName()}"
            menu = table.horizontalHeader().contextMenuPolicy()
            assert menu == Qt.ContextMenuPolicy.CustomContextMenu
