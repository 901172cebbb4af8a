"""Replay: the answers of a really trained network, validation by validation."""

import csv

import pytest

from lmstudio import messages
from lmstudio.gui.panels.compare.replay import ReplayPanel
from lmstudio.jobs import Job
from lmstudio.operations import probes, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits


@pytest.fixture
def run(app_state, cut):
    """An LSTM that was validated three times."""
    spec = {"model": "lstm", "config": {"width": 8},
            "training": {"max_steps": 6, "validate_every": 2}}  # fmt: skip
    changes = training.train(app_state.workspace, cut, RunSpec.from_json(spec), job=Job())
    app_state.apply(Changes(runs=True))
    return changes.new_id


@pytest.fixture
def panel(app_state, run, shown, qtbot):
    made = shown(ReplayPanel(app_state))
    qtbot.waitUntil(lambda: bool(made.records))
    return made


def test_the_slider_goes_through_the_validations(panel, app_state, run):
    known = probes.probes(app_state.workspace, run, job=Job())
    assert panel.records == known
    assert len(known) >= 3
    assert panel.slider.value() == panel.slider.maximum() == len(known) - 1  # the newest first
    panel.slider.setValue(0)
    first = known[0]
    guesses = [row.cells["guess1"].value for row in panel.blanks.rows()]
    assert guesses == [blank.guesses[0][0] for blank in first.blanks]
    assert [row.cells["word"].value for row in panel.neighbours.rows()] == [
        one.token for one in first.neighbours
    ]
    assert panel.line.text() == " ".join(first.line)
    assert f"step {first.step}" in panel.when.text()


def test_it_plays_like_a_film(panel, qtbot):
    panel._film.setInterval(1)
    panel.play.click()  # from the beginning, since it stood at the end
    qtbot.waitUntil(lambda: not panel._film.isActive())
    assert panel.slider.value() == panel.slider.maximum()


def test_the_answers_are_saved(panel, app_state, tmp_path, qtbot):
    path = tmp_path / "probes.csv"
    panel.save.save(path, probes.save_probes, panel.records)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > len(panel.records)


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(ReplayPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(ReplayPanel(app_state)))
