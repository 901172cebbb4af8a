"""Sheets and recorded points of the runs selected, saved from their table."""

import json

import pytest
from pypdf import PdfReader
from PySide6.QtWidgets import QFileDialog

from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.fixture
def trained(app_state, cut, shown):
    """The panel over a counted run and a network that was trained."""
    ws = app_state.workspace
    ids = {"counted": run_workspace.counted(ws, cut, 2),
           "net": run_workspace.network(ws, cut, "rnn"),
           "made up": run_workspace.made_up(ws, cut, "LSTM")}  # fmt: skip
    app_state.apply(Changes(runs=True))
    panel = shown(CurvesPanel(app_state))
    panel.ids = ids
    return panel


@pytest.fixture
def choose(trained, monkeypatch, tmp_path, qtbot):
    """Selects runs, triggers an action and waits for the file."""

    def save(action, name, *runs):
        trained.state.select_runs(tuple(trained.ids[run] for run in runs))
        path = str(tmp_path / name)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (path, ""))
        chosen = getattr(trained.table.actions_, action)
        assert chosen.isEnabled(), chosen.toolTip()
        with qtbot.waitSignal(trained.state.told) as told:
            chosen.trigger()
        assert name in told.args[0]
        return tmp_path / name

    return save


def test_a_page_and_the_same_for_machines(choose, trained):
    path = choose("sheet", "s.html", "net")
    page = path.read_text("utf-8")
    run = trained.state.workspace.run(trained.ids["net"])
    bits = trained.state.workspace.evaluation(run.id, "test")["bits_per_character"]
    assert f"{bits:.4f}" in page
    (entry,) = json.loads(path.with_suffix(".json").read_text("utf-8"))["runs"]
    assert entry["scores"]["test"]["bits_per_character"] == bits


def test_a_pdf_of_several_runs(choose, trained):
    reader = PdfReader(choose("sheet", "s.pdf", "net", "counted"))
    text = "".join(page.extract_text() for page in reader.pages).replace("\t", " ")
    names = [trained.state.workspace.run(trained.ids[name]).name for name in ("net", "counted")]
    assert all(name in text for name in ("Runs compared", "To repeat it", *names))
    assert reader.pages[0].mediabox.width == pytest.approx(595, abs=1)
    assert len(reader.pages[0].images) == 1


def test_points_of_the_runs_selected(choose):
    lines = choose("points", "p.csv", "net", "made up").read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("run,step,seconds,")
    assert {line.split(",")[0] for line in lines[1:]} == {"LSTM", "RNN 1×8"}
    (one,) = json.loads(choose("points", "p.json", "made up").read_text("utf-8"))
    assert len(one["curves"]["valid_loss"]["value"]) == 60


def test_what_has_no_sheet_says_why(trained):
    trained.state.select_runs((trained.ids["made up"],))
    action = trained.table.actions_.sheet
    assert not action.isEnabled()
    assert "no finished model" in action.toolTip()
    trained.state.select_runs(())
    assert not trained.table.actions_.points.isEnabled()
