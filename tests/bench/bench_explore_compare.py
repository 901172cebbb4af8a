"""Seconds to set runs head to head: the first question, which scores, and the ones after it.

    python -m tests.bench.bench_explore_compare [--kilobytes 400]

Two n-grams and a small LSTM on the sample corpus, its test part; each question as a command would
put it, with 2,000 draws of the bootstrap. Then the draws alone, over 20,000 sentences and five
runs, beside a plain loop of numpy that indexes each draw.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from lmstudio.analysis.bootstrap import SAMPLES, paired_intervals
from lmstudio.jobs import Job
from lmstudio.operations import comparison, demo, training
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

LATER = 1.0  # seconds that a question may take whose text is scored
SENTENCES, RUNS = 20_000, 5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kilobytes", type=int, default=400)
    kilobytes = parser.parse_args().kilobytes
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "w") as ws:
        corpus = demo.prepare(ws, size=kilobytes * 1000, job=Job())
        cut = ws.segmentations(corpus)[0].id
        network = {"model": "lstm", "preset": "small", "training": {"max_steps": 20}}
        specs = [{"model": "ngram", "config": {"order": n}} for n in (2, 4)] + [network]
        runs = [training.train(ws, cut, RunSpec.from_json(s), job=Job()).new_id for s in specs]
        first, found = timed(lambda: comparison.compare(ws, runs, "test", job=Job()))
        later, _ = timed(lambda: comparison.compare(ws, runs, "test", job=Job()))
        print(f"{found.characters:,} characters, {found.sentences:,} sentences, {len(runs)} runs")
        print(f"first question  {first:6.2f} s")
        print(
            f"later question  {later:6.2f} s   at most {LATER}: {'ok' if later < LATER else 'NO'}"
        )
    draws()


def draws() -> None:
    """Ours weighs all runs by one count of each draw."""
    generator = np.random.default_rng(1)
    bits = generator.gamma(3.0, 20.0, (RUNS, SENTENCES))
    lengths = generator.integers(5, 60, SENTENCES)
    ours, _ = timed(lambda: paired_intervals(bits, lengths, job=Job()))
    plain, _ = timed(lambda: indexed(bits, lengths))
    print(f"{SAMPLES:,} draws of {SENTENCES:,} sentences, {RUNS} runs: {ours:.2f} s, "
          f"plain loop {plain:.2f} s ({plain / ours:.1f} times ours)")  # fmt: skip


def indexed(bits: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The same as one writes it first."""
    generator = np.random.default_rng(1)
    found = []
    for _ in range(SAMPLES):
        chosen = generator.integers(SENTENCES, size=SENTENCES)
        found.append((bits - bits[0])[:, chosen].sum(axis=1) / lengths[chosen].sum())
    return np.quantile(found, (0.025, 0.975), axis=0)


def timed(function):
    """Seconds, and what came of it."""
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


if __name__ == "__main__":
    main()
