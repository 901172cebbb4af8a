"""AllenNLP's small ELMo gives the vectors that AllenNLP's own test expects of it.

Its test (allenai/allennlp, tests/modules/elmo_test.py) reads ten batches of three sentences, the
state carried on from each batch to the next, and looks at the last layer.
"""

import json

import numpy as np
import pytest
import torch

from lmstudio.formats.elmo_weights import elmo_weights
from lmstudio.models.character_cnn import (
    LENGTH,
    NOTHING,
    SENTENCE_ENDS,
    SENTENCE_STARTS,
    CharacterCnn,
    framed,
    spelling,
)
from lmstudio.models.config import ElmoConfig
from lmstudio.models.elmo import Elmo

h5py = pytest.importorskip("h5py")


@pytest.fixture
def files(shared):
    folder = shared / "data" / "pretrained" / "elmo_fixture"
    if not folder.is_dir():
        pytest.skip("the fixture is not here")
    return folder


@pytest.fixture
def module(files):
    options = json.loads((files / "options.json").read_text())
    lstm, cnn = options["lstm"], options["char_cnn"]
    config = ElmoConfig(
        lstm["n_layers"], lstm["projection_dim"], lstm["dim"], cell_clip=float(lstm["cell_clip"]),
        carried=True,
    )  # fmt: skip
    words = CharacterCnn(
        config.width, cnn["filters"], cnn["n_highway"], byte_width=cnn["embedding"]["dim"]
    )
    module = Elmo(config, 3, words=_Spelled(words)).eval()
    missing, unexpected = module.load_state_dict(read(files / "lm_weights.hdf5"), strict=False)
    assert set(missing) == {"unigrams", "head.bias", "head.weight"}
    assert unexpected == []
    return module


class _Spelled(torch.nn.Module):
    """Words that are given as their bytes, (.., LENGTH), not as numbers of a vocabulary."""

    def __init__(self, cnn: CharacterCnn) -> None:
        super().__init__()
        self.cnn = cnn

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.cnn(ids.flatten(0, -2)).unflatten(0, ids.shape[:-1])


def read(path) -> dict[str, torch.Tensor]:
    arrays = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: arrays.update({name: item[...]})
                        if isinstance(item, h5py.Dataset) else None)  # fmt: skip
    return {name: torch.from_numpy(array) for name, array in elmo_weights(arrays).items()}


def spelled(sentence: str) -> list[list[int]]:
    words = [spelling(word) for word in sentence.split()]
    return [framed([SENTENCE_STARTS]), *words, framed([SENTENCE_ENDS])]


@torch.no_grad()
def test_vectors_of_carried_states_are_those_of_allennlp(files, module):
    rows = json.loads((files / "sentences.json").read_text())
    carried = None
    with h5py.File(files / "lm_embeddings_0.hdf5") as expected:
        for number, sentences in enumerate(zip(*rows, strict=True)):
            batch = [spelled(sentence) for sentence in sentences]
            sizes = torch.tensor([len(words) for words in batch])
            ids = torch.full((len(batch), int(sizes.max()), LENGTH), NOTHING)
            for row, words in enumerate(batch):
                ids[row, : len(words)] = torch.tensor(words)
            layers, carried = module.embed(ids, sizes, carried)
            ours = layers[-1, 0, 1 : sizes[0] - 1].numpy()  # without the marks
            theirs = np.concatenate(list(expected[str(number)][...]), -1)
            assert ours.shape == theirs.shape
            assert ours == pytest.approx(theirs, abs=2e-6)


@torch.no_grad()
def test_without_carried_states_a_sentence_has_the_same_vectors_again(files, module):
    ids = torch.tensor([spelled("the same sentence twice")])
    sizes = torch.tensor([ids.shape[1]])
    first, ends = module.embed(ids, sizes)
    again, _ = module.embed(ids, sizes)
    carried, _ = module.embed(ids, sizes, ends)
    assert torch.equal(first, again)
    assert not torch.allclose(first, carried, atol=1e-3)
