"""Which weights stand for words: by name, since a width may be the size of a vocabulary."""

import importlib
from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from lmstudio.models.registry import MODELS
from lmstudio.training.warm_start import WORD_TABLES, _Words

NETWORKS = [name for name, info in MODELS.items() if info.kind == "neural"]
ROWS = 29  # no width of a default config


@pytest.mark.parametrize("model", NETWORKS)
def test_what_has_a_row_for_each_word_is_known_by_name(model):
    config = MODELS[model].config()
    if "tied" in {field.name for field in fields(config)}:
        config = replace(config, tied=False)
    module = importlib.import_module(MODELS[model].module).build(config, np.full(ROWS, 100), None)
    rows = {name for name, p in module.named_parameters() if len(p) in (ROWS, ROWS + 1)}
    assert rows
    assert rows <= WORD_TABLES


def test_a_square_matrix_of_that_size_is_no_word_table():
    words = _Words(["<unk>", "<s>", "</s>", "a", "b", "c"], ["<unk>", "<s>", "</s>", "c", "d", "a"])
    source, to = torch.arange(36.0).view(6, 6), torch.zeros(6, 6)
    assert words.copy(source, to, by_word=False)
    assert torch.equal(to, source)
    to.zero_()
    words.copy(source, to, by_word=True)
    assert to[:, 0].tolist() == [0, 6, 12, 30, 0, 18]
