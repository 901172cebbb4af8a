"""A query typed into the panel: exact hits, their order, their context, and what can go wrong."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.data.browse.concordance import View
from lmstudio.data.browse.search import Query
from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.panels.browse.concordance import ConcordancePanel
from lmstudio.gui.panels.browse.hit_card import HitCard
from lmstudio.jobs import Job
from lmstudio.operations import browse, corpora, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import segment_workspace
from tests.gui.panels.segment_workspace import add_text, add_words

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，北京的冬天很长。\n"


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        yield state


@pytest.fixture
def panel(state, shown):
    add_text(state, TEXT)
    return shown(ConcordancePanel(state))


def cut(state, by="given"):
    made = segmentations.create(
        state.workspace, state.corpus.id, SegmentOptions(by=by), job=Job()
    ).new_id
    state.apply(Changes(segmentations=True, new_id=made))


def search(panel, qtbot, text, kind="text"):
    panel.query.kind.segment(kind).click()
    panel.query.field.setText(text)
    qtbot.keyClick(panel.query.field, Qt.Key.Key_Return)
    answered(panel, qtbot)


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def kwic(panel):
    rows = panel.hits.table.rows
    return [tuple(rows.value(row, key) for key in ("left", "hit", "right"))
            for row in range(rows.rowCount())]  # fmt: skip


def test_every_place_of_a_text(panel, qtbot):
    search(panel, qtbot, "北京")
    assert kwic(panel) == [
        ("我爱", "北京", "天安门。"),
        ("", "北京", "的春天很短，北京的冬天很长。"),
        ("北京的春天很短，", "北京", "的冬天很长。"),
    ]  # fmt: skip
    assert panel.hits.row.note.full_text() == "3 hits."
    assert "· line 1 ·" in panel.hit.row.note.full_text()


def test_the_hit_chosen_is_shown_in_its_line(panel, qtbot):
    search(panel, qtbot, "春天")
    panel.hits.table.setFocus()
    qtbot.keyClick(panel.hits.table, Qt.Key.Key_Down)
    answered(panel, qtbot)
    assert panel.hit.text.toPlainText() == ("他爱上海的春天。\n北京的春天很短，北京的冬天很长。")
    qtbot.keyClick(panel.hits.table, Qt.Key.Key_Return)
    assert panel.hit.text.hasFocus()


def test_patterns_and_their_faults(panel, qtbot):
    search(panel, qtbot, "[春冬]天", "regex")
    assert [hit for _, hit, _ in kwic(panel)] == ["春天", "春天", "冬天"]
    search(panel, qtbot, "(天", "regex")
    assert "missing )" in panel.query.fault.text()
    assert panel.query.field.property("bad")
    assert len(kwic(panel)) == 3
    panel.query.field.setText("天")
    assert not panel.query.fault.isVisible()
    search(panel, qtbot, "")
    assert panel.query.fault.text() == "Say what to search for."


def test_words_need_a_segmentation(state, shown, qtbot, tmp_path):
    add_words(state, tmp_path, ["我 爱 北京", "北京 的 春天 很 短 ， 北京 的 冬天 很 长"])
    panel = shown(ConcordancePanel(state))
    assert not panel.query.kind.segment("word").isEnabled()
    assert not panel.query.kind.segment("tag").isEnabled()
    cut(state)
    search(panel, qtbot, "北京 的", "word")
    assert [(left, hit) for left, hit, _ in kwic(panel)] == [
        ("", "北京的"), ("北京的春天很短，", "北京的")
    ]  # fmt: skip


def test_tags_of_a_tagged_corpus(state, shown, qtbot, tmp_path):
    file = tmp_path / "tagged.txt"
    file.write_text("我/r 爱/v 北京/ns\n他/r 爱/v 春天/t\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="tagged"))
    made = corpora.import_files(state.workspace, [file], options=options, job=Job()).new_id
    state.apply(Changes(corpora=True, new_id=made))
    panel = shown(ConcordancePanel(state))
    search(panel, qtbot, "v ns", "tag")
    assert kwic(panel) == [("我", "爱北京", "")]


def test_hits_are_sorted_by_their_context(state, shown, qtbot, tmp_path):
    add_words(state, tmp_path, ["乙 中 丁", "甲 中 丙", "丙 乙 中 甲"])
    cut(state)
    panel = shown(ConcordancePanel(state))
    search(panel, qtbot, "中", "word")
    assert [left for left, _, _ in kwic(panel)] == ["乙", "甲", "丙乙"]
    header = panel.hits.table.horizontalHeader()
    header.sectionClicked.emit(2)
    answered(panel, qtbot)
    assert [right for _, _, right in kwic(panel)] == ["丁", "丙", "甲"]
    header.sectionClicked.emit(0)
    answered(panel, qtbot)
    assert panel.hits.order.currentText() == "By left 1"
    assert [left for left, _, _ in kwic(panel)] == ["乙", "丙乙", "甲"]
    header.sectionClicked.emit(0)
    answered(panel, qtbot)
    assert panel.hits.order.currentText() == "By left 2"
    assert [left for left, _, _ in kwic(panel)] == ["乙", "甲", "丙乙"]


def test_an_input_method_composes_without_searching(panel, qtbot):
    """Case I-4."""
    field, asked = panel.query.field, []
    panel.query.wanted.connect(lambda: asked.append(field.text()))
    field.setFocus()
    QApplication.sendEvent(field, QInputMethodEvent("ni", []))
    assert field.text() == ""
    assert not asked
    commit = QInputMethodEvent()
    commit.setCommitString("春天")
    QApplication.sendEvent(field, commit)
    assert field.text() == "春天"
    qtbot.keyClick(field, Qt.Key.Key_Return)
    answered(panel, qtbot)
    assert asked == ["春天"]
    assert len(kwic(panel)) == 2


def test_earlier_searches_come_back(panel, state, qtbot):
    search(panel, qtbot, "北京")
    search(panel, qtbot, "春天")
    assert state.settings.searches == ["春天", "北京"]
    field = panel.query.field
    field.setText("上")
    for key, text in ((Qt.Key.Key_Up, "春天"), (Qt.Key.Key_Up, "北京"), (Qt.Key.Key_Up, "北京"),
                      (Qt.Key.Key_Down, "春天"), (Qt.Key.Key_Down, "上")):  # fmt: skip
        qtbot.keyClick(field, key)
        assert field.text() == text


def test_first_hits_come_before_the_rest(state, shown, qtbot, monkeypatch):
    add_text(state, "北京。\n" * 12_000)
    panel = shown(ConcordancePanel(state))
    notes, show = [], panel.hits.show_found

    def recorded(*args):
        show(*args)
        notes.append(panel.hits.row.note.full_text())

    monkeypatch.setattr(panel.hits, "show_found", recorded)
    search(panel, qtbot, "北京")
    assert notes == [
        "The first 200 hits; the search goes on",
        "12,000 hits, of which the first 10,000 are listed",
    ]
    assert panel.hits.table.rows.rowCount() == 10_000


def test_a_search_can_be_stopped(panel, state, qtbot, monkeypatch):
    monkeypatch.setattr(state.queue, "submit", lambda lane, job, function, *args: job)
    panel.query.field.setText("北京")
    panel.search_now()
    assert panel.searching
    assert panel.hits.table.graphicsEffect() is not None
    jobs = list(state.jobs._jobs)
    qtbot.waitUntil(lambda: panel.hits.progress.isVisible())
    qtbot.keyClick(panel.query.field, Qt.Key.Key_Escape)
    assert not panel.searching
    assert all(job.cancelling for job in jobs)
    assert panel.hits.table.graphicsEffect() is None
    assert not panel.hits.progress.isVisible()
    for job in jobs:
        job.state = "cancelled"
    qtbot.waitUntil(lambda: not state.jobs.busy)


def test_another_panel_asks(panel, state, qtbot):
    cut(state, "characters")
    wanted = []
    state.panel_wanted.connect(wanted.append)
    state.search_for(Query("春", "word"))
    answered(panel, qtbot)
    assert wanted == ["concordance"]
    assert panel.query.kind.value() == "word"
    assert len(kwic(panel)) == 2


def test_the_query_follows_the_corpus(panel, state, qtbot):
    search(panel, qtbot, "北京")
    add_text(state, "北京。\n", "另一份")
    answered(panel, qtbot)
    assert kwic(panel) == [("", "北京", "。")]


def test_hits_are_saved(panel, state, qtbot, tmp_path):
    search(panel, qtbot, "春天")
    panel.hits.export_csv.save(tmp_path / "hits.csv")
    qtbot.waitUntil(lambda: not state.jobs.busy)
    with (tmp_path / "hits.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Document", "Part", "Corpus line", "Left", "Hit", "Right"]
    assert [row[2:] for row in rows[1:]] == [
        ["2", "他爱上海的", "春天", "。"],
        ["3", "北京的", "春天", "很短，北京的冬天很长。"],
    ]  # fmt: skip


def test_a_giant_line_is_never_laid_out(state, shown, qtbot):
    add_text(state, "山" * 300_000 + "水" + "山" * 300_000 + "\n")
    card = shown(HitCard(state))
    found = browse.concordance(
        state.workspace, state.corpus.id, Query("水"), view=View(), job=Job()
    )
    card.show_hit(state.corpus.id, found, 0)
    qtbot.waitUntil(lambda: not card.busy)
    assert card.text.toPlainText() == "… " + "山" * 400 + "水" + "山" * 400 + " …"


def test_without_a_corpus_it_leads_to_one(state, shown, qtbot):
    panel = shown(ConcordancePanel(state))
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    assert wanted == ["corpora"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(state, shown, qtbot, language):
    messages.use(language)
    add_text(state, TEXT)
    panel = shown(ConcordancePanel(state))
    search(panel, qtbot, "春天")
    assert_fits(panel)
    assert not clipped(panel)
