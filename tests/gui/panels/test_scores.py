"""Segmentations beside a gold one: the numbers, the bars, the lines that differ."""

import csv

import pytest
from PySide6.QtCore import QSize, Qt

from lmstudio.gui.panels.scores.scores import ScoresPanel
from lmstudio.gui.plot_export import export
from lmstudio.jobs import Job
from lmstudio.operations import dictionaries, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import segment_workspace
from tests.gui.panels.segment_workspace import add_text, add_words, finished

GOLD = ["他 来到 了 网易 杭研 大厦", "我 爱 北京", "他 硕士 毕业"]
"""As jieba cuts them; without HMM it takes 杭研 apart."""


@pytest.fixture
def state(qapp, tmp_path, jieba_home):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        yield state


@pytest.fixture
def panel(state, shown, tmp_path):
    """A gold file beside a corpus without words."""
    add_text(state, "我爱北京。\n" * 30)
    gold = tmp_path / "gold.txt"
    gold.write_text("\n".join(GOLD) + "\n", encoding="utf-8")
    panel = shown(ScoresPanel(state))
    panel.sources.gold.use(gold)
    return panel


def check(panel, *names):
    """Score these alone."""
    assert set(names) <= set(panel.sources.boxes)
    for name, box in panel.sources.boxes.items():
        box.setChecked(name in names)


def scored(panel, qtbot):
    panel.primary.click()
    finished(panel.state, qtbot)
    return {row.name: row.score for row in panel.rows}


def test_scores_are_those_of_the_words(panel, qtbot, tmp_path):
    check(panel, "jieba · accurate", "jieba · no HMM", "characters")
    scores = scored(panel, qtbot)
    assert scores["jieba · accurate"].f1 == 1.0
    no_hmm = scores["jieba · no HMM"]
    assert (no_hmm.gold, no_hmm.test, no_hmm.correct) == (12, 13, 11)
    shown = {row.cells["name"].value: row for row in panel.table.rows()}
    assert shown["jieba · no HMM"].cells["precision"].value == 11 / 13
    assert shown["jieba · no HMM"].cells["oov_recall"].text == "—"
    assert shown["characters"].cells["recall"].value == 5 / 12
    assert panel.chosen_row().name == "jieba · accurate"
    assert "12 gold words" in panel.note.full_text()


def test_training_words_tell_what_is_out_of_vocabulary(panel, qtbot, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("他 来到 了 网易 大厦 我 爱 北京 毕业\n", encoding="utf-8")
    panel.sources.training.use(words)
    check(panel, "jieba · accurate", "jieba · no HMM")
    scores = scored(panel, qtbot)
    assert scores["jieba · no HMM"].oov_recall == 1 / 2
    assert scores["jieba · no HMM"].iv_recall == 1.0
    assert "16.7 %" in panel.note.full_text()


def test_bars_show_the_measure_that_is_chosen(panel, qtbot, tmp_path):
    check(panel, "jieba · accurate", "characters")
    scores = scored(panel, qtbot)
    assert [bar.value for bar in panel.plot.bars()] == [score.f1 for score in scores.values()]
    panel.measure.segment("recall").click()
    assert [bar.value for bar in panel.plot.bars()] == [1.0, 5 / 12]
    assert [bar.bold for bar in panel.plot.bars()] == [True, False]
    export(panel.plot, tmp_path / "bars.png", QSize(800, 450), "R")
    assert (tmp_path / "bars.png").stat().st_size > 1000


def test_lines_that_differ_stand_side_by_side(panel, qtbot):
    check(panel, "jieba · accurate", "jieba · no HMM", "characters")
    scored(panel, qtbot)
    assert "No line is cut otherwise" in panel.differences.row.note.full_text()
    panel.table.selectRow(1)
    gold, test = panel.differences.flows
    assert len(gold.sentences()) == 1
    marked = [gold.sentences()[0].text[a:b] for a, b in sorted(gold.sentences()[0].differing)]
    assert marked == ["杭研"]
    marked = [test.sentences()[0].text[a:b] for a, b in sorted(test.sentences()[0].differing)]
    assert marked == ["杭", "研"]
    panel.table.selectRow(2)
    assert len(gold.sentences()) == 3
    gold.setFocus()
    qtbot.keyClick(gold, Qt.Key.Key_Down)
    assert "line 2 of the text" in panel.differences.row.note.full_text()
    assert test.accessibleName().endswith("我 | 爱 | 北 | 京")


def test_a_file_cut_elsewhere_is_scored(panel, qtbot, tmp_path):
    other = tmp_path / "theirs.txt"
    other.write_text("\n".join([*GOLD[:2], "他 硕士毕业"]) + "\n", encoding="utf-8")
    panel.sources.add_segmented([other])
    check(panel, "theirs.txt")
    score = scored(panel, qtbot)["theirs.txt"]
    assert (score.correct, score.test) == (10, 11)
    other.write_text("one line\n", encoding="utf-8")
    scored(panel, qtbot)
    assert "has 1 line," in panel.note.full_text()


def test_given_words_of_a_corpus_are_gold(state, shown, qtbot, tmp_path):
    lines = ["我 爱 石头村", "他 也 爱 石头村", "小明 来到 北京"] * 40
    corpus = add_words(state, tmp_path, lines)
    dictionaries.add(state.workspace, "地名", "石头村")
    made = segmentations.create(state.workspace, corpus.id, SegmentOptions(), name="字", job=Job())
    state.apply(Changes(segmentations=True, dictionaries=True, new_id=made.new_id))
    panel = shown(ScoresPanel(state))
    assert panel.sources.by_corpus()
    panel.sources.part.setCurrentIndex(panel.sources.part.findData("train"))
    check(panel, "jieba · accurate", "jieba · accurate + 地名", "字")
    scores = scored(panel, qtbot)
    assert scores["jieba · accurate + 地名"].f1 == 1.0
    assert scores["jieba · accurate"].f1 < 1.0
    assert scores["字"].precision < 0.5
    assert scores["字"].oov_rate == 0.0


def test_segmentations_are_compared_with_one_of_them(state, shown, qtbot):
    add_text(state, "我爱北京\n" * 30)
    for name, by in (("words", "jieba"), ("signs", "characters")):
        made = segmentations.create(
            state.workspace, state.corpus.id, SegmentOptions(by=by), name=name, job=Job()
        )
        state.apply(Changes(segmentations=True, new_id=made.new_id))
    panel = shown(ScoresPanel(state))
    panel.sources.kind.segment("cut").click()
    panel.sources.reference.setCurrentText("words")
    panel.sources.part.setCurrentIndex(panel.sources.part.findData("train"))
    check(panel, "words", "signs")
    scores = scored(panel, qtbot)
    assert scores["words"].f1 == 1.0
    assert scores["signs"].recall == pytest.approx(2 / 3)


def test_what_is_missing_is_said(state, shown, qtbot):
    add_text(state, "我爱北京。\n" * 30)
    panel = shown(ScoresPanel(state))
    assert not panel.primary.isEnabled()
    assert "Choose a gold file" in panel.primary.toolTip()
    assert not panel.sources.kind.segment("corpus").isEnabled()


def test_scores_are_saved(panel, qtbot, tmp_path):
    check(panel, "jieba · no HMM")
    scored(panel, qtbot)
    panel.export_table.save(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0][:4] == ["Segmentation", "P", "R", "F"]
    assert float(rows[1][2]) == pytest.approx(11 / 12)


def test_it_fits(panel, qtbot):
    scored(panel, qtbot)
    assert_fits(panel)
    assert not clipped(panel)
    qtbot.waitUntil(lambda: panel.primary.isEnabled())
