"""Words -> an LSTM -> all words: a loop in the style of PyTorch's word-language-model example.

https://github.com/pytorch/examples/tree/main/word_language_model, written anew: a text cut into
columns, read 35 words at a time with the state carried on; a linear layer over the whole
vocabulary; log-softmax and negative log-likelihood; gradients clipped at 0.25; plain descent at
rate 20. Its sizes are 20 columns and dropout 0.2; layers and width are those of ours.
"""

import numpy as np
import torch
from torch import Tensor, nn

ROWS, LENGTH, RATE, CLIP, DROPOUT = 20, 35, 20.0, 0.25, 0.2

Hidden = tuple[Tensor, Tensor] | Tensor


class RnnModel(nn.Module):
    """Encoder, cells ("LSTM", "GRU", "RNN") and decoder."""

    def __init__(self, words: int, width: int, layers: int, cells: str = "LSTM") -> None:
        super().__init__()
        self.drop = nn.Dropout(DROPOUT)
        self.encoder = nn.Embedding(words, width)
        between = DROPOUT if layers > 1 else 0.0
        self.rnn = getattr(nn, cells)(width, width, layers, dropout=between)
        self.decoder = nn.Linear(width, words)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, ids: Tensor, hidden: Hidden | None) -> tuple[Tensor, Hidden]:
        """ids (T, B) -> ln p (T B, words), and the state."""
        x = self.drop(self.encoder(ids))
        x, hidden = self.rnn(x, hidden)
        decoded = self.decoder(self.drop(x)).view(-1, self.decoder.out_features)
        return nn.functional.log_softmax(decoded, dim=1), hidden


def batchify(ids: np.ndarray, rows: int = ROWS) -> Tensor:
    """The text as columns (T, B); a few last words are left out."""
    data = torch.from_numpy(ids.astype(np.int64))
    size = len(data) // rows
    return data[: size * rows].view(rows, size).t().contiguous()


class Plain:
    """The training loop, a step at a time."""

    def __init__(self, ids: np.ndarray, model: RnnModel) -> None:
        self.source, self.model = batchify(ids), model
        self.criterion = nn.NLLLoss()
        self.at, self.hidden = 0, None

    def step(self) -> int:
        """One update; the words in it."""
        if self.at >= len(self.source) - 1:
            self.at, self.hidden = 0, None
        length = min(LENGTH, len(self.source) - 1 - self.at)
        data = self.source[self.at : self.at + length]
        targets = self.source[self.at + 1 : self.at + 1 + length].view(-1)
        self.at += length
        self.model.train()
        self.model.zero_grad()
        self.hidden = repackage(self.hidden)
        output, self.hidden = self.model(data, self.hidden)
        self.criterion(output, targets).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for parameter in self.model.parameters():
            parameter.data.add_(parameter.grad, alpha=-RATE)
        return len(targets)


def repackage(hidden: Hidden | None) -> Hidden | None:
    """The state without its history."""
    if hidden is None or isinstance(hidden, Tensor):
        return None if hidden is None else hidden.detach()
    return hidden[0].detach(), hidden[1].detach()
