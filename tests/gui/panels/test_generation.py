"""Next word and generation: what really trained models expect and write, through the panel."""

import csv
import math

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QMenu, QToolTip

from lmstudio import messages
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.gui.dialogs.prompt_template import PromptDialog
from lmstudio.gui.panels.explore.generation import GenerationPanel
from lmstudio.gui.panels.explore.generation_picture import GenerationPicture
from lmstudio.gui.plot_export import export
from lmstudio.gui.widgets.written_text import tint
from lmstudio.jobs import Job
from lmstudio.operations import findings, generation, prompts
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import run_workspace

TEXT = "小河边有"


@pytest.fixture
def runs(app_state, cut):
    """Three n-grams: they answer without waiting for torch."""
    made = [run_workspace.counted(app_state.workspace, cut, order) for order in (2, 3, 4)]
    app_state.asked.show(made)
    app_state.apply(Changes(runs=True))
    return made


@pytest.fixture(autouse=True)
def _no_popup(monkeypatch):
    """A menu on screen would want the keyboard, which there is none of here."""
    monkeypatch.setattr(QMenu, "popup", lambda self, place: None)


@pytest.fixture
def panel(app_state, runs, shown, qtbot):
    app_state.set_sentence(TEXT)
    panel = shown(GenerationPanel(app_state))
    wait(panel, qtbot)
    return panel


