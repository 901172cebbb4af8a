"""Runs that are cut to minutes and memory, made longer, or begun with the weights of another."""

from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file

from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training import batch_size, loop, measuring
from lmstudio.training.fit_neural import fit
from lmstudio.training.optim import learning_rate
from tests.segmentations import write_segmentation
from tests.training.networks import SMALL, Watched, small_text, spec_of


@pytest.fixture
def segmentation(tmp_path):
    return small_text(tmp_path / "segmentation")


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)
    monkeypatch.setattr(measuring, "SECONDS", 0.2)
    monkeypatch.setattr(measuring, "VALID_SECONDS", 0.05)


def weights_of(run, name="last"):
    return load_file(run / "checkpoints" / name / "weights.safetensors")


@pytest.fixture
def steady(monkeypatch):
    """A computer on which a step takes 20 ms and a batch of the valid part 4 ms, by its clock."""
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)

    def lasting(seconds, method):
        def timed(self, *args):
            clock.now += seconds
            return method(self, *args)

        return timed  # fmt: skip

    for module in (loop, measuring):
        monkeypatch.setattr(module, "time", clock)
    for name, seconds in (("step", 0.02), ("look", 0.004)):
        method = getattr(loop.Training, name)
        monkeypatch.setattr(loop.Training, name, lasting(seconds, method))


@pytest.mark.usefixtures("steady")
@pytest.mark.parametrize("model", ["lstm", "bert"])
def test_minutes_end_a_run_and_bring_the_rate_to_zero(model, segmentation, tmp_path):
    job = Watched()
    spec = spec_of(model, minutes=0.03, epochs=10_000)
    facts = fit(segmentation, tmp_path / "run", spec, job=job)
    assert facts["seconds"] == pytest.approx(1.8, rel=0.2)
    rates = list(job.curve("learning_rate").values())
    assert rates[-1] < 2 * max(rates) / len(rates)
    assert len(job.curve("valid_loss")) >= 5
    again = fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert again["step"] == facts["step"]


def test_minutes_are_no_reason_to_go_beyond_the_epochs(segmentation, tmp_path):
    facts = fit(segmentation, tmp_path / "run", spec_of("ffnn", minutes=1, epochs=1), job=Job())
    assert facts["step"] == facts["steps_per_epoch"]


def test_batch_0_finds_one_says_so_and_keeps_it(segmentation, tmp_path, monkeypatch):
    monkeypatch.setattr(batch_size, "LEAST_STEPS", 5)
    job, spec = Watched(), spec_of("lstm", batch=0, max_steps=4)
    facts = fit(segmentation, tmp_path / "run", spec, job=job)
    assert facts["batch"] == facts["notes"][0][1]["rows"] > 16
    assert any(str(facts["batch"]) in note for note in job.notes)
    monkeypatch.setattr(batch_size, "biggest", None)  # asked once only
    again = fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert again["batch"] == facts["batch"]


def test_batch_0_is_what_fits(segmentation, tmp_path, monkeypatch):
    monkeypatch.setattr(batch_size, "LEAST_STEPS", 1)
    rows = []
    for free in (10**4, 10**5, 10**6):
        monkeypatch.setattr(batch_size, "free_memory", lambda device, free=free: free)
        spec = spec_of("gpt", batch=0, max_steps=1)
        facts = fit(segmentation, tmp_path / "run", spec, job=Job())
        rows.append(facts["batch"])
    assert rows == sorted(rows)
    assert rows[0] == 1
    assert rows[0] < rows[1]


@pytest.mark.parametrize("variant", ["ffnn", "elmo", "gpt", "bert", "lstm of documents"])
def test_a_batch_in_parts_gives_the_same_figures(variant, segmentation, tmp_path):
    whole, parts = Watched(), Watched()
    for job, count in ((whole, 1), (parts, 3)):
        spec = spec_of(variant, max_steps=6, accumulate=count, validate_every=3)
        spec = spec.from_json(
            spec.to_json() | {"config": spec.to_json()["config"] | {"dropout": 0.0}}
        )
        fit(segmentation, tmp_path / "run", spec, job=job)
    for name in ("loss", "valid_loss", "gradient_norm"):
        assert list(parts.curve(name).values()) == pytest.approx(
            list(whole.curve(name).values()), rel=1e-4
        )


def test_a_share_of_the_text_is_its_beginning(segmentation, tmp_path):
    whole = fit(segmentation, tmp_path / "run", spec_of("gpt", epochs=1), job=Job())
    half = fit(segmentation, tmp_path / "run", spec_of("gpt", epochs=1, share=0.5), job=Job())
    assert half["steps_per_epoch"] == pytest.approx(whole["steps_per_epoch"] / 2, abs=1)
    tiny = fit(segmentation, tmp_path / "run", spec_of("lstm", epochs=1, share=1e-9), job=Job())
    assert tiny["steps_per_epoch"] >= 1


def test_a_finished_run_goes_on_along_a_longer_line(segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of("lstm", max_steps=30), job=Job())
    job = Watched()
    spec = spec_of("lstm", max_steps=90, validate_every=50)
    facts = fit(segmentation, tmp_path / "run", spec, resume=True, job=job)
    assert facts["step"] == 90
    rates = job.curve("learning_rate")
    assert sorted(rates) == list(range(31, 91))
    line = [learning_rate(step - 1, 90, spec.training) for step in rates]
    assert list(rates.values())[6:] == pytest.approx(line[6:])
    assert rates[31] < line[0] / 2


