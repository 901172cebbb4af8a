"""ELMo: each direction sees its own side only, exact scores, blanks, states that do not leak."""

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.models.config import ElmoConfig
from lmstudio.models.elmo import Elmo

ROWS = 11
HEADS = ("separate", "joint")


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make(**settings: object) -> Elmo:
    torch.manual_seed(1)
    config = ElmoConfig(**{"width": 8, "cell": 12, "dropout": 0.0, "filters": 2, **settings})
    counts = np.array([5, 0, 20, 40, 10, 5, 3, 3, 2, 1, 1])
    module = Elmo(config, ROWS, counts)
    if config.characters:
        generator = torch.Generator().manual_seed(1)
        module.words.spelled.random_(1, 258, generator=generator)
        module.words.spelled[:, 10:] = 261
    return module.eval()


def sentence(*words: int) -> np.ndarray:
    return np.array([BOS, *words, EOS], np.int32)


def batch_of(*sentences: np.ndarray, width: int = 0) -> dict[str, torch.Tensor]:
    """Sentences as rows, padded to `width` or the longest."""
    width = max(width, *(len(s) - 1 for s in sentences))
    ids = torch.full((len(sentences), width), EOS)
    targets = torch.full((len(sentences), width), IGNORE)
    for row, s in enumerate(sentences):
        ids[row, : len(s) - 1] = torch.from_numpy(s[:-1]).long()
        targets[row, : len(s) - 1] = torch.from_numpy(s[1:]).long()
    return {"ids": ids, "targets": targets}


@pytest.mark.parametrize("settings", [
    {}, {"layers": 3, "width": 5}, {"head": "joint"}, {"characters": True, "filters": 3},
])  # fmt: skip
def test_parameters_are_what_the_config_says(settings):
    module = make(**settings)
    counted = sum(p.numel() for p in module.parameters())
    assert counted == sum(count for _, _, count in module.config.parameters(ROWS))


@pytest.mark.parametrize(("width", "cell", "highways", "published"), [
    (512, 4096, 2, 93_600_864), (256, 2048, 1, 28_027_744), (128, 1024, 1, 13_593_312),
])  # fmt: skip
def test_published_models_have_their_number_of_parameters(width, cell, highways, published):
    config = ElmoConfig(width=width, cell=cell, characters=True, filters=7, highways=highways)
    terms = [*config.word_terms(800_000), *config.layer_terms()]
    assert sum(count for _, _, count in terms) == published


@pytest.mark.parametrize("settings", [
    {}, {"head": "joint"}, {"characters": True}, {"carried": True}, {"clip": 0.0},
])  # fmt: skip
def test_overfits_one_batch(settings):
    module = make(width=16, cell=24, **settings).train()
    batch = batch_of(sentence(3, 4, 5, 6), sentence(3, 4, 8), sentence(3, 4, 8))
    optimizer = torch.optim.Adam(module.parameters(), lr=0.03)
    for _ in range(60):
        optimizer.zero_grad()
        sums, events = module.losses(batch), module.events(batch)
        loss = sum(sums[name] / events[name] for name in sums)
        loss.backward()
        optimizer.step()
    open_ends = 0.0 if module.joint else 2 * 3 * np.log(3) / 13  # of 3 sentences, either way
    assert loss.item() < open_ends + 0.1
