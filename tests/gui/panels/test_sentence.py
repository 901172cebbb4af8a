"""Sentences through models, by the widgets: values of the cases, the walk, files, the window."""

import csv
import math
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget

from lmstudio import messages
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.dialogs.export_run import ExportRunDialog
from lmstudio.gui.dialogs.score_file import ScoreFileDialog
from lmstudio.gui.dragged import RUN, SENTENCE, Dragged
from lmstudio.gui.panels.compare.run_actions import RunActions
from lmstudio.gui.panels.compare.run_board import RunBoard
from lmstudio.gui.panels.explore.sentence import SentencePanel
from lmstudio.gui.panels.explore.sentence_tables import SHOWN
from lmstudio.gui.panels.explore.step_card import StepCard
from lmstudio.jobs import Job
from lmstudio.operations import findings, segmentations, surprisal
from lmstudio.operations.changes import Changes
from lmstudio.operations.exporting import FORMATS
from lmstudio.text.segment import SegmentOptions
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import explore_workspace, segment_workspace
from tests.gui.panels.sentence_panel import answered, ask, bars, count, table


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        explore_workspace.add_tiny(state, tmp_path)
        yield state


@pytest.fixture
def panel(state, shown, qtbot):
    """The panel over an add-one bigram, whose words are those between spaces."""
    count(state, order=2, smoothing="add-one")
    panel = shown(SentencePanel(state))
    answered(panel, qtbot)
    return panel


def test_the_formula_has_room_for_all_its_lines(shown):
    card = shown(StepCard())
    card.resize(320, 240)
    long = "p = 1.981e-05 + 0.3326 × 1.848e-05 = 2.596e-05"
    for text in (long, f"{long} + {long}", "p = 1"):
        card.show_lines("张", [("Context", "<s>")], text)
        formula = card.formula
        assert formula.minimumHeight() == formula.heightForWidth(formula.width()) > 0


# --- the cases ----------------------------------------------------------------------------------


def test_case_c1_the_exact_number_for_a_tiny_corpus(panel, qtbot):
    """3/10 · 3/10 · 1/5 · 1/5."""
    ask(panel, qtbot, "我 爱 我")
    assert panel._chain.text().startswith("p = 0.3 × 0.3 × 0.2 × 0.2 = 0.0036")
    assert panel._said.toolTip() == "Perplexity 4.082483"
    assert "Perplexity 4.082 over 4 events: 3 words and the end </s>" in panel._said.text()
    assert panel.view.scale("chain") == pytest.approx(-math.log2(0.2))
    assert panel.step.formula.text() == "p = (2 + 1) / (3 + 1 × 7) = 0.3"
    told = table(panel, "totals").rows()[0].cells
    assert told["perplexity"].value == pytest.approx(4.082483, abs=1e-6)
    assert told["without_end"].value == pytest.approx((0.3 * 0.3 * 0.2) ** (-1 / 3))


def test_rows_of_the_tables_are_dragged(panel, state, qtbot):
    """A run from the totals; the sentence, its tokens and words from the others."""
    ask(panel, qtbot, "我 爱 我")
    run = state.runs()[0]
    told = {
        "totals": Dragged(RUN, run.name, run.id), "ranks": Dragged(SENTENCE, "我 爱 我"),
        "tokens": Dragged(SENTENCE, "爱"), "words": Dragged(SENTENCE, "爱"),
    }  # fmt: skip
    for key, expected in told.items():
        shown = table(panel, key)
        assert shown.dragEnabled()
        shown.setCurrentIndex(shown.model().index(int(key in ("tokens", "words")), 0))
        assert shown.dragged() == expected


def test_case_c2_zero_probability_is_infinite_and_marked(panel, state, qtbot):
    """Two events, which, and a scale of the finite ones."""
    run = count(state, order=2, smoothing="maximum-likelihood")
    ask(panel, qtbot, "我 爱 他", [run])
    assert "Perplexity ∞" in panel._said.text()
    assert "2 events of zero probability: no. 3, no. 4." in panel._said.text()
    assert [math.isinf(bar.bits) for bar in bars(panel)] == [False, False, True, True]
    assert panel.view.scale("chain") == pytest.approx(-math.log2(2 / 3))
    assert table(panel, "tokens").rows()[2].cells["bits"].text == "∞"
    ask(panel, qtbot, "广州 爱")
    assert "1 event has no probability at all" in panel._said.text()
    assert panel.step.formula.text() == "p = 0 / 3 = 0"


