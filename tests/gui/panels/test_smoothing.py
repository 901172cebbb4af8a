"""The smoothing laboratory through its widgets: exact values of three sentences, knobs, curves."""

import csv
import math

import pytest
from PySide6.QtCore import Qt

from lmstudio import messages
from lmstudio.data.layout import BOS
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore import smoothing_names
from lmstudio.gui.panels.explore.knobs_card import KnobsCard
from lmstudio.gui.panels.explore.smoothing import SmoothingPanel
from lmstudio.gui.panels.settings.help import HelpPanel
from lmstudio.jobs import Job
from lmstudio.models.config import SMOOTHINGS
from lmstudio.operations import laboratory, segmentations
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import explore_workspace, run_workspace, segment_workspace


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        yield state


@pytest.fixture
def tiny(state, tmp_path, shown, qtbot):
    """The panel over the three sentences, asked what comes after 爱 with bigrams."""
    explore_workspace.add_tiny(state, tmp_path)
    panel = shown(SmoothingPanel(state))
    answered(panel, qtbot)
    panel.order.segment("2").click()
    ask(panel, qtbot, "我 爱")
    return panel


@pytest.fixture
def panel(state, shown, qtbot):
    """The panel over a text with a part to measure on."""
    made = run_workspace.segmented(state.workspace)
    state.apply(Changes(corpora=True, segmentations=True, new_id=made))
    panel = shown(SmoothingPanel(state))
    answered(panel, qtbot)
    return panel


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def ask(panel, qtbot, text):
    panel.context.set_text(text)
    panel.context.changed.emit()
    answered(panel, qtbot)


def test_add_one_on_three_sentences(tiny):
    """Case C-1: p(我|爱) = 2/10, p(unknown|爱) = 1/10; each column sums to 1 over V = 7."""
    assert tiny.context.chips.words() == ["爱"]
    names = [row.name for row in tiny.matrix.matrix().rows]
    assert set(names[:3]) == {"北京", "上海", "我"}
    assert names[-1] == "<unk>"
    for word in ("北京", "上海", "我"):
        assert tiny.matrix.value("add-one", word) == pytest.approx(0.2)
        assert tiny.matrix.value("maximum-likelihood", word) == pytest.approx(1 / 3)
    assert tiny.matrix.value("add-one", "<unk>") == pytest.approx(0.1)
    assert tiny.matrix.value("maximum-likelihood", "<unk>") == 0
    assert tiny.matrix.column("add-one").shares == pytest.approx((0.6, 0.3, 0.1))
    for name in SMOOTHINGS:
        column = tiny.matrix.column(name)
        assert column.proper == (name != "stupid-backoff")
        if column.proper:
            assert column.total == pytest.approx(1, abs=1e-6)
            assert sum(column.values) == pytest.approx(1, abs=1e-6)
    assert not math.isclose(tiny.matrix.column("stupid-backoff").total, 1, abs_tol=1e-3)


def test_knobs_turn_their_columns_only(tiny, qtbot):
    before = tiny.matrix.column("witten-bell")
    tiny.side.knobs.k_knob.slider.setValue(80)  # 0.0001 times ten to the fourth
    answered(tiny, qtbot)
    assert tiny.side.knobs.k_knob.value.text() == "1"
    assert tiny.matrix.value("add-k", "我") == pytest.approx(0.2)
    tiny.side.knobs.d_knob.slider.setValue(75)
    answered(tiny, qtbot)
    word = (0.25 + 0.75 * 6 / 7) / 12  # 北京 by itself
    assert tiny.matrix.value("absolute-discounting", "北京") == pytest.approx(
        0.25 / 3 + 0.75 * word
    )
    assert tiny.matrix.column("witten-bell") == before
    assert tiny.side.knobs.discount == 0.75
    tiny.side.knobs.estimate.click()
    answered(tiny, qtbot)
    assert tiny.side.knobs.discount == 0
    assert tiny.side.knobs.shown_discount == pytest.approx(8 / (8 + 2 * 2))  # n1 = 8, n2 = 2


def test_what_is_not_defined_is_grey_and_says_why(tiny, qtbot):
    ask(tiny, qtbot, "广州")
    column = tiny.matrix.column("maximum-likelihood")
    assert column.reason == "not defined: c(h) = 0"
    assert "0 / 0" in column.tip
    assert not column.values
    assert tiny.matrix.column("add-one").values[0] == pytest.approx(1 / 7)
    tiny.choose("stupid-backoff")
    assert "not probabilities" in tiny._said.text()
    tiny.choose("modified-kneser-ney")
    assert "usual 0.5, 1 and 1.5" in tiny._said.text()
    tiny.choose("good-turing")
    assert "2-grams together" in tiny._said.text()
    assert tiny.matrix.column("modified-kneser-ney").noted


def test_every_smoothing_has_a_short_name():
    """A new one is missed here before the window stops at it."""
    assert tuple(smoothing_names.SHORT) == SMOOTHINGS


