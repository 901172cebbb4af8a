"""What a network answers at each validation, kept so that its learning can be replayed."""

import json
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from lmstudio.errors import Cancelled
from lmstudio.jobs import Job
from lmstudio.training import probes
from lmstudio.training.assembly import build
from lmstudio.training.feeds import train_counts
from lmstudio.training.fit_neural import fit
from lmstudio.training.probes import ProbeRecord, Probes, read
from tests.segmentations import write_segmentation
from tests.training.networks import SMALL, Watched, small_text, spec_of

STEPS = {"max_steps": 9, "validate_every": 3}


@pytest.fixture
def segmentation(tmp_path):
    return small_text(tmp_path / "segmentation")


@pytest.mark.parametrize("model", SMALL)
def test_every_network_is_asked_at_each_validation(model, segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of(model, **STEPS), job=Job())
    records = read(tmp_path / "run")
    assert [record.step for record in records] == [0, 3, 6, 9]
    for record in records:
        assert len(record.blanks) == 5
        for blank in record.blanks:
            assert len(blank.guesses) == 5
            assert 0 <= sum(p for _, p in blank.guesses) <= 1 + 1e-5
            assert [p for _, p in blank.guesses] == sorted((p for _, p in blank.guesses))[::-1]
            assert blank.truth in "abcdefg"
            assert bool(blank.after) == (model in ("bert", "elmo"))
        assert len(record.neighbours) == 5
        assert all(len(n.nearest) == 5 for n in record.neighbours)
        assert all(-1.001 <= c <= 1.001 for n in record.neighbours for _, c in n.nearest)
        assert len(record.line) <= 20
    assert any(record.line for record in records) == (model != "bert")
    assert records[0].blanks != records[-1].blanks


def test_records_are_plain_and_come_back(segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of("gpt", **STEPS), job=Job())
    for record in read(tmp_path / "run"):
        assert ProbeRecord.from_json(json.loads(json.dumps(asdict(record)))) == record


def test_asking_draws_no_random_numbers_of_the_training(segmentation, tmp_path, monkeypatch):
    fit(segmentation, tmp_path / "asked", spec_of("bert", **STEPS), job=Job())
    monkeypatch.setattr(Probes, "ask", lambda *args: None)
    fit(segmentation, tmp_path / "not", spec_of("bert", **STEPS), job=Job())
    asked, not_asked = (
        (tmp_path / name / "checkpoints/last/weights.safetensors").read_bytes()
        for name in ("asked", "not")
    )
    assert asked == not_asked


def test_resume_forgets_what_is_done_once_more(segmentation, tmp_path):
    spec = spec_of("gpt", **STEPS)
    with pytest.raises(Cancelled):
        fit(segmentation, tmp_path / "run", spec, job=Watched(stop_at=4))
    records = read(tmp_path / "run")
    later = replace(records[-1], step=5)
    with (tmp_path / "run" / probes.FILE).open("a") as file:
        file.write(json.dumps(asdict(later)) + "\n")
        file.write('{"step": 7, "seco')  # a kill
    fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert [record.step for record in read(tmp_path / "run")] == [0, 3, 6, 9]


def test_a_fresh_training_begins_a_new_record(segmentation, tmp_path):
    for _ in range(2):
        fit(segmentation, tmp_path / "run", spec_of("ffnn", **STEPS), job=Job())
    assert len(read(tmp_path / "run")) == 4


def test_nothing_is_kept_of_a_run_that_is_not_validated(tmp_path):
    segmentation = write_segmentation(tmp_path / "s", train=["a b c"] * 20)
    fit(segmentation, tmp_path / "run", spec_of("rnn", max_steps=2), job=Job())
    assert read(tmp_path / "run") == []


@pytest.mark.slow
@pytest.mark.parametrize("model", ["lstm", "gpt"])
def test_large_vocabularies_are_asked_quickly(model, tmp_path):
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(50_000)]
    train = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    valid = [" ".join(rng.choice(words, 12)) for _ in range(50)]
    segmentation = write_segmentation(tmp_path / "s", train=train, valid=valid)
    spec = spec_of(model)
    config = {"layers": 2, "width": 128} | ({"heads": 4} if model == "gpt" else {})
    spec = spec.from_json(spec.to_json() | {"config": config})
    torch.manual_seed(1)
    module = build(spec, train_counts(segmentation), segmentation)
    asked = Probes(tmp_path / "run", segmentation)
    began = time.process_time()
    asked.ask(module, 1, 1.0)
    print(took := time.process_time() - began)
    assert took < 0.6  # 0.3 where nothing else runs
