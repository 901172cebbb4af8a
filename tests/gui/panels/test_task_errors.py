"""Mistakes: a run that was really tuned, and a part in which some labels are wrong on purpose."""

import csv
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.analysis.tasks.scores.counts import Counts
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.task_folder import read_part, write_part
from lmstudio.gui.panels.tasks.errors import ErrorsPanel
from lmstudio.gui.panels.tasks.mistakes_card import MistakesCard
from lmstudio.jobs import Job
from lmstudio.operations import task_attention, task_scores
from lmstudio.store.workspace import Workspace
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import tuned_workspace

OTHER = {"好": "坏", "坏": "好"}
SPOILT = {
    "classify": lambda one: replace(one, label=OTHER[one.label]),
    "tag": lambda one: replace(one, spans=(Span(0, 1, "到达地"),)),
    "qa": lambda one: replace(one, spans=(Span(0, 1),)),
}
"""What makes an example of a kind a mistake of a model that has learned its task whole."""


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory):
    """Folders by kind: a run of it, and a test part whose examples 0, 1 and 5 are spoilt."""
    made = {}

    def make(kind):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("spoilt") / "workspace"
            with Workspace(made[kind]) as ws:
                (run,) = tuned_workspace.trained(ws, kind)
                folder = ws.task_folder(ws.run(run).task)
                test = read_part(folder, "test")
                for number in (0, 1, 5):
                    test[number] = SPOILT[kind](test[number])
                write_part(folder, "test", test)
        return made[kind]

    return make


@pytest.fixture
def open_panel(app_state, spoilt, shown, qtbot, tmp_path):
    """The panel over a copy of such a workspace, scored."""

    def make(kind):
        app_state.open_workspace(shutil.copytree(spoilt(kind), tmp_path / kind))
        panel = shown(ErrorsPanel(app_state))
        wait(panel, qtbot)
        return panel

    return make


def wait(panel, qtbot):
    qtbot.waitUntil(lambda: panel.found is not None and not panel.busy, timeout=150_000)


def numbers(panel):
    """The examples of the list, as they stand in it."""
    shown, order = panel.mistakes.table.listing, panel.mistakes.table.rows.order
    return (shown.number if order is None else shown.number[order]).tolist()


@pytest.mark.slow
def test_a_cell_lists_its_sentences_and_one_can_be_changed(open_panel, app_state, qtbot, tmp_path):
    panel = open_panel("classify")
    run = panel.run().id
    known = task_scores.score_part(app_state.workspace, run, job=Job())
    assert panel.found.figures == known.figures
    assert "62.5 %" in panel.confusion.figures.text()  # five of eight
    np.testing.assert_array_equal(panel.confusion.matrix.confusion().counts, known.confusion)
    assert sorted(numbers(panel)) == [0, 1, 5]
    good, bad = (known.labels.index(label) for label in ("好", "坏"))
    panel.confusion.matrix._take(good, bad)  # gold 好, guessed 坏
    assert sorted(numbers(panel)) == sorted(known.cell("好", "坏")) == [1, 5]
    assert "好 → 坏 · 2" in panel.mistakes.row.note.full_text()
    path = tmp_path / "list.csv"
    panel.mistakes.save.save(path, task_scores.save_errors, panel.found, numbers(panel))
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows[1:]] == [str(n + 1) for n in numbers(panel)]
    panel.confusion.table.chosen.emit(["坏"])
    assert panel.confusion.matrix.cell() == (bad, -1)
    assert numbers(panel) == [0]
    wait(panel, qtbot)
    card = panel.sentence
    assert card.text.toPlainText() == "北京很好看"
    assert (card.now.label, card.view.said.text().startswith("好")) == ("好", True)
    card.text.setPlainText("北京太难看")
    wait(panel, qtbot)
    assert card.now.label == "坏"
    assert card.change.text().startswith("好 ")
    assert " → 坏 " in card.change.text()
    card.back.click()
    wait(panel, qtbot)
    assert not card.edited
    assert card.now.label == "好"
    panel.mistakes.every.click()
    assert len(numbers(panel)) == 3
    first = panel.mistakes.table.current()
    panel.primary.click()
    assert panel.mistakes.table.current() != first
    wait(panel, qtbot)


