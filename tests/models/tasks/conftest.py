"""Small models of every kind and family, and batches for them."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.models.config import (
    BertConfig,
    ElmoConfig,
    FfnnConfig,
    GptConfig,
    GruConfig,
    LstmConfig,
    RnnConfig,
)
from lmstudio.models.registry import MODELS
from lmstudio.models.tasks.task_model import TaskModel
from lmstudio.training.task_config import TaskConfig

ROWS = 20
SMALL = {
    "bert": BertConfig(layers=2, width=8, heads=2, window=16, dropout=0.0),
    "gpt": GptConfig(layers=2, width=8, heads=2, window=16, dropout=0.0),
    "rnn": RnnConfig(layers=2, width=8, dropout=0.0),
    "gru": GruConfig(layers=2, width=8, dropout=0.0),
    "lstm": LstmConfig(layers=2, width=8, dropout=0.0),
    "elmo": ElmoConfig(layers=2, width=8, cell=12, dropout=0.0, characters=False),
    "ffnn": FfnnConfig(width=8, hidden=6, dropout=0.0),
}
LABELS = {
    "classify": ("bad", "good", "so-so"), "pair": ("no", "yes"), "qa": (),
    "tag": ("O", "B-PER", "I-PER", "B-LOC", "I-LOC"),
}  # fmt: skip


def encoder(family: str, **settings):
    """A network with weights of some size, so that all of it matters."""
    torch.manual_seed(1)
    module = importlib.import_module(MODELS[family].module)
    made = module.build(replace(SMALL[family], **settings), np.arange(ROWS) + 1, None)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made


def task_model(family: str = "bert", kind: str = "classify", **settings) -> TaskModel:
    made = encoder(family)
    return TaskModel(made, TaskConfig(kind=kind, dropout=0.0, **settings), LABELS[kind]).eval()


def batch(kind: str = "classify", sizes: tuple[int, ...] = (7, 5, 9)) -> dict[str, torch.Tensor]:
    """Rows of random words."""
    draw = torch.Generator().manual_seed(2)
    width = max(sizes)
    ids = torch.full((len(sizes), width), 2)
    types, tags = torch.zeros_like(ids), torch.full_like(ids, IGNORE)
    for row, size in enumerate(sizes):
        ids[row, : size - 1] = torch.randint(3, ROWS, (size - 1,), generator=draw)
        ids[row, 0] = 1
        types[row, 3:size] = 1
        tags[row, 1 : size - 1] = torch.randint(0, 5, (size - 2,), generator=draw)
    found = {"ids": ids, "sizes": torch.tensor(sizes)}
    if kind in ("pair", "qa"):
        found["types"] = types
    if kind in ("pair", "classify"):
        found["labels"] = torch.arange(len(sizes)) % len(LABELS[kind])
    if kind == "tag":
        found["tags"] = tags
    if kind == "qa":
        found |= {"starts": torch.full((len(sizes),), 3), "ends": torch.tensor(sizes) - 2}
        found["starts"][1], found["ends"][1] = 0, 0
    return found


@pytest.fixture(params=sorted(SMALL))
def family(request):
    return request.param


@pytest.fixture(params=sorted(LABELS))
def kind(request):
    return request.param
