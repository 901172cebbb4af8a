"""A run for each value of a setting, and runs set against what they differ in."""

import csv
import math

import pytest

from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, scaling, segmentations, sweeps, training
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

NGRAM = RunSpec.from_json({"model": "ngram"})
LSTM = RunSpec.from_json({"model": "lstm"})


@pytest.fixture
def cut(workspace):
    text = "我爱北京天安门。\n他爱上海的春天。\n" * 30
    corpora.import_text(workspace, text, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


@pytest.mark.parametrize(
    ("spec", "field", "text", "values"),
    [
        (NGRAM, "order", "1..4", [1, 2, 3, 4]),
        (NGRAM, "order", "5, 1..2,2", [5, 1, 2]),
        (NGRAM, "k", "0.1,1", [0.1, 1.0]),
        (NGRAM, "interpolate", "yes,off", [True, False]),
        (NGRAM, "smoothing", "katz,witten-bell", ["katz", "witten-bell"]),
        (LSTM, "share", "0.5,1", [0.5, 1.0]),
    ],
)
def test_values_are_read_as_the_setting_wants_them(spec, field, text, values):
    assert sweeps.values_of(spec, field, text) == values


@pytest.mark.parametrize(
    ("spec", "field", "text"),
    [(NGRAM, "order", "1.5"), (NGRAM, "order", "3..1"), (NGRAM, "k", "x"), (NGRAM, "share", "1"),
     (NGRAM, "interpolate", "2"), (NGRAM, "order", "1..9999999999"), (LSTM, "order", "1")],
)  # fmt: skip
def test_what_is_no_value_is_refused(spec, field, text):
    with pytest.raises(SpecError, match=field):
        sweeps.values_of(spec, field, text)


def test_a_sweep_queues_a_run_for_each_value(workspace, cut):
    rows = sweeps.sweep(workspace, cut, LSTM, "share", [0.1, 1.0])
    assert [row.name for row in rows] == ["LSTM share=0.1", "LSTM share=1"]
    assert [row.spec["training"]["share"] for row in rows] == [0.1, 1.0]
    assert {(row.sweep, row.state) for row in rows} == {("LSTM share", "queued")}
    again = sweeps.sweep(workspace, cut, NGRAM, "interpolate", [True, False], name="LSTM share")
    assert [row.name for row in again] == ["LSTM share 2=yes", "LSTM share 2=no"]
    assert scaling.sweeps(workspace) == ["LSTM share", "LSTM share 2"]


def test_a_sweep_with_faults_tells_all_and_queues_none(workspace, cut):
    with pytest.raises(SpecError) as error:
        sweeps.sweep(workspace, cut, NGRAM, "order", [0, 2, 99])
    assert len(error.value.faults) == 2
    for field, values in (("order", [3]), ("layers", [1, 2]), ("epochs", [1, 2])):
        with pytest.raises(SpecError, match=field):
            sweeps.sweep(workspace, cut, NGRAM, field, values)
    assert not workspace.runs()


def test_runs_are_set_against_their_setting_size_and_data(workspace, cut, tmp_path):
    for row in sweeps.sweep(workspace, cut, NGRAM, "order", [3, 1, 2], name="order"):
        training.start(workspace, row.id, job=Job())
    training.train(workspace, cut, network("gpt"), name="gpt", job=Job())
    found = scaling.scaling(workspace, "order", job=Job())
    assert (found.x, found.title) == ("order", "Order")
    assert [row.x for row in found.rows] == [1, 2, 3]
    assert found.rows[2].bits_per_character < found.rows[0].bits_per_character
    names = ["order=1", "gpt", "order=3"]
    sizes = scaling.scaling(workspace, names, part="test", job=Job())
    assert sizes.x == "parameters"
    assert [row.run for row in sizes.rows] == ["gpt", "order=1", "order=3"]
    tokens = scaling.scaling(workspace, names, x="tokens", job=Job())
    events = {row.run: row.x for row in tokens.rows}
    assert events["order=1"] == events["order=3"] != events["gpt"] > 0
    layers = scaling.scaling(workspace, names, x="layers", job=Job())
    assert [row.x for row in layers.rows] == [1, None, None]
    scaling.save_csv(found, tmp_path / "o.csv", job=Job())
    text = (tmp_path / "o.csv").read_text(encoding="utf-8-sig")
    lines = list(csv.reader(text.splitlines()))
    assert [line[0] for line in lines] == ["Run", "order=1", "order=2", "order=3"]
    assert float(lines[1][3]) == found.rows[0].bits_per_character
    scaling.save_chart(sizes, tmp_path / "s.svg")
    drawn = (tmp_path / "s.svg").read_text(encoding="utf-8")
    assert "var(" not in drawn
    assert "Bits per character by Parameters" in drawn


def test_what_cannot_be_set_side_by_side_is_said(workspace, cut, tmp_path):
    row = training.queue_run(workspace, cut, NGRAM, name="waiting")
    found = scaling.scaling(workspace, [row.id], job=Job())
    assert found.rows[0].bits_per_character is None
    with pytest.raises(AppError, match="nothing to draw"):
        scaling.save_chart(found, tmp_path / "s.svg")
    with pytest.raises(AppError, match="no sweep named absent"):
        scaling.scaling(workspace, "absent", job=Job())
    with pytest.raises(AppError, match="None of the runs has a setting layers"):
        scaling.scaling(workspace, ["waiting"], x="layers", job=Job())
    assert math.isfinite(found.rows[0].seconds)
