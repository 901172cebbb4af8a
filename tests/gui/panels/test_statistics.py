"""Counts of a small corpus through the panel: exact numbers, filters, sorting, plots, files."""

import csv
import math

import numpy as np
import pytest
from PySide6.QtCore import Qt

from lmstudio import messages
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.browse.statistics import StatisticsPanel
from lmstudio.jobs import Job
from lmstudio.operations import segmentations
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import segment_workspace
from tests.gui.panels.segment_workspace import add_words

LINES = ["春天 来 了 ，", "春天 很 短 ，", "春天 来 了 ，", "冬天 很 长 。"]


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        yield state


def cut(state):
    options = SegmentOptions(by="given")
    made = segmentations.create(state.workspace, state.corpus.id, options, job=Job()).new_id
    state.apply(Changes(segmentations=True, new_id=made))
    return made


@pytest.fixture
def panel(state, shown, qtbot, tmp_path):
    add_words(state, tmp_path, LINES)
    cut(state)
    panel = shown(StatisticsPanel(state))
    answered(panel, qtbot)
    return panel


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def choose(panel, qtbot, view):
    panel.view.segment(view).click()
    answered(panel, qtbot)


def rows(panel, *keys):
    """The cells of these columns, from the top of the screen."""
    model = panel.answer.table.rows
    return [tuple(model.value(row, key) for key in keys) for row in range(model.rowCount())]


def test_words_are_counted(panel):
    assert dict(rows(panel, "word", "count")) == {
        "春天": 3, "，": 3, "来": 2, "了": 2, "很": 2, "短": 1, "冬天": 1, "长": 1, "。": 1,
    }  # fmt: skip
    assert dict(rows(panel, "word", "per_million"))["春天"] == 3 / 16 * 1e6
    assert panel.answer.row.note.full_text() == "16 tokens, 9 types."
    parts = rows(panel, "count", "train", "valid", "test")
    assert all(count == sum(rest) for count, *rest in parts)


def test_punctuation_and_stop_words_are_left_out(panel, qtbot, tmp_path):
    panel.controls.letters_only.click()
    answered(panel, qtbot)
    assert {word for (word,) in rows(panel, "word")} == set("来了很短长") | {"春天", "冬天"}
    stop = tmp_path / "stop.txt"
    stop.write_text("了\n很\n", encoding="utf-8")
    panel.controls.stop_words.use(stop)
    answered(panel, qtbot)
    assert {word for (word,) in rows(panel, "word")} == set("来短长") | {"春天", "冬天"}
    assert panel.answer.row.note.full_text() == "16 tokens, 9 types."
    panel.controls.stop_words.use(tmp_path / "none.txt")
    answered(panel, qtbot)
    assert panel.answer.lead.isHidden()
    assert panel.answer.word() == ""


def test_a_part_is_counted_alone(panel, qtbot):
    train = sum(count for (count,) in rows(panel, "train"))
    panel.controls.part.setCurrentIndex(1)
    answered(panel, qtbot)
    assert sum(count for (count,) in rows(panel, "count")) == train < 16


def test_a_header_sorts(panel, qtbot):
    header = panel.answer.table.horizontalHeader()
    header.sectionClicked.emit(0)
    answered(panel, qtbot)
    words = [word for (word,) in rows(panel, "word")]
    assert words == sorted(words)
    header.sectionClicked.emit(0)
    answered(panel, qtbot)
    assert [word for (word,) in rows(panel, "word")] == sorted(words, reverse=True)
    assert header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder


def test_sequences(panel, qtbot):
    choose(panel, qtbot, "ngrams")
    assert dict(rows(panel, "ngram", "count")) == {
        "春天 来": 2, "来 了": 2, "了 ，": 2,
    }  # fmt: skip
    panel.controls.n.segment("4").click()
    answered(panel, qtbot)
    assert rows(panel, "ngram", "count") == [("春天 来 了 ，", 2)]
    panel.controls.min_count.setValue(1)
    answered(panel, qtbot)
    assert len(rows(panel, "ngram")) == 3


def test_neighbours_of_a_word(panel, qtbot):
    choose(panel, qtbot, "collocations")
    assert panel.answer.row.note.full_text() == ""
    assert panel.answer.empty.isVisible()
    panel.controls.node.setText("春天")
    qtbot.keyClick(panel.controls.node, Qt.Key.Key_Return)
    answered(panel, qtbot)
    assert panel.answer.row.note.full_text() == "春天 stands 3 times."
    assert dict(rows(panel, "word", "near")) == {"来": 2, "了": 2, "，": 3}
    panel.controls.right.setValue(1)
    panel.controls.min_count.setValue(1)
    answered(panel, qtbot)
    found = {word: rest for word, *rest in rows(panel, "word", "near", "count", "dice")}
    assert found == {"来": [2, 2, 2 * 2 / (3 + 2)], "很": [1, 2, 2 * 1 / (3 + 2)]}
    panel.controls.set_node("秋天")
    answered(panel, qtbot)
    assert panel.answer.empty.isVisible()
    assert not panel.answer.export_csv.button.isEnabled()
    panel.controls.set_node("春天")
    answered(panel, qtbot)
    assert panel.answer.export_csv.button.isEnabled()


