"""Words as bytes: spelled as published, padding that changes nothing, every word read once."""

import numpy as np
import pytest
import torch

from lmstudio.data.layout import SPECIALS
from lmstudio.models.character_cnn import (
    LENGTH,
    PADDING,
    CharacterCnn,
    SpelledWords,
    spelling,
    spellings,
)

FILTERS = ((1, 3), (3, 4), (7, 5))


@pytest.fixture
def cnn():
    torch.manual_seed(1)
    return CharacterCnn(6, FILTERS, byte_width=4).eval()


def test_words_are_spelled_as_published():
    assert spelling("爱")[:6] == [259, 0xE7 + 1, 0x88 + 1, 0xB1 + 1, 260, PADDING]
    assert len(spelling("")) == LENGTH
    long = spelling("x" * 100)
    assert len(long) == LENGTH
    assert long[-2:] == [ord("x") + 1, 260]
    table = spellings([*SPECIALS, "a"])
    assert table.shape == (4, LENGTH)
    assert table[:, :4].tolist() == [
        [259, ord("<") + 1, ord("u") + 1, ord("n") + 1],
        [259, 257, 260, PADDING],
        [259, 258, 260, PADDING],
        [259, ord("a") + 1, 260, PADDING],
    ]


@pytest.mark.parametrize("word", ["a", "北京大学", "x" * 40, "x" * 45, "x" * 60])
def test_padding_that_is_left_out_changes_nothing(cnn, word):
    ids = torch.tensor([spelling(word), spelling("b")])
    with torch.no_grad():
        found = cnn(ids)
        cnn._widest = LENGTH  # keeps all of it
        assert torch.allclose(cnn(ids), found, atol=1e-6)


def test_equals_the_formulas(cnn):
    ids = torch.tensor([spelling("ab")])
    with torch.no_grad():
        x = cnn.bytes(ids).transpose(1, 2)
        x = torch.cat([torch.relu(c(x)).amax(2) for c in cnn.convolutions], 1)
        for highway in cnn.highways:
            changed, gate = highway(x).chunk(2, 1)
            gate = torch.sigmoid(gate)
            x = gate * x + (1 - gate) * torch.relu(changed)
        assert torch.allclose(cnn(ids), cnn.projection(x), atol=1e-6)


def test_a_vocabulary_has_a_vector_for_each_word(cnn):
    words = SpelledWords(cnn, 5)
    spelled = torch.from_numpy(spellings([*SPECIALS, "我", "爱"]))
    words.spelled.copy_(spelled)
    ids = torch.tensor([[[1, 3], [4, 2]], [[3, 3], [1, 4]]])
    with torch.no_grad():
        found = words(ids)
        assert found.shape == (2, 2, 2, 6)
        assert np.allclose(found[0, 1, 0], cnn(spelled[4:].long())[0], atol=1e-6)
        assert torch.equal(found[0, 0, 1], found[1, 0, 0])
