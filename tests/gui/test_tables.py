"""Tables: sorting by value, selection by key, copy and CSV."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

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


def test_copies_carry_plain_values(table):
    table.select([1])
    table.copy()
    assert QGuiApplication.clipboard().text() == "运行\tBits\tCurve\n五元\t3.58\t"


def test_csv_can_be_read_by_a_spreadsheet(table, tmp_path):
    table.save(tmp_path / "runs.csv")
    raw = (tmp_path / "runs.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    read = list(csv.reader(raw.decode("utf-8-sig").splitlines()))
    assert read[0] == ["运行", "Bits", "Curve"]
    assert read[1] == ["五元", "3.58", ""]


def test_all_drawings_paint(table):
    assert not table.grab().isNull()