def test_words_typical_of_a_corpus(panel, state, qtbot, tmp_path):
    choose(panel, qtbot, "keyness")
    assert panel.answer.empty.isVisible()
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.answer.lead.click()
    assert wanted == ["segment"]
    first = state.segmentation.id
    add_words(state, tmp_path, ["冬天 很 长 。"] * 4, "另一份")
    cut(state)
    state.select_segmentation(first)
    panel.controls.min_count.setValue(1)
    answered(panel, qtbot)
    typical = {word: rest for word, *rest in rows(panel, "word", "count", "reference", "log_ratio")}
    assert typical["春天"] == [3, 0, math.log2((3 / 16) / (0.5 / 16))]
    assert typical["长"] == [1, 4, -2.0]
    assert rows(panel, "word")[-1][0] in ("长", "。", "冬天")


def test_both_laws_are_drawn(panel, tmp_path):
    zipf = panel.laws.zipf.plot.series()
    counted = sorted((count for (count,) in rows(panel, "count")), reverse=True)
    assert zipf[0].x.tolist() == list(range(1, 10))
    assert zipf[0].y.tolist() == counted
    heaps = panel.laws.heaps.plot.series()
    assert (heaps[0].x[-1], heaps[0].y[-1]) == (16, 9)
    slope = np.polyfit(np.log(heaps[1].x), np.log(heaps[1].y), 1)[0]
    assert panel.laws.heaps.row.note.full_text() == f"exponent {slope:.2f}"
    slope = np.polyfit(np.log(zipf[1].x), np.log(zipf[1].y), 1)[0]
    assert panel.laws.zipf.row.note.full_text() == f"exponent {-slope:.2f}"
    assert panel.laws.zipf.plot.value_range()[1] >= 3


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_law_is_exported(panel, tmp_path, kind):
    panel.laws.zipf.export()
    dialog = panel.laws.zipf.window().findChildren(ExportDialog)[0]
    dialog.save(tmp_path / f"zipf.{kind}")
    dialog.reject()
    assert (tmp_path / f"zipf.{kind}").stat().st_size > 1000


def test_a_word_is_found_in_the_text(panel, state, qtbot):
    assert not panel.primary.isEnabled()
    assert panel.primary.toolTip() == "Choose a row first."
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.answer.table.choose_row(0)
    word = panel.answer.word()
    qtbot.keyClick(panel.answer.table, Qt.Key.Key_Return)
    assert wanted == ["concordance"]
    assert (state.query.text, state.query.kind) == (word, "word")
    panel.near.click()
    answered(panel, qtbot)
    assert panel.view.value() == "collocations"
    assert panel.controls.node.text() == word
    assert len(rows(panel, "word"))


def test_the_table_is_saved_as_it_is_sorted(panel, state, qtbot, tmp_path):
    panel.answer.table.horizontalHeader().sectionClicked.emit(0)
    answered(panel, qtbot)
    panel.answer.export_csv.save(tmp_path / "words.csv")
    qtbot.waitUntil(lambda: not state.jobs.busy)
    with (tmp_path / "words.csv").open(encoding="utf-8-sig") as file:
        saved = list(csv.reader(file))
    assert saved[0][:3] == ["Word", "Count", "Per million"]
    assert [row[0] for row in saved[1:]] == [word for (word,) in rows(panel, "word")]


def test_an_old_answer_stays_faded_until_the_new_one(panel, state, qtbot, monkeypatch):
    real = state.queue.submit
    monkeypatch.setattr(state.queue, "submit", lambda lane, job, function, *args: job)
    panel.controls.letters_only.click()
    qtbot.waitUntil(lambda: panel.answer.table.graphicsEffect() is not None)
    assert len(rows(panel, "word")) == 9
    held = list(state.jobs._jobs)
    qtbot.keyClick(panel.answer.table, Qt.Key.Key_Escape)
    assert panel.answer.table.graphicsEffect() is None
    assert len(rows(panel, "word")) == 9
    for job in held:
        job.state = "cancelled"
    qtbot.waitUntil(lambda: not state.jobs.busy)
    monkeypatch.setattr(state.queue, "submit", real)
    panel.controls.part.setCurrentIndex(0)
    panel._ask()
    answered(panel, qtbot)
    assert len(rows(panel, "word")) == 7


def test_without_a_segmentation_it_leads_to_one(state, shown, tmp_path):
    panel = shown(StatisticsPanel(state))
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    add_words(state, tmp_path, LINES)
    panel.primary.click()
    assert wanted == ["corpora", "segment"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(state, shown, qtbot, tmp_path, language):
    messages.use(language)
    add_words(state, tmp_path, LINES)
    cut(state)
    panel = shown(StatisticsPanel(state))
    for view in ("words", "ngrams", "keyness", "collocations"):
        choose(panel, qtbot, view)
        assert_fits(panel)
        assert not clipped(panel)
