"""Every family on a sample corpus: bits per character beside the oracle's, and far back.

python -m tests.bench.bench_quality [--size 3000000] [--minutes 8 | --epochs 6] [--seeds 3]
                                   [--models lstm gpt]

The sample corpus is cut into words by jieba. Each network is trained for the same minutes, from
several seeds; counted models once. "Far back" are the characters of words that agree with one that
stands five words or more before them in the sentence, which no 5-gram can see. A table is printed,
with the median of the seeds, whatever it says.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.analysis.loading import load as load_model
from lmstudio.data.layout import CorpusText, Tokens
from lmstudio.data.vocab import read_counts
from lmstudio.jobs import Job
from lmstudio.operations import demo, evaluation, run_names, training
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.grammar import documents, load
from lmstudio.training.spec import RunSpec

FAR = 5  # words back: one more than a 5-gram sees
COUNTED = [{"order": order} for order in (1, 2, 3, 5)]
NETWORKS = ("ffnn", "rnn", "gru", "lstm", "elmo", "gpt", "bert")


def far_spans(size: int) -> list[list[list[tuple[int, int]]]]:
    """By document and sentence, where characters stand that agree with something far back."""
    found = []
    for document in documents(load(), size, seed=1):
        lines = []
        for words, back in zip(document.sentences, document.back, strict=True):
            ends = np.cumsum([len(word) for word in words])
            lines.append([(int(end) - len(word), int(end))
                          for word, end, far in zip(words, ends, back, strict=True) if far >= FAR
                          ])  # fmt: skip
        found.append(lines)
    return found


class FarBack:
    """The events of a part that need what is far back."""

    def __init__(self, ws: Workspace, cut: int, corpus: int, size: int, part: str) -> None:
        text, tokens = CorpusText(ws.corpus_folder(corpus)), Tokens(ws.segmentation_folder(cut))
        spans = far_spans(size)
        lines = np.asarray(text.lines["document"])
        first = np.searchsorted(lines, np.arange(lines.max() + 1))  # of each document
        chosen = np.flatnonzero(
            tokens.sentences["part"][:-1] == ("train", "valid", "test").index(part)
        )
        self.stream, marks, self.characters = tokens.stream(part), [], 0
        for sentence in chosen:
            begin, end = tokens.sentences["token"][sentence : sentence + 2]
            line = int(tokens.sentences["line"][sentence])
            document = int(lines[line])
            here = spans[document][line - int(first[document])]
            offsets = tokens.offsets[begin:end]
            marks += [any(o["start"] < e and o["end"] > s for s, e in here) for o in offsets]
            marks.append(False)  # the sentence's end
            self.characters += sum(e - s for s, e in here)
        self.marks = np.array(marks)

    def bits(self, ws: Workspace, run: RunRow) -> float:
        """Bits for each of these characters."""
        rows = len(read_counts(ws.segmentation_folder(run.segmentation_id)))
        model = load_model(ws.run_folder(run.id), RunSpec.from_json(run.spec), rows)
        nats = -model.logprobs(self.stream)[self.marks]
        return float(nats.sum()) / np.log(2) / self.characters


CONFIGS = {
    "ffnn": {"order": 5, "width": 128, "hidden": 256}, "rnn": {"width": 256, "dropout": 0.1},
    "gru": {"width": 256, "dropout": 0.1}, "lstm": {"width": 256, "dropout": 0.1},
    "elmo": {"width": 128, "cell": 256}, "gpt": {"layers": 4, "width": 128},
    "bert": {"layers": 4, "width": 128},
}  # fmt: skip
RATES = {"gpt": 0.01, "bert": 0.01, "gru": 0.006, "lstm": 0.006, "elmo": 0.006}


def specs(models: list[str], seeds: int, **length: float) -> list[RunSpec]:
    """Counted models once, networks from each seed, trained for `length` (minutes or epochs)."""
    made: list[dict[str, Any]] = [{"model": "ngram", "config": config} for config in COUNTED]
    for model in models:
        training = {"learning_rate": RATES.get(model, 0.003), "patience": 0, **length}
        if model == "ffnn":
            training["batch"] = 256
        for seed in range(1, seeds + 1):
            made.append({"model": model, "config": CONFIGS[model],
                         "training": training | {"seed": seed}})  # fmt: skip
    return [RunSpec.from_json(each) for each in made]


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=3_000_000)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--epochs", type=int, default=0, help="instead of the minutes")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=list(NETWORKS), choices=NETWORKS)
    options = parser.parse_args()
    length = {"minutes": options.minutes, "epochs": 100}
    if options.epochs:
        length = {"epochs": options.epochs}
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "ws") as ws:
        corpus = demo.prepare(ws, size=options.size, job=Job())
        cut = ws.segmentations(corpus)[0].id
        far = FarBack(ws, cut, corpus, options.size, "test")
        oracle = {kind: evaluation.oracle(ws, corpus, "test", kind)
                  for kind in ("sentence", "document")}  # fmt: skip
        share = far.characters / ws.corpus(corpus).facts["parts"]["test"]["characters"]
        print(f"oracle {oracle}; {share:.1%} of the test characters need {FAR} words or more")
        found: dict[str, list[tuple[float, float, float]]] = {}
        context = {}
        for spec in specs(options.models, options.seeds, **length):
            began, name = time.process_time(), run_names.describe(spec)
            training.train(ws, cut, spec, job=Job())
            run = ws.runs(cut)[-1]
            figures = ws.evaluation(run.id, "test")
            row = figures["bits_per_character"], far.bits(ws, run), time.process_time() - began
            found.setdefault(name, []).append(row)
            context[name] = figures["context"]
            print(f"{name:28} {row[0]:7.4f} {row[1]:7.3f} {row[2]:7.0f} s", flush=True)
        print(f"\n{'median':28} {'bits':>7} {'far':>7} {'over the oracle of its context':>12}")
        for name, rows in found.items():
            bits, back, _ = map(statistics.median, zip(*rows, strict=True))
            over = bits / oracle[context[name]] - 1
            print(f"{name:28} {bits:7.4f} {back:7.3f} {over:12.1%} ({context[name]})")


if __name__ == "__main__":
    main()
