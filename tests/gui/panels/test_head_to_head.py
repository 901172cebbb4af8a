"""Head to head: really trained runs are compared, filtered, kept and exported."""

import csv
import math

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from lmstudio import messages
from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.gui.panels.compare.head_to_head import HeadToHeadPanel
from lmstudio.gui.plot_export import export
from lmstudio.jobs import Job
from lmstudio.operations import comparison, findings
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace


@pytest.fixture
def runs(app_state, cut):
    """Two n-grams of characters and one of words."""
    ws = app_state.workspace
    words = run_workspace.segmented(ws, "jieba", "词")
    made = [run_workspace.counted(ws, cut, 1), run_workspace.counted(ws, cut, 3),
            run_workspace.counted(ws, words, 2)]  # fmt: skip
    app_state.apply(Changes(segmentations=True, runs=True))
    app_state.select_segmentation(cut)
    return made


@pytest.fixture
def panel(app_state, jieba_home, runs, shown, qtbot):
    app_state.select_runs(tuple(runs))
    made = shown(HeadToHeadPanel(app_state))
    answered(made, qtbot)
    return made


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: panel.found is not None and not panel.busy)
    qtbot.waitUntil(lambda: not panel.sentences._asker.busy)


def again(panel, qtbot, action):
    panel.found = None
    action()
    answered(panel, qtbot)


def test_the_numbers_are_those_of_the_operation(panel, app_state, runs):
    same = comparison.compare(app_state.workspace, runs, "valid", job=Job())
    assert panel.found.runs == same.runs
    shown = panel.differences.plot.differences()
    assert [row.value for row in shown] == [apart.difference for apart in same.differences]
    assert [row.low for row in shown[1:]] == [apart.low for apart in same.differences[1:]]
    dots = panel.where.plot.dots()
    kept = same.frequencies.characters > 0
    for number, run in enumerate(dots):
        assert list(run.values) == same.frequencies.bits_per_character()[number][kept].tolist()
    assert "2,000 draws" in panel.differences.said()


def test_groups_are_drawn_in_every_measure(panel):
    for kind in ("positions", "documents", "frequencies"):
        for measure in ("perplexity", "bits"):
            for per in ("word", "character"):
                panel.where.kind.segment(kind).click()
                panel.where.measure.segment(measure).click()
                panel.where.per.segment(per).click()
                groups = getattr(panel.found, kind)
                expected = (groups.bits_per_word() if per == "word"
                            else groups.bits_per_character())[0]  # fmt: skip
                expected = 2**expected if measure == "perplexity" else expected
                expected = [v for v in expected.tolist() if not math.isnan(v)]
                assert list(panel.where.plot.dots()[0].values) == pytest.approx(expected)


def test_sentences_are_filtered_and_their_tokens_told(panel, qtbot):
    card = panel.sentences
    assert card.pair() == (0, 1)
    everything = len(card.table.rows())
    card.side.segment("other").click()
    others = card.table.rows()
    card.side.segment("base").click()
    assert len(others) + len(card.table.rows()) == everything
    card.side.segment("both").click()
    card.filter.setText("白云")
    assert 0 < len(card.table.rows()) < everything
    assert all("白云" in row.cells["text"].value for row in card.table.rows())
    qtbot.waitUntil(lambda: not card._asker.busy)
    example = panel.found.examples[card.table.selected()[0]]
    for side, number in zip(card.tokens.sides(), card.pair(), strict=True):
        assert sum(t.bits for t in side.tokens) == pytest.approx(example.bits[number])
    card.filter.setText("没有这句")
    assert card.tokens.sides() == []
    assert card.row.note.full_text() == ""
    assert card.said() == "No sentence with 没有这句 among those that differ most."
    card.filter.clear()
    assert "with the largest differences" in card.row.note.full_text()


def test_the_chart_tells_what_it_counts_and_spreads_wide_values(panel):
    card = panel.where
    assert "At the right the characters" in card.said()
    assert "spelling" not in card.said()
    card.per.segment("word").click()
    assert "At the right the words" in card.said()
    assert "the spelling of unknown words is counted in" in card.said()
    card.measure.segment("perplexity").click()
    values = [value for run in card.plot.dots() for value in run.values]
    assert max(values) / min(values) > 50
    assert [card._show(value) for value in (1e6, 2.5e12, 999)] == ["10⁶", "2.5×10¹²", "999"]
    low, high = card.plot.scale()
    assert 0 < low < min(values) <= max(values) < high
    assert low * high == pytest.approx(min(values) * max(values))  # as much room at both ends