def wait(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def write(panel, qtbot, **options):
    for name, value in options.items():
        panel.form.control(name).setValue(value)
    panel.primary.click()
    wait(panel, qtbot)


def test_next_tokens_are_those_of_the_operation(panel, app_state, runs):
    assert list(panel.columns) == runs
    largest = 0.0
    for run, column in panel.columns.items():
        table = generation.next_table(app_state.workspace, run, TEXT, job=Job())
        assert column.table == table
        assert [guess.p for guess in column.bars.guesses()] == [g.p for g in table.guesses[:8]]
        largest = max(largest, table.guesses[0].p)
    assert {column.bars.scale for column in panel.columns.values()} == {largest}


def test_a_damaged_model_says_so_in_its_column_and_the_others_write(panel, app_state, runs, qtbot):
    folder = app_state.workspace.run_folder(app_state.workspace.run(runs[0]).id)
    (folder / "model.ngram").write_bytes(b"no model")
    write(panel, qtbot, length=5)
    first, *others = panel.columns.values()
    assert "model.ngram" in first.ended.text()
    assert not first.text.texts()
    assert all(column.text.texts() for column in others)


def test_they_follow_the_typing_and_a_click_adds_one(panel, app_state, qtbot):
    panel.prompt.setPlainText("山边有水，")
    assert app_state.sentence == "山边有水，"
    assert panel.columns[next(iter(panel.columns))].bars.graphicsEffect() is None
    wait(panel, qtbot)
    column = next(iter(panel.columns.values()))
    assert column.table.read[-1] == "，"
    first = column.table.guesses[0].piece
    qtbot.mouseClick(column.bars, Qt.MouseButton.LeftButton, pos=QPoint(10, 5))
    assert panel.text() == "山边有水，" + first
    wait(panel, qtbot)
    column.bars.setFocus()
    qtbot.keyClick(column.bars, Qt.Key.Key_Down)
    assert column.table.guesses[0].piece in column.bars.accessibleName()
    qtbot.keyClick(column.bars, Qt.Key.Key_Return)
    assert len(panel.text()) == len("山边有水，") + 2


def test_an_end_of_a_sentence_begins_a_line(panel, qtbot):
    panel.prompt.setPlainText("山边有水，水上有大树。")
    wait(panel, qtbot)
    column = list(panel.columns.values())[1]
    assert column.table.guesses[0].piece == "</s>"
    assert column.bars.guesses()[0].quiet
    column.bars.taken.emit(0)
    assert panel.text().endswith("。\n")


def test_texts_are_those_of_the_operation(panel, app_state, runs, qtbot):
    write(panel, qtbot, seed=5, count=2, length=15)
    options = GenerationOptions(seed=5, count=2, length=15)
    found = generation.generate(app_state.workspace, runs, TEXT, options, job=Job())
    for one, column in zip(found, panel.columns.values(), strict=True):
        assert column.found.texts == one.texts
        shown = column.text.texts()
        assert ["".join(token.text for token in text) for text in shown] == [
            text.text for text in one.texts
        ]
        assert "tokens" in column.ended.text()


@pytest.mark.slow
def test_networks_write_and_bert_says_why_not(app_state, cut, shown, qtbot):
    made = [run_workspace.network(app_state.workspace, cut, name, **sizes)
            for name, sizes in (("rnn", {}), ("gpt", {"layers": 1, "heads": 2}),
                                ("bert", {"layers": 1, "heads": 2}))]  # fmt: skip
    app_state.asked.show(made)
    app_state.apply(Changes(runs=True))
    app_state.set_sentence(TEXT)
    panel = shown(GenerationPanel(app_state))
    wait(panel, qtbot)
    assert list(panel.columns) == made[:2]
    write(panel, qtbot, length=8)
    options = GenerationOptions(length=8)
    found = generation.generate(app_state.workspace, made[:2], TEXT, options, job=Job())
    shown_texts = [column.found.texts for column in panel.columns.values()]
    for ours, theirs in zip(shown_texts, [one.texts for one in found], strict=True):
        assert ours[0].text == theirs[0].text
        assert ours[0].log_p == pytest.approx(theirs[0].log_p, rel=1e-5)


def test_texts_grow_while_they_are_written(panel, qtbot):
    seen = []
    panel.writer.grown.connect(lambda runs, found: seen.append(found[0].written))
    panel.form.control("length").setValue(20_000)
    panel.form.control("sentences").setValue(20_000)
    panel.primary.click()
    assert not panel.primary.isEnabled()
    assert panel._stop.isEnabled()
    qtbot.waitUntil(lambda: len(seen) > 2)
    assert seen[0] < seen[-1]
    assert panel.stop()
    wait(panel, qtbot)
    column = next(iter(panel.columns.values()))
    assert column.found.stopped
    assert len(column.found.texts[0].tokens) == column.found.written >= seen[-1]
    assert panel.primary.isEnabled()
    assert not panel.stop()


def test_case_h2_the_panel_refuses_wrong_temperatures(panel, qtbot):
    box = panel.form.control("temperature")
    box.setValue(-1)
    assert not panel.primary.isEnabled()
    assert panel.primary.toolTip()
    box.setValue(0)
    assert panel.primary.isEnabled()
    box.setFocus()
    box.selectAll()
    qtbot.keyClick(box, Qt.Key.Key_Delete)
    assert not panel.primary.isEnabled()
    assert [fault.field for fault in panel.form.faults()] == ["temperature"]
    qtbot.keyClicks(box, "0")
    assert panel.primary.isEnabled()
    write(panel, qtbot, seed=1)
    first = [column.found.texts for column in panel.columns.values()]
    write(panel, qtbot, seed=2)
    assert [column.found.texts for column in panel.columns.values()] == first


def test_a_token_tells_its_figures_and_branches(panel, runs, qtbot):
    write(panel, qtbot, length=12)
    column = panel.columns[runs[1]]
    others = [panel.columns[run].found for run in (runs[0], runs[2])]
    [text] = column.found.texts
    told = column.text._tell(0, 2)
    assert f"rank {text.tokens[2].rank}" in told
    assert f"{text.tokens[2].p:.4f}" in told
    box = column.text.box_of(0, 2)
    event = QHelpEvent(
        QHelpEvent.Type.ToolTip,
        box.center().toPoint(),
        column.text.mapToGlobal(box.center()).toPoint(),
    )
    column.text.event(event)
    assert QToolTip.text() == told
    qtbot.mouseClick(column.text, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    actions = column.menu().actions()
    assert len(actions) == len(text.alternatives[2])
    place = next(n for n, other in enumerate(text.alternatives[2]) if other.id != text.tokens[2].id)
    actions[place].trigger()
    column.menu().close()
    wait(panel, qtbot)
    [branch] = column.found.texts
    assert [token.id for token in branch.tokens[:2]] == [token.id for token in text.tokens[:2]]
    assert branch.tokens[2].id == text.alternatives[2][place].id
    assert [panel.columns[run].found for run in (runs[0], runs[2])] == others


def test_tokens_are_walked_through_with_the_keys(panel, runs, qtbot):
    write(panel, qtbot, length=6)
    column = panel.columns[runs[1]]
    column.text.setFocus()
    for _ in range(2):
        qtbot.keyClick(column.text, Qt.Key.Key_Right)
    assert f"rank {column.found.texts[0].tokens[1].rank}" in column.text.accessibleName()
    qtbot.keyClick(column.text, Qt.Key.Key_Return)
    assert column.menu().actions()
    column.menu().close()


def test_surprises_are_darker():
    shades = [tint(p).lightness() for p in (1.0, 0.5, 0.1, 0.001, 0.0)]
    assert shades == sorted(shades, reverse=True)
    assert tint(2**-10) == tint(0.0)


def test_another_prompt_fades_the_texts(panel, qtbot):
    write(panel, qtbot, length=6)
    panel.prompt.setPlainText("水")
    wait(panel, qtbot)
    column = next(iter(panel.columns.values()))
    assert column.text.graphicsEffect() is not None
    write(panel, qtbot)
    assert column.text.graphicsEffect() is None
    assert panel.written_for == "水"


def test_columns_are_those_that_are_asked(panel, app_state, runs, qtbot):
    kept = panel.columns[runs[1]]
    app_state.asked.switch(runs[0], on=False)
    wait(panel, qtbot)
    assert list(panel.columns) == runs[1:]
    assert panel.columns[runs[1]] is kept
    for run in runs[1:]:
        app_state.asked.switch(run, on=False)
    assert not panel.primary.isEnabled()
    assert "above" in panel.primary.toolTip()


def test_a_model_without_smoothing_says_where_it_knows_nothing(app_state, cut, shown, qtbot):
    run = run_workspace.counted(app_state.workspace, cut, 3, "maximum-likelihood")
    app_state.apply(Changes(runs=True))
    app_state.set_sentence("树树")
    panel = shown(GenerationPanel(app_state))
    wait(panel, qtbot)
    column = panel.columns[run]
    assert "without smoothing" in column.said.text()
    write(panel, qtbot)
    assert "nothing is defined" in column.ended.text()


def test_answers_are_kept_as_findings(panel, app_state, runs, qtbot):
    panel._keep.click()
    [row] = findings.findings(app_state.workspace)
    assert (row.kind, row.question) == ("next", {"text": TEXT})
    write(panel, qtbot, length=5)
    panel._keep.click()
    row = findings.findings(app_state.workspace)[0]
    assert row.kind == "generate"
    assert len(row.answers) == 3
    names = [app_state.workspace.run(run).name for run in runs]
    findings.ask_again(app_state.workspace, row.id, runs[0], job=Job())
    again = findings.finding(app_state.workspace, row.id).answers[names[0]]
    before = row.answers[names[0]]
    assert again["texts"] == before["texts"]


def test_everything_is_saved(panel, app_state, tmp_path, qtbot):
    panel.save.save(tmp_path / "n.csv", generation.save_next, panel._answers())
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    write(panel, qtbot, length=5)
    panel.save.save(tmp_path / "g.csv", generation.save_generated, panel.board.texts())
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    tokens = [t for c in panel.columns.values() for t in c.found.texts[0].tokens]
    assert [float(row["p"]) for row in rows] == [token.p for token in tokens]
    assert float(rows[0]["Bits"]) == pytest.approx(-math.log2(tokens[0].p))
    picture = GenerationPicture(list(panel.columns.values()))
    for kind in ("png", "svg", "pdf"):
        export(picture, tmp_path / f"p.{kind}", QSize(900, 600), TEXT)
    assert QImage(str(tmp_path / "p.png")).size() == QSize(900, 600)
    for mode in ("light", "dark"):
        image = QImage(900, 600, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        picture.draw(painter, QRectF(0, 0, 900, 600), mode)
        painter.end()


def test_a_prompt_comes_from_a_template(panel, app_state, qtbot):
    dialog = PromptDialog(app_state, "水上有树", panel)
    qtbot.addWidget(dialog)
    assert list(dialog.fields) == ["text", "question"]
    assert dialog.fields["text"].text() == "水上有树"
    dialog.fields["question"].setText("树在哪")
    assert dialog.prompt() == "水上有树\n问：树在哪\n答："
    dialog.template.setPlainText("{text}，{other}")
    assert list(dialog.fields) == ["text", "other"]
    dialog.choice.setEditText("mine")
    dialog.keep.click()
    assert prompts.template(app_state.workspace, "mine").text == "{text}，{other}"
    assert dialog.choice.currentText() == "mine"
    assert dialog.forget.isEnabled()
    dialog.forget.click()
    assert "mine" not in [one.name for one in prompts.templates(app_state.workspace)]
    dialog.template.setPlainText("no place")
    assert not dialog.use.isEnabled()
    dialog.keep.click()
    assert "place for a text" in dialog._fault.text()
    dialog.template.setPlainText("{text}吗？")
    dialog.filled.connect(panel.prompt.setPlainText)
    dialog.use.click()
    assert panel.text() == "水上有树吗？"
    wait(panel, qtbot)


def test_ctrl_dot_stops_the_panel_before_a_job(app_state, runs, window, qtbot):
    window.show_panel("generation")
    panel = window.panel("generation")
    qtbot.waitUntil(lambda: not panel.busy)
    for name in ("length", "sentences"):
        panel.form.control(name).setValue(50_000)
    panel.write()
    qtbot.waitUntil(lambda: panel.columns[runs[0]].found is not None)
    window.actions_by_key["stop"].trigger()
    wait(panel, qtbot)
    assert panel.columns[runs[0]].found.stopped


def test_without_a_model_it_says_how_to_get_one(app_state, cut, shown):
    wanted = []
    app_state.panel_wanted.connect(wanted.append)
    panel = shown(GenerationPanel(app_state))
    assert panel._pages.currentIndex() == 1
    panel.primary.click()
    assert wanted == ["new_run"]


def test_an_empty_workspace_leads_to_the_corpora(app_state, shown):
    wanted = []
    app_state.panel_wanted.connect(wanted.append)
    shown(GenerationPanel(app_state)).primary.click()
    assert wanted == ["corpora"]


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_it_fits_the_smallest_screen(app_state, runs, shown, qtbot, language):
    messages.use(language)
    panel = shown(GenerationPanel(app_state))
    wait(panel, qtbot)
    write(panel, qtbot, length=5)
    assert_fits(panel)
    assert not clipped(panel)


def test_a_place_without_a_token_is_none(panel, runs):
    assert panel.columns[runs[0]].text.token_at(QPointF(-5, -5)) == (-1, -1)
