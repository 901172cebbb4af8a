"""Which weights move how, and the learning rate of each step."""

import numpy as np
import pytest
import torch

from lmstudio.models import gpt, lstm
from lmstudio.models.config import GptConfig, LstmConfig
from lmstudio.training.muon import Muon
from lmstudio.training.optim import MATRICES, VECTORS, inner_matrices, learning_rate, make
from lmstudio.training.spec import TrainingConfig

CPU = torch.device("cpu")
COUNTS = np.arange(30)


def transformer(**settings) -> gpt.Gpt:
    torch.manual_seed(1)
    return gpt.build(GptConfig(layers=2, width=16, heads=2, window=8, **settings), COUNTS)


def recurrent() -> lstm.Lstm:
    torch.manual_seed(1)
    return lstm.build(LstmConfig(width=4, layers=2), COUNTS)


def by_name(module, optimizer, value):
    """`value` of the group of each parameter; every one is in exactly one group."""
    found = {id(p): group.get(value) for group in optimizer.param_groups for p in group["params"]}
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(found)
    return {name: found[id(p)] for name, p in module.named_parameters()}


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
def test_only_matrices_decay(kind):
    module = recurrent()
    optimizer = make(module, TrainingConfig(weight_decay=0.1, optimizer=kind), CPU)
    for name, decay in by_name(module, optimizer, "weight_decay").items():
        assert decay == (0.0 if "bias" in name else 0.1), name


def test_auto_is_muon_for_transformers():
    config = TrainingConfig()
    assert type(make(recurrent(), config, CPU)) is torch.optim.AdamW
    assert len(make(transformer(), config, CPU).param_groups) == 4
    config = TrainingConfig(optimizer="adamw")
    assert type(make(transformer(), config, CPU)) is torch.optim.AdamW
    assert type(make(transformer(), TrainingConfig(optimizer="sgd"), CPU)) is torch.optim.SGD


@pytest.mark.parametrize("tied", [True, False])
def test_muon_moves_the_matrices_inside_the_layers(tied):
    module = transformer(tied=tied)
    optimizer = make(module, TrainingConfig(), CPU)
    scales, parts = (by_name(module, optimizer, value) for value in ("scale", "parts"))
    for name, scale in scales.items():
        if name in ("embedding.weight", "positions.weight", "output.weight"):
            assert (scale, parts[name]) == (1.0, None), name
        elif "bias" in name or "norm" in name:
            assert (scale, parts[name]) == (VECTORS, None), name
        else:
            assert (scale, parts[name]) == (MATRICES, 3 if "qkv" in name else 1), name


def test_the_gates_of_an_lstm_are_four_matrices():
    module = recurrent()
    names = {id(p): name for name, p in module.named_parameters()}
    assert {names[id(p)]: n for p, n in inner_matrices(module).items()} == {
        f"cells.weight_{kind}_l{layer}": 4 for kind in ("ih", "hh") for layer in (0, 1)
    }


@pytest.mark.parametrize("kind", ["adamw", "muon", "sgd"])
def test_what_is_gone_on_with_takes_the_same_steps(kind):
    def steps(module, optimizer, first, last):
        for step in range(first, last):
            for group in optimizer.param_groups:
                group["lr"] = 0.01 * group.get("scale", 1.0) / (step + 1)
            optimizer.zero_grad()
            ids = torch.arange(3 + step, 9 + step)[None]
            module.losses({"ids": ids, "targets": ids + 1})["tokens"].backward()
            optimizer.step()

    config = TrainingConfig(optimizer=kind)
    straight, resumed = transformer(), transformer()
    one = make(straight, config, CPU)
    steps(straight, one, 0, 4)
    half, first = transformer(), None
    first = make(half, config, CPU)
    steps(half, first, 0, 2)
    resumed.load_state_dict(half.state_dict())
    second = make(resumed, config, CPU)
    second.load_state_dict(first.state_dict())
    steps(resumed, second, 2, 4)
    for p, q in zip(straight.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(p, q)
    assert not torch.equal(resumed.embedding.weight, half.embedding.weight)


def test_the_state_is_plain_enough_to_be_saved(tmp_path):
    module = transformer()
    optimizer = make(module, TrainingConfig(), CPU)
    module.losses({"ids": torch.tensor([[3]]), "targets": torch.tensor([[4]])})["tokens"].backward()
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "state.pt")
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    make(transformer(), TrainingConfig(), CPU).load_state_dict(state)


def test_a_model_without_matrices_inside_has_no_muon():
    module = torch.nn.Embedding(4, 3)
    optimizer = make(module, TrainingConfig(optimizer="muon"), CPU)
    assert not isinstance(optimizer, Muon)
    assert len(optimizer.param_groups) == 2


def test_the_rate_rises_then_falls_to_zero():
    config = TrainingConfig(learning_rate=1.0, warmup=4)
    rates = [learning_rate(step, 84, config) for step in range(84)]
    assert rates[:5] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0])
    assert rates[4:] == pytest.approx([n / 80 for n in range(80, 0, -1)])


def test_the_warm_up_takes_a_twentieth_of_the_steps_at_most():
    config = TrainingConfig(learning_rate=1.0, warmup=100)
    assert [learning_rate(step, 60, config) for step in range(4)] == pytest.approx(
        [1 / 3, 2 / 3, 1.0, 1.0]
    )
    assert learning_rate(0, 1, config) == 1.0


def test_no_warm_up():
    config = TrainingConfig(learning_rate=1.0, warmup=0)
    assert learning_rate(0, 10, config) == 1.0
