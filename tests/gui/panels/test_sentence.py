"""A sentence through a model, by the widgets: the values of the cases, zeros, files, ARPA."""

import csv
import math
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from lmstudio import messages
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.compare.run_actions import RunActions
from lmstudio.gui.panels.compare.run_board import RunBoard
from lmstudio.gui.panels.explore.sentence import SHOWN, SentencePanel
from lmstudio.operations import arpa_files, laboratory
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import explore_workspace, segment_workspace
from tests.gui.panels.segment_workspace import WAIT


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        explore_workspace.add_tiny(state, tmp_path)
        yield state


@pytest.fixture
def panel(state, shown, qtbot):
    """The panel over an add-one bigram."""
    explore_workspace.count(state, state.segmentation.id, order=2, smoothing="add-one")
    panel = shown(SentencePanel(state))
    answered(panel, qtbot)
    return panel


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy, timeout=WAIT)


def walk(panel, qtbot, text):
    panel.text.setText(text)
    answered(panel, qtbot)


def test_the_exact_number_for_a_tiny_corpus(panel, qtbot):
    """Case C-1: 3/10 · 3/10 · 1/5 · 1/5."""
    walk(panel, qtbot, "我 爱 我")
    assert [step.probability for step in panel.walk.steps] == pytest.approx([0.3, 0.3, 0.2, 0.2])
    assert panel._said.toolTip() == "Perplexity 4.082483"
    assert "Perplexity 4.082 over 4 events: 3 words and the end </s>" in panel._said.text()
    assert panel.view.scale == pytest.approx(-math.log2(0.2))
    assert panel.step.formula.text() == "p = (2 + 1) / (3 + 1 × 7) = 0.3"


def test_a_very_long_text_does_not_stop_the_window(panel, qtbot):
    walk(panel, qtbot, "我 爱 他 " * 1000)
    assert len(panel.walk.steps) == 3001
    assert len(panel.view.tokens()) == len(panel.table.rows()) == SHOWN
    assert "over 3001 events" in panel._said.text()
    assert f"Only the first {SHOWN} of 3001 events are shown" in panel._said.text()
    started = time.perf_counter()
    panel._take(panel.walk)
    assert time.perf_counter() - started < 0.4  # 0.1 where nothing else runs


def test_unknown_words_are_accounted_for(panel, qtbot):
    """Case C-3: both perplexities, and how many were unknown."""
    walk(panel, qtbot, "他 爱 广州")
    assert "Perplexity 6.117" in panel._said.text()
    assert "1 unknown of 3 words" in panel._said.text()
    assert "without them: 5.192" in panel._said.text()
    token = panel.view.tokens()[2]
    assert (token.text, token.unknown) == ("广州", True)
    assert panel.table.rows()[2].cells["token"].value == "<unk>"


def test_zero_probability_is_infinite_and_marked(panel, state, qtbot):
    """Case C-2: two events, which, and a scale of the finite ones."""
    run = explore_workspace.count(
        state, state.segmentation.id, order=2, smoothing="maximum-likelihood"
    )
    panel.run.setCurrentIndex(panel.run.findData(run))
    walk(panel, qtbot, "我 爱 他")
    assert "Perplexity ∞" in panel._said.text()
    assert "2 events of zero probability: no. 3, no. 4." in panel._said.text()
    assert [math.isinf(token.bits) for token in panel.view.tokens()] == [False, False, True, True]
    assert panel.view.scale == pytest.approx(-math.log2(2 / 3))
    assert panel.table.rows()[2].cells["bits"].text == "∞"
    walk(panel, qtbot, "广州 爱")
    assert "have no probability at all" in panel._said.text()
    assert panel.step.formula.text() == "p = 0 / 3 = 0"


def test_a_step_says_which_order_answered_and_what_was_paid(panel, state, qtbot):
    run = explore_workspace.count(
        state, state.segmentation.id, order=3, smoothing="absolute-discounting", discount=0.5
    )
    panel.run.setCurrentIndex(panel.run.findData(run))
    walk(panel, qtbot, "我 爱 他")
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_Home)
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)
    lines = panel.step.lines()
    assert lines["Context"] == "我 爱"
    assert lines["Answered by"] == "1-gram: 他"
    assert lines["Back-off weights paid"] == "0.5 × 0.5"
    assert panel.step.formula.text().startswith("p = 0.5 × 0.5 × ")
    assert panel.table.selected() == [2]
    panel.table.chosen.emit([1])
    lines = panel.step.lines()
    assert lines["Answered by"] == "3-gram: <s> 我 爱"
    own, _, mixed = panel.walk.steps[1].own, *lines["From the shorter n-gram"].split(" = ")
    assert own + float(mixed) == pytest.approx(panel.walk.steps[1].probability, abs=1e-4)
    assert panel.view.chosen_number() == 1


def test_files(panel, qtbot, tmp_path):
    walk(panel, qtbot, "我 爱 我")
    panel.save.save(tmp_path / "walk.csv", laboratory.save_walk, panel.walk)
    qtbot.waitUntil(lambda: not panel.state.jobs.busy, timeout=WAIT)
    with (tmp_path / "walk.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["p"]) for row in rows] == pytest.approx([0.3, 0.3, 0.2, 0.2])
    for kind in ("png", "svg", "pdf"):
        ExportDialog(panel.state, panel.view, "x", panel).save(tmp_path / f"w.{kind}")
        assert (tmp_path / f"w.{kind}").stat().st_size > 1000


def test_an_arpa_file_from_the_run_table(panel, state, qtbot, tmp_path):
    over = QWidget(panel)
    actions = RunActions(state, RunBoard(state, over), over)
    state.select_runs((panel.run.currentData(),))
    actions.update()
    assert "no back-off weights" in actions.arpa.toolTip()
    run = explore_workspace.count(state, state.segmentation.id, order=2, smoothing="kneser-ney")
    state.select_runs((run,))
    actions.update()
    assert actions.arpa.isEnabled()
    actions.save.save(tmp_path / "kn.arpa", arpa_files.export, state.workspace, run)
    qtbot.waitUntil(lambda: not state.jobs.busy, timeout=WAIT)
    assert "ngram 2=10" in (tmp_path / "kn.arpa").read_text(encoding="utf-8")


def test_it_leads_to_a_model(state, shown, qtbot):
    panel = shown(SentencePanel(state))
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    assert wanted == ["new_run"]
    explore_workspace.count(state, state.segmentation.id, order=2)
    answered(panel, qtbot)
    assert panel.primary is None
    assert panel.walk is not None
    assert panel.text.text() == "我爱北京"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(state, shown, qtbot, language):
    messages.use(language)
    explore_workspace.count(state, state.segmentation.id, order=3)
    panel = shown(SentencePanel(state))
    walk(panel, qtbot, "我 爱 他 " * 30)
    assert_fits(panel)
    assert not clipped(panel)
    assert panel.view.minimumHeight() > 200
    messages.use("en")
