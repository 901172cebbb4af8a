"""The chips of the models that are asked: who can answer, who is asked, all panels alike."""

from dataclasses import replace

import pytest

from lmstudio.gui.asked_runs import AskedRuns
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.jobs import Job
from lmstudio.models.registry import MODELS
from lmstudio.operations import training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.panels import run_workspace


@pytest.fixture
def runs(app_state, cut):
    """Ids of a 1-gram, a 2-gram and an LSTM."""
    specs = [{"model": "ngram", "config": {"order": n}} for n in (1, 2)]
    specs.append({"model": "lstm", "config": {"width": 8}, "training": {"max_steps": 2}})
    made = [training.train(app_state.workspace, cut, RunSpec.from_json(spec), job=Job()).new_id
            for spec in specs]  # fmt: skip
    app_state.apply(Changes(runs=True))
    return made


def asked(row) -> list[int]:
    return [run.id for run in row.runs()]


def test_the_newest_of_each_family_is_asked(app_state, runs, shown):
    row = shown(AskedRow(app_state, "score"))
    assert asked(row) == [runs[1], runs[2]]


def test_an_ngram_is_asked_beside_many_networks(app_state, cut, monkeypatch):
    made = [replace(app_state.workspace.run(run_workspace.counted(app_state.workspace, cut, 1)),
                    id=number, model=model) for number, model in enumerate(MODELS)]  # fmt: skip
    monkeypatch.setattr(AskedRuns, "known", lambda *_: made)
    found = app_state.asked.shown(app_state.workspace, app_state.corpus.id)
    assert [run.model for run in found] == ["ngram", "lstm", "elmo", "gpt", "bert"]
    monkeypatch.setattr(AskedRuns, "known", lambda *_: made[:6])
    found = app_state.asked.shown(app_state.workspace, app_state.corpus.id)
    assert [run.model for run in found] == ["ngram", "class-ngram", "ffnn", "rnn", "lstm"]


def test_who_cannot_answer_says_why(app_state, runs, shown):
    row = shown(AskedRow(app_state, "layers"))
    assert asked(row) == [runs[2]]
    chip = row.chip(runs[1])
    assert not chip.isEnabled()
    assert "it has no vectors" in chip.text()
    assert chip.toolTip()


def test_a_click_asks_it_or_not_in_every_panel(app_state, runs, shown, qtbot):
    row, other = (shown(AskedRow(app_state, "score")) for _ in range(2))
    with qtbot.waitSignals([row.changed, other.changed]):
        row.chip(runs[1]).click()
    assert asked(row) == asked(other) == [runs[2]]
    assert not other.chip(runs[1]).isChecked()
    row.chip(runs[1]).click()
    assert asked(other) == [runs[1], runs[2]]


def test_others_are_added_from_the_menu(app_state, runs, shown):
    row = shown(AskedRow(app_state, "score"))
    row._menu.aboutToShow.emit()
    assert [action.isChecked() for action in row._menu.actions()] == [False, True, True]
    row._menu.actions()[0].trigger()
    assert asked(row) == [runs[0], runs[1], runs[2]]
    row._menu.aboutToShow.emit()
    row._menu.actions()[1].trigger()
    assert asked(row) == [runs[0], runs[2]]


def test_a_single_choice(app_state, runs, shown, qtbot):
    app_state.asked.show(runs)
    row = shown(AskedRow(app_state, "score", single=True))
    assert asked(row) == [runs[2]]
    with qtbot.waitSignal(row.changed):
        row.chip(runs[0]).click()
    assert row.run().id == runs[0]
    assert [row.chip(run).isChecked() for run in runs] == [True, False, False]


def test_without_a_corpus_there_is_only_the_way_to_add(app_state, shown):
    row = shown(AskedRow(app_state, "score"))
    assert row.runs() == []
    row._menu.aboutToShow.emit()
    assert not row._menu.actions()[0].isEnabled()


def add(first: int, second: int, *, job: Job) -> int:
    return first + second


def test_many_answers_come_with_their_run_and_the_time(app_state, qtbot):
    asker, answers = ManyAsker(app_state, app_state), {}
    asker.answered.connect(lambda run, answer: answers.update({run: answer}))
    with qtbot.waitSignal(asker.finished) as took:
        asker.ask({1: (add, 1, 1), 2: (add, 2, 2)})
        asker.ask({2: (add, 20, 2), 3: (add, 3, 3)})  # the first answers are not wanted any more
    assert answers == {2: 22, 3: 6}
    assert took.args[0] >= 0
    assert not asker.busy


@pytest.mark.parametrize(
    ("milliseconds", "told"), [(213, "213 ms"), (2492, "2.5 s"), (19_400, "19 s")], ids=str
)
def test_the_time_of_an_answer_is_told_in_a_fitting_unit(app_state, shown, milliseconds, told):
    row = shown(AskedRow(app_state, "score"))
    row.show_asking(asking=True)
    row.set_time(milliseconds)
    assert row._took.text() == "Asking…"
    row.show_asking(asking=False)
    assert row._took.text() == told
