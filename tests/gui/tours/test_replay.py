"""The tours from end to end by "Do it for me", in both languages, with models really trained."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

from lmstudio import messages
from lmstudio.gui.sample_maker import SampleMaker
from lmstudio.gui.tours import find, models
from lmstudio.gui.tours.blanks import HIDDEN
from lmstudio.gui.tours.meanings import GROUPS, WORD
from lmstudio.gui.window import Window
from tests.gui.conftest import clipped

pytestmark = pytest.mark.slow

PATIENCE_MS = 400_000  # of a machine that does other things besides
BERT_STEPS = {"zh_CN": 600, "en": 10}  # where it is to know who eats what, and where not


@pytest.fixture(params=["zh_CN", "en"])
def language(request, monkeypatch):
    """Few steps: what is compared in the tour of curves need not be good."""
    monkeypatch.setitem(models.LSTM, "training", {"max_steps": 20})
    monkeypatch.setitem(models.BERT["training"], "max_steps", BERT_STEPS[request.param])
    messages.use(request.param)
    return request.param


@pytest.fixture
def window(language, window):
    """In that language from its first widget on."""
    SampleMaker(window.state, window)
    return window


def replay(window: Window, qtbot, key: str) -> list[int]:
    """Take a tour by the card alone; the numbers of its steps that did not pass by themselves."""
    guide, tour, taken = window.guide, find(key), []
    window.panel("welcome").tours.cards[0].wanted.emit(key)
    while guide.step is not None:
        taken.append(tour.steps.index(guide.step))
        qtbot.wait(500)  # panels that have just come are laid out
        check_places(window)
        for control in (guide.card.do, guide.card.next):
            if control is guide.card.next or control.isVisible():
                qtbot.waitUntil(control.isEnabled, timeout=PATIENCE_MS)
                check_places(window)
                step = guide.step
                qtbot.mouseClick(control, Qt.MouseButton.LeftButton)
                if control is guide.card.do:
                    qtbot.waitUntil(guide.card.next.isEnabled, timeout=PATIENCE_MS)
                    assert guide.step is step
    return taken


def check_places(window: Window) -> None:
    """The control of the step is on screen, ringed, and the card does not lie on it."""
    guide = window.guide
    guide.look()
    step, card = guide.step, guide.card
    if step is None or window.current_panel != step.panel:
        assert card.shown().done, "its own work may lead elsewhere"
        return
    control = step.find(window.panel(step.panel))
    assert control.isVisible(), step.control
    rect = seen(control, window)
    assert not rect.isEmpty()
    assert window.rect().contains(rect)
    assert guide.ring.geometry().contains(rect)
    assert window.rect().contains(card.geometry())
    assert not card.geometry().intersects(rect), step.control
    assert clipped(card) == []


def seen(control: QWidget, window: Window) -> QRect:
    """What of a control is not scrolled away."""
    rect, at = window.rect(), control
    while at is not window:
        rect = rect.intersected(QRect(at.mapTo(window, QPoint(0, 0)), at.size()))
        at = at.parentWidget()
    return rect


def test_the_tours_do_real_work(window, language, qtbot):
    state = window.state
    assert replay(window, qtbot, "counting") == [*range(len(find("counting").steps))]
    check_counting(window, qtbot)
    taken = replay(window, qtbot, "blanks")
    assert 0 not in taken, "the sample corpus is there already"
    check_blanks(window, language)
    taken = replay(window, qtbot, "meanings")
    assert taken[:2] == [1, 5], "BERT is trained already: what it is can be read again"
    check_meanings(window)
    assert len(state.runs()) == 3
    assert {run.state for run in state.runs()} == {"done"}
    assert [state.settings.tour_step(key) for key in ("counting", "blanks", "meanings")] == [
        len(find(key).steps) for key in ("counting", "blanks", "meanings")
    ]  # fmt: skip


def check_counting(window: Window, qtbot) -> None:
    """Bits per character of both models, on one axis, and the sentence read by both."""
    curves, compared = window.panel("curves"), window.panel("head_to_head").found
    assert curves.measure.value() == "bits_per_character"
    runs = {run.model: run for run in window.state.runs()}
    assert {one.name for one in curves.plot.series()} >= {run.name for run in runs.values()}
    bits = dict(zip(compared.runs, compared.bits_per_character().tolist(), strict=True))
    assert set(bits) == {runs["ngram"].name, runs["lstm"].name}
    assert all(0 < value < 15 for value in bits.values())
    ids, sentence = {run.id for run in runs.values()}, window.panel("sentence")
    qtbot.waitUntil(lambda: set(sentence.answers) == ids, timeout=PATIENCE_MS)


def check_blanks(window: Window, language: str) -> None:
    """BERT's answer to the blank, with the true word told; trained enough, it is the first."""
    panel, bert = window.panel("masks"), next(
        run for run in window.state.runs() if run.model == "bert"
    )  # fmt: skip
    blank = panel.board.columns[bert.id].blank(0)
    assert blank.truth.text == HIDDEN
    if BERT_STEPS[language] >= 600:
        assert blank.guesses[0].text == HIDDEN
        assert blank.guesses[0].probability > 0.5


def check_meanings(window: Window) -> None:
    """Two groups of occurrences in BERT's last layer, whose marks stand in the list."""
    panel = window.panel("polysemy")
    bert = next(run for run in window.state.runs() if run.model == "bert")
    assert panel.found.word == WORD
    assert {one.sense for one in panel.found.occurrences} == {"ox", "tout"}
    labels = panel.answers[bert.id].layers[-1].labels.tolist()
    assert len(set(labels)) == GROUPS
    assert panel.answer.board.cells()[panel.answer.board.cell()].run == bert.id