def test_a_short_context_stands_anywhere(tiny, qtbot):
    tiny.order.segment("3").click()
    ask(tiny, qtbot, "爱")
    assert tiny.context.chips.words() == ["爱"]
    assert tiny.asking.table.bars.occurrences == 3
    assert tiny.matrix.value("add-one", "北京") == pytest.approx(0.2)
    ask(tiny, qtbot, "<s> 我")
    assert tiny.context.chips.words() == ["<s>", "我"]
    assert tiny.matrix.value("maximum-likelihood", "爱") == pytest.approx(1)


def test_a_picked_beginning_says_so(tiny, qtbot):
    begins = laboratory.FrequentContext([BOS], ["<s>"], 3, 2)
    tiny.context.set_picked(begins, spaced=False)
    assert tiny.context.text.text().strip() == "<s>"
    tiny.context.changed.emit()
    answered(tiny, qtbot)
    assert tiny.context.chips.words() == ["<s>"]
    tiny.order.segment("4").click()  # nothing stands before it: it stays
    answered(tiny, qtbot)
    assert tiny.context.chips.words() == ["<s>"]
    more = laboratory.FrequentContext([BOS, 5, 4], ["<s>", "我", "爱"], 2, 2)
    tiny.context.set_picked(more, spaced=False)
    assert tiny.context.text.text() == "<s> 我爱"


def test_no_best_is_worse_than_what_stands_there(qtbot):
    card = KnobsCard()
    qtbot.addWidget(card)
    card.set_estimate(0.76)
    card.say("discount", 1.435, (0.76, 1.444))
    assert card.d_knob.said.full_text() == "valid 1.435 bits: no single D is better"
    card.say("k", 1.435, (0.5, 1.436))
    assert card.k_knob.said.full_text() == "valid 1.435 bits, the best"
    card.say("k", 1.435, (0.5, 1.4))
    assert card.k_knob.said.full_text() == "valid 1.435 bits, best 1.400 at 0.5"


def test_a_word_is_listed_that_was_not_seen(tiny, qtbot):
    tiny.context.also.setText("他")
    tiny.context.changed.emit()
    answered(tiny, qtbot)
    assert tiny.matrix.value("add-one", "他") == pytest.approx(0.1)
    tiny.context.also.setText("没有")
    tiny.context.changed.emit()
    answered(tiny, qtbot)
    assert "没有 is not in the vocabulary" in tiny._card.row.note.full_text()


def test_keys_move_the_column_and_the_order(tiny, qtbot):
    tiny.matrix.setFocus()
    qtbot.keyClick(tiny.matrix, Qt.Key.Key_Home)
    assert tiny.matrix.matrix().chosen == "maximum-likelihood"
    qtbot.keyClick(tiny.matrix, Qt.Key.Key_Right)
    assert tiny.matrix.matrix().chosen == "add-one"
    assert "北京 0.2000" in tiny.matrix.accessibleDescription()
    answered(tiny, qtbot)
    qtbot.keyClick(tiny.matrix, Qt.Key.Key_PageUp)
    answered(tiny, qtbot)
    assert tiny.order.value() == "3"
    assert tiny.context.chips.words() == ["我", "爱"]
    qtbot.keyClick(tiny.matrix, Qt.Key.Key_PageDown)
    qtbot.keyClick(tiny.matrix, Qt.Key.Key_PageDown)
    answered(tiny, qtbot)
    assert tiny.context.chips.words() == []
    tiny.search()
    assert tiny.context.text.hasFocus()


def test_a_frequent_context_is_picked(panel, qtbot):
    first = panel.context.text.text()
    assert len(panel.context.chips.words()) == 2
    assert panel.asking.table.bars.occurrences > 0
    panel.primary.click()
    answered(panel, qtbot)
    assert panel.context.text.text() != first
    before = panel.context.context()
    panel.order.segment("4").click()  # it grows to the left
    answered(panel, qtbot)
    assert len(panel.context.chips.words()) == 3
    assert panel.context.context()[-2:] == before[-2:]


def test_curves_and_their_files(panel, qtbot, tmp_path):
    growth = panel.side.growth
    curve = growth.curve("k")
    cut = panel.state.segmentation.id
    config = panel.asking.config("add-k")
    assert curve == laboratory.against_knob(panel.state.workspace, cut, config, "k", job=Job())
    best = min(curve, key=lambda row: row[1])
    assert growth.best("k") == (best[0], best[1])
    assert f"{best[1]:.3f}" in panel.side.knobs.k_knob.said.full_text()
    assert growth.plot.mark()[0] == panel.side.knobs.k
    assert growth.plot.mark()[1] == panel.matrix.column("add-k").figure
    growth.view.segment("order").click()
    answered(panel, qtbot)
    assert [point.order for point in growth.curve()] == list(range(1, 8))
    for number in range(growth.measure.count()):
        growth.measure.setCurrentIndex(number)
        assert growth.plot.visible_points() >= 5
        dialog = ExportDialog(panel.state, growth.plot, "x", panel)
        dialog.save(tmp_path / f"{number}.{('png', 'svg', 'pdf')[number % 3]}")
        assert (tmp_path / f"{number}.{('png', 'svg', 'pdf')[number % 3]}").stat().st_size > 1000
    growth.save.save(tmp_path / "order.csv", laboratory.save_points, growth.curve())
    answered(panel, qtbot)
    with (tmp_path / "order.csv").open(encoding="utf-8-sig") as file:
        assert len(list(csv.reader(file))) == 8
    growth.view.segment("size").click()
    answered(panel, qtbot)
    tokens = [point.tokens for point in growth.curve()]
    assert tokens == sorted(tokens)


