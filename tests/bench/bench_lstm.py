"""Tokens a second of the training loop against the textbook's, on the same sentences.

python -m tests.bench.bench_lstm [--seconds 10]

The textbook: sentences in random order, padded to the longest of the batch, all logits at once,
PyTorch's cross-entropy and plain AdamW. Both have the same module and count real tokens only;
they take turns, so that a busy machine slows both.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from lmstudio.data.batches import IGNORE, SentenceBatches, cut, gather
from lmstudio.jobs import Job
from lmstudio.models import lstm
from lmstudio.models.config import LstmConfig
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.device import use_threads
from lmstudio.training.loop import Training
from lmstudio.training.spec import TrainingConfig

CPU = torch.device("cpu")


def corpus(words: int, sentences: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Tokens with Zipf's counts, and bounds of sentences of 1 to about 120 of them."""
    generator = np.random.default_rng(1)
    sizes = np.clip(generator.gamma(2.0, 16.0, sentences).astype(np.int64), 1, 120)
    chances = 1 / np.arange(1, words + 1)
    tokens = generator.choice(words, sizes.sum(), p=chances / chances.sum()) + 3
    ends = np.cumsum(sizes)
    return tokens.astype(np.int32), np.stack([ends - sizes, ends], 1)


class Textbook:
    """A plain loop over padded batches."""

    def __init__(self, tokens: np.ndarray, bounds: np.ndarray, config: TrainingConfig, words: int):
        self.pieces = cut(bounds, config.length)
        self.tokens, self.rows = tokens, config.batch
        self.generator = np.random.default_rng(1)
        self.module = lstm.build(LstmConfig(), np.ones(words + 3))
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=config.learning_rate)

    def step(self) -> int:
        """One update; the real tokens in it."""
        chosen = self.generator.choice(len(self.pieces), self.rows, replace=False)
        batch = gather(self.tokens, self.pieces[chosen])
        self.optimizer.zero_grad()
        _, loss = self.module(torch.from_numpy(batch["ids"]), torch.from_numpy(batch["targets"]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        self.optimizer.step()
        return int((batch["targets"] != IGNORE).sum())


class Ours:
    """The step of the training loop."""

    def __init__(self, tokens: np.ndarray, bounds: np.ndarray, config: TrainingConfig, words: int):
        module = lstm.build(LstmConfig(), np.ones(words + 3))
        self.data = SentenceBatches(tokens, bounds, rows=config.batch, length=config.length, seed=1)
        self.training = Training(module, self.data, None, config, Checkpoints(Path("unused")), CPU)

    def step(self) -> int:
        """One update; the real tokens in it."""
        targets = self.data.at(self.training.progress.step)["targets"]
        self.training.step(Job())
        return int((targets != IGNORE).sum())


def measure(words: int, seconds: float, batch: int = 32) -> dict[str, float]:
    """Real tokens a CPU second of both, taking turns for `seconds` each."""
    config = TrainingConfig(epochs=1000, batch=batch)
    loops = [kind(*corpus(words), config, words) for kind in (Textbook, Ours)]
    tokens, spent = np.zeros(2), np.zeros(2)
    for one in loops:
        one.step()
    while spent.min() < seconds:
        for i, one in enumerate(loops):
            began = time.process_time()
            for _ in range(5):
                tokens[i] += one.step()
            spent[i] += time.process_time() - began
    textbook, ours = tokens / spent
    return {"textbook": textbook, "ours": ours, "ratio": ours / textbook}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    arguments = parser.parse_args()
    use_threads()
    print("words  batch  textbook      ours  ratio   (tokens a CPU second)")
    for words in (1000, 4000, 10000):
        found = measure(words, arguments.seconds)
        print(
            f"{words:5}  {32:5}  {found['textbook']:8.0f}  {found['ours']:8.0f}  "
            f"{found['ratio']:5.2f}"
        )


if __name__ == "__main__":
    main()
