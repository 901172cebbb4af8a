"""Findings: kept, searched, tagged, renamed, asked again of another run, deleted."""

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.errors import AppError
from lmstudio.gui.panels.explore.findings import FindingsPanel
from lmstudio.operations import findings, tags
from lmstudio.operations.changes import Changes
from lmstudio.operations.finding_tables import save_finding
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace


@pytest.fixture
def runs(app_state, cut):
    made = [run_workspace.counted(app_state.workspace, cut, order) for order in (1, 2, 3)]
    app_state.apply(Changes(runs=True))
    return [app_state.workspace.run(number) for number in made]


@pytest.fixture
def panel(app_state, runs, shown):
    """With a blank that two runs filled, one of them gone, and a comparison."""
    answer = {"words": ["山", "水"], "p": np.array([0.75, 0.25]), "rest": 0.5}
    app_state.save_finding("blank", "哪座山?", {"text": "[MASK]边"},
                           {runs[0].name: answer, "旧": {"words": ["河"]}})  # fmt: skip
    app_state.save_finding("compare", "谁好", {"base": runs[0].name, "part": "test"}, {})
    return shown(FindingsPanel(app_state))


def choose(panel, title):
    key = next(row.key for row in panel.table.rows() if row.cells["title"].value == title)
    panel.table.select([key])
    panel._show()


def test_what_was_kept_is_listed_and_shown(panel, runs):
    assert [row.cells["title"].value for row in panel.table.rows()] == ["谁好", "哪座山?"]
    choose(panel, "哪座山?")
    assert list(panel.card.answers.tables) == [runs[0].name, "旧"]
    first = panel.card.answers.tables[runs[0].name].rows()
    assert [row.cells["p"].value for row in first] == [0.75, 0.25]
    assert not panel.ask.isEnabled()
    assert "cannot be asked again" in panel.ask.toolTip()


def test_a_question_is_put_to_another_run_with_one_click(panel, app_state, runs, qtbot):
    choose(panel, "谁好")
    panel.run.setCurrentIndex(panel.run.findData(runs[2].id))
    panel.ask.click()
    qtbot.waitUntil(lambda: not panel.busy)
    row = panel.finding()
    assert list(row.answers) == [runs[2].name]
    assert row.answers[runs[2].name]["from"] == runs[0].name
    assert panel.run.currentData() == runs[1].id  # the newest that has not answered
    assert panel.run.findData(runs[0].id) == -1  # the base itself


def test_what_went_wrong_is_told_until_another_is_chosen(panel):
    choose(panel, "谁好")
    panel._fail(AppError("It went wrong."))
    panel.refresh()
    assert panel.problem.text() == "It went wrong."
    choose(panel, "哪座山?")
    assert panel.problem.text() == ""


def test_only_runs_that_can_answer_are_offered(panel, app_state):
    question = {"text": "山", "heads": ["1.1"]}
    app_state.save_finding("attention", "看谁", question, {})
    choose(panel, "看谁")
    assert panel.run.count() == 0
    assert not panel.ask.isEnabled()
    assert "No model here" in panel.ask.toolTip()


def test_the_question_and_the_answers_are_in_the_language_in_use(panel, app_state, runs):
    messages.use("zh_CN")
    blank = {"guesses": [{"text": "手", "probability": 0.1181234, "known": True}],
             "truth": {"text": "山", "probability": 0.5, "known": True}, "rank": 2,
             "least": False, "pieces": 1, "scored": 9, "unscored": 0.0}  # fmt: skip
    answer = {"method": "exact", "blanks": [blank], "text": "空手不见人", "in_order": False,
              "proper": True}  # fmt: skip
    question = {"text": "空山不见人", "blanks": [[1, 2]], "in_order": False}
    app_state.save_finding("fill", "填一填", question, {runs[0].name: answer})
    choose(panel, "填一填")
    assert panel.card._said.full_text() == "空[山]不见人"
    (row,) = panel.card.answers.tables[runs[0].name].rows()
    assert [cell.value for cell in row.cells.values()] == [1, "手", 0.1181234]
    assert list(row.cells) == ["名次", "词", "p"]


def test_it_is_shown_where_it_is_asked_for(panel, app_state):
    app_state.show_finding(1)
    assert panel.finding().title == "哪座山?"


def test_it_is_tagged_searched_and_renamed(panel, app_state):
    choose(panel, "哪座山?")
    panel.card.tags.setText("课堂，重要")  # noqa: RUF001
    panel.card.tags.editingFinished.emit()
    assert tags.tags(app_state.workspace, "finding") == {1: ("课堂", "重要")}
    panel.filter.setText("重要")
    assert [row.key for row in panel.table.rows()] == [1]
    panel.filter.setText("没有")
    assert panel.table.rows() == []
    assert not panel.ask.isEnabled()
    panel.filter.setText("MASK")
    panel.card.rename_to("哪条河?")
    assert panel.table.rows()[0].cells["title"].value == "哪条河?"
    assert panel.card.row.title.full_text() == "哪条河?"


def test_it_is_saved_and_deleted(panel, app_state, tmp_path, qtbot):
    choose(panel, "哪座山?")
    panel.card.save.save(tmp_path / "f.csv", save_finding, panel.finding())
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    assert len((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()) == 4
    panel.card.delete_now()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    assert [row.title for row in findings.findings(app_state.workspace)] == ["谁好"]
    panel.card.delete_now()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    assert panel._pages.currentIndex() == 1
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["sentence"]


def test_what_cannot_be_kept_is_reported(app_state, qtbot):
    with qtbot.waitSignal(app_state.problem) as told:
        app_state.save_finding("map", "t", {}, {"a": "x" * findings.LARGEST})
    assert "too large" in told.args[0]


def test_every_kind_names_an_operation():
    for kind in findings.KINDS:
        assert callable(findings._answering(kind)), kind
        assert kind in findings.TITLES, kind


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(FindingsPanel(app_state)))