def test_a_run_that_patience_ended_gets_new_patience(segmentation, tmp_path):
    stopping = {"validate_every": 1, "patience": 2, "learning_rate": 0.9, "epochs": 50}
    spec = spec_of("rnn", max_steps=200, **stopping)
    facts = fit(segmentation, tmp_path / "run", spec, job=Job())
    assert facts["step"] < 200
    more = spec_of("rnn", max_steps=facts["step"] + 2, **stopping)
    assert fit(segmentation, tmp_path / "run", more, resume=True, job=Job())["step"] > facts["step"]


def test_a_warm_start_has_the_weights_of_the_other_run(segmentation, tmp_path):
    fit(segmentation, tmp_path / "first", spec_of("gpt", max_steps=5), job=Job())
    spec, job = spec_of("gpt", max_steps=1, learning_rate=1e-9), Watched()
    warm = (tmp_path / "first", segmentation)
    fit(segmentation, tmp_path / "second", spec, warm=warm, job=job)
    first, second = weights_of(tmp_path / "first", "best"), weights_of(tmp_path / "second")
    for name, weight in first.items():
        assert second[name] == pytest.approx(weight, abs=1e-6), name
    assert any("were taken" in note for note in job.notes)


def test_a_warm_start_on_other_words_matches_them(segmentation, tmp_path):
    other = write_segmentation(tmp_path / "other", train=["b a x a", "a y z b"] * 20, valid=["a b"])
    fit(segmentation, tmp_path / "first", spec_of("bert", max_steps=5), job=Job())
    spec, job = spec_of("bert", max_steps=1, learning_rate=1e-9), Watched()
    fit(other, tmp_path / "second", spec, warm=(tmp_path / "first", segmentation), job=job)
    first, second = weights_of(tmp_path / "first", "best"), weights_of(tmp_path / "second")
    ours, theirs = Vocabulary.load(other), Vocabulary.load(segmentation)
    (table,) = [n for n, w in second.items() if len(w) == ours.rows + 1 and w.ndim == 2]
    for word in ("a", "b", "</s>"):
        mine, its = second[table][ours.id_of(word)], first[table][theirs.id_of(word)]
        assert mine == pytest.approx(its, abs=1e-6)
    assert second[table][-1] == pytest.approx(first[table][-1], abs=1e-6)  # [MASK]
    new = second[table][ours.id_of("x")]
    assert not np.isclose(new, first[table][:, None], atol=1e-6).all(-1).any()
    assert any("Of 8 words, 5 were known" in note for note in job.notes)


def test_a_warm_start_of_another_size_says_what_begins_anew(segmentation, tmp_path):
    fit(segmentation, tmp_path / "first", spec_of("gpt", max_steps=2), job=Job())
    spec = spec_of("gpt", max_steps=1)
    spec = spec.from_json(spec.to_json() | {"config": SMALL["gpt"] | {"inner": 12}})
    job = Watched()
    fit(segmentation, tmp_path / "second", spec, warm=(tmp_path / "first", segmentation), job=job)
    assert any("begin anew" in note for note in job.notes)


def test_a_warm_start_of_another_model_is_refused(segmentation, tmp_path):
    fit(segmentation, tmp_path / "first", spec_of("rnn", max_steps=2), job=Job())
    with pytest.raises(AppError, match="kind RNN cannot be the beginning of a GRU"):
        fit(segmentation, tmp_path / "second", spec_of("gru", max_steps=1),
            warm=(tmp_path / "first", segmentation), job=Job())  # fmt: skip


@pytest.mark.parametrize("lost", ["last", "last/meta.json"])
def test_a_run_that_lost_its_last_checkpoint_keeps_its_model(lost, segmentation, tmp_path):
    run, spec = tmp_path / "run", spec_of("lstm", max_steps=2, validate_every=1)
    fit(segmentation, run, spec, job=Job())
    gone = run / "checkpoints" / lost
    gone.rename(tmp_path / "gone")
    best = weights_of(run, "best")
    longer = spec_of("lstm", max_steps=4)
    with pytest.raises(AppError, match=r"last is missing or damaged. The model itself is kept"):
        fit(segmentation, run, longer, resume=True, job=Job())
    assert weights_of(run, "best").keys() == best.keys()
    (run / "checkpoints/best").rename(tmp_path / "best")
    (run / "checkpoints/last").mkdir(exist_ok=True)
    with pytest.raises(AppError, match="Train a new run"):
        fit(segmentation, run, longer, resume=True, job=Job())


def test_without_a_valid_part_a_longer_run_has_its_last_weights_as_the_best(tmp_path):
    segmentation = write_segmentation(tmp_path / "other", train=["a b c d"] * 20)
    for steps in (2, 5):
        spec = spec_of("lstm", max_steps=steps)
        fit(segmentation, tmp_path / "run", spec, resume=steps > 2, job=Job())
    last, best = weights_of(tmp_path / "run"), weights_of(tmp_path / "run", "best")
    assert all((last[name] == best[name]).all() for name in last)
