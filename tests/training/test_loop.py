"""The training loop on the smallest of modules: what it does at which step."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.models.trainable import Trainable
from lmstudio.training import loop
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.loop import Training
from lmstudio.training.spec import TrainingConfig


class Line(Trainable):
    """y = w x, with two losses over different counts."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(1, 1))
        self.largest = 10**9  # rows it has memory for
        self.valid_losses: list[float] = []

    def events(self, batch):
        return {"fit": torch.tensor(len(batch["x"])), "size": torch.tensor(1)}

    def losses(self, batch):
        if len(batch["x"]) > self.largest:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate")
        fit = ((self.w * batch["x"] - batch["y"]) ** 2).sum()
        return {"fit": fit, "size": 0.01 * (self.w**2).sum() * len(batch["x"]) / 8}

    def model(self):
        raise NotImplementedError

    def evaluate(self, batch):
        if self.valid_losses:
            yield {"fit": torch.tensor(self.valid_losses.pop(0) * len(batch["x"]))}
        else:
            yield from super().evaluate(batch)


class Pairs:
    def __len__(self):
        return 5

    def at(self, step):
        x = np.random.default_rng(step).standard_normal((8, 1)).astype(np.float32)
        return {"x": x, "y": 2 * x}


@pytest.fixture
def training(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)

    def make(module=None, valid=None, uniform=math.inf, **settings):
        settings = {"epochs": 4, "learning_rate": 0.1, "warmup": 2, "validate_every": 5} | settings
        return Training(
            module or Line(),
            Pairs(),
            valid,
            TrainingConfig(**settings),
            Checkpoints(tmp_path),
            torch.device("cpu"),
            uniform=uniform,
        )

    return make


def job_with(points):
    job = Job()
    job.on_point = lambda step, point: points.append((step, point))
    return job


def valid():
    return [Pairs().at(1000), {"x": np.ones((2, 1), np.float32), "y": np.ones((2, 1), np.float32)}]


def test_trains_all_steps_and_says_so(training):
    points = []
    it = training()
    assert str(it.run(job_with(points))) == "All 20 steps are done."
    assert it.progress.step == 20
    losses = [point["loss"] for _, point in points]
    assert losses[-1] < 0.5 * losses[0]
    assert [step for step, _ in points] == list(range(1, 21))
    assert points[-1][1]["learning_rate"] == pytest.approx(0.1 / 19)  # one step was warm-up
    assert all(point["tokens_per_second"] > 0 for _, point in points)


def test_max_steps_cut_the_epochs_short(training):
    it = training(max_steps=7)
    it.run(Job())
    assert it.progress.step == 7


def test_validates_every_so_many_steps_and_at_the_end(training):
    points = []
    training(valid=valid, max_steps=12).run(job_with(points))
    assert [step for step, point in points if "valid_loss" in point] == [5, 10, 12]


def test_ten_validations_an_epoch_at_most_one_a_step(training):
    points = []
    training(valid=valid, epochs=1, validate_every=0).run(job_with(points))
    assert [step for step, point in points if "valid_loss" in point] == [1, 2, 3, 4, 5]


def test_case_c6b_validation_pools_over_events(training):
    module = Line()
    module.events = lambda batch: {"fit": torch.tensor(len(batch["x"]))}
    module.valid_losses = [2.0, 4.0]
    ten, two = (
        {"x": np.ones((n, 1), np.float32), "y": np.ones((n, 1), np.float32)} for n in (10, 2)
    )
    it = training(module, valid=lambda: [ten, two])
    loss = it.look(Job())["loss"]
    assert loss == pytest.approx(28 / 12)
    assert math.exp(loss) == pytest.approx(10.312258, abs=1e-6)


def test_best_is_kept_when_the_loss_rises_again(training, tmp_path):
    module = Line()
    module.valid_losses = [1.0, 0.5, 2.0, 3.0]
    it = training(module, valid=lambda: [Pairs().at(0)], patience=2)
    reason = it.run(Job())
    assert "step 10" in str(reason)
    assert it.progress.step == 20
    best = Line()
    progress = loads(tmp_path, best)
    assert progress["step"] == 10
    assert not torch.equal(best.w, module.w)


def loads(folder, module):
    """The best checkpoint into `module`; its progress."""
    from safetensors.torch import load_file

    from lmstudio.files import read_json

    module.load_state_dict(load_file(folder / "checkpoints/best/weights.safetensors"))
    return read_json(folder / "checkpoints/best/meta.json")["progress"]


def test_case_d5_a_validation_of_nan_never_becomes_the_best(training, tmp_path):
    nan = math.nan
    module = Line()
    module.valid_losses = [2.0, nan, 1.9, nan, nan, 1.8]
    it = training(module, valid=lambda: [Pairs().at(0)], patience=2, validate_every=1)
    assert "NaN" in str(it.run(Job()))
    assert it.progress.step == 5
    assert loads(tmp_path, Line())["step"] == 3


