"""The main line in the real window, by key and drop, and the same figures from the command line."""

import json

import pytest
from PySide6.QtCore import Qt

from lmstudio import cli
from lmstudio.operations.evaluation import MEASURES
from tests.gui.panels.imports import ODD_NAME, imported, opened, write

pytestmark = pytest.mark.slow

SENTENCES = (
    "北京的春天很短，风里有沙。",
    "上海的春天很长，雨下个不停。",
    "他在北京住了三年，又去了上海。",
    "她说上海的秋天比北京的秋天暖和。",
    "老王每天早上去公园散步，回来喝茶。",
)
TEXT = "\n".join(f"{a}{b}" for a in SENTENCES for b in SENTENCES for _ in range(4))
WAIT = 120_000


@pytest.fixture
def command(tmp_path, capsys):
    """A command line in a second workspace; its JSON."""

    def run(*words):
        assert cli.main(["--workspace", str(tmp_path / "second"), *map(str, words), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def primary(window, qtbot):
    """What Ctrl+Enter does in the panel that is shown."""
    panel = window.panel(window.current_panel)
    qtbot.waitUntil(panel.primary.isEnabled, timeout=WAIT)
    window.activateWindow()  # a window manager does so when a dialog closes
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT)
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_drop_segment_train_compare(window, qtbot, tmp_path, command):
    file = write(tmp_path, ODD_NAME, TEXT, "gb18030")
    corpus = imported(window, qtbot, opened(window, qtbot, file))

    window.show_panel("segment")
    primary(window, qtbot)
    qtbot.waitUntil(lambda: window.current_panel == "new_run", timeout=WAIT)
    cut = window.state.segmentation

    form = window.panel("new_run")
    form.form.page().preset.segment("2").click()
    primary(window, qtbot)
    form.timeline.choose("lstm")
    page = form.form.page()
    for config, name, value in (
        (page.config, "width", 16), (page.training, "epochs", 2), (page.training, "batch", 8),
        (page.training, "minutes", 0),
    ):  # fmt: skip
        config.control(name).setValue(value)
    primary(window, qtbot)
    qtbot.waitUntil(lambda: sum(r.state == "done" for r in window.state.runs()) == 2, timeout=WAIT)
    qtbot.waitUntil(lambda: not window.state.jobs.jobs(), timeout=WAIT)

    window.show_panel("curves")
    curves = window.panel("curves")
    drawn = {series.name: series for series in curves.plot.series()}
    names = [run.name for run in window.state.runs()]
    assert [len(drawn[name].x) > 0 for name in names] == [True, True]
    assert len(drawn[names[1]].x) > 3

    theirs = command("import", file, "--name", corpus.name)
    assert theirs["characters"] == corpus.characters
    options = cut.facts["options"]
    command("segment", corpus.name, "--by", options["by"], "--mode", options["mode"], "--name", "c")
    command("train", "c", "--model", "ngram", "--order", 2, "--name", names[0])
    lstm = ["--width", 16, "--epochs", 2, "--batch", 8, "--minutes", 0, "--preset", "small"]
    command("train", "c", "--model", "lstm", *lstm, "--name", names[1])
    for row in curves.table.table.rows():
        name = row.cells["name"].value
        figures = command("evaluate", name, "--split", "test")
        assert row.cells["test"].value == pytest.approx(figures["bits_per_character"], rel=1e-6)
        curve = command("curve", name, "--x", "step")
        assert drawn[name].y[-1] == pytest.approx(curve[MEASURES[0]][-1], rel=1e-6)
    assert_blanks_equal(window, qtbot, command, names)


def assert_blanks_equal(window, qtbot, command, names):
    """The panel of masks says of a blank what the verb says."""
    window.show_panel("masks")
    masks = window.panel("masks")
    qtbot.waitUntil(lambda: len(masks.board.answers()) == 2 and not masks.busy, timeout=WAIT)
    masks.blanks.hide(*masks.blanks.units()[0].span)
    qtbot.waitUntil(lambda: not masks.busy, timeout=WAIT)
    question = masks.blanks.question
    for told in command("fill", *names, question.text, "--hide", question.truth(0)):
        shown = masks.board.answers()[told["run"]]
        (blank,), [theirs] = shown.blanks, told["blanks"]
        assert [g.text for g in blank.guesses] == [g["text"] for g in theirs["guesses"]]
        assert [g.probability for g in blank.guesses] == pytest.approx(
            [g["probability"] for g in theirs["guesses"]], rel=1e-5
        )
        assert blank.rank == theirs["rank"]
