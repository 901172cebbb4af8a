"""The UTF-8 bytes of a word -> its vector, by convolutions, their largest values and highways.

Kim, Jernite, Sontag & Rush 2016, "Character-aware neural language models"; highways: Srivastava,
Greff & Schmidhuber 2015; sizes and byte ids as in Peters et al. 2018.

A word is its bytes between two marks, padded to LENGTH. The convolutions also slide over the
padding, as published; windows that hold nothing else all give the same, so one is enough.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.config.elmo import BYTE_WIDTH, BYTES, BYTES_READ, FILTERS

LENGTH = BYTES_READ  # ids of a word, marks included; the bytes of longer words are cut
NOTHING, BYTE, SENTENCE_STARTS, SENTENCE_ENDS, WORD_STARTS, WORD_ENDS, PADDING = (
    0, 1, 257, 258, 259, 260, 261,
)  # fmt: skip
"""Ids: 0 where there is no word, 1 more than its value for a byte, and marks."""


def spellings(types: Sequence[str]) -> np.ndarray:
    """(rows, LENGTH) int16 byte ids of a vocabulary; its <s> and </s> are marks of their own."""
    words = [spelling(word) for word in types]
    for number, mark in ((BOS, SENTENCE_STARTS), (EOS, SENTENCE_ENDS)):
        words[number] = framed([mark])
    return np.array(words, np.int16)


def spelling(word: str) -> list[int]:
    """The LENGTH byte ids of a word."""
    return framed([byte + BYTE for byte in word.encode()[: LENGTH - 2]])


def framed(ids: list[int]) -> list[int]:
    """`ids` between the marks of a word, padded to LENGTH."""
    framed = [WORD_STARTS, *ids, WORD_ENDS]
    return framed + [PADDING] * (LENGTH - len(framed))


class CharacterCnn(nn.Module):
    """N words of byte ids in, N vectors of length `width` out."""

    def __init__(
        self,
        width: int,
        filters: Sequence[tuple[int, int]] = FILTERS,
        highways: int = 2,
        byte_width: int = BYTE_WIDTH,
    ) -> None:
        """`filters`: the widths in bytes and the numbers of the convolutions."""
        super().__init__()
        total = sum(count for _, count in filters)
        self.bytes = nn.Embedding(BYTES, byte_width)
        self.convolutions = nn.ModuleList(nn.Conv1d(byte_width, n, w) for w, n in filters)
        self.highways = nn.ModuleList(nn.Linear(total, 2 * total) for _ in range(highways))
        self.projection = nn.Linear(total, width)
        self._widest = max(width for width, _ in filters)
        self._start(total)

    def _start(self, total: int) -> None:
        """Random weights as published; highways let nearly everything pass at first."""
        nn.init.uniform_(self.bytes.weight, -1, 1)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
                if name.startswith("highways"):
                    nn.init.constant_(parameter[total:], 2.0)
            elif name.startswith("convolutions"):
                nn.init.uniform_(parameter, -0.05, 0.05)
            elif not name.startswith("bytes"):
                nn.init.normal_(parameter, std=1 / math.sqrt(total))

    def forward(self, ids: Tensor) -> Tensor:
        """ids (N, LENGTH) -> (N, width)."""
        x = self.bytes(self._shortest(ids)).transpose(1, 2)  # (N, byte width, L)
        x = torch.cat([convolution(x).amax(2) for convolution in self.convolutions], 1)
        x = torch.relu(x)  # (N, filters): of the largest, which is the largest of the relu
        for highway in self.highways:
            changed, gate = highway(x).chunk(2, 1)
            x = torch.lerp(torch.relu(changed), x, torch.sigmoid(gate))
        vectors: Tensor = self.projection(x)
        return vectors

    def _shortest(self, ids: Tensor) -> Tensor:
        """ids without padding that changes nothing: one window of it stays for each convolution."""
        used = int((ids != PADDING).any(0).sum())
        return ids[:, : used + self._widest]


class SpelledWords(nn.Module):
    """The vectors of a vocabulary of words that are spelled out; what an embedding is otherwise.

    The spellings are saved with the weights, so that these can be used without the vocabulary.
    """

    def __init__(self, cnn: CharacterCnn, rows: int) -> None:
        super().__init__()
        self.cnn = cnn
        self.spelled: Tensor
        self.register_buffer("spelled", torch.zeros(rows, LENGTH, dtype=torch.int16))

    def forward(self, ids: Tensor) -> Tensor:
        """ids of words -> their vectors, one axis more; each word of a batch is read once."""
        found, where = ids.unique(return_inverse=True)
        vectors: Tensor = self.cnn(self.spelled[found].long())
        return vectors[where]