def test_case_c3_unknown_words_are_accounted_for(panel, qtbot):
    """Both perplexities, and how many were unknown."""
    ask(panel, qtbot, "他 爱 广州")
    assert "Perplexity 6.117" in panel._said.text()
    assert "1 unknown of 3 words" in panel._said.text()
    assert "without them: 5.192" in panel._said.text()
    assert (bars(panel)[2].text, bars(panel)[2].unknown) == ("广州", True)
    assert table(panel, "tokens").rows()[2].cells["piece"].value == "<unk>"


def test_case_b4_emoji_do_not_shift_what_is_lit_up(panel, state, qtbot):
    """北京 is code points 3 to 5 and UTF-16 units 4 to 6."""
    corpus = state.corpus
    made = segmentations.create(state.workspace, corpus.id, SegmentOptions(by="characters"),
                                job=Job())  # fmt: skip
    state.apply(Changes(segmentations=True, new_id=made.new_id))
    run = count(state, order=2)
    ask(panel, qtbot, "😀我爱北京", [run])
    panel.question.words.setCurrentIndex(panel.question.words.findData("jieba"))
    panel.unit.segment("word").click()
    answered(panel, qtbot)
    texts = [bar.text for bar in bars(panel)]
    panel.view._take(0, texts.index("北京"))
    assert panel.view.marked_text() == panel.field.marked() == "北京"
    family = "👨‍👩‍👧"
    ask(panel, qtbot, f"我爱💩💩💩{family}")
    panel.unit.segment("character").click()
    assert "".join(bar.text for bar in bars(panel)[:-1]) == f"我爱💩💩💩{family}"
    panel.view._take(0, 4)
    assert panel.field.marked() == "💩"


