"""The tasks panel: files looked at and imported, the report, runs queued."""

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea

from lmstudio import messages
from lmstudio.gui.dialogs.import_task import TaskImportDialog
from lmstudio.gui.panels.tasks.tasks import TasksPanel
from lmstudio.gui.panels.tasks.tuning_form import TuningForm
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import tasks
from lmstudio.operations.changes import Changes
from lmstudio.operations.task_pretraining import ChainEstimate
from lmstudio.training.estimate import Estimate
from lmstudio.training.tuning_presets import TUNING_PRESETS
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace
from tests.gui.panels.imports import drop


@pytest.fixture
def reviews(tmp_path):
    """A table of sentences with two classes."""
    path = tmp_path / "reviews.tsv"
    words = ("好", "差")
    lines = [f"{number}号菜真{words[number % 2]}\t{words[number % 2]}" for number in range(60)]
    path.write_text("text\tlabel\n" + "\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def panel(app_state, shown):
    return shown(TasksPanel(app_state))


@pytest.fixture
def filled(app_state, reviews, panel):
    app_state.apply(
        tasks.import_task(app_state.workspace, "评论", files={"train": [reviews]}, job=Job())
    )
    QApplication.processEvents()
    return panel


def test_empty_leads_to_files_and_samples(panel):
    assert panel.primary.text()
    assert panel._pages.currentIndex() == 1
    assert_fits(panel)


def test_files_are_looked_at_and_imported(app_state, panel, reviews, qtbot):
    panel.open_files([reviews])
    dialog = panel.dialog
    assert isinstance(dialog, TaskImportDialog)
    qtbot.waitUntil(lambda: dialog.seen is not None)
    assert dialog.seen.kind == "classify"
    assert dialog.columns["label"].itemText(1) == "text"
    assert len(dialog.table.rows()) == 60
    assert dialog.accept_button.isEnabled()
    dialog.accept_button.click()
    qtbot.waitUntil(lambda: bool(app_state.tasks()) and not app_state.jobs.busy)
    assert panel.task.kind == "classify"
    assert panel.table.selected() == [panel.task.id]


@pytest.mark.parametrize("kind", ["classify", "tag", "pair", "qa"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_settings_do_not_scroll_sideways(app_state, filled, language, kind, qtbot):
    messages.use(language)
    window = Window(app_state)
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    window.show_panel("tasks")
    form = window.panel("tasks").findChild(TuningForm)
    form.show_kind(kind)
    area = form.findChild(QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert area.horizontalScrollBar().maximum() == 0


def test_bars_are_the_labels_of_the_part(filled):
    found = {bar.name: bar.value for bar in filled.report.bars.bars()}
    assert found == {"好": 27, "差": 27}
    assert filled.report.part.segment("test").isEnabled() is False
    assert filled.report.part.segment("test").toolTip()
    assert not filled.report.problems.isHidden()  # the valid part is small
    filled.report.part.segment("valid").click()
    assert {bar.name: bar.value for bar in filled.report.bars.bars()} == {"好": 3, "差": 3}
    assert_fits(filled)


def test_the_problem_has_most_of_the_room(filled):
    table = filled.report.problems
    width = dict(zip(table.column_keys(), map(table.columnWidth, range(4)), strict=True))
    assert width["what"] > 2 * width["level"]
    assert width["level"] >= table.sizeHintForColumn(table.column_keys().index("level"))


def test_examples_are_shown(filled, qtbot):
    filled.report.view.segment("examples").click()
    qtbot.waitUntil(lambda: bool(filled.report.examples.rows()))
    assert len(filled.report.examples.rows()) == 54


def test_without_an_encoder_it_says_so(filled):
    assert not filled.tuning.start.isEnabled()
    assert filled.tuning.start.toolTip()
    assert filled.tuning.pretrain.isVisible()


def test_presets_fill_the_form(filled):
    form = filled.tuning.form
    for name, preset in TUNING_PRESETS.items():
        form.choose_preset(name)
        config = form.task_config()
        wanted = preset.task_values(config.kind)
        assert all(getattr(config, key) == value for key, value in wanted.items())
        assert form.training.value().epochs == preset.training_values()["epochs"]
        assert not form.faults()


def test_runs_are_queued_for_each_seed(app_state, cut, filled, monkeypatch):
    ws = app_state.workspace
    encoder = run_workspace.made_up(ws, cut, "LSTM", best=1.0)
    monkeypatch.setattr("lmstudio.operations.runs.has_model", lambda ws, run: True)
    started = []
    monkeypatch.setattr(
        "lmstudio.gui.panels.train.training_jobs.start",
        lambda state, row, log: started.append((row.id, log)),
    )
    app_state.apply(Changes(runs=True))
    assert filled.tuning.form.run_id() == ws.run(encoder).id
    filled.tuning.form.seeds.setValue(2)
    filled.tuning.form.choose_preset("frozen")
    assert filled.tuning.start.isEnabled(), filled.tuning.start.toolTip()
    filled.tuning.form.log.click()
    filled.tuning.start.click()
    rows = ws.tuned_runs()
    assert started == [(row.id, True) for row in rows]
    assert [row.spec["training"]["seed"] for row in rows] == [1, 2]
    assert {row.spec["task"]["tuned"] for row in rows} == {0}
    filled.tuning._pause.stop()


def test_rename_and_delete(app_state, filled, qtbot):
    filled._rename("评论二")
    assert filled.table.rows()[0].cells["name"].value == "评论二"
    filled._delete()
    qtbot.waitUntil(lambda: not app_state.tasks() and not app_state.jobs.busy)
    assert filled._pages.currentIndex() == 1


def test_only_weights_that_are_there_can_go_on_with_the_texts(filled):
    form = filled.tuning.form
    form.texts_first.click()
    assert form.goes_on_first()
    form.choose_preset("scratch")
    assert not form.texts_first.isEnabled()
    assert form.texts_first.toolTip()
    assert not form.goes_on_first()
    form.choose_preset("frozen")
    assert form.goes_on_first()


def test_each_way_has_an_optimiser_of_its_own(filled):
    """What was pre-trained here is tuned by what trained it; heads alone move by AdamW."""
    form, used = filled.tuning.form, {}
    for name in TUNING_PRESETS:
        form.choose_preset(name)
        how = form.training_config("cpu")
        used[name] = how.optimizer, how.learning_rate
    assert used == {
        "small": ("auto", 3e-3), "bilstm": ("adamw", 3e-3), "published": ("adamw", 5e-5),
        "frozen": ("adamw", 2e-3), "features": ("adamw", 2e-3), "scratch": ("auto", 3e-3),
    }  # fmt: skip


def test_what_was_imported_is_tuned_as_published(filled, app_state):
    run_workspace.network(app_state.workspace, run_workspace.segmented(app_state.workspace), "lstm")
    app_state.apply(Changes(runs=True))
    form = filled.tuning.form
    assert form.preset.currentData() == "small"
    run = app_state.workspace.run(form.run_id())
    app_state.workspace.update_run(run.id, facts=run.facts | {"imported": {"folder": "hf"}})
    filled.tuning._suit()
    assert form.preset.currentData() == "published"
    assert form.training_config("cpu").learning_rate == 5e-5


@pytest.mark.parametrize(
    ("first", "said"),
    [(90.0, "before them"), (0.0, "went on with the texts before"), (None, "goes on with the")],
    ids=["timed", "done", "unknown"],
)
def test_the_cost_tells_what_comes_first(filled, first, said):
    filled.tuning._take(ChainEstimate(Estimate(60.0, 0, 1.0, 60, 32), first))
    assert said in filled.tuning.cost.text()
    assert ("1 min 30 s" in filled.tuning.cost.text()) == bool(first)


def test_a_column_or_a_name_says_the_part(app_state, panel, tmp_path, qtbot):
    """The dialog shows what was guessed and lets it be changed; a file may name the labels."""
    table, names = tmp_path / "news.csv", tmp_path / "labels.txt"
    rows = [f"第{n}条消息,{n % 2},{('train', 'test')[n % 5 == 0]}" for n in range(40)]
    table.write_text("\n".join(["text,label,split", *rows]), encoding="utf-8")
    names.write_text("sports\nstocks", encoding="utf-8")
    panel.open_files([table])
    dialog = panel.dialog
    drop(dialog, names)
    qtbot.waitUntil(lambda: dialog.accept_button.isEnabled())
    assert dialog.files() == {"train": [table], "names": [names]}
    assert dialog.columns["part"].itemText(0) == "As found: split"
    assert "train 32, test 8" in dialog._said.text()
    assert {row.cells["label"].value for row in dialog.table.rows()} == {"sports", "stocks"}
    dialog.columns["part"].setCurrentIndex(dialog.columns["part"].findData("-"))
    dialog.columns["part"].activated.emit(1)
    qtbot.waitUntil(lambda: dialog.accept_button.isEnabled())
    assert list(dialog.seen.examples) == ["train"]
    assert dialog.columns["part"].currentData() == "-"
    assert_fits(dialog)
    dialog.accept_button.click()
    qtbot.waitUntil(lambda: bool(app_state.tasks()) and not app_state.jobs.busy)
    assert "10% of the training part" in _facts_of(panel, "valid")


def _facts_of(panel, part):
    panel.report.part.segment(part).click()
    return panel.report.facts.text()
