"""A fine-tuned network: what moves how fast, what stands still, which checkpoint is the best."""

import math

import numpy as np
import pytest
import torch

from lmstudio.jobs import Job
from lmstudio.models import weights
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.loop import Training
from lmstudio.training.optim import MATRICES, make
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.tuning import by_rate
from tests.models.tasks.conftest import batch, task_model

CPU = torch.device("cpu")


class SameBatch:
    """One batch in every step."""

    def __init__(self, kind: str) -> None:
        self.rows = {name: values.numpy() for name, values in batch(kind).items()}

    def __len__(self) -> int:
        return 2

    def at(self, step: int) -> dict[str, np.ndarray]:
        return self.rows


class Judge:
    """The second thing that it hears is the best."""

    heard = 0

    def hear(self, model, rows):
        self.heard += 1

    def score(self):
        return 1 / (1 + abs(self.heard - 2))


def training(tmp_path, kind="classify", *, model=None, **settings) -> Training:
    config = TrainingConfig(
        **{"epochs": 4, "batch": 3, "learning_rate": 0.02, "optimizer": "adamw", "patience": 0}
        | {"warmup": 0, "device": "cpu"} | settings
    )  # fmt: skip
    data, model = SameBatch(kind), model or task_model("bert", kind)
    return Training(model, data, lambda: iter([data.rows]), config, Checkpoints(tmp_path), CPU)


def test_groups_without_rates_stay_as_they_are():
    groups = [{"params": []}, {"params": []}]
    assert by_rate(groups, {}) is groups


@pytest.mark.parametrize("optimizer", ["adamw", "sgd", "muon"])
def test_each_weight_moves_at_its_own_rate(optimizer):
    model = task_model("bert", layer_decay=0.5, head_rate=3.0, tuned=1)
    made = make(model, TrainingConfig(optimizer=optimizer, learning_rate=0.1), CPU)
    scale = {p: group["scale"] for group in made.param_groups for p in group["params"]}
    assert set(scale) == {p for p in model.parameters() if p.requires_grad}
    matrix = MATRICES if optimizer == "muon" else 1.0
    assert scale[model.head.output.weight] == 3.0 * matrix
    assert scale[model.encoder.blocks[1].mlp.inner.weight] == matrix


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_what_is_frozen_stays_bit_for_bit(tmp_path, optimizer):
    model = task_model("bert", tuned=1)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    training(tmp_path, model=model, optimizer=optimizer).run(Job())
    moved = {n for n, value in model.state_dict().items() if not torch.equal(value, before[n])}
    assert moved == {n for n in moved if n.startswith(("head.", "encoder.blocks.1."))}
    assert "encoder.blocks.1.mlp.inner.weight" in moved


@pytest.mark.parametrize("kind", ["classify", "tag", "pair", "qa"])
def test_the_one_loop_trains_every_kind(tmp_path, kind):
    points = []

    class Told(Job):
        def tick(self, done, total, stage="", **values):
            points.append(values)

    model = task_model("bert", kind)
    model.judge = Judge()
    run = training(tmp_path, kind, model=model)
    run.run(Told())
    looks = [point for point in points if "valid_score" in point]
    assert len(looks) >= 4
    assert min(point["valid_loss"] for point in looks) < looks[0]["valid_loss"]
    assert looks[1]["valid_score"] == 1
    assert run.progress.early.best_loss == -1


def test_a_checkpoint_holds_the_whole_model(tmp_path):
    run = training(tmp_path, "tag", model=task_model("lstm", "tag", crf=True, layers="mix"))
    run.run(Job())
    again = task_model("lstm", "tag", crf=True, layers="mix")
    weights.load(tmp_path, again)
    rows = batch("tag")
    assert again.predict(rows)[0]
    assert math.isfinite(again.mix.gamma.item())
    assert again.mix.shares().sum().item() == pytest.approx(1)


def test_to_go_on_is_to_have_never_stopped(tmp_path):
    whole = training(tmp_path / "whole", "pair")
    whole.run(Job())
    half = training(tmp_path / "half", "pair")
    for _ in range(3):
        half.step(Job())
    half._save_last()
    rest = training(tmp_path / "half", "pair")
    rest.resume()
    rest.run(Job())
    for a, b in zip(whole.module.parameters(), rest.module.parameters(), strict=True):
        assert torch.equal(a, b)
