"""Which weights decay, and the learning rate of each step."""

import pytest
import torch

from lmstudio.models.config import LstmConfig
from lmstudio.models.lstm import Lstm
from lmstudio.training.optim import adamw, learning_rate
from lmstudio.training.spec import TrainingConfig


def test_only_matrices_decay():
    module = Lstm(LstmConfig(width=4), 7)
    optimizer = adamw(module, TrainingConfig(weight_decay=0.1), torch.device("cpu"))
    decays = {id(p): g["weight_decay"] for g in optimizer.param_groups for p in g["params"]}
    assert len(decays) == len(list(module.parameters()))
    for name, parameter in module.named_parameters():
        assert decays[id(parameter)] == (0.0 if "bias" in name else 0.1), name


def test_the_rate_rises_then_falls_to_zero():
    config = TrainingConfig(learning_rate=1.0, warmup=4)
    rates = [learning_rate(step, 12, config) for step in range(12)]
    assert rates[:5] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0])
    assert rates[5:] == pytest.approx([0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125])


def test_the_warm_up_takes_at_most_half_of_the_steps():
    config = TrainingConfig(learning_rate=1.0, warmup=100)
    assert [learning_rate(step, 4, config) for step in range(4)] == [0.5, 1.0, 1.0, 0.5]
    assert learning_rate(0, 1, config) == 1.0


def test_no_warm_up():
    config = TrainingConfig(learning_rate=1.0, warmup=0)
    assert learning_rate(0, 10, config) == 1.0
