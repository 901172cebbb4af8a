"""Tables: sorting by value, selection by key, copy and CSV."""

import csv
import json

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest

from lmstudio import figures
from lmstudio.gui.tables import Cell, Column, Row, Table

COLUMNS = [
    Column("run", "运行", width=120),
    Column("bits", "Bits", right=True, width=80, show=figures.decimal),
    Column("curve", "Curve"),
]


def rows() -> list[Row]:
    return [
        Row(1, {"run": Cell("五元", draw=("mark", "ngram")), "bits": Cell(3.58)}),
        Row(2, {"run": Cell("LSTM", draw=("mark", "lstm")), "bits": Cell(10.5),
                "curve": Cell(draw=("spark", [3.0, 2.0], "lstm"))}, bold=True),
        Row(3, {"run": Cell("queued"), "curve": Cell(draw=("dot", 0.5, "gpt"))}),
        Row(4, {"run": Cell("bar", tone="bad"), "bits": Cell(2.0, draw=("bar", 0.5, "accent"))}),
    ]  # fmt: skip


@pytest.fixture
def table(qtbot):
    table = Table(COLUMNS, "runs", many=True)
    qtbot.addWidget(table)
    table.set_rows(rows())
    table.resize(500, 200)
    table.show()
    return table


def test_it_sorts_by_value_and_puts_the_unknown_last(table):
    table.sort_by("bits")
    assert [row.key for row in table.rows()] == [4, 1, 2, 3]
    table.sort_by("bits", descending=True)
    assert [row.key for row in table.rows()] == [2, 1, 4, 3]


def test_selection_follows_the_key_through_sorting_and_new_rows(table, qtbot):
    table.select([2])
    table.sort_by("bits")
    assert table.selected() == [2]
    with qtbot.assertNotEmitted(table.chosen):
        table.set_rows([Row(9, {"run": Cell("new")}), *rows()])
    assert table.selected() == [2]


def test_a_click_chooses_and_a_double_click_opens(table, qtbot):
    place = table.visualRect(table.model().index(1, 0)).center()
    with qtbot.waitSignal(table.chosen) as chosen:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [[2]]
    with qtbot.waitSignal(table.opened) as opened:
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.args == [2]
    with qtbot.waitSignal(table.opened):
        qtbot.keyClick(table, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("keys", "copied"),
    [("Ctrl+C", "五元\t3.58\t"), ("Ctrl+Shift+C", "运行\tBits\tCurve\n五元\t3.58\t")],
)
def test_copies_carry_plain_values(table, keys, copied):
    table.select([1])
    table.setFocus()
    QTest.keySequence(table, QKeySequence(keys))
    assert QGuiApplication.clipboard().text() == copied


def test_numbers_are_copied_in_full_and_without_a_selection_all_rows_are(table):
    table.set_rows([Row(1, {"run": Cell("a\tb\nc"), "bits": Cell(1 / 3)}), Row(2, {})])
    table.copy()
    assert QGuiApplication.clipboard().text() == f"a b c\t{1 / 3}\t\n\t\t"


def test_copies_follow_the_columns_on_screen(table):
    table.hide_columns({"curve"})
    table.horizontalHeader().moveSection(1, 0)
    assert table.copied([0], header=True) == "Bits\t运行\n3.58\t五元"


def test_the_menu_of_a_row_has_its_actions_and_the_copies(table):
    act = QAction("Do it", table, shortcut="F2")
    table.addAction(act)
    menu = table.menu()
    titles = [action.text().split("\t")[0] for action in menu.actions() if action.text()]
    assert titles == ["Do it", "Copy", "Copy with header", "Copy all", "Export the table…"]
    menu.actions()[-3].trigger()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 5
    menu.close()


def test_the_menu_of_the_header_hides_columns_but_never_all(table):
    arranged = []
    table.arranged.connect(lambda: arranged.append(1))
    for key in ("curve", "bits"):
        menu = table.columns_menu()
        next(action for action in menu.actions() if action.data() == key).trigger()
        menu.close()
    assert table.isColumnHidden(1)
    assert table.isColumnHidden(2)
    last = table.columns_menu()
    assert [action.isEnabled() for action in last.actions()] == [False, True, True]
    last.close()
    assert len(arranged) == 2


def test_an_arrangement_comes_back(table, qtbot):
    table.horizontalHeader().resizeSection(0, 200)
    table.sort_by("bits", descending=True)
    table.hide_columns({"curve"})
    facts = json.loads(json.dumps(table.arrangement()))
    again = Table(COLUMNS, "runs", many=True)
    qtbot.addWidget(again)
    again.arrange(facts)
    again.set_rows(rows())
    assert again.columnWidth(0) == 200
    assert again.isColumnHidden(2)
    assert [row.key for row in again.rows()] == [2, 1, 4, 3]
    again.setColumnHidden(2, False)
    assert again.isColumnHidden(2), "the user's wish stays"


@pytest.mark.parametrize(
    "garbage",
    [{}, {"widths": 3, "hidden": "run", "sort": 1}, {"widths": {"run": -5, "x": 9, "bits": "a"}},
     {"hidden": ["run", "bits", "curve"]}, {"hidden": [{}], "sort": ["nothing", True]},
     {"sort": ["bits"], "widths": {"run": 10**9}}],
    ids=["empty", "types", "widths", "all_hidden", "unknown", "too_wide"],
)  # fmt: skip
def test_an_arrangement_of_garbage_changes_nothing(table, garbage):
    before = [table.columnWidth(number) for number in range(3)]
    table.arrange(garbage)
    assert [table.columnWidth(number) for number in range(3)] == before
    assert not any(table.isColumnHidden(number) for number in range(3))
    assert [row.key for row in table.rows()] == [1, 2, 3, 4]


def test_csv_can_be_read_by_a_spreadsheet(table, tmp_path):
    table.save(tmp_path / "runs.csv")
    raw = (tmp_path / "runs.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    read = list(csv.reader(raw.decode("utf-8-sig").splitlines()))
    assert read[0] == ["运行", "Bits", "Curve"]
    assert read[1] == ["五元", "3.58", ""]


def test_all_drawings_paint(table):
    assert not table.grab().isNull()


def _ink(image, rect):
    """The columns of pixels in a rectangle where something is drawn on the ground."""
    ground = image.pixelColor(rect.topLeft())
    return [x for x in range(rect.left(), rect.right() + 1)
            if any(image.pixelColor(x, y) != ground for y in range(rect.top(), rect.bottom() + 1))
            ]  # fmt: skip


@pytest.mark.parametrize("key", ["run", "bits"])
def test_the_arrow_of_the_sorted_column_stands_beside_its_title(table, key):
    header, number = table.horizontalHeader(), table.column_keys().index(key)
    place = QRect(header.sectionViewportPosition(number), 2, header.sectionSize(number),
                  header.height() - 6)  # fmt: skip
    title = _ink(header.grab().toImage(), place)
    table.sort_by(key)
    both = _ink(header.grab().toImage(), place)
    arrow = [x for x in both if x not in range(title[0], title[-1] + 1)]
    assert set(title) <= set(both)
    assert arrow
    before = key == "bits"  # titles at the right have it at their left
    assert all(x < title[0] if before else x > title[-1] for x in arrow)
    near = title[0] - arrow[-1] if before else arrow[0] - title[-1]
    assert 1 <= near <= 8
