"""What jobs need is known about beforehand, and refused where the computer has less."""

import shutil
from types import SimpleNamespace

import pytest

from lmstudio import room
from lmstudio.errors import AppError
from lmstudio.files import folder_bytes
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    exporting,
    samples,
    segmentations,
    training,
    workspace_files,
)
from lmstudio.text.segment import SegmentOptions
from lmstudio.training import machine
from lmstudio.training.spec import RunSpec

LSTM = {"model": "lstm", "config": {"layers": 1, "width": 16},
        "training": {"epochs": 1, "max_steps": 2}}  # fmt: skip


def spec(data):
    return RunSpec.from_json(data)


@pytest.fixture
def cut(workspace):
    corpus = samples.create(workspace, size=100_000, job=Job()).new_id
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, corpus, options, job=Job()).new_id


FULL = SimpleNamespace(total=10**12, used=10**12, free=room.KEPT_FREE + 1000)


def test_needs_are_about_what_is_taken(workspace, cut):
    """Never less than is taken, and not more than three times as much."""
    ws = workspace
    corpus = ws.corpora()[0]
    files = [path for path in (ws.corpus_folder(corpus.id) / "source").rglob("*") if path.is_file()]
    speller = folder_bytes(ws.corpus_folder(corpus.id) / "speller.ngram")
    taken = folder_bytes(ws.corpus_folder(corpus.id)) - speller
    assert taken * 0.8 < room.of_import(files) < 3 * taken
    for by in ("characters", "jieba", "bpe"):
        options = SegmentOptions(by=by)
        made = segmentations.create(ws, corpus.id, options, job=Job()).new_id
        taken = folder_bytes(ws.segmentation_folder(made)) + speller
        assert taken * 0.8 < room.of_segmentation(corpus.characters, by) < 3 * taken, by
    for order in (1, 3, 5):
        run = training.train(ws, cut, spec({"model": "ngram", "config": {"order": order}}),
                             job=Job()).new_id  # fmt: skip
        taken = folder_bytes(ws.run_folder(run) / "model.ngram")
        assert taken < training._needed(ws, ws.run(run), training.runs.spec_of(ws, run)), order
    run = training.train(ws, cut, spec(LSTM), job=Job()).new_id
    taken = folder_bytes(ws.run_folder(run) / "checkpoints")
    assert taken < room.of_checkpoints(ws.run(run).parameters) < 3 * taken


def test_jobs_are_refused_before_they_begin(workspace, cut, tmp_path, monkeypatch):
    ws = workspace
    text = tmp_path / "long.txt"
    text.write_text("一二三四五。\n" * 1000, encoding="utf-8")
    run = training.train(
        ws, cut, spec({"model": "ngram", "config": {"order": 1}}), job=Job()
    ).new_id
    monkeypatch.setattr(shutil, "disk_usage", lambda path: FULL)
    deeds = {
        "import": lambda: corpora.import_files(ws, [text], job=Job()),
        "segment": lambda: segmentations.create(ws, 1, SegmentOptions(by="characters"), job=Job()),
        "pack": lambda: workspace_files.export_workspace(ws, tmp_path / "w.zip", job=Job()),
        "export": lambda: exporting.export(ws, run, "arpa", tmp_path / "s", job=Job()),
    }
    for name, deed in deeds.items():
        with pytest.raises(AppError, match="This needs about .* of disk, and .* are free at"):
            pytest.fail(f"{name}: {deed()}")
    assert len(ws.corpora()) == len(ws.segmentations()) == 1


@pytest.mark.parametrize("data", [LSTM, {"model": "ngram", "config": {"order": 3}}],
                         ids=["lstm", "ngram"])  # fmt: skip
def test_a_run_that_is_refused_says_why_and_can_be_gone_on_with(workspace, cut, monkeypatch, data):
    run = training.queue_run(workspace, cut, spec(data))
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda path: FULL)
        with pytest.raises(AppError, match="of disk"):
            training.start(workspace, run.id, job=Job())
    assert workspace.run(run.id).state == "failed"
    training.start(workspace, run.id, job=Job())
    assert workspace.run(run.id).state == "done"


def test_a_network_that_does_not_fit_into_memory(workspace, cut, monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: 10_000)
    with pytest.raises(AppError, match="This needs about .* of memory at least"):
        training.train(workspace, cut, spec(LSTM), job=Job())


def silent(path):
    raise OSError


@pytest.mark.parametrize("usage", [silent, lambda path: SimpleNamespace(total=0, free=0)],
                         ids=["error", "no size"])  # fmt: skip
def test_a_disk_that_does_not_say_is_no_reason_to_refuse(monkeypatch, tmp_path, usage):
    monkeypatch.setattr(shutil, "disk_usage", usage)
    room.refuse_disk(tmp_path / "not" / "there", 10**18)
