"""Six labelled sets, seven ways to learn them: scores on the test part, seeds and spread.

python -m tests.bench.bench_tasks --folder F [--sets resume ocnli] [--models bert elmo]
                                  [--seeds 3] [--minutes 8] [--epochs 3]

The encoders are trained by the program on the texts of ../shared/data/lm (characters) and lm_en
(words), `--minutes` each; they stay in F and are used again. The rows: the largest class; bag of
words with logistic regression (scikit-learn: characters and pairs of them, words of English); the
mean of the encoder's embeddings; LSTM; ELMo's layers mixed, kept as they are; BERT from random
weights; BERT as it was pre-trained. For tags the last four have a CRF, and ELMo reads its layers by
a BiLSTM. Each line is printed as it is known; a table with mean and spread at the end.
"""

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.jobs import Job
from lmstudio.operations import corpora, finetuning, segmentations, tasks, training
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.bench.task_sets import SETS, TaskSet

TEXTS = {
    "zh": ("rmrb199801_plain.txt.gz", "luxun_dev.txt", "d2l_zh_prose.txt"),
    "en": ("ptb.train.txt.gz",),
}
ENCODERS: dict[str, dict[str, Any]] = {
    "bert": {"layers": 4, "width": 192, "window": 256},
    "lstm": {"layers": 1, "width": 256},
    "elmo": {"layers": 2, "width": 128, "cell": 256},
}
RATES = {"bert": 0.01, "lstm": 0.006, "elmo": 0.006}
ROWS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "mean of embeddings": ("bert", {"layers": "table", "pooling": "mean"}, {"learning_rate": 3e-3}),
    "lstm": ("lstm", {}, {"learning_rate": 2e-3}),
    "elmo features": ("elmo", {"layers": "mix", "tuned": 0}, {"learning_rate": 2e-3}),
    "bert from scratch": ("bert", {"start": "scratch"}, {}),
    "bert": ("bert", {}, {}),
}


def encoder(ws: Workspace, language: str, model: str, minutes: float, data: Path) -> RunRow:
    """A language model of the family, trained if it is not there yet."""
    name = f"{model} {language}"
    for run in ws.runs():
        if run.name == name and run.state == "done":
            return run
    if language not in {corpus.name for corpus in ws.corpora()}:
        folder = data / ("lm" if language == "zh" else "lm_en")
        texts = [folder / text for text in TEXTS[language]]
        corpora.import_files(ws, texts, name=language, job=Job())
        cut = SegmentOptions(by="characters" if language == "zh" else "whitespace")
        segmentations.create(ws, language, cut, name=language, job=Job())
    how = {"minutes": minutes, "epochs": 100, "learning_rate": RATES[model]}
    spec = RunSpec.from_json({"model": model, "config": ENCODERS[model], "training": how})
    training.train(ws, language, spec, name=name, job=Job())
    return ws.run(name)


def task(ws: Workspace, name: str, entry: TaskSet, data: Path) -> TaskRow:
    """The set as a task, imported if it is not there yet."""
    if name not in {known.name for known in ws.tasks()}:
        tasks.import_task(ws, name, kind=entry.kind, files=entry.files(data), job=Job())
    return ws.task(name)


def baselines(ws: Workspace, row: TaskRow, figure: str) -> dict[str, float]:
    """The largest class, and a bag of words; nothing where a span is sought."""
    train, test = (read_part(ws.task_folder(row.id), part) for part in ("train", "test"))
    if row.kind not in ("classify", "pair") or figure != "accuracy":
        return {}
    most = Counter(example.label for example in train).most_common(1)[0][0]
    majority = sum(example.label == most for example in test) / len(test)
    return {"majority": majority, "bag of words": _bag_of_words(train, test)}


def _bag_of_words(train: list[Example], test: list[Example]) -> float:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    def text(example: Example) -> str:
        return f"{example.text} \n {example.other}"

    english = train[0].text.isascii()
    how = {"analyzer": "word"} if english else {"analyzer": "char", "ngram_range": (1, 2)}
    counts = CountVectorizer(min_df=2, **how)
    found = counts.fit_transform(map(text, train))
    classes = LogisticRegression(max_iter=300).fit(found, [one.label for one in train])
    return float(classes.score(counts.transform(map(text, test)), [one.label for one in test]))


def tuned(
    ws: Workspace, row: TaskRow, name: str, run: RunRow, options: argparse.Namespace
) -> list[float]:
    """The figure of each seed on the test part."""
    entry = SETS[row.name]
    _, head, how = ROWS[name]
    head = {"kind": row.kind, "length": entry.length} | head
    if row.kind == "tag" and name != "mean of embeddings":
        head |= {"crf": True} | ({"reader": "bilstm"} if name == "elmo features" else {})
    spec = run.spec | {"training": {"epochs": options.epochs} | how, "task": head}
    found = []
    for seed in range(1, options.seeds + 1):
        began = time.process_time()
        spec["training"]["seed"] = seed
        queued = finetuning.queue_spec(ws, row.id, run.id, RunSpec.from_json(spec))
        training.start(ws, queued.id, job=Job())
        figures = ws.evaluation(queued.id, "test") or {}
        found.append(figures[entry.figure])
        print(f"{row.name:14} {name:20} seed {seed} {found[-1]:.4f} "
              f"{time.process_time() - began:5.0f} s", flush=True)  # fmt: skip
    return found


def main() -> None:
    """Train, score, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--models", nargs="+", default=list(ROWS), choices=ROWS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    table: list[tuple[str, str, list[float]]] = []
    with Workspace(options.folder) as ws:
        for name in options.sets:
            entry = SETS[name]
            row = task(ws, name, entry, options.data)
            for baseline, value in baselines(ws, row, entry.figure).items():
                table.append((name, baseline, [value]))
                print(f"{name:14} {baseline:20} {value:.4f}", flush=True)
            for model in options.models:
                run = encoder(ws, entry.language, ROWS[model][0], options.minutes, options.data)
                table.append((name, model, tuned(ws, row, model, run, options)))
    print(f"\n{'set':14} {'model':20} {'mean':>7} {'spread':>7}")
    for name, model, values in table:
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        print(f"{name:14} {model:20} {statistics.mean(values):7.4f} {spread:7.4f}")


if __name__ == "__main__":
    main()
