"""Masks: clicks and keys hide words, columns tell what trained models put there."""

import csv

import pytest
from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from lmstudio import messages
from lmstudio.analysis.fill.question import Blank, Question
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.masks import MasksPanel
from lmstudio.gui.plot_export import export
from lmstudio.gui.widgets.guess_list import GuessRow, rank_width
from lmstudio.jobs import Job
from lmstudio.operations import fill
from lmstudio.operations.changes import Changes
from lmstudio.operations.segmentations import SegmentOptions, create
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace

SENTENCE = "小河边有大树，大树上有白云。"
KEYS = {"left": Qt.Key.Key_Left, "right": Qt.Key.Key_Right, "enter": Qt.Key.Key_Return}


@pytest.fixture
def runs(app_state, cut):
    """An n-gram and a BERT of a few steps, over characters."""
    made = [run_workspace.counted(app_state.workspace, cut, 3),
            run_workspace.network(app_state.workspace, cut, "bert", layers=1, heads=2)]  # fmt: skip
    app_state.apply(Changes(runs=True))
    return made


@pytest.fixture
def panel(app_state, runs, shown, qtbot, jieba_home, monkeypatch):
    """Asks in the lane's thread: a worker for each test would take seconds to start."""
    monkeypatch.setattr(Job, "call", lambda job, ask, *args, **how: ask(*args, job=job, **how))
    return opened(app_state, shown, qtbot)


def opened(app_state, shown, qtbot):
    app_state.set_sentence(SENTENCE)
    made = shown(MasksPanel(app_state))
    settled(made, qtbot)
    return made


def settled(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def click(panel, qtbot, text, *, keys=Qt.KeyboardModifier.NoModifier):
    """Click the first unit that reads so."""
    view = panel.sentence.view
    number = next(n for n, u in enumerate(view.units()) if view.text()[u.start : u.end] == text)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, keys, view.place_of(number).toPoint())


def words(column):
    return [row.word for row in column.guesses.rows()]


def test_columns_tell_what_the_operation_says(app_state, runs, shown, qtbot, jieba_home):
    panel = opened(app_state, shown, qtbot)  # through the worker
    click(panel, qtbot, "白云")
    settled(panel, qtbot)
    question = Question.of(SENTENCE, [(11, 13)])
    assert panel.blanks.question == question
    for run, column in panel.board.columns.items():
        known = fill.fill(app_state.workspace, run, question, job=Job())
        assert column.answer == known
        (blank,) = known.blanks
        shown = column.guesses.rows()
        for row, guess in zip(shown, blank.guesses, strict=False):
            assert row.probability == guess.probability
        (true,) = [row for row in shown if row.true]
        assert true.word == "白云"
        assert true.rank.lstrip("≥") == str(blank.rank)
        assert column.how.full_text() == fill.how(known, blank)
    assert [one.rank for one in panel.rank.axis.ranks()] == sorted(
        column.blank(0).rank for column in panel.board.columns.values()
    )


def test_all_bars_are_drawn_on_one_scale(panel):
    most = max(
        g.probability for c in panel.board.columns.values() for g in c.answer.blanks[0].guesses
    )
    assert {column.guesses._most for column in panel.board.columns.values()} == {most}
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    panel.board.columns[next(iter(panel.board.columns))].guesses.render(image, QPoint())


def test_case_h1_a_whole_word_or_a_token_is_hidden_by_one_click(panel, qtbot):
    click(panel, qtbot, "大树")
    assert panel.blanks.blank == Blank(4, 6)
    settled(panel, qtbot)
    assert {c.blank(0).pieces for c in panel.board.columns.values()} == {2}  # two characters
    panel.sentence.unit.segment("token").click()
    click(panel, qtbot, "河")
    assert panel.blanks.blank == Blank(1, 2)
    settled(panel, qtbot)
    assert {c.blank(0).pieces for c in panel.board.columns.values()} == {1}


def test_keys_move_the_blank_and_extend_it(panel, qtbot):
    view = panel.sentence.view
    click(panel, qtbot, "大树")
    assert panel.blanks.blank == Blank(4, 6)
    qtbot.keyClick(view, KEYS["right"])
    assert panel.blanks.blank == Blank(6, 7)
    qtbot.keyClick(view, KEYS["right"], Qt.KeyboardModifier.ShiftModifier)
    assert panel.blanks.blank == Blank(6, 9)
    qtbot.keyClick(view, KEYS["left"], Qt.KeyboardModifier.ShiftModifier)
    assert panel.blanks.blank == Blank(6, 7)
    qtbot.keyClick(view, KEYS["left"])
    assert panel.blanks.blank == Blank(4, 6)
    settled(panel, qtbot)


