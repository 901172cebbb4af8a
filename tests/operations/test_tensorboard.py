"""Runs written for TensorBoard as they are trained and afterwards, read by its own reader."""

import pytest

from lmstudio.errors import AppError
from lmstudio.formats.tensorboard import EventFile
from lmstudio.jobs import Job
from lmstudio.operations import corpora, exporting, segmentations, tensorboard, training
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


def logged(workspace, cut, folder, **how):
    row = training.queue_run(workspace, cut, network("rnn", **how), name="net 1/2")
    tensorboard.log_to(workspace, row.id, folder)
    training.start(workspace, row.id, job=Job())
    return workspace.run(row.id)


@pytest.fixture
def read():
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    return lambda folder: EventAccumulator(str(folder)).Reload()


def steps(reader, tag):
    return [event.step for event in reader.Scalars(tag)]


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the reader


def test_a_training_is_written_as_it_comes_and_gone_on_with(workspace, cut, tmp_path, read):
    folder = tmp_path / "logs"
    run = logged(workspace, cut, folder, max_steps=8, validate_every=4)
    reader = read(folder / "net 1_2")
    assert steps(reader, "valid/loss") == [4, 8]
    kept = workspace.metrics(run.id, "valid_loss")
    assert [e.value for e in reader.Scalars("valid/loss")] == pytest.approx([p[2] for p in kept])
    figures = workspace.evaluation(run.id, "test")
    (score,) = reader.Scalars("scores/test_bits_per_character")
    assert (score.step, score.value) == (8, pytest.approx(figures["bits_per_character"]))
    assert b'"model": "rnn"' in reader.Tensors("settings")[0].tensor_proto.string_val[0]
    training.continue_run(workspace, run.id, max_steps=4, job=Job())
    assert steps(read(folder / "net 1_2"), "valid/loss") == [4, 8, 12]
    facts = workspace.run(run.id).facts
    assert facts["continued"] == [8]
    assert facts["device"] == "cpu"


def test_a_run_is_written_afterwards_with_the_same_points(workspace, cut, tmp_path, read):
    run = logged(workspace, cut, tmp_path / "logs", max_steps=8, validate_every=4)
    exporting.export(workspace, run.id, "tensorboard", tmp_path / "out", job=Job())
    live, later = read(tmp_path / "logs/net 1_2"), read(tmp_path / "out")
    assert sorted(later.Tags()["scalars"]) == sorted(live.Tags()["scalars"])
    for tag in later.Tags()["scalars"]:
        points = [[(e.step, e.value) for e in reader.Scalars(tag)] for reader in (live, later)]
        assert points[0] == points[1]
    times = [event.wall_time for event in later.Scalars("valid/loss")]
    kept = [seconds for _, seconds, _ in workspace.metrics(run.id, "valid_loss")]
    assert times[1] - times[0] == pytest.approx(kept[1] - kept[0], abs=1e-5)
    with pytest.raises(AppError, match="is there already"):
        exporting.export(workspace, run.id, "tensorboard", tmp_path / "out", job=Job())


def test_a_counted_model_has_its_scores(workspace, cut, tmp_path, read):
    changes = training.train(workspace, cut, RunSpec.from_json({"model": "ngram"}), job=Job())
    exporting.export(workspace, changes.new_id, "tensorboard", tmp_path / "out", job=Job())
    assert "scores/test_perplexity" in read(tmp_path / "out").Tags()["scalars"]


def test_a_model_of_both_sides_has_its_loss_only(workspace, cut, tmp_path, read):
    changes = training.train(workspace, cut, network("bert"), job=Job())
    exporting.export(workspace, changes.new_id, "tensorboard", tmp_path / "out", job=Job())
    tags = read(tmp_path / "out").Tags()["scalars"]
    assert "valid/loss" in tags
    assert "valid/bits_per_character" not in tags


def test_the_folder_of_the_workspace_moves_with_it(workspace, cut):
    run = logged(workspace, cut, tensorboard.default_folder(workspace))
    assert run.facts["tensorboard"] == "tensorboard"
    assert list(tensorboard.logged_to(workspace, run).iterdir())


def test_nothing_recorded_is_nothing_to_write(workspace, cut, tmp_path):
    row = training.queue_run(workspace, cut, network("rnn"))
    with pytest.raises(AppError, match="Nothing was recorded"):
        exporting.export(workspace, row.id, "tensorboard", tmp_path / "out", job=Job())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_named(workspace, cut, tmp_path):
    (tmp_path / "file").write_text("")
    row = training.queue_run(workspace, cut, network("rnn"))
    with pytest.raises(AppError, match="cannot be written"):
        tensorboard.log_to(workspace, row.id, tmp_path / "file" / "logs")


def test_a_log_that_breaks_off_does_not_stop_the_training(workspace, cut, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(EventFile, "add", full)
    job, told = Job(), []
    monkeypatch.setattr(Job, "remark", lambda self, note: told.append(str(note)))
    row = training.queue_run(workspace, cut, network("rnn"))
    tensorboard.log_to(workspace, row.id, tmp_path / "logs")
    training.start(workspace, row.id, job=job)
    assert workspace.run(row.id).state == "done"
    assert sum("goes on without it" in text for text in told) == 1
