"""Recurrent networks and FFNN stopped and gone on with: the same weights, to the last bit.

With dropout, sampled softmax, and the state that is carried over batches (case D-4).
"""

import numpy as np
import pytest
import torch

from lmstudio.data.contexts import ContextBatches
from lmstudio.data.lanes import LaneBatches, whole_lanes
from lmstudio.jobs import Job
from lmstudio.models import ffnn, gru, lstm, rnn
from lmstudio.models.config import FfnnConfig, GruConfig, LstmConfig, RnnConfig
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.loop import Training
from lmstudio.training.spec import TrainingConfig

ROWS = 1500  # more than are sampled
MODELS = {
    "ffnn": (ffnn, FfnnConfig(width=4, hidden=6, dropout=0.1, softmax="sampled")),
    "rnn": (rnn, RnnConfig(width=4, dropout=0.1, softmax="sampled", context="document")),
    "gru": (gru, GruConfig(width=4, dropout=0.1, softmax="adaptive", tied=False)),
    "lstm": (lstm, LstmConfig(width=4, layers=2, dropout=0.1, context="document")),
}


def text() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    ends = np.cumsum(generator.integers(0, 12, 60))
    tokens = (generator.zipf(1.3, ends[-1]) % (ROWS - 3) + 3).astype(np.int32)
    return tokens, np.stack([np.append(0, ends[:-1]), ends], 1)


def training(name: str, folder, steps: int) -> Training:
    torch.manual_seed(3)
    module, config = MODELS[name]
    if name == "ffnn":
        data = ContextBatches(*text(), rows=32, order=5, seed=1)
    else:
        data = LaneBatches(*text(), rows=4, length=5, seed=1)
    counts = np.bincount(text()[0], minlength=ROWS)
    settings = TrainingConfig(
        epochs=100, max_steps=steps, batch=4, warmup=3, validate_every=4, device="cpu"
    )
    valid = None if name == "ffnn" else lambda: whole_lanes(*text(), 2)
    built, cpu = module.build(config, counts), torch.device("cpu")
    return Training(built, data, valid, settings, Checkpoints(folder), cpu)


@pytest.mark.parametrize("name", MODELS)
def test_case_d4_to_stop_and_go_on_changes_nothing(name, tmp_path):
    straight = training(name, tmp_path / "straight", 25)
    straight.run(Job())
    first = training(name, tmp_path / "stopped", 25)
    for _ in range(10):
        first.step(Job())
    first._save_last()
    torch.manual_seed(99)  # another process would stand elsewhere
    second = training(name, tmp_path / "stopped", 25)
    torch.manual_seed(98)
    second.resume()
    second.run(Job())
    ended = second.module.state_dict()
    for weight, values in straight.module.state_dict().items():
        assert torch.equal(values, ended[weight]), weight
