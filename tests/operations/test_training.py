"""Networks of every kind trained, gone on with, begun with the weights of others, and recorded."""

import math

import pytest

from lmstudio.cli import runs as runs_cli
from lmstudio.errors import AppError, Cancelled, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    evaluation,
    probes,
    run_names,
    runs,
    segmentations,
    training,
)
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import NETWORKS, network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


def trained(workspace, cut, spec, name="net"):
    return workspace.run(training.train(workspace, cut, spec, name=name, job=Job()).new_id)


@pytest.mark.parametrize("model", NETWORKS)
def test_every_network_is_trained_measured_probed_and_prolonged(workspace, cut, model):
    run = trained(workspace, cut, network(model))
    figures = workspace.evaluation(run.id, "test")
    pseudo = model == "bert"
    assert (run.step, figures["pseudo"], figures["comparable"]) == (4, pseudo, not pseudo)
    assert figures["events"] == figures["tokens"] + (0 if pseudo else figures["sentences"])
    assert math.isfinite(figures["bits_per_character"])
    assert (figures["backward_perplexity"] is not None) == (model == "elmo")
    assert bool(run_names.own_axis(run, workspace.segmentation(cut))) == pseudo
    assert probes.probes(workspace, run.id, job=Job())[-1].step == 4
    x, y = evaluation.curve(workspace, run.id, x="step")
    assert (x.tolist(), bool(y[-1] > 0)) == ([4], True)
    training.continue_run(workspace, "net", max_steps=2, job=Job())
    longer = workspace.run(run.id)
    assert (longer.state, longer.step) == ("done", 6)
    assert workspace.evaluation(run.id, "test")["events"] == figures["events"]
    assert longer.seconds > run.seconds


def test_going_on_counts_from_what_was_done(workspace, cut):
    run = trained(workspace, cut, network("rnn"))
    a_minute = training.prolong(workspace, run.id, minutes=1).spec["training"]
    assert a_minute["minutes"] == pytest.approx(1 + run.seconds / 60)
    assert (a_minute["epochs"], a_minute["max_steps"]) == (10_000, 0)
    two_epochs = training.prolong(workspace, run.id, epochs=2).spec["training"]
    assert (two_epochs["epochs"], two_epochs["minutes"]) == (3, 0)
    with pytest.raises(SpecError, match="at most 10000"):
        training.prolong(workspace, run.id, epochs=10_000)
    workspace.update_run(run.id, state="running")
    with pytest.raises(AppError, match="is training; go on with it when it has ended"):
        training.prolong(workspace, run.id, epochs=1)


def test_a_run_begins_with_the_weights_of_another(workspace, cut):
    first = trained(workspace, cut, network("gpt"))
    row = training.queue_run(workspace, cut, network("gpt"), name="warm", warm_start="net")
    assert row.parent == first.id
    changes = training.start(workspace, row.id, job=Job())
    assert any("were taken from the other run" in str(note) for note in changes.notes)
    assert [entry["warm_start"] for entry in runs.runs(workspace)] == ["", "net"]
    with pytest.raises(AppError, match="net is of the kind GPT"):
        training.queue_run(workspace, cut, network("lstm"), warm_start="net")
    waiting = training.queue_run(workspace, cut, network("gpt"), name="waiting")
    with pytest.raises(AppError, match="no finished model"):
        training.queue_run(workspace, cut, network("gpt"), warm_start=waiting.id)


def test_what_was_recorded_besides_losses_has_curves_too(workspace, cut):
    run = trained(workspace, cut, network("bert", max_steps=60, validate_every=60))
    known = evaluation.recorded(workspace, run.id)
    assert "valid_masked_accuracy" in known
    assert "loss" not in known
    x, y = evaluation.curve(workspace, run.id, measure="valid_masked_accuracy", x="step")
    assert x.tolist() == [run.step]
    assert 0 <= y[0] <= 1
    with pytest.raises(AppError, match="valid_masked_accuracy"):
        evaluation.curve(workspace, run.id, measure="absent")


def test_the_log_keeps_all_sittings_notes_and_failures(workspace, cut):
    trained(workspace, cut, network("lstm", device="cuda:7"))
    training.continue_run(workspace, "net", max_steps=1, job=Job())
    lines = [line[21:] for line in runs.log(workspace, "net").splitlines()]
    told = [line for line in lines if not line.startswith("Step")]
    assert told[0].startswith("Training begins.")
    assert sum("cuda:7" in line and "{" not in line for line in lines) == 2
    assert sum(line.startswith("Goes on after step 4.") for line in lines) == 1
    assert told[-1] == "done. All 5 steps are done."
    assert any(line.startswith("Step 4, ") and "valid_loss" in line for line in lines)
    row = training.queue_run(workspace, cut, network("lstm"), name="broken")
    (workspace.segmentation_folder(cut) / "vocab.json").unlink()
    with pytest.raises(AppError):
        training.start(workspace, row.id, job=Job())
    assert "failed. " in runs.log(workspace, "broken").splitlines()[-1]


