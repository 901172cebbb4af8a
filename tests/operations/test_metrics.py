"""What was recorded of runs, as tables and JSON."""

import csv
import json
import math

import pytest

from lmstudio import messages
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, evaluation, metrics, segmentations, training
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


def trained(workspace, cut, model, name):
    spec = network(model, max_steps=20, validate_every=10)
    training.train(workspace, cut, spec, name=name, job=Job())
    return workspace.run(name)


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_table_has_every_point_with_what_losses_come_to(workspace, cut, tmp_path):
    run = trained(workspace, cut, "rnn", "net")
    workspace.add_metrics(run.id, [(1, 0.0, "loss", 2.5), (1, 0.0, "learning_rate", 1e-4)])
    metrics.save(workspace, ["net"], tmp_path / "m.csv", job=Job())
    rows = read(tmp_path / "m.csv")
    looked = [row for row in rows if row["valid_loss"]]
    assert [row["step"] for row in looked] == ["10", "20"]
    x, y = evaluation.curve(workspace, run.id, x="step")
    assert [float(row["valid_bits_per_character"]) for row in looked] == y.tolist()
    first = rows[0]
    assert (first["step"], first["valid_loss"], first["learning_rate"]) == ("1", "", "0.0001")
    assert float(first["perplexity"]) == math.exp(2.5)
    assert list(first)[:4] == ["step", "seconds", "loss", "valid_loss"]
    messages.use("zh_CN")  # the names are what import-curve and other programs read
    metrics.save(workspace, ["net"], tmp_path / "m.csv", job=Job())
    assert list(read(tmp_path / "m.csv")[0]) == list(first)


def test_several_runs_stand_below_each_other(workspace, cut, tmp_path):
    for model in ("rnn", "bert"):
        trained(workspace, cut, model, model)
    metrics.save(workspace, ["rnn", "bert", "rnn"], tmp_path / "m.tsv", job=Job())
    header, *rows = (tmp_path / "m.tsv").read_text("utf-8-sig").splitlines()
    assert header.startswith("run\tstep\tseconds\t")
    assert [line.split("\t")[0] for line in rows] == sorted(
        (line.split("\t")[0] for line in rows), reverse=True
    )
    column = header.split("\t").index("valid_bits_per_character")
    assert {row.split("\t")[0] for row in rows if row.split("\t")[column]} == {"rnn"}


def test_json_has_curves_and_scores(workspace, cut, tmp_path):
    run = trained(workspace, cut, "rnn", "net")
    workspace.add_metrics(run.id, [(21, 1.0, "valid_loss", math.nan)])
    metrics.save(workspace, ["net"], tmp_path / "m.json", job=Job())
    (found,) = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert found["curves"]["valid_loss"]["step"] == [10, 20, 21]
    assert found["curves"]["valid_loss"]["value"][2] is None
    assert found["scores"]["test"] == workspace.evaluation(run.id, "test")
    assert (found["run"], found["model"], found["steps"]) == ("net", "rnn", 20)


def test_a_run_that_waits_has_no_curve(workspace, cut, tmp_path):
    training.queue_run(workspace, cut, RunSpec.from_json({"model": "ngram"}), name="n")
    with pytest.raises(AppError, match="No curve was recorded of n"):
        metrics.save(workspace, ["n"], tmp_path / "m.csv", job=Job())
