"""The verb task-results says of fine-tuned runs what the panel of results shows."""

import csv
import json
import statistics

import pytest

from lmstudio import cli
from lmstudio.store.workspace import Workspace
from tests.gui.panels import run_workspace, tuned_workspace

SCORES = {1: 0.81, 2: 0.84, 3: 0.90}


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with a setting of three seeds and one of a single one."""
    with Workspace(tmp_path / "w") as ws:
        cut = run_workspace.segmented(ws)
        task = tuned_workspace.task(ws)
        tuned_workspace.scored(ws, cut, task, "评论 · BERT", SCORES)
        tuned_workspace.scored(ws, cut, task, "评论 · LSTM", {7: 0.7}, model="lstm")

    def command(*words, code=0):
        assert cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)]) == code
        return capsys.readouterr()

    return command


def test_settings_have_their_mean_and_spread(lm, tmp_path):
    out = lm("task-results", "评论").out
    first, second = out.splitlines()[1:3]
    spread = statistics.stdev(SCORES.values())
    assert f"85.0 ± {100 * spread:.1f} %" in first
    assert f"80.0 ± {100 * spread:.1f} %" in first  # the test part is 0.05 below
    assert "70.0 %" in second
    assert second.split("70.0 %")[0].split()[-1] == "1"  # one seed, whichever it is
    assert out.splitlines()[-2].startswith("accuracy; mean")
    assert out.splitlines()[-1].endswith("examples that also chose the checkpoint: optimistic.")
    assert "±" not in second
    lm("task-results", "评论", "--csv", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mean"]) for row in rows] == pytest.approx([0.85, 0.8, 0.7, 0.65])


def test_each_run_and_all_measures(lm):
    out = lm("task-results", "评论", "--runs").out
    assert len(out.splitlines()) == 7
    assert "90.0 %" in out
    assert "Seed " in out.splitlines()[0]
    assert (
        next(line for line in out.splitlines() if "LSTM" in line).split("70.0 %")[0].split()[-1]
        == "7"
    )
    found = json.loads(lm("task-results", "评论", "--json").out)
    assert [one["scores"]["valid"]["accuracy"]["n"] for one in found] == [3, 1]
    assert [run["seed"] for run in found[0]["runs"]] == [1, 2, 3]
    assert "not scored by em" in lm("task-results", "评论", "--measure", "em", code=1).err


def test_a_run_that_repeats_another_is_no_further_seed(lm, tmp_path):
    with Workspace(tmp_path / "w") as ws:
        first = next(run for run in ws.runs(tuned=True) if run.spec["training"]["seed"] == 1)
        row = ws.add_run(first.segmentation_id, "again", first.model, first.spec,
                         parent=first.parent, task=first.task)  # fmt: skip
        ws.set_evaluation(row.id, "valid", {"accuracy": 0.1})
    found = json.loads(lm("task-results", "评论", "--json").out)
    assert [len(setting["runs"]) for setting in found] == [3, 1, 1]
    assert found[-1]["setting"] == "again"
