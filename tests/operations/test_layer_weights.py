"""What tuned runs take of each layer is what their mix has learned."""

import csv
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from lmstudio.analysis.tasks.tuned import tuned
from lmstudio.cli import main
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.checkpoint_folder import WEIGHTS, checkpoint
from lmstudio.operations import layer_weights, runs, training
from lmstudio.operations.predicting import asked_task
from lmstudio.store.workspace import Workspace
from tests.operations.layered_workspace import fill


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    with Workspace(tmp_path_factory.mktemp("layered") / "workspace") as opened:
        fill(opened, "lstm", "ngram")
        for row in layer_weights.queue(opened, "lstm", ["classify", "tag"], epochs=4):
            training.start(opened, row.id, job=Job())
        yield opened


def test_runs_are_queued_as_elmo_was_used(ws):
    found = layer_weights.mixed_runs(ws)
    assert [run.name for run in found] == [
        "classify-lstm-mix-frozen", "tag-lstm-mix-frozen",
    ]  # fmt: skip
    spec = runs.spec_of(ws, found[0].id)
    assert (spec.task.layers, spec.task.tuned) == ("mix", 0)
    assert spec.training.epochs == 4
    assert spec.training.learning_rate == layer_weights.RECIPE["learning_rate"]


def test_the_encoder_stands_still(ws):
    run = layer_weights.mixed_runs(ws)[0]
    before, after = (load_file(checkpoint(ws.run_folder(n), "best") / WEIGHTS)
                     for n in (run.parent, run.id))  # fmt: skip
    assert all(np.array_equal(after[f"encoder.{name}"], held) for name, held in before.items())


def test_shares_are_those_of_the_model(ws):
    found = layer_weights.mixed_runs(ws)
    for run, one in zip(found, layer_weights.weights(ws, [run.id for run in found]), strict=True):
        mix = tuned(asked_task(ws, run.id), job=Job()).model.mix
        assert one.shares == pytest.approx(mix.shares().tolist())
        assert one.gamma == pytest.approx(mix.gamma.item())
        assert sum(one.shares) == pytest.approx(1)
        assert one.shares[0] != pytest.approx(0.5, abs=1e-3)  # it has learned something
        assert one.names == ("table", "layer 1")
        assert (one.encoder, one.model) == ("lstm", "lstm")
    assert one.task == one.kind == "tag"


def test_what_reads_no_mix_is_refused(ws):
    for name in ("lstm", "ngram"):
        with pytest.raises(AppError, match="does not read a mix"):
            layer_weights.weights(ws, [name])
    with pytest.raises(AppError, match="no layers"):
        layer_weights.queue(ws, "ngram", ["classify"])


def test_one_that_waits_has_no_weights_yet(ws):
    (row,) = layer_weights.queue(ws, "lstm", ["pair"])
    assert row.id not in [run.id for run in layer_weights.mixed_runs(ws)]
    with pytest.raises(AppError, match="no checkpoint"):
        layer_weights.weights(ws, [row.id])


def test_the_command_line_says_the_same_and_trains(ws, tmp_path, capsys):
    say = ["--workspace", str(ws.folder), "layer-weights"]
    table = tmp_path / "weights.csv"
    assert main([*say, "--json", "--csv", str(table)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["task"] for one in told][:2] == ["classify", "tag"]
    with table.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["Run", "Encoder", "Task", "Layer", "Share", "gamma"]
    assert float(lines[1][4]) == pytest.approx(told[0]["shares"][0])
    assert main([*say, "--encoder", "lstm"]) == 1
    assert main([*say, "lstm", "--encoder", "lstm", "--tasks", "tag"]) == 1