def test_dragging_hides_several_words(panel, qtbot):
    view = panel.sentence.view
    first, last = (view.place_of(n).toPoint() for n in (1, 3))
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=first)
    qtbot.mouseMove(view, last)
    view.mouseMoveEvent(_moved(last))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=last)
    units = [panel.blanks.text[b.start : b.end] for b in panel.blanks.question.blanks]
    assert units == ["有大树，"]
    settled(panel, qtbot)


def _moved(place):
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent

    at = QPointF(place)
    left = Qt.MouseButton.LeftButton
    return QMouseEvent(QEvent.Type.MouseMove, at, at, left, left, Qt.KeyboardModifier.NoModifier)


def test_enter_fills_the_first_and_undo_takes_it_back(panel, qtbot, app_state):
    click(panel, qtbot, "白云")
    settled(panel, qtbot)
    first = words(next(iter(panel.board.columns.values())))[0]
    panel.sentence.view.setFocus()
    qtbot.keyClick(panel.sentence.view, KEYS["enter"])
    assert panel.blanks.text == SENTENCE.replace("白云", first)
    assert app_state.sentence == panel.blanks.text
    assert panel.blanks.blank == Blank(11, 11 + len(first))  # asked again, with this as the truth
    settled(panel, qtbot)
    qtbot.keyClick(panel.sentence.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert panel.blanks.text == SENTENCE
    settled(panel, qtbot)


def test_a_click_on_a_candidate_fills_the_blank(panel, qtbot):
    column = list(panel.board.columns.values())[1]
    row = next(n for n, row in enumerate(column.guesses.rows()) if row.known)
    word, blank = words(column)[row], panel.blanks.blank
    place = column.guesses._box(row).center().toPoint()
    qtbot.mouseClick(column.guesses, Qt.MouseButton.LeftButton, pos=place)
    assert panel.blanks.text == SENTENCE[: blank.start] + word + SENTENCE[blank.end :]
    settled(panel, qtbot)


def test_case_h1_marks_are_blanks_without_a_true_word(panel, qtbot):
    panel.sentence.start_editing()
    panel.sentence.line.setText("小河边有［mask］【MASK】。")
    panel.sentence.line.editingFinished.emit()
    settled(panel, qtbot)
    assert [blank.marked for blank in panel.blanks.question.blanks] == [True, True]
    assert panel.sentence.order.isVisible()
    assert "independent" in panel.sentence._hint.full_text()
    assert panel.rank.axis.isHidden()
    for column in panel.board.columns.values():
        assert not any(row.true for row in column.guesses.rows())
    independent = [words(column) for column in panel.board.columns.values()]
    panel.blanks.go(1)
    assert [words(column) for column in panel.board.columns.values()] != independent
    panel.sentence.order.segment("in_order").click()
    settled(panel, qtbot)
    assert all(column.answer.in_order for column in panel.board.columns.values())
    panel.sentence.taken.emit()
    assert panel.blanks.text.count("【MASK】") + panel.blanks.text.count("［mask］") == 1
    settled(panel, qtbot)


def test_one_more_word_is_hidden_and_shown_again(panel, qtbot):
    click(panel, qtbot, "大树")
    panel.sentence.more.click()
    assert [b.start for b in panel.blanks.question.blanks] == [4, 7]
    click(panel, qtbot, "白云", keys=Qt.KeyboardModifier.ControlModifier)
    assert len(panel.blanks.question.blanks) == 3
    click(panel, qtbot, "白云", keys=Qt.KeyboardModifier.ControlModifier)
    assert len(panel.blanks.question.blanks) == 2
    settled(panel, qtbot)


def test_two_words_are_compared_in_the_blank(panel, app_state, runs, qtbot):
    click(panel, qtbot, "白云")
    settled(panel, qtbot)
    panel.rank.words[0].setText("红花")
    panel.rank.words[1].setText("小河")
    panel.rank.page.segment("alike").click()
    settled(panel, qtbot)
    known = fill.similarity(app_state.workspace, runs[1], panel.blanks.question, 0,
                            ("红花", "小河"), job=Job())  # fmt: skip
    told = panel.rank.alike_lines()
    assert told[runs[1]] == "  ".join(f"{value:.2f}" for value in known.cosines)
    assert "no vectors" in told[runs[0]]


def test_the_training_view_draws_lots_and_pairs(panel, app_state, qtbot, tmp_path):
    panel.mode.segment("training").click()
    view = panel.training
    qtbot.waitUntil(lambda: view.drawn is not None and view.pair is not None)
    assert "".join(box.text for box in view.boxes.boxes()) == SENTENCE
    assert {box.fate for box in view.boxes.boxes()} <= {"open", "masked", "random", "kept"}
    before = view.drawn
    view.again.click()
    qtbot.waitUntil(lambda: view.drawn is not before)
    assert "Draws: 2." in view.law.text()
    assert view.first.text().startswith("[CLS]")
    assert view.label.text().startswith("Label")
    fill.save_lottery(view.drawn, tmp_path / "lot.csv", job=Job())
    assert (tmp_path / "lot.csv").read_text(encoding="utf-8-sig").startswith("Token,Shown,Fate")


def test_answers_are_saved_drawn_and_kept(panel, app_state, runs, qtbot, tmp_path):
    panel.save.save(tmp_path / "fill.csv", fill.save_answers, panel.blanks.question,
                    panel.board.answers())  # fmt: skip
    qtbot.waitUntil((tmp_path / "fill.csv").exists)
    with (tmp_path / "fill.csv").open(encoding="utf-8-sig", newline="") as file:
        names = {row[0] for row in list(csv.reader(file))[1:]}
    assert names == {column.run.name for column in panel.board.columns.values()}
    for kind in ("png", "svg", "pdf"):
        export(
            panel.board.picture(panel.blanks.question),
            tmp_path / f"masks.{kind}",
            QSize(900, 500),
            "Masks",
        )
        assert (tmp_path / f"masks.{kind}").stat().st_size > 1000
    panel.keep()
    from lmstudio.operations import findings

    (found,) = findings.findings(app_state.workspace)
    findings.ask_again(app_state.workspace, found.id, runs[0], job=Job())
    (again,) = findings.findings(app_state.workspace)
    assert again.answers == found.answers  # the same question to the same run


def test_runs_of_other_segmentations_are_asked_too(panel, app_state, runs, qtbot):
    cut = create(app_state.workspace, app_state.corpus.id, SegmentOptions(by="jieba"), job=Job())
    other = run_workspace.counted(app_state.workspace, cut.new_id, 2)
    app_state.apply(Changes(runs=True))
    app_state.asked.show([*runs, other])
    click(panel, qtbot, "白云")
    settled(panel, qtbot)
    assert [c.blank(0).pieces for c in panel.board.columns.values()] == [2, 1, 2] or [
        c.blank(0).pieces for c in panel.board.columns.values()
    ] == [2, 2, 1]


def test_an_answer_that_cannot_be_is_said_in_its_column(panel, qtbot):
    panel.blanks.set_text("[MASK]" + "山" * 500)
    settled(panel, qtbot)
    for column in panel.board.columns.values():
        assert "400 at most" in column._error.text()
        assert column.guesses.rows() == []


def test_long_ranks_are_whole(qapp):
    short, far = [GuessRow("1", "山", 0.5)], GuessRow("≥11\u2009821", "树", 1e-6, True)
    metrics = QFontMetricsF(theme.font(12))
    assert rank_width(short) == theme.px(30)
    assert rank_width([*short, far]) >= metrics.horizontalAdvance(far.rank) + theme.px(4)


def test_another_sentence_of_the_corpus(panel, qtbot):
    panel.sentence.next.click()
    qtbot.waitUntil(lambda: panel.blanks.text != SENTENCE)
    settled(panel, qtbot)
    assert panel.blanks.text in run_workspace.text().split("\n")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_and_an_empty_workspace_says_the_way_out(app_state, qtbot, shown, language):
    messages.use(language)
    try:
        panel = shown(MasksPanel(app_state))
        assert panel._pages.currentIndex() == 1
        assert panel.primary is panel._empty.lead
        wanted = []
        app_state.panel_wanted.connect(wanted.append)
        panel.primary.click()
        assert wanted == ["new_run"]
        assert app_state.draft["config"]["order"] == 5
        assert_fits(panel)
    finally:
        messages.use("en")


def test_the_panel_fits(panel):
    assert_fits(panel)
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    panel.board.picture(panel.blanks.question).draw(painter, QRectF(0, 0, 300, 200), "dark")
    painter.end()
