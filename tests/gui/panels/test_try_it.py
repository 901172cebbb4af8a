"""Try it: what is typed is classified, tagged or answered by a model that was really tuned."""

import pytest

from lmstudio import messages
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.errors import AppError
from lmstudio.gui.panels.tasks.try_it import TryItPanel
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace, tuned_workspace


@pytest.fixture
def asked(app_state, shown, qtbot):
    """Trains a run of a kind; gives the panel when it has answered for the first example."""

    def ask(kind):
        tuned_workspace.trained(app_state.workspace, kind)
        app_state.apply(Changes(runs=True, corpora=True, segmentations=True))
        panel = shown(TryItPanel(app_state))
        qtbot.waitUntil(lambda: panel.waiting.isVisible() or panel.found)
        qtbot.waitUntil(lambda: not panel.busy and panel.found is not None)
        return panel

    return ask


def _type(panel, qtbot, text):
    panel.text.setPlainText(text)
    assert panel.busy
    qtbot.waitUntil(lambda: not panel.busy)


@pytest.mark.slow
def test_classes_are_bars_and_follow_what_is_typed(asked, qtbot):
    panel = asked("classify")
    assert panel.text.toPlainText() == "北京很好看"  # the first of the test part
    assert not panel.waiting.isVisible()
    _type(panel, qtbot, "上海太难看")
    assert panel.found.label == "坏"
    assert panel.view.said.text().startswith("坏")
    assert sum(panel.found.probabilities) == pytest.approx(1)
    assert panel.view.bars.isVisible()
    assert not panel.other.isVisible()
    _type(panel, qtbot, " ")
    assert panel.found is None
    assert panel.view.said.text() == ""
    with qtbot.waitSignal(panel.state.panel_wanted) as wanted:
        panel.mistakes.click()
    assert wanted.args == ["task_errors"]


@pytest.mark.slow
def test_spans_are_marked_in_the_text(asked, qtbot):
    panel = asked("tag")
    _type(panel, qtbot, "我去广州玩")
    (lane,) = panel.view.text.lanes()
    assert [(one.start, one.end, one.name) for one in lane.labels] == [(2, 4, "到达地")]
    panel.next.click()
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.view.text.text() == panel.text.toPlainText() == "我去上海玩"


@pytest.mark.slow
def test_the_answer_is_marked_in_the_passage(asked, qtbot):
    panel = asked("qa")
    assert panel.other.text() == "住哪里"
    _type(panel, qtbot, "我在天津玩")
    assert panel.view.said.text() == "天津"
    (lane,) = panel.view.text.lanes()
    assert [(one.start, one.end) for one in lane.labels] == [(2, 4)]


def test_it_says_why_nothing_is_shown_yet(app_state, shown, monkeypatch, qtbot):
    """The first answer waits for a worker; what another run said is gone at once."""
    ws = app_state.workspace
    cut = run_workspace.segmented(ws)
    made = tuned_workspace.scored(ws, cut, tuned_workspace.task(ws), "评论", {1: 0.8, 2: 0.9})
    monkeypatch.setattr("lmstudio.operations.runs.has_model", lambda ws, run: True)
    panel = shown(TryItPanel(app_state))
    monkeypatch.setattr(panel.asking, "ask", lambda *_: None)
    monkeypatch.setattr(type(panel.asking), "busy", True)
    panel.text.setPlainText("很好")
    qtbot.waitUntil(panel.waiting.isVisible)
    panel._take((Prediction("很好", label="好", probabilities=(0.9, 0.1)), ("好", "坏")))
    assert not panel.waiting.isVisible()
    assert panel.view.said.text().startswith("好")
    app_state.tuned.choose_run(ws.run(made[0]))
    assert panel.found is None
    assert panel.view.said.text() == ""
    assert panel.text.toPlainText() == "很好"  # it was typed
    panel._fail(AppError("Broken."))
    assert panel._problem.isVisible()


def test_without_a_model_it_leads_to_the_tasks(app_state, shown, qtbot):
    panel = shown(TryItPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["tasks"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, language):
    messages.use(language)
    assert_fits(shown(TryItPanel(app_state)))
