"""How long does a model take over a sentence, once it is open? And over a file?

    python -m tests.bench.bench_explore_sentence [--lines 2000] [--threads 1]

A small model of each family, trained for some steps on the sample corpus, is asked about a
sentence of 40 characters and about one of 3,000 tokens: median of five, in milliseconds, and what
share that is of the 200 ms that a question of the window may take. MLMs read a sentence once for
each of its tokens, in each of two kinds. Then a file of so many lines becomes a table of surprisals
by word, in lines a second, with the hours or minutes that 100,000 lines would take.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from lmstudio.figures import duration
from lmstudio.jobs import Job
from lmstudio.models.registry import MODELS
from lmstudio.operations import demo, surprisal, training
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

LIMIT = 0.2  # seconds from the question to the answer
LONG = 3000  # tokens
TIMES = 5
SENTENCE = "小猫爱吃鱼，小狗爱吃肉，张志远家里养了一只鸭子，光滑的毛，看上去无比警觉。"


def seconds(ws: Workspace, run: int, text: str, times: int) -> float:
    """The median, the model being open."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        surprisal.score(ws, run, text, words="jieba", job=Job())
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def trained(ws: Workspace, cut: int, model: str) -> int:
    """A small one, of a few steps: they all take the same time to answer."""
    data = {"model": model, "config": {"classes": 30} if model == "class-ngram" else {}}
    if MODELS[model].kind == "neural":
        data |= {"preset": "small", "training": {"max_steps": 20, "minutes": 0.0}}
    return training.train(ws, cut, RunSpec.from_json(data), job=Job()).new_id


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--threads", default="1")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = options.threads
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "w") as ws:
        corpus = demo.prepare(ws, size=100_000, job=Job())
        cut = ws.segmentations(corpus)[0].id
        text = Path(folder) / "in.txt"
        text.write_text(f"{SENTENCE}\n" * options.lines, encoding="utf-8")
        long = (SENTENCE * LONG)[: LONG * 2]
        print(f"{'model':14} {'40 chars':>9} {'of 200 ms':>9} {'3,000 tokens':>13} {'lines/s':>9} "
              f"{'100,000 lines':>14}")  # fmt: skip
        for model in MODELS:
            run = trained(ws, cut, model)
            seconds(ws, run, SENTENCE, 1)  # opens it
            short = seconds(ws, run, SENTENCE, TIMES)
            whole = seconds(ws, run, long, 1)
            lines = options.lines if model != "bert" else min(options.lines, 200)
            text.write_text(f"{SENTENCE}\n" * lines, encoding="utf-8")
            found = surprisal.score_file(ws, [run], text, Path(folder) / "out.csv", words="jieba",
                                         job=Job())  # fmt: skip
            speed = found.sentences / found.seconds
            print(f"{model:14} {short * 1000:6.0f} ms {short / LIMIT:9.0%} {whole * 1000:10.0f} ms "
                  f"{speed:9.0f} {duration(100_000 / speed):>14}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
