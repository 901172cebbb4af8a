"""Seven labelled sets, eight ways to learn them: scores on the test part, seeds and spread.

python -m tests.bench.bench_tasks --folder F [--sets resume ocnli] [--models bert elmo] [--seeds 3]

The encoders are trained by the program on the texts of ../shared/data/lm (characters) and lm_en
(WordPiece), so many steps each; they stay in F and are used again. The rows: the commonest class,
and a bag of words with logistic regression (see task_baselines); the mean of the encoder's
embeddings; an LSTM from random weights; ELMo's layers mixed, kept as they are, and read by a
BiLSTM; a BiLSTM that reads the embeddings of BERT; BERT from random weights; BERT as it was
pre-trained. For tags all but the mean of embeddings have a CRF. Each line is printed as it is
known; at the end a table with mean and spread, and what pre-training is worth, with an interval.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.jobs import Job
from lmstudio.operations import corpora, finetuning, segmentations, tasks, training
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.bench.task_baselines import baselines
from tests.bench.task_sets import SETS, TaskSet

TEXTS = {
    "zh": ("rmrb199801_plain.txt.gz", "luxun_dev.txt", "d2l_zh_prose.txt"),
    "en": ("ptb.train.txt.gz",),
}
CUTS = {
    "zh": SegmentOptions(by="characters", sentences="punctuation"),
    "en": SegmentOptions(by="wordpiece", pieces=6000),  # knows any word by its pieces
}
ENCODERS: dict[str, dict[str, Any]] = {
    "bert": {"layers": 3, "width": 128, "heads": 4, "window": 256, "mask_share": 0.25},
    "lstm": {"layers": 1, "width": 128},
    "elmo": {"layers": 2, "width": 128, "cell": 256},
}
LEARNED = {
    "bert": {"learning_rate": 0.005, "batch": 8},
    "elmo": {"learning_rate": 0.006},
}
"""How encoders are trained; what is missing is only taken from random weights."""
STEPS = {"bert zh": 9000, "bert en": 6000, "elmo zh": 4000, "elmo en": 4000}
HEAD = {"pooling": "mean"}
"""Of BERT, trained or not: nothing has taught its first mark to stand for a sentence."""
ADAMW = {"optimizer": "adamw", "learning_rate": 3e-3}
ROWS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "mean of embeddings": ("bert", {"layers": "table", "pooling": "mean"}, ADAMW),
    "lstm": ("lstm", {"start": "scratch"}, ADAMW | {"learning_rate": 2e-3}),
    "elmo features": (
        "elmo",
        {"layers": "mix", "tuned": 0, "reader": "bilstm"},
        ADAMW | {"learning_rate": 2e-3},
    ),
    "bilstm": ("bert", {"layers": "table", "reader": "bilstm", "dropout": 0.3}, ADAMW),
    "bert from scratch": ("bert", {"start": "scratch"} | HEAD, {}),
    "bert": ("bert", HEAD, {}),
}


def encoder(ws: Workspace, language: str, model: str, options: argparse.Namespace) -> RunRow:
    """A language model of the family, made, and trained where it is to be, if it is not there."""
    name = f"{model} {language}"
    for run in ws.runs():
        if run.name == name and (run.state == "done" or model not in LEARNED):
            return run
    if language not in {corpus.name for corpus in ws.corpora()}:
        folder = options.data / ("lm" if language == "zh" else "lm_en")
        texts = [folder / text for text in TEXTS[language]]
        corpora.import_files(ws, texts, name=language, job=Job())
        segmentations.create(ws, language, CUTS[language], name=language, job=Job())
    steps = options.steps or STEPS.get(name, 1)
    how = {"epochs": 100, "max_steps": steps, "validate_every": 500} | LEARNED.get(model, {})
    spec = RunSpec.from_json({"model": model, "config": ENCODERS[model], "training": how})
    row = training.queue_run(ws, language, spec, name=name)
    if model in LEARNED:
        began = time.process_time()
        training.start(ws, row.id, job=Job())
        print(f"{name} learned in {time.process_time() - began:.0f} s", flush=True)
    return ws.run(name)


def task(ws: Workspace, name: str, entry: TaskSet, data: Path) -> TaskRow:
    """The set as a task, imported if it is not there yet."""
    if name not in {known.name for known in ws.tasks()}:
        held = LabelOptions(test_share=0.1)  # of sets without a test part
        tasks.import_task(ws, name, entry.kind, entry.files(data), held, job=Job())
    return ws.task(name)


def tuned(
    ws: Workspace, row: TaskRow, name: str, run: RunRow, options: argparse.Namespace
) -> list[float]:
    """The figure of each seed on the test part."""
    entry = SETS[row.name]
    _, head, how = ROWS[name]
    head = {"kind": row.kind, "length": entry.length, "stride": entry.stride} | head
    if row.kind == "tag" and name != "mean of embeddings":
        head["crf"] = True
    looks = max(1, row.facts["counts"]["train"] // 64)  # two an epoch of batches of 32
    how = {"epochs": entry.epochs, "validate_every": looks} | how
    spec = run.spec | {"training": how, "task": head}
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


def difference(ours: list[float], theirs: list[float]) -> str:
    """The mean difference of two rows over their seeds, and its interval by Student's t at 95 %.

    Seeds are not paired: they decide other numbers in each row (Welch 1947).
    """
    from scipy.stats import ttest_ind

    found = statistics.mean(ours) - statistics.mean(theirs)
    if min(len(ours), len(theirs)) < 2:  # noqa: PLR2004 - no spread is known of one
        return f"{found:+.4f}"
    low, high = ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    return f"{found:+.4f} [{low:+.4f}, {high:+.4f}]"


def main() -> None:
    """Train, score, print."""
    options = _options()
    table: dict[tuple[str, str], list[float]] = {}
    with Workspace(options.folder) as ws:
        for name in options.sets:
            entry = SETS[name]
            row = task(ws, name, entry, options.data)
            train, test = (read_part(ws.task_folder(row.id), part) for part in ("train", "test"))
            for baseline, value in baselines(row.kind, train, test).items():
                table[name, baseline] = [value]
                print(f"{name:14} {baseline:20} {value:.4f}", flush=True)
            for model in options.models:
                run = encoder(ws, entry.language, ROWS[model][0], options)
                table[name, model] = tuned(ws, row, model, run, options)
    print(f"\n{'set':14} {'model':20} {'mean':>7} {'spread':>7}")
    for (name, model), values in table.items():
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        print(f"{name:14} {model:20} {statistics.mean(values):7.4f} {spread:7.4f}")
    for name in options.sets:
        rows = [table.get((name, model)) for model in ("bert", "bert from scratch")]
        if rows[0] and rows[1]:
            print(f"{name:14} pre-training is worth {difference(rows[0], rows[1])}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--models", nargs="+", default=list(ROWS), choices=ROWS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, help="of pre-training, instead of those of STEPS")
    return parser.parse_args()


if __name__ == "__main__":
    main()