def test_a_curve_can_be_cancelled(panel, qtbot):
    growth = panel.side.growth
    growth.view.segment("order").click()
    assert growth.busy
    growth.cancel()
    assert not growth.busy
    assert growth.curve() is None
    growth.view.segment("k").click()
    assert growth.curve() is not None


def test_counts_of_counts(tiny):
    assert tiny.side.counts.counts.n[:3] == [8, 2, 0]
    shown = [row.cells["turing"].value for row in tiny.side.counts.table.rows()[:2]]
    assert shown == [2 * 2 / 8, None]  # with n3 = 0 Turing has no answer for 2


def test_the_matrix_is_saved(tiny, qtbot, tmp_path):
    tiny.save.save(tmp_path / "m.csv", laboratory.save_bars, tiny.whole_table())
    qtbot.waitUntil(lambda: not tiny.state.jobs.busy)
    with (tmp_path / "m.csv").open(encoding="utf-8-sig") as file:
        rows = {row[0]: row for row in csv.reader(file)}
    assert rows["Word"][2:] == list(SMOOTHINGS)
    assert float(rows["北京"][3]) == pytest.approx(0.2)
    assert float(rows["sum"][3]) == pytest.approx(1)
    for kind in ("png", "svg", "pdf"):
        ExportDialog(tiny.state, tiny.matrix, "x", tiny).save(tmp_path / f"m.{kind}")
        assert (tmp_path / f"m.{kind}").stat().st_size > 1000


def test_the_help_works_it_out_on_these_counts(tiny, shown):
    wanted = []
    tiny.state.panel_wanted.connect(wanted.append)
    tiny.help.click()
    assert wanted == ["help"]
    panel = shown(HelpPanel(tiny.state))
    page = panel.likelihood
    said = [formula.text() for _, _, formula in page._texts]
    assert any("1 + 1 + 1 = 3" in text for text in said)
    assert f"ln L = {3 * math.log(1 / 3):.3f}" in said[4]
    assert [row.cells["fraction"].value for row in page.table.rows()] == ["1 / 3"] * 3
    tiny.state.explain(None)
    assert page.counts.context == ["我", "爱"]  # whoever has asked nothing sees an example
    page.back.click()
    assert wanted[-1] == "smoothing"


def test_a_slider_that_moves_on_is_answered_as_it_is_last(panel, qtbot):
    """While an answer is awaited further turns are kept, and the last one is asked next."""
    asked = []
    submit = panel.state.queue.submit
    panel.state.queue.submit = lambda *work: asked.append(work)
    for step in (10, 20, 30):
        panel.side.knobs.k_knob.slider.setValue(step)
    assert len(asked) == 1
    assert panel.asking.stale("add-k")
    panel.state.queue.submit = submit
    submit(*asked[0])
    answered(panel, qtbot)
    assert panel.asking.columns["add-k"].config.k == panel.side.knobs.k == 0.00316
    assert not panel.asking.stale("add-k")


def test_it_leads_on_without_a_segmentation(state, shown, qtbot):
    panel = shown(SmoothingPanel(state))
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    segment_workspace.add_text(state, "我爱北京。\n" * 5)
    panel.primary.click()
    assert wanted == ["corpora", "segment"]


def test_a_deleted_segmentation_is_forgotten(tiny, qtbot):
    tiny.state.apply(segmentations.delete(tiny.state.workspace, tiny.state.segmentation.id))
    answered(tiny, qtbot)
    assert tiny.primary is tiny._lead


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(state, shown, qtbot, language, tmp_path):
    messages.use(language)
    explore_workspace.add_tiny(state, tmp_path)
    panel = shown(SmoothingPanel(state))
    answered(panel, qtbot)
    panel.choose("good-turing")  # its remark takes several lines
    for view in ("k", "order"):
        panel.side.growth.view.segment(view).click()
        answered(panel, qtbot)
        panel.side.growth.measure.setCurrentIndex(3)
        column = panel.side.growth.parentWidget()
        assert column.minimumSizeHint().width() <= panel.side.width()
        assert_fits(panel)
        assert not clipped(panel)
    messages.use("en")