@pytest.mark.slow
def test_attention_is_what_the_operation_finds(open_panel, app_state, qtbot):
    panel = open_panel("classify")
    card = panel.sentence
    card.page.segment("looks").click()
    qtbot.waitUntil(lambda: card.looks.found is not None and not panel.busy)
    text = card.text.toPlainText()
    known = task_attention.looks(app_state.workspace, panel.run().id, text, job=Job())
    view = card.looks
    assert view.arcs.shown().names == known.names == ("<s>", *text, "</s>")
    assert view.row == known.asks == 0
    np.testing.assert_allclose(view.arcs.shown().weights, known.weights[0].mean(0)[0], atol=1e-6)
    view.grid.chosen.emit(0, 1)
    view.arcs.row_chosen.emit(3)
    np.testing.assert_allclose(view.arcs.shown().weights, known.weights[0, 1, 3], atol=1e-6)
    np.testing.assert_allclose(view.map.grid().values, known.weights[0, 1], atol=1e-6)
    view.way.segment("rollout").click()
    np.testing.assert_allclose(view.matrix(), known.flow(1), atol=1e-6)
    card.text.setPlainText("上海")
    qtbot.waitUntil(lambda: not panel.busy and len(view.found.names) == 4)


@pytest.mark.slow
def test_spans_stand_beside_the_right_ones_and_tokens_tell_their_tags(open_panel, qtbot):
    panel = open_panel("tag")
    wait(panel, qtbot)
    assert sorted(numbers(panel)) == [0, 1, 5]
    right, guessed = panel.sentence.view.text.lanes()
    assert [(one.start, one.end) for one in right.labels] == [(0, 1)]
    assert [(one.start, one.end, one.tone) for one in guessed.labels] == [(2, 4, "bad")]
    panel.sentence.view.text.picked.emit(2)
    bars = panel.sentence.view.bars.bars()
    assert (bars[0].name, bars[0].bold) == ("B-到达地", True)
    assert bars[0].value == panel.sentence.now.tokens[2].p
    assert panel.confusion.matrix.confusion().rows == ("到达地", "no span")
    (row,) = panel.confusion.table.rows()
    assert row.cells["precision"].value == pytest.approx(5 / 8)
    text = panel.sentence.text.toPlainText()
    panel.sentence.text.setPlainText(f"好{text}")
    wait(panel, qtbot)
    assert len(panel.sentence.view.text.lanes()) == 1  # what was right is of another text
    panel.sentence.page.segment("looks").click()
    qtbot.waitUntil(lambda: panel.sentence.looks.found is not None)


@pytest.mark.slow
def test_questions_come_with_the_worst_first(open_panel, qtbot):
    panel = open_panel("qa")
    assert panel.confusion.table.isHidden()
    shown = panel.mistakes.table.listing
    assert shown.points.tolist() == sorted(shown.points)
    assert shown.exact.tolist() == [0.0, 0.0, 0.0]
    panel.mistakes.sort_by("said")
    panel.mistakes.sort_by("said")
    said = [shown.said[n] for n in panel.mistakes.table.rows.order]
    assert said == sorted(said, reverse=True)
    wait(panel, qtbot)
    assert panel.sentence.view.bars.bars()[0].name == panel.sentence.now.answer
    panel.part.segment("train").click()
    wait(panel, qtbot)
    assert panel.found.part == "train"
    assert panel.mistakes.table.listing is None
    assert not panel.sentence.isEnabled()


def test_ten_thousand_examples_are_listed_and_sorted_at_once(app_state, shown):
    rng = np.random.default_rng(1)
    sure = rng.random(10_000)
    examples = [Example(f"第 {n} 句", label="好") for n in range(10_000)]
    said = [Prediction(one.text, label="坏", probabilities=(1 - p, p))
            for one, p in zip(examples, sure.tolist(), strict=True)]  # fmt: skip
    found = PartScores(
        "classify", "test", {"accuracy": 0.0, "examples": 10_000}, ("好", "坏"),
        {"好": Counts(0, 10_000, 0)}, {}, (frozenset([("好", "坏")]),) * 10_000,
        np.array([[0, 10_000], [0, 0]]), (0.0,) * 10_000, examples, said, tuple(sure.tolist()),
    )  # fmt: skip
    card = shown(MistakesCard(app_state))
    begun = time.thread_time()
    card.show_examples(found, "", "好", "坏")
    card.sort_by("sure")
    card.sort_by("text")
    assert time.thread_time() - begun < 0.5
    assert card.table.rows.rowCount() == 10_000
    assert card.table.rows.value(0, "text") == "第 0 句"
    card.sort_by("sure")
    assert card.table.rows.value(0, "sure") == sure.max()


@pytest.mark.slow
def test_scoring_can_be_stopped_and_begun_again(open_panel, qtbot):
    panel = open_panel("classify")
    panel.ask()
    assert panel.stop()
    assert panel.found is None
    assert not panel.stop()
    assert not panel.again.isHidden()
    panel.again.click()
    wait(panel, qtbot)
    assert panel.again.isHidden()
    assert clipped(panel) == []


def test_without_a_model_it_leads_to_the_tasks(app_state, shown, qtbot):
    panel = shown(ErrorsPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["tasks"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, language):
    messages.use(language)
    assert_fits(shown(ErrorsPanel(app_state)))
