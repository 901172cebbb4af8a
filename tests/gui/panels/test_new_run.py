"""New run: form, faults, cost, name, queue."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from lmstudio import figures, messages
from lmstudio.gui.dialogs.sweep import SweepDialog
from lmstudio.gui.panels.settings.setting_names import value_name
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.panels.train.new_run import NewRunPanel
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import SMOOTHINGS, ClassNgramConfig, LstmConfig
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations.changes import Changes
from lmstudio.training.assembly import build
from lmstudio.training.estimate import Estimate
from lmstudio.training.feeds import train_counts
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace


@pytest.fixture
def panel(app_state, cut, shown, monkeypatch):
    """No job is started for real."""
    monkeypatch.setattr(app_state.queue, "submit", lambda *_: None)
    panel = shown(NewRunPanel(app_state))
    yield panel
    app_state.jobs._jobs.clear()
    app_state.jobs._timer.stop()
    app_state.jobs._quick.stop()
    panel._pause.stop()
    panel.guard.stop()


def control(panel, name):
    return panel.form.page().control(name)


def test_presets_fill_the_form_and_the_form_names_the_preset(panel):
    panel.timeline.choose("lstm")
    page = panel.form.page()
    assert page.preset.value() == "small"
    page.preset.segment("base").click()
    base = RunSpec.from_json({"model": "lstm", "preset": "base"})
    assert panel.spec() == base
    control(panel, "width").setValue(base.config.width + 1)
    assert page.preset.value() == "own"
    assert page.restored.isEnabled()
    control(panel, "width").setValue(base.config.width)
    assert page.preset.value() == "base"
    control(panel, "epochs").setValue(1)
    page.restored.click()
    assert panel.spec() == base


def test_orders_are_the_presets_of_ngrams(panel):
    page = panel.form.page("ngram")
    page.preset.segment("5").click()
    assert panel.spec().config.order == 5
    control(panel, "order").setValue(4)
    assert page.preset.value() == "own"
    assert not control(panel, "k").isEnabled()
    assert control(panel, "k").toolTip() == "For add-k only"
    smoothing = control(panel, "smoothing")
    smoothing.setCurrentIndex(smoothing.findData("add-k"))
    assert control(panel, "k").isEnabled()


def test_ngrams_of_classes_have_the_same_presets_and_fewer_settings(panel, app_state):
    panel.timeline.choose("class-ngram")
    page = panel.form.page()
    assert page.preset.value() == "3"
    page.preset.segment("2").click()
    control(panel, "classes").setValue(7)
    assert panel.spec().config == ClassNgramConfig(2, 7)
    assert page.preset.value() == "own"
    assert panel.row.name.text() == "2-gram of 7 classes, mod. KN"
    assert panel.row.start.isEnabled()
    assert not panel.guard.busy
    rows = app_state.segmentation.vocabulary + 1
    events = app_state.segmentation.facts["parts"]["train"]
    pairs = min(events["tokens"] + events["sentences"], 10**2)
    assert panel.cost.total.text() == f"≤ {2 * (rows - 1) + 2 * 10 + pairs:,}"


def test_a_fault_stands_at_its_field_and_disables_the_button(panel):
    panel.timeline.choose("lstm")
    control(panel, "width").setValue(0)
    assert not panel.row.start.isEnabled()
    assert panel.row.start.toolTip() == "Width: must be at least 1"
    assert panel.row.mend.text() == panel.row.start.toolTip()
    panel.row.mend.click()
    assert control(panel, "width").hasFocus()
    assert panel.cost.total.text() == "—"
    control(panel, "width").setValue(16)
    assert panel.row.start.isEnabled()
    panel.row.name.setText("x")
    panel._check()
    assert panel.row.start.isEnabled()


def test_parameters_are_exact_at_once(panel, app_state):
    panel.timeline.choose("lstm")
    control(panel, "width").setValue(32)
    rows = app_state.segmentation.vocabulary + 1
    total = sum(count for _, _, count in LstmConfig(width=32).parameters(rows))
    assert panel.cost.total.text() == f"{total:,}"


def test_counts_are_known_after_counting(panel, app_state):
    assert panel.cost.total.text().startswith("≤")
    counts = app_state.segmentation.facts["parts"]["train"]
    events = counts["tokens"] + counts["sentences"]
    assert f"{events:,}" in panel.cost._note.text()


def test_an_estimate_comes_later(panel):
    panel.timeline.choose("lstm")
    assert panel._pause.isActive()  # debounced
    assert panel.cost.time.text() == "—"
    panel.cost.show_estimate(Estimate(75.0, 900_000_000, 0.05, 1500, 16))
    assert panel.cost.time.text() == "about 1 min 15 s"
    assert panel.cost.memory.text().startswith("900")
    control(panel, "width").setValue(64)
    assert panel.cost.time.property("tone") == "off"  # of before


def test_minutes_are_told_and_how_many_epochs_fit_into_them(panel):
    panel.timeline.choose("gpt")
    page = panel.form.page()
    assert page._time.full_text() == "about 1 min on this computer, 40 epochs at most"
    page.preset.segment("base").click()
    assert page._time.full_text().startswith("about 10 min")
    control(panel, "minutes").setValue(0)
    assert page._time.full_text() == "ends after 40 epochs"
    note = Message("The window {window} is shortened.", {"window": 64})
    found = Estimate(60.0, 900_000_000, 0.05, 1500, 16, 200, 8000, (note,))
    panel._take_estimate(found)
    assert "7.5 of 40 epochs fit" in panel.cost._basis.text()
    assert panel.guard.strip.text() == "The window 64 is shortened."
    panel.timeline.choose("bert")
    assert panel.guard.strip.text() == ""


def test_it_begins_with_the_weights_of_another_run(panel, app_state, cut):
    ws = app_state.workspace
    run = run_workspace.network(ws, cut, "rnn")
    app_state.apply(Changes(runs=True))
    page = panel.form.page("rnn")
    assert page.begins.count() == 2
    assert panel.form.page("gpt").begins.count() == 1
    assert not page.chip.isVisible()
    app_state.draft_from(ws.run(run), weights=True)
    assert page.chip.isVisible()
    assert page.chip.text() == f"begins with the weights of {ws.run(run).name}"
    assert not panel.several.isEnabled()
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    assert app_state.runs()[-1].parent == run
    page.chip.dropped.emit()
    assert not page.chip.isVisible()
    panel._check()
    assert panel.several.isEnabled()
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    assert app_state.runs()[-1].parent is None


def test_several_values_of_a_setting_become_a_sweep(panel, app_state, qtbot):
    panel.several.click()
    dialog = panel.window().findChild(SweepDialog)
    dialog.field.setCurrentIndex(dialog.field.findData("order"))
    dialog.values.setText("1..3, 5")
    assert dialog.runs.toPlainText().count("order=") == 4
    dialog.values.setText("1, x")
    assert "x is no value of it" in dialog.fault.text()
    assert not dialog._add.isEnabled()
    dialog.values.setText("2")
    assert "needs from 2" in dialog._add.toolTip()
    dialog.values.setText("1..3")
    told = []
    app_state.told.connect(told.append)
    dialog.accept()
    assert [run.spec["config"]["order"] for run in app_state.runs()] == [1, 2, 3]
    assert [job.run_id for job in training_jobs.jobs(app_state)] == [
        run.id for run in app_state.runs()
    ]
    name = app_state.runs()[0].sweep
    assert told == [f"3 runs of the sweep {name} are in the queue."]
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.row.sweep.click()
    assert (wanted.args, app_state.sweep) == (["scaling"], name)


def test_what_is_not_defined_is_said_before_training(panel, app_state, monkeypatch):
    """The small-corpus guard: asked a moment after the last change, for counting models only."""
    asked = []
    monkeypatch.setattr(app_state.queue, "submit", lambda lane, job, *what: asked.append(what))
    panel.form.page().preset.segment("5").click()
    assert panel.guard.busy
    panel.guard._ask()
    function, _, cut, config = asked[-1]
    notes = function(app_state.workspace, cut, config, job=Job())
    panel.guard._take(notes)
    assert panel.guard.strip.isVisible()
    assert "5-grams" in panel.guard.strip.toolTip()
    assert "the usual 0.5, 1 and 1.5 are used" in panel.guard.strip.text()
    smoothing = control(panel, "smoothing")
    smoothing.setCurrentIndex(smoothing.findData("witten-bell"))
    panel.guard._ask()
    function, _, cut, config = asked[-1]
    panel.guard._take(function(app_state.workspace, cut, config, job=Job()))
    assert not panel.guard.strip.isVisible()
    panel.timeline.choose("lstm")
    assert not panel.guard.busy


def test_the_name_follows_the_settings_until_it_is_typed(panel):
    assert panel.row.name.text() == "3-gram mod. KN"
    panel.form.page().preset.segment("5").click()
    assert panel.row.name.text() == "5-gram mod. KN"
    panel.row.name.clear()
    QTest.keyClicks(panel.row.name, "mine")
    panel.form.page().preset.segment("2").click()
    assert panel.row.name.text() == "mine"


def test_several_runs_are_queued_one_after_the_other(panel, app_state):
    assert panel.row.start.text().startswith("Start training")
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    assert panel.row.start.text().startswith("Add to queue")
    panel.timeline.choose("lstm")
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    assert panel.row.name.text() == "LSTM 1×128 2"
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    names = [run.name for run in app_state.runs()]
    assert names == ["3-gram mod. KN", "LSTM 1×128", "LSTM 1×128 2"]
    assert len(training_jobs.jobs(app_state)) == 3


def test_a_log_for_tensorboard_is_asked_for_with_a_tick(panel, app_state):
    panel.timeline.choose("lstm")
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    panel.form.page().log.click()
    QTest.mouseClick(panel.row.start, Qt.MouseButton.LeftButton)
    panel.add_sweep("width", [8, 16])
    facts = [run.facts.get("tensorboard") for run in app_state.runs()]
    assert facts == [None, "tensorboard", "tensorboard", "tensorboard"]
    assert (app_state.workspace.folder / "tensorboard").is_dir()


def test_a_taken_name_is_a_fault(panel, app_state):
    run_workspace.made_up(app_state.workspace, app_state.segmentation.id, "mine")
    panel.row.name.setText("mine")
    panel._check()
    assert "taken" in panel.row.start.toolTip()


def test_it_starts_from_the_settings_of_another_run(panel, app_state, cut):
    spec = RunSpec.from_json({"model": "lstm", "config": {"width": 48}, "training": {"seed": 7}})
    row = app_state.workspace.add_run(cut, "old", "lstm", spec.to_json())
    app_state.draft_from(row)
    assert panel.timeline.value() == "lstm"
    assert panel.spec() == spec
    assert panel.row.name.text() == "LSTM 1×48"


def test_the_device_is_that_of_the_settings(panel, app_state):
    panel.timeline.choose("lstm")
    app_state.set_device("cpu")
    panel.hide()
    panel.show()
    assert panel.spec().training.device == "cpu"
    assert panel.form.page().preset.value() == "small"


@pytest.mark.parametrize("model", [name for name in MODELS if MODELS[name].kind == "neural"])
def test_the_cost_of_a_network_is_exact(panel, app_state, cut, model):
    panel.timeline.choose(model)
    folder = app_state.workspace.segmentation_folder(cut)
    module = build(panel.spec(), train_counts(folder), folder)
    assert panel.cost.total.text() == figures.count(sum(p.numel() for p in module.parameters()))


def test_arrows_move_along_the_timeline(panel, qtbot):
    first = panel.timeline._group.button(0)
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Right)
    assert panel.timeline.value() == "class-ngram"
    QTest.keyClick(panel.timeline._group.button(1), Qt.Key.Key_Right)
    assert panel.timeline.value() == "ffnn"
    QTest.keyClick(panel.timeline._group.button(2), Qt.Key.Key_Left)
    assert panel.timeline.value() == "class-ngram"


def test_without_text_it_leads_to_the_corpora(app_state, shown, qtbot):
    panel = shown(NewRunPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["corpora"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, cut, language):
    messages.use(language)
    panel = NewRunPanel(app_state)
    for model in TRAINABLE:
        panel.timeline.choose(model)
        panel.form.page().chip.show_name("LSTM 2×256, from characters, joint")
        assert_fits(panel)
    panel.deleteLater()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_smoothing_has_a_name(panel, language):
    messages.use(language)
    named = {value_name(smoothing) for smoothing in SMOOTHINGS}
    assert len(named) == len(SMOOTHINGS)
    assert not named & set(SMOOTHINGS)
    box = control(panel, "smoothing")
    assert [box.itemData(number) for number in range(box.count())] == list(SMOOTHINGS)
    assert box.itemText(box.findData("stupid-backoff")) == "Stupid back-off"  # made in English


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_setting_stands_beside_the_edge_when_all_are_unfolded(app_state, panel, language):
    """The lower ones are scrolled to; the fields at the right can always be seen."""
    messages.use(language)
    shown = NewRunPanel(app_state)
    shown.resize(1366 - 72, 700 - 88)
    shown.show()
    for model in TRAINABLE:
        shown.timeline.choose(model)
        page = shown.form.page()
        for form in (page.config, page.training):
            form._fold.setChecked(True)
        QApplication.processEvents()
        area = page.findChild(QScrollArea)
        assert area.horizontalScrollBar().maximum() == 0, model
    shown._pause.stop()
    shown.guard.stop()
    shown.deleteLater()
