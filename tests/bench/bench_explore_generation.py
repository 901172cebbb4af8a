"""Tokens a second of writing, beside a loop that reads the whole text anew for each token.

    python -m tests.bench.bench_explore_generation [--tokens 400] [--threads 1] [--only gpt]

Every family over a made-up text, weights by chance: how long a step takes does not depend on what
was learnt. Each goes on from 20 tokens, drawing with top-k and top-p. Told besides: how much longer
the last tokens took than the first ones (a text that is written in linear time: about 1; what reads
anew grows), and the time of a table of next tokens after 100 tokens, which a person waits for
while typing: 200 ms at most. Seconds are those of the processor.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lmstudio.analysis.generation.next_table import entropy, next_probs
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.sampled_texts import SampledTexts
from lmstudio.analysis.generation.sampling import drawn, shares
from lmstudio.analysis.generation.token import Line, candidates
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import elmo, ffnn, gpt, gru, lstm, rnn
from lmstudio.models.config import (
    ClassNgramConfig,
    ElmoConfig,
    FfnnConfig,
    GptConfig,
    GruConfig,
    LstmConfig,
    NgramConfig,
    RnnConfig,
)
from lmstudio.models.ngram.class_model import ClassNgramModel
from lmstudio.models.ngram.model import NgramModel
from lmstudio.text.joining import Joiner

ROWS = 8000
SENTENCES, LENGTH = 6000, 20  # of the text that n-grams are counted in
BEFORE, TYPED = 20, 100  # tokens of the prompt, and of the text whose next token is asked for
SHARE = 4  # the first and the last quarter of a text are compared
LIMIT_MS, FASTER, EVEN = 200, 2.0, 1.5
OPTIONS = GenerationOptions(top_k=50, top_p=0.95, sentences=100_000, unknown=True)
NETWORKS = {
    "ffnn": (ffnn, FfnnConfig(order=5, width=128, hidden=256)),
    "rnn": (rnn, RnnConfig(width=256)),
    "gru": (gru, GruConfig(width=256)),
    "lstm": (lstm, LstmConfig(width=256, layers=2)),
    "elmo": (elmo, ElmoConfig(width=128, cell=256, layers=2)),
    "gpt": (gpt, GptConfig(width=256, layers=4, heads=4, window=512)),
}
WINDOWED = ("ngram", "class-ngram", "ffnn")
"""They look at a few tokens only: reading anew is no more work."""


def stream() -> np.ndarray:
    """Sentences whose tokens are as frequent as words are."""
    draw = np.random.default_rng(1)
    ids = np.minimum(draw.zipf(1.3, (SENTENCES, LENGTH)) + 2, ROWS - 1)
    marks = np.full((SENTENCES, 1), BOS), np.full((SENTENCES, 1), EOS)
    return np.concatenate([marks[0], ids, marks[1]], 1).flatten().astype(np.int32)


def models() -> dict[str, Callable[[], Any]]:
    """What makes each model."""
    made: dict[str, Callable[[], Any]] = {
        "ngram": lambda: NgramModel.fit(stream(), ROWS, NgramConfig(3), lambda share: None)[0],
        "class-ngram": lambda: ClassNgramModel.fit(
            stream(), ROWS, ClassNgramConfig(order=3, classes=40, sweeps=1), lambda share: None
        )[0],
    }
    counts = np.bincount(stream(), minlength=ROWS)
    for name, (module, config) in NETWORKS.items():
        made[name] = lambda module=module, config=config: module.build(
            config, counts, Path()
        ).model()
    return made


def write(model: Any, prefix: list[int], tokens: int) -> list[float]:
    """Seconds of each token."""
    line = Line([str(number) for number in range(ROWS)], Joiner("words"), line_ends=False)
    options = GenerationOptions(**{**vars(OPTIONS), "length": tokens})
    texts = SampledTexts(model.begin(np.array(prefix)), line, options)
    seconds = []
    while not texts.done:
        began = time.process_time()
        texts.step()
        seconds.append(time.process_time() - began)
    return seconds


def reread(model: Any, prefix: list[int], tokens: int) -> list[float]:
    """The same where each step begins with all that was written."""
    luck, ids, seconds = np.random.default_rng(1), list(prefix), []
    for _ in range(tokens):
        began = time.process_time()
        probs = model.begin(np.array(ids)).probs()[0]
        ids.append(drawn(shares(probs, OPTIONS), luck.random()))
        seconds.append(time.process_time() - began)
        ids[-1] = ids[-1] if ids[-1] != EOS else 3  # a sentence that goes on, so that it grows
    return seconds


def table_ms(model: Any, prefix: list[int]) -> float:
    """Of a table of next tokens, the best of three."""
    types, found = [str(number) for number in range(ROWS)], []
    for number in range(3):
        ids = [*prefix, 3 + number]  # another text each time, as while typing
        began = time.process_time()
        probs = next_probs(model, ids)
        candidates(probs, types, 10)
        entropy(probs)
        found.append(1000 * (time.process_time() - began))
    return min(found)


def slower(seconds: list[float]) -> float:
    """How much longer the tokens of the last quarter took than those of the first."""
    part = len(seconds) // SHARE
    return float(np.median(seconds[-part:]) / np.median(seconds[1 : part + 1]))


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    prefix = [3 + number % 50 for number in range(TYPED)]
    print(f"{'':12} {'tokens/s':>9} {'anew':>9} {'ratio':>6} {'end/begin':>10} {'anew':>6} "
          f"{'table ms':>9}")  # fmt: skip
    for name, make in models().items():
        if options.only not in ("", name):
            continue
        torch.manual_seed(1)
        model = make()
        write(model, prefix[:BEFORE], 5)  # torch warms up
        ours = write(model, prefix[:BEFORE], options.tokens)
        theirs = reread(model, prefix[:BEFORE], options.tokens)
        fast, slow = (len(each) / sum(each) for each in (ours, theirs))
        table = table_ms(model, prefix)
        fine = slower(ours) < EVEN and table < LIMIT_MS
        fine &= fast / slow > (0.5 if name in WINDOWED else FASTER)
        print(f"{name:12} {fast:9.0f} {slow:9.0f} {fast / slow:6.1f} {slower(ours):10.2f} "
              f"{slower(theirs):6.2f} {table:9.1f}  {'ok' if fine else 'MISSED'}")  # fmt: skip


if __name__ == "__main__":
    main()