def test_a_log_that_cannot_be_written_stops_nothing(workspace, cut, monkeypatch):
    monkeypatch.setattr("lmstudio.operations.run_recorder.LOG", "..")
    run = trained(workspace, cut, RunSpec.from_json({"model": "ngram"}))
    assert run.state == "done"
    assert runs.log(workspace, run.id) == ""


NAMES = {
    "5-gram mod. KN": ("ngram", {"order": 5}),
    "3-gram add-k=0.5": ("ngram", {"smoothing": "add-k", "k": 0.5}),
    "3-gram of 50 classes, KN": ("class-ngram", {"classes": 50, "smoothing": "kneser-ney"}),
    "FFNN 5-gram 64/128": ("ffnn", {}),
    "RNN 1×128, ReLU": ("rnn", {"activation": "relu"}),
    "LSTM 2×256": ("lstm", {"layers": 2, "width": 256}),
    "LSTM 1×128, document": ("lstm", {"context": "document"}),
    "GPT 4×128": ("gpt", {}),
    "GPT 4×128, sentence, no positions": ("gpt", {"context": "sentence", "positions": "none"}),
    "BERT 4×128, next sentence": ("bert", {"next_sentence": True}),
    "ELMo 2×128, joint, from characters": ("elmo", {"head": "joint", "characters": True}),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_named_by_what_makes_its_model(name):
    model, config = NAMES[name]
    spec = RunSpec.from_json({"model": model, "config": config})
    assert run_names.describe(spec) == name


@pytest.mark.parametrize("lost", ["meta.json", "trainer.pt"])
def test_a_done_run_that_cannot_go_on_stays_done(workspace, cut, lost):
    run = trained(workspace, cut, network("rnn"))
    last = workspace.run_folder(run.id) / "checkpoints/last" / lost
    last.write_bytes(b"damaged")
    with pytest.raises(AppError, match="missing or damaged"):
        training.continue_run(workspace, run.id, max_steps=2, job=Job())
    last.unlink()
    with pytest.raises(AppError, match="missing or damaged|is not here"):
        training.continue_run(workspace, run.id, max_steps=2, job=Job())
    assert workspace.run(run.id) == run
    assert workspace.evaluation(run.id, "test")
    assert evaluation.evaluate_again(workspace, run.id, job=Job())


def test_a_run_that_failed_after_a_step_is_not_called_done(workspace, cut, monkeypatch):
    run = trained(workspace, cut, network("rnn"))

    def breaks(*args, job, **how):
        job.tick(5, 6, "", loss=1.0)
        raise AppError("The disk is full. Free some space and start again.")

    monkeypatch.setattr("lmstudio.training.fit_neural.fit", breaks)
    with pytest.raises(AppError):
        training.continue_run(workspace, run.id, max_steps=2, job=Job())
    assert workspace.run(run.id).state == "failed"
    assert workspace.run(run.id).spec["training"]["max_steps"] == 6


def test_a_run_that_was_stopped_before_it_was_measured_is_measured(workspace, cut, monkeypatch):
    def stopped(*args, job):
        raise Cancelled

    monkeypatch.setattr("lmstudio.analysis.perplexity.evaluate", stopped)
    with pytest.raises(Cancelled):
        training.train(workspace, cut, network("rnn"), name="net", job=Job())
    monkeypatch.undo()
    run = workspace.run("net")
    assert (run.state, runs.unmeasured(workspace, run.id)) == ("done", True)
    training.continue_run(workspace, "net", job=Job())
    assert not runs.unmeasured(workspace, run.id)
    assert workspace.run("net") == run
    with pytest.raises(AppError, match="is done; there is nothing to continue"):
        training.start(workspace, run.id, job=Job())


def test_a_run_that_lacks_its_scores_is_told_with_the_way_to_score_it(
    workspace, cut, monkeypatch, capsys
):
    def stopped(*args, job):
        raise Cancelled

    with monkeypatch.context() as patched:
        patched.setattr("lmstudio.analysis.perplexity.evaluate", stopped)
        with pytest.raises(Cancelled):
            training.train(workspace, cut, network("rnn"), name="my net", job=Job())
    assert training.waits_for_scores(workspace, workspace.run("my net"))
    runs_cli.print_runs(runs.runs(workspace))
    told = capsys.readouterr()
    assert "not scored yet" in told.out
    assert "lmstudio evaluate 'my net' --split test" in told.err
    training.start(workspace, workspace.run("my net").id, job=Job())
    assert not training.waits_for_scores(workspace, workspace.run("my net"))
    runs_cli.print_runs(runs.runs(workspace))
    assert "not scored" not in "".join(capsys.readouterr())