def test_a_training_loss_of_nan_stops_with_the_levers_and_keeps_the_best(training, tmp_path):
    module = Line()
    it = training(module, valid=valid)
    pairs = it.train.at
    bad = {"x": np.full((8, 1), np.nan, np.float32), "y": np.ones((8, 1), np.float32)}
    it.train.at = lambda step: bad if step == 7 else pairs(step)
    with pytest.raises(AppError, match=r"learning rate.*clip"):
        it.run(Job())
    assert loads(tmp_path, module)["step"] == 5
    assert torch.isfinite(module.w).all()


def test_without_validation_the_last_is_the_best(training, tmp_path):
    it = training()
    it.run(Job())
    best = Line()
    assert loads(tmp_path, best)["step"] == 20
    assert torch.equal(best.w, it.module.w)


def test_stop_saves_and_resume_goes_on_exactly(training):
    straight = []
    whole = training(valid=valid)
    whole.run(job_with(straight))
    points = []
    job = job_with(points)
    stopped = training(valid=valid)
    collect = job.on_point
    job.on_point = lambda step, point: (collect(step, point), step == 7 and job.cancel())
    with pytest.raises(Cancelled):
        stopped.run(job)
    resumed = training(valid=valid)
    resumed.resume()
    assert resumed.progress.step == 7
    resumed.run(job_with(points))
    assert timeless(points) == timeless(straight)
    assert torch.equal(resumed.module.w, whole.module.w)


def test_a_checkpoint_of_another_optimiser_is_refused(training):
    stopped = training(optimizer="adamw", max_steps=3)
    stopped.run(job_with([]))
    path = stopped.checkpoints.run_folder / "checkpoints" / "last" / "trainer.pt"
    kept = torch.load(path, weights_only=True)
    torch.save(kept | {"optimizer": {"optimizers": []}}, path)
    with pytest.raises(AppError, match="Train a new run"):
        training(optimizer="adamw", max_steps=9).resume()


def timeless(points):
    return [
        (
            step,
            {
                name: value
                for name, value in point.items()
                if "second" not in name and name != "memory"
            },
        )
        for step, point in points
    ]


def test_a_batch_too_large_for_the_memory_is_computed_in_parts(training):
    small = Line()
    small.largest = 2
    points, in_parts = [], []
    training().run(job_with(points))
    it = training(small)
    it.run(job_with(in_parts))
    assert it.progress.parts == 4
    assert [str(note) for note in it.progress.notes] == [
        "Memory ran out; from here on a batch is computed in 2 parts.",
        "Memory ran out; from here on a batch is computed in 4 parts.",
    ]
    for (_, one), (_, other) in zip(points, in_parts, strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-5)


def test_a_row_too_large_for_the_memory_names_the_levers(training):
    module = Line()
    module.largest = 0
    with pytest.raises(AppError, match=r"batch \(now 16\), the length or window"):
        training(module).run(Job())


def test_other_runtime_errors_are_bugs(training):
    module = Line()
    module.losses = lambda batch: batch["x"].view(3)
    with pytest.raises(RuntimeError, match="shape"):
        training(module).run(Job())


def test_saves_from_time_to_time(training):
    it, steps = training(save_minutes=1e-9), []
    save = it.checkpoints.save
    it.checkpoints.save = lambda *args: (steps.append((args[0], it.progress.step)), save(*args))
    it.run(Job())
    assert steps[:3] == [("last", 1), ("last", 2), ("last", 3)]


def test_where_no_validation_is_finite_the_last_is_the_best_and_it_is_said(training, tmp_path):
    module = Line()
    module.valid_losses = [math.nan] * 4
    it = training(module, valid=lambda: [Pairs().at(0)], patience=0)
    it.run(Job())
    assert loads(tmp_path, Line())["step"] == 20
    assert [str(note) for note in it.progress.notes] == [
        "No validation gave a finite loss: the last checkpoint counts as the best."
    ]
    module.valid_losses = [math.nan] * 4
    reason = training(module, valid=lambda: [Pairs().at(0)], patience=2).run(Job())
    assert str(reason) == "Stopped: none of 2 validations gave a finite loss."


def test_a_training_loss_of_nan_before_a_best_checkpoint_promises_none(training, tmp_path):
    it = training(valid=valid)
    bad = {"x": np.full((8, 1), np.nan, np.float32), "y": np.ones((8, 1), np.float32)}
    it.train.at = lambda step: bad
    with pytest.raises(AppError, match="before there was a best checkpoint"):
        it.run(Job())
    assert not (tmp_path / "checkpoints/best").exists()


@pytest.mark.parametrize(("uniform", "said"), [(0.001, "worse than a guess"), (1e6, "is kept.")])
def test_a_best_checkpoint_worse_than_a_uniform_guess_is_called_so(training, uniform, said):
    it = training(valid=valid, uniform=uniform)
    bad = {"x": np.full((8, 1), np.nan, np.float32), "y": np.ones((8, 1), np.float32)}
    good = it.train.at
    it.train.at = lambda step: good(step) if step < 6 else bad  # after a validation
    with pytest.raises(AppError, match=said):
        it.run(Job())
