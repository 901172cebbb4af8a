"""Tokens a second of FFNN, RNN, GRU and ELMo beside the plainest PyTorch loop of the same size.

    python -m tests.bench.bench_plain [--seconds 10] [--threads 1] [--only rnn]

The plain loop: PyTorch's own layers, sentences in random order padded to the longest of the batch
(of FFNN, windows in random order), all logits at once, cross_entropy, AdamW, clipped gradients.
Both read the same made-up text and take turns; real tokens and CPU time count. The large
vocabulary is where "auto" samples.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE, SentenceBatches, cut, gather
from lmstudio.data.contexts import ContextBatches, whole_contexts
from lmstudio.jobs import Job
from lmstudio.models import elmo, ffnn, gru, rnn
from lmstudio.models.config import ElmoConfig, FfnnConfig, GruConfig, RnnConfig
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.loop import Training
from lmstudio.training.spec import TrainingConfig
from tests.bench.counted import Counted

VOCABULARIES = (2000, 10_000)
ROUND = 5  # steps before the other has its turn
SENTENCES = TrainingConfig(epochs=10_000, batch=32)
WINDOWS = TrainingConfig(epochs=10_000, batch=256)
CONFIGS = {
    "ffnn": FfnnConfig(width=128, hidden=256),
    "rnn": RnnConfig(width=256, layers=1),
    "gru": GruConfig(width=256, layers=1),
    "elmo": ElmoConfig(layers=2, width=128, cell=256),
}
MODULES = {"ffnn": ffnn, "rnn": rnn, "gru": gru, "elmo": elmo}

Text = tuple[np.ndarray, np.ndarray]  # tokens, and bounds (S, 2) of sentences
Step = Callable[[], int]  # an update; the real tokens in it


def made_up(words: int, sentences: int = 3000) -> Text:
    """Tokens with Zipf's counts, and bounds of sentences of 1 to about 120 of them."""
    generator = np.random.default_rng(1)
    sizes = np.clip(generator.gamma(2.0, 16.0, sentences).astype(np.int64), 1, 120)
    chances = 1 / np.arange(1, words + 1)
    tokens = generator.choice(words, sizes.sum(), p=chances / chances.sum()) + 3
    ends = np.cumsum(sizes)
    return tokens.astype(np.int32), np.stack([ends - sizes, ends], 1)


# --- plain --------------------------------------------------------------------------------------


class PlainFfnn(nn.Module):
    """Embeddings, a hidden layer, all words."""

    def __init__(self, rows: int, config: FfnnConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(rows, config.width)
        self.layer = nn.Linear(config.window, config.hidden)
        self.output = nn.Linear(config.hidden, rows)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """The mean loss of ids (B, n - 1), targets (B,)."""
        x = self.drop(self.embedding(ids)).flatten(1)
        logits = self.output(self.drop(torch.tanh(self.layer(x))))
        return nn.functional.cross_entropy(logits, targets)


class PlainRecurrent(nn.Module):
    """Embeddings, cells, all words."""

    def __init__(self, rows: int, config: RnnConfig | GruConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(rows, config.width)
        self.cells = getattr(nn, config.cell)(config.width, config.width, batch_first=True)
        self.output = nn.Linear(config.width, rows)
        self.output.weight = self.embedding.weight
        self.drop = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """The mean loss of ids, targets (B, T)."""
        x, _ = self.cells(self.drop(self.embedding(ids)))
        logits = self.output(self.drop(x)).flatten(0, 1)
        return nn.functional.cross_entropy(logits, targets.flatten(), ignore_index=IGNORE)


class PlainElmo(nn.Module):
    """Projected LSTMs in both directions, one embedding, one output."""

    def __init__(self, rows: int, config: ElmoConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(rows, config.width)
        self.layers = nn.ModuleList(
            nn.LSTM(config.width, config.cell, batch_first=True, proj_size=config.width)
            for _ in range(2 * config.layers)
        )
        self.output = nn.Linear(config.width, rows)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """The mean losses of both directions, added."""
        words = torch.where(targets == IGNORE, 2, targets)
        backwards = torch.flip(words, [1]), torch.flip(ids.masked_fill(targets < 0, IGNORE), [1])
        loss = ids.new_zeros((), dtype=torch.float32)
        for direction, (read, predicted) in enumerate(((ids, targets), backwards)):
            x = self.embedding(read)
            for number, layer in enumerate(self.layers[direction::2]):
                found, _ = layer(self.drop(x))
                x = found + x if number else found
            logits = self.output(self.drop(x)).flatten(0, 1)
            loss = loss + nn.functional.cross_entropy(
                logits, predicted.flatten(), ignore_index=IGNORE
            )
        return loss


PLAIN = {"ffnn": PlainFfnn, "rnn": PlainRecurrent, "gru": PlainRecurrent, "elmo": PlainElmo}


def plain(name: str, text: Text, rows: int) -> Step:
    """The plain loop of a model."""
    module, generator = PLAIN[name](rows, CONFIGS[name]), np.random.default_rng(1)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.005)
    pieces = cut(text[1], SENTENCES.length)
    windows = list(whole_contexts(*text, len(text[0]) + len(text[1]), CONFIGS["ffnn"].order))[0]

    def step() -> int:
        if name == "ffnn":
            chosen = generator.integers(len(windows["targets"]), size=WINDOWS.batch)
            batch = {kind: values[chosen] for kind, values in windows.items()}
        else:
            chosen = generator.choice(len(pieces), SENTENCES.batch, replace=False)
            batch = gather(text[0], pieces[chosen])
        optimizer.zero_grad()
        module(torch.from_numpy(batch["ids"]), torch.from_numpy(batch["targets"])).backward()
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
        return int((batch["targets"] != IGNORE).sum())

    return step


# --- ours ---------------------------------------------------------------------------------------


def ours(name: str, text: Text, rows: int) -> Step:
    """The step of the training loop."""
    module = MODULES[name].build(CONFIGS[name], np.ones(rows), Path("unused"))
    if name == "ffnn":
        config = WINDOWS
        data = ContextBatches(*text, rows=config.batch, order=CONFIGS["ffnn"].order, seed=1)
    else:
        config = SENTENCES
        data = SentenceBatches(*text, rows=config.batch, length=config.length, seed=1)
    cpu, checkpoints = torch.device("cpu"), Checkpoints(Path("unused"))
    counted = Counted(data)
    training = Training(module, counted, None, config, checkpoints, cpu)

    def step() -> int:
        training.step(Job())
        return counted.tokens

    return step


def measure(name: str, words: int, seconds: float) -> np.ndarray:
    """Real tokens a CPU second of the plain loop and of ours, taking turns."""
    text, rows = made_up(words), words + 3
    steps = [plain(name, text, rows), ours(name, text, rows)]
    tokens, spent = np.zeros(2), np.zeros(2)
    for step in steps:
        step()
    while spent.min() < seconds:
        for i, step in enumerate(steps):
            began = time.process_time()
            tokens[i] += sum(step() for _ in range(ROUND))
            spent[i] += time.process_time() - began
    return tokens / spent


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=tuple(CONFIGS))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print("model  words     plain      ours  ratio   (tokens a CPU second)")
    for name in [arguments.only] if arguments.only else CONFIGS:
        for words in VOCABULARIES:
            theirs, own = measure(name, words, arguments.seconds)
            print(
                f"{name:5}  {words:5}  {theirs:8.0f}  {own:8.0f}  {own / theirs:5.2f}", flush=True
            )


if __name__ == "__main__":
    main()