def test_case_i4_an_input_method_asks_only_what_is_committed(panel, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(panel._many, "ask", lambda questions: asked.append(len(questions)))
    panel.field.setPlainText("")
    answered(panel, qtbot)
    asked.clear()
    panel.field.setFocus()
    QApplication.sendEvent(panel.field, QInputMethodEvent("ni", []))
    qtbot.wait(250)
    assert (panel.field.text(), asked) == ("", [])
    commit = QInputMethodEvent()
    commit.setCommitString("你爱")
    QApplication.sendEvent(panel.field, commit)
    answered(panel, qtbot)
    assert panel.field.text() == "你爱"
    assert asked == [1]


# --- n-grams ------------------------------------------------------------------------------------


def test_a_step_says_which_order_answered_and_what_was_paid(panel, state, qtbot):
    run = count(state, order=3, smoothing="absolute-discounting", discount=0.5)
    ask(panel, qtbot, "我 爱 他", [run])
    panel.view.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(panel.view, key)
    answered(panel, qtbot)
    lines = panel.step.lines()
    assert lines["Context"] == "我 爱"
    assert lines["Answered by"] == "1-gram: 他"
    assert lines["Back-off weights paid"] == "0.5 × 0.5"
    assert panel.step.formula.text().startswith("p = 0.5 × 0.5 × ")
    panel.tables.view.segment("tokens").click()
    row = panel.tables.table().rows()[2].cells
    assert (row["order"].text, row["paid"].value) == ("1-gram", pytest.approx(0.25))
    assert panel.tables.table().selected() == [2]
    panel.tables.table().chosen.emit([1])
    lines = panel.step.lines()
    assert lines["Answered by"] == "3-gram: <s> 我 爱"
    own, _, mixed = panel.walk.steps[1].own, *lines["From the shorter n-gram"].split(" = ")
    assert own + float(mixed) == pytest.approx(panel.walk.steps[1].probability, abs=1e-4)
    assert panel.view.chosen_bar() == (0, 1)


def test_a_very_long_text_does_not_stop_the_window(panel, qtbot):
    ask(panel, qtbot, "我 爱 他 " * 1000)
    assert len(bars(panel)) == 3001
    assert "over 3001 events" in panel._said.text()
    assert f"Only the first {SHOWN} of 3001 events are listed" in panel._said.text()
    assert len(table(panel, "tokens").rows()) == SHOWN
    started = time.perf_counter()
    panel._draw()
    assert time.perf_counter() - started < 0.5  # 0.1 where nothing else runs
    started = time.perf_counter()
    panel.view._take(0, 1500)
    assert time.perf_counter() - started < 0.5


# --- files --------------------------------------------------------------------------------------


def test_files(panel, qtbot, tmp_path):
    ask(panel, qtbot, "我 爱 我")
    answers = list(panel.answers.values())
    panel.save.save(tmp_path / "tokens.csv", surprisal.save_tokens, answers)
    qtbot.waitUntil(lambda: not panel.state.jobs.busy)
    with (tmp_path / "tokens.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["p"]) for row in rows] == pytest.approx([0.3, 0.3, 0.2, 0.2])
    for kind in ("png", "svg", "pdf"):
        ExportDialog(panel.state, panel.view, "x", panel).save(tmp_path / f"w.{kind}")
        assert (tmp_path / f"w.{kind}").stat().st_size > 1000


def test_a_whole_file_is_scored_in_the_background(panel, state, qtbot, tmp_path):
    (tmp_path / "in.txt").write_text("我 爱 我\n他 爱 广州\n", encoding="utf-8")
    runs = [run.id for run in panel.row.runs()]
    dialog = ScoreFileDialog(state, runs, "spaces", panel)
    qtbot.addWidget(dialog)
    assert not dialog.go.isEnabled()
    assert dialog.go.toolTip()
    dialog.file.use(tmp_path / "in.txt")
    assert dialog.go.isEnabled()
    told = []
    state.told.connect(told.append)
    dialog.started.connect(panel.question._follow)
    dialog.ends.setChecked(True)
    dialog.score(tmp_path / "out.csv")
    qtbot.waitUntil(lambda: not state.jobs.busy)
    with (tmp_path / "out.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 8
    assert float(rows[1][4]) == pytest.approx(-math.log2(0.3), abs=1e-6)
    assert any("6 words of 2 sentences" in text for text in told)
    assert not ScoreFileDialog(state, [], "spaces", panel).go.isEnabled()


def test_it_is_kept_among_the_findings(panel, state, qtbot):
    ask(panel, qtbot, "我 爱 我")
    panel.keep()
    kept = findings.findings(state.workspace)[0]
    assert kept.question == {"text": "我 爱 我", "words": panel.state.segmentation.name}
    (answer,) = kept.answers.values()
    assert answer["chain"][0]["perplexity"] == pytest.approx(4.082483, abs=1e-6)


def test_an_arpa_file_from_the_run_table(panel, state, qtbot, tmp_path):
    over = QWidget(panel)
    actions = RunActions(state, RunBoard(state, over), over)
    state.select_runs((count(state, order=2, smoothing="kneser-ney"),))
    actions.update()
    actions.export.trigger()
    dialog = panel.window().findChild(ExportRunDialog)
    dialog.layouts.setCurrentRow(list(FORMATS).index("arpa"))
    assert dialog.choose.isEnabled()
    dialog.write(tmp_path / "kn.arpa")
    dialog.reject()
    qtbot.waitUntil(lambda: not state.jobs.busy)
    assert "ngram 2=10" in (tmp_path / "kn.arpa").read_text(encoding="utf-8")


# --- the window ---------------------------------------------------------------------------------


def test_it_leads_to_a_model(state, shown, qtbot):
    panel = shown(SentencePanel(state))
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    assert wanted == ["new_run"]
    count(state, order=2)
    answered(panel, qtbot)
    assert panel.primary is None
    assert panel.answers
    assert panel.field.text() == "我爱北京"


def test_nothing_typed_is_said_so(panel, qtbot):
    ask(panel, qtbot, " ")
    assert "There is no token" in panel._said.text()
    ask(panel, qtbot, "我")
    panel.question.orders.click()
    answered(panel, qtbot)
    assert "A single word has no other order" in panel._said.text()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(state, shown, qtbot, language):
    messages.use(language)
    count(state, order=3)
    panel = shown(SentencePanel(state))
    ask(panel, qtbot, "我 爱 他 " * 30)
    assert_fits(panel)
    assert not clipped(panel)
    assert panel.view.minimumHeight() > 200
    messages.use("en")
