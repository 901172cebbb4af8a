"""Vectors kept at each validation: true, small, and without any effect on the training."""

import time

import numpy as np
import pytest
import torch

from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.models.word_table import word_table
from lmstudio.training.assembly import build
from lmstudio.training.feeds import train_counts
from lmstudio.training.fit_neural import fit
from lmstudio.training.snapshots import MOST, VECTORS, WORDS, Snapshots, read
from tests.segmentations import write_segmentation
from tests.training.networks import SMALL, Watched, small_text, spec_of

STEPS = {"max_steps": 9, "validate_every": 3}


@pytest.fixture
def segmentation(tmp_path):
    return small_text(tmp_path / "segmentation")


@pytest.mark.parametrize("model", SMALL)
def test_every_network_leaves_its_vectors_at_each_validation(model, segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of(model, **STEPS), job=Job())
    record = read(tmp_path / "run")
    assert [one.step for one in record.snapshots] == [0, 3, 6, 9]
    counts = train_counts(segmentation)
    assert (np.diff(counts[record.ids]) <= 0).all()
    assert set(record.ids.tolist()) == set(range(3, 10))
    first, *_, last = record.snapshots
    assert first.vectors.shape == (7, 8)
    assert first.vectors.dtype == np.float16
    assert not np.array_equal(first.vectors, last.vectors)


def test_what_is_kept_is_the_table_in_sixteen_bits(segmentation, tmp_path):
    torch.manual_seed(1)
    module = build(spec_of("lstm"), train_counts(segmentation), segmentation)
    kept = Snapshots(tmp_path, segmentation)
    kept.ask(module, 5, 1.5)
    (only,) = read(tmp_path).snapshots
    assert (only.step, only.seconds) == (5, 1.5)
    table = module.embedding.weight.detach().numpy()
    np.testing.assert_array_equal(only.vectors, table[kept.ids].astype(np.float16))
    np.testing.assert_array_equal(word_table(module, kept.ids), table[kept.ids])


def test_the_training_is_the_same_with_and_without(segmentation, tmp_path, monkeypatch):
    fit(segmentation, tmp_path / "with", spec_of("elmo", **STEPS), job=Job())
    monkeypatch.setattr(Snapshots, "ask", lambda *args: None)
    fit(segmentation, tmp_path / "without", spec_of("elmo", **STEPS), job=Job())
    kept, not_kept = (
        (tmp_path / name / "checkpoints/last/weights.safetensors").read_bytes()
        for name in ("with", "without")
    )
    assert kept == not_kept


def test_a_resumed_run_forgets_what_it_does_once_more(segmentation, tmp_path):
    spec, run = spec_of("gpt", **STEPS), tmp_path / "run"
    with pytest.raises(Cancelled):
        fit(segmentation, run, spec, job=Watched(stop_at=4))
    kept = Snapshots(run, segmentation)
    module = build(spec, train_counts(segmentation), segmentation)
    kept.ask(module, 6, 9.0)
    with (run / VECTORS).open("ab") as file:
        file.write(b"cut short by a kill")
    fit(segmentation, run, spec, resume=True, job=Job())
    assert [one.step for one in read(run).snapshots] == [0, 3, 6, 9]


def test_a_fresh_training_begins_a_new_record(segmentation, tmp_path):
    for model in ("ffnn", "bert"):
        fit(segmentation, tmp_path / "run", spec_of(model, **STEPS), job=Job())
    assert len(read(tmp_path / "run").snapshots) == 4


def test_a_run_without_snapshots_has_none(tmp_path):
    assert read(tmp_path).snapshots == []


def test_a_damaged_record_is_told(segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of("ffnn", **STEPS), job=Job())
    (tmp_path / "run" / WORDS).write_text("{", encoding="utf-8")
    with pytest.raises(AppError, match="damaged"):
        read(tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize(("model", "config"), [
    ("lstm", {"width": 256}), ("elmo", {"characters": True, "width": 64, "cell": 64}),
])  # fmt: skip
def test_a_snapshot_of_a_large_vocabulary_is_quick_and_small(model, config, tmp_path):
    words = [f"w{number}" for number in range(50_000)]
    train = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    segmentation = write_segmentation(tmp_path / "s", train=train, valid=train[:5])
    spec = spec_of(model)
    spec = spec.from_json(spec.to_json() | {"config": config | {"layers": 1}})
    module = build(spec, train_counts(segmentation), segmentation)
    kept = Snapshots(tmp_path / "run", segmentation)
    began = time.process_time()
    kept.ask(module, 1, 1.0)
    print(took := time.process_time() - began)
    assert took < 0.5
    width = 256 if model == "lstm" else 64
    assert (tmp_path / "run" / VECTORS).stat().st_size == 16 + MOST * width * 2