def test_another_run_is_chosen_with_the_keys(panel, qtbot):
    panel.differences.plot.setFocus()
    panel.differences.plot.choose(1)
    QTest.keyClick(panel.differences.plot, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: not panel.sentences._asker.busy)
    assert panel.sentences.pair() == (0, 2)
    sides = panel.sentences.tokens.sides()
    assert [side.name for side in sides] == [panel.found.runs[0], panel.found.runs[2]]
    assert any(t.end - t.first > 1 for t in sides[1].tokens)  # words over several characters


def test_another_base_part_and_words(panel, runs, app_state, qtbot):
    before = [apart.difference for apart in panel.found.differences]
    box = panel.differences.base
    again(panel, qtbot, lambda: (box.setCurrentIndex(1), box.activated.emit(1)))
    assert panel.found.base == 1
    assert panel.found.differences[0].difference == pytest.approx(-before[1])
    again(panel, qtbot, lambda: panel.part.segment("test").click())
    assert panel.found.part == "test"
    words = panel.words.findText("characters")
    again(panel, qtbot, lambda: (panel.words.setCurrentIndex(words), panel.words.activated.emit(0)))
    assert panel.found.words_of == "characters"


def test_one_document_cannot_be_drawn_from_and_it_says_so(panel, qtbot):
    panel.differences.by.segment("document").click()
    qtbot.waitUntil(lambda: "one document" in panel.differences.said())
    assert panel.found is None
    assert not panel.keep.isEnabled()
    again(panel, qtbot, lambda: panel.differences.by.segment("sentence").click())
    assert panel.keep.isEnabled()


def test_runs_are_taken_out_and_put_in(panel, runs, qtbot):
    again(panel, qtbot, lambda: panel.runs.chip(runs[0]).click())
    assert len(panel.found.runs) == 2
    panel.runs.chip(runs[1]).click()
    assert "at least two" in panel.differences.said()
    panel.runs._offer()
    action = next(a for a in panel.runs._menu.actions() if a.data() == runs[1])
    again(panel, qtbot, action.trigger)
    assert len(panel.found.runs) == 2


def test_a_model_that_sees_both_sides_is_left_out(panel, app_state, cut, runs, qtbot):
    bert = run_workspace.network(app_state.workspace, cut, "bert", layers=1, heads=2, window=16)
    app_state.apply(Changes(runs=True))
    again(panel, qtbot, lambda: panel.runs.set_ids([*runs, bert]))
    assert len(panel.found.runs) == 3
    assert "both sides" in panel.runs.chip(bert).toolTip()


def test_it_is_kept_as_a_finding_and_asked_again(panel, app_state, runs):
    panel.keep.click()
    (row,) = findings.findings(app_state.workspace)
    assert row.kind == "compare"
    assert list(row.answers) == panel.found.runs[1:]
    apart = panel.found.differences[1]
    assert row.answers[panel.found.runs[1]]["low"] == apart.low
    findings.ask_again(app_state.workspace, row.id, runs[1], job=Job())
    later = findings.finding(app_state.workspace, row.id)
    assert later.answers[panel.found.runs[1]]["low"] == apart.low


def test_pictures_and_tables(panel, tmp_path, qtbot, app_state):
    for plot in (panel.differences.plot, panel.where.plot, panel.sentences.tokens):
        for kind in ("png", "svg", "pdf"):
            path = tmp_path / f"{type(plot).__name__}.{kind}"
            export(plot, path, QSize(800, 450), "caption")
            assert path.stat().st_size > 500
    panel.sentences.save.save(tmp_path / "s.csv", comparison.save_sentences, panel.found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == len(panel.found.examples) + 1


def test_the_curves_lead_to_it(app_state, jieba_home, runs, shown, qtbot):
    panel = shown(CurvesPanel(app_state))
    button = panel.table.compare
    app_state.select_runs(tuple(runs[:1]))
    assert not button.isEnabled()
    assert button.toolTip() == "Select two runs first"
    app_state.select_runs(tuple(runs[:2]))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["head_to_head"]


def test_the_best_are_proposed_where_nothing_is_selected(app_state, jieba_home, runs, shown, qtbot):
    panel = shown(HeadToHeadPanel(app_state))
    answered(panel, qtbot)
    bits = {run: app_state.workspace.evaluation(run, "valid")["bits_per_character"] for run in runs}
    assert panel.runs.ids() == sorted(runs, key=bits.get)[:2]


def test_without_runs_it_leads_to_training(app_state, shown, qtbot):
    panel = shown(HeadToHeadPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(HeadToHeadPanel(app_state)))
