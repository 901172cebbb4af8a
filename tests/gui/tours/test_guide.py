"""The guide: what it points at, how it is left and taken up again, and what it leaves alone."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

from lmstudio import messages
from lmstudio.gui.tours import TOURS, find, models
from lmstudio.gui.tours.step import Step
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import Settings
from lmstudio.text.segment import SegmentOptions
from tests.gui.conftest import clipped
from tests.gui.panels import run_workspace

STEPS = [(tour.key, number) for tour in TOURS for number in range(len(tour.steps))]


def rect_of(widget: QWidget, window: Window) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


@pytest.fixture
def guide(window):
    return window.guide


@pytest.mark.parametrize(("key", "number"), STEPS, ids=[f"{key}-{n + 1}" for key, n in STEPS])
def test_every_step_has_its_control(window, key, number):
    step = find(key).steps[number]
    assert window.panel(step.panel).isAncestorOf(step.find(window.panel(step.panel)))


def test_tours_end_with_something_to_look_at():
    for tour in TOURS:
        assert tour.steps[-1].done is None
        assert all(step.done is not None for step in tour.steps if step.act is not None)


def test_the_ring_and_the_card_are_beside_the_control(window, guide):
    guide.begin("counting")
    sample = window.panel("welcome").sample
    assert guide.ring.isVisible()
    assert guide.ring.geometry().contains(rect_of(sample, window))
    assert guide.ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert guide.card.isVisible()
    assert not guide.card.geometry().intersects(rect_of(sample, window))
    assert window.rect().contains(guide.card.geometry())
    window.resize(1280, 720)
    guide.look()
    assert guide.ring.geometry().contains(rect_of(sample, window))
    assert clipped(guide.card) == []


def test_what_must_be_done_cannot_be_passed_over(window, guide, qtbot):
    guide.begin("blanks")
    card = guide.card
    assert not card.next.isEnabled()
    assert card.next.toolTip() == "Do this step first, or have it done."
    wanted = []
    window.state.sample_wanted.connect(lambda: wanted.append(True))
    qtbot.mouseClick(card.do, Qt.MouseButton.LeftButton)
    assert wanted == [True], "the real button was pressed"


def test_the_card_leaves_the_focus_where_it_is(window, guide, qtbot):
    window.panel("welcome").primary.setFocus()
    focus = window.focusWidget()
    guide.begin("counting")
    assert window.focusWidget() is focus
    qtbot.mouseClick(guide.card.do, Qt.MouseButton.LeftButton)
    assert window.focusWidget() is focus
    for _ in range(6):
        window.next_region()
        if guide.card.isAncestorOf(window.focusWidget()):
            break
    assert guide.card.isAncestorOf(window.focusWidget()), "F6 leads to it"


def test_it_tells_screen_readers_what_a_step_is(guide):
    guide.begin("meanings")
    assert guide.card.accessibleName() == "One word, two meanings: Step 1 of 9"
    assert guide.card.accessibleDescription().startswith("This button makes the sample corpus")


def test_escape_leaves_and_the_tour_goes_on_from_there(window, guide, qtbot):
    guide.begin("counting")
    guide._show(1)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert guide.step is None
    assert guide.card.isHidden()
    assert guide.ring.isHidden()
    assert Settings.load().tour_step("counting") == 1
    guide.begin("counting")
    assert guide._at == 0, "the sample corpus that the second step needs is not there"


def test_another_panel_is_the_users_to_look_at(window, guide):
    guide.begin("counting")
    window.show_panel("settings")
    guide.look()
    assert guide.card.way.isVisible()
    assert not guide.card.do.isVisible()
    assert guide.ring.isHidden()
    guide.card.way.click()
    assert window.current_panel == "welcome"
    assert guide.ring.isVisible()


def test_work_that_is_there_passes_by_itself(window, guide, monkeypatch):
    monkeypatch.setattr(Step, "is_done", lambda step, state, panel: step.done is not None)
    guide.begin("counting")
    assert (guide.step.panel, guide.step.done) == ("segment", None)
    guide._show(4)
    guide.go_on()
    assert guide.step.panel == "curves", "the training was there already"
    guide.back()
    assert guide.step.control == "row.start", "going back passes nothing over"
    guide.go_on()
    assert guide.step.panel == "curves"


def test_what_explains_is_shown_though_it_is_so_already(window, guide):
    run_workspace.segmented(window.state.workspace)
    form = window.panel("new_run")
    assert form.timeline.value() == "ngram", "as the form stands at first"
    guide.begin("counting")
    guide._show(1)
    guide.go_on()
    assert guide.step.control == "#model-ngram"
    card = guide.card
    assert card.shown().done
    assert card._state.full_text() == "It is so already. Read it, and go on."
    assert card.next.property("kind") == "primary"
    guide.go_on()
    assert guide.step.control == "row.start"
    assert card._state.full_text() == "Waits until the n-grams are counted."


def test_steps_that_explain_a_model_are_read():
    choices = [s for tour in TOURS for s in tour.steps if s.control.startswith("#model-")]
    assert len(choices) == 4
    assert all(step.read for step in choices)


def test_a_step_says_what_it_waits_for_and_what_has_begun(window, guide, monkeypatch):
    guide.begin("blanks")
    guide._show(4)
    card = guide.card
    assert guide.step.control == "jobs"
    assert card._state.full_text() == "Waits until BERT is trained."
    assert card.next.toolTip() == "Waits until BERT is trained.", "there is nothing to be done"
    monkeypatch.setattr(models, "of_model", lambda state, model, *states: ["a run"])
    guide._show(3)
    assert card._state.full_text() == "The training has begun. The next step waits for its end."


def test_the_main_button_is_what_comes_next(window, guide, monkeypatch):
    guide.begin("counting")
    card = guide.card

    def main():
        return [
            one for one in (card.way, card.do, card.next) if one.property("kind") == "primary"
        ]  # fmt: skip

    assert main() == [card.do]
    window.show_panel("settings")
    guide.look()
    assert main() == [card.way]
    monkeypatch.setattr(Step, "is_done", lambda step, state, panel: step.done is not None)
    guide.look()
    assert card.way.isVisible()
    assert main() == [card.next], "the work is done, wherever one is"
    guide.lead()
    assert main() == [card.next]


def test_the_tours_settings_are_those_of_a_preset(window, guide):
    run_workspace.segmented(window.state.workspace)
    form = window.panel("new_run")
    guide.begin("counting")
    guide._show(4)
    guide.do()
    assert form.spec().model == "lstm"
    assert form.form.page().preset.value() == "small"
    guide._show(2)
    form.timeline.choose("bert")
    guide.do()
    assert form.form.page().preset.value() == "3"


def test_the_sentences_shown_are_cut_differently(window, guide, qtbot):
    """The first sentences of a text may be cut alike."""
    ws = window.state.workspace
    text = "我爱吃米饭。\n" * 30 + "张小明家里养了一只小猫。\n" * 5
    corpus = corpora.import_text(ws, text, name="猫", job=Job()).new_id
    segmentations.create(ws, corpus, SegmentOptions(by="jieba"), name="词", job=Job())
    window.state.apply(Changes(corpora=True, segmentations=True, new_id=corpus))
    guide.begin("counting")
    guide._show(1)
    comparison = window.panel("segment").comparison
    qtbot.waitUntil(lambda: comparison.seen and comparison.differs())
    assert comparison.flows[0].lit_text() == "张小明"


def test_the_last_step_ends_the_tour(window, guide):
    guide.begin("blanks")
    guide._show(9)
    assert guide.card.next.text() == "Finish"
    guide.card.next.click()
    assert guide.step is None
    card = window.panel("welcome").tours.cards[1]
    assert card.begin.text() == "Start again"


def test_the_start_page_tells_how_far_a_tour_was_taken(window, guide, qtbot):
    card = window.panel("welcome").tours.cards[0]
    assert card.begin.text() == "Start"
    qtbot.mouseClick(card.begin, Qt.MouseButton.LeftButton)
    assert guide.step is find("counting").steps[0]
    guide._show(2)
    window.show_panel("welcome")
    assert card.begin.text() == "Go on"
    assert card._told.full_text() == "left at step 3 of 9"


def test_a_new_window_shows_the_same_step(window, guide, qtbot):
    guide.begin("counting")
    messages.use("zh_CN")
    other = Window(window.state)
    qtbot.addWidget(other)
    other.restore(window)
    other.show()
    assert guide.step is None
    assert other.guide.step is find("counting").steps[0]
    assert other.guide.card.do.text() == "替我做"
    other.guide.look()
    assert other.guide.ring.isVisible()


def test_another_workspace_ends_the_tour(window, guide, tmp_path):
    guide.begin("counting")
    assert window.state.open_workspace(tmp_path / "other")
    assert guide.step is None


def test_the_menu_and_the_palette_have_the_tours(window, guide, qtbot):
    run_workspace.segmented(window.state.workspace)
    window.show_palette()
    qtbot.keyClicks(window.palette_box.field, "two meanings")
    assert window.palette_box.found.item(0).text().startswith("Tour: One word, two meanings")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert guide.step is find("meanings").steps[0]
    window.actions_by_key["tour_blanks"].trigger()
    assert guide.step is find("blanks").steps[0]


@pytest.mark.parametrize("garbage", ["3", -4, None, 2.5, 99, True], ids=str)
def test_settings_that_are_no_steps_count_as_none(window, guide, garbage):
    window.state.settings.tours = {"counting": garbage}
    guide.begin("counting")
    assert guide._at == 0
