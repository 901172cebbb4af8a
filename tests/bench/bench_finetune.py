"""Examples a second of fine-tuning BERT beside a plain loop over transformers, same size and rows.

    python -m tests.bench.bench_finetune [--set headlines|reviews|pairs] [--seconds 30]

4 layers of 256, 4 heads, characters, 32 rows, at most 128 tokens; ours is the step of the training
loop. transformers' BertForSequenceClassification is trained by a plain loop twice: with rows padded
to the longest of the whole set, as run_glue does unless it is told otherwise, and with rows drawn
at random and padded to the longest of their batch. All take turns in one process, for as many
seconds of its processor each (one thread), so that a busy machine slows all.
"""

import argparse
import csv
import gzip
import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[3] / "shared/data"
LAYERS, HEADS, WIDTH, LONGEST, BATCH = 4, 4, 256, 128, 32
RATE = 5e-4
FIGURE = 1.3  # times as many examples as the plain loop that pads to the longest of the set
EXAMPLES = 6000
KINDS = ("ours", "whole", "batch")

Text = tuple[str, str, str]  # text, other text, label


def headlines() -> Iterator[Text]:
    """THUCNews: 20 characters."""
    for line in (DATA / "cls/thucnews/dev.txt").read_text(encoding="utf-8").splitlines():
        text, label = line.rsplit("\t", 1)
        yield text, "", label


def reviews() -> Iterator[Text]:
    """ChnSentiCorp: 110 characters, half of them longer than the limit or near it."""
    with gzip.open(DATA / "cls/chnsenticorp/train.tsv.gz", "rt", encoding="utf-8") as file:
        for label, text, *_ in islice(csv.reader(file, delimiter="\t", quoting=3), 1, None):
            yield text, "", label


def pairs() -> Iterator[Text]:
    """OCNLI: two sentences of 24 and 11 characters."""
    with gzip.open(DATA / "pair/ocnli/train.10k.json.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield row["sentence1"], row["sentence2"], row["label"]


SETS = {"headlines": headlines, "reviews": reviews, "pairs": pairs}


class Rows:
    """The examples of a set as ids, and our batches of them."""

    def __init__(self, name: str) -> None:
        from lmstudio.data.labelled.encoding import Row
        from lmstudio.data.labelled.task_batches import TaskBatches

        texts = list(islice(SETS[name](), EXAMPLES))
        number = {c: i for i, c in enumerate(sorted({c for a, b, _ in texts for c in a + b}), 3)}
        classes = {label: i for i, label in enumerate(sorted({label for _, _, label in texts}))}
        self.rows, self.classes, self.table = list[Row](), len(classes), 3 + len(number)
        for example, (text, other, label) in enumerate(texts):
            first = [1, *(number[c] for c in text[: LONGEST - 2]), 2]
            second = [*(number[c] for c in other), 2] if other else []
            ids = np.array([*first, *second][:LONGEST])
            types = (np.arange(len(ids)) >= len(first)).astype(np.int64)
            self.rows.append(Row(example, ids, types, 1, ids, (), label=classes[label]))
        self.kind = "pair" if texts[0][1] else "classify"
        self.batches = TaskBatches(self.rows, self.kind, batch=BATCH, seed=1)


class Ours:
    """The step of the training loop."""

    def __init__(self, rows: Rows) -> None:
        import torch

        from lmstudio.models import bert
        from lmstudio.models.config import BertConfig
        from lmstudio.models.tasks.task_model import TaskModel
        from lmstudio.training.checkpoint import Checkpoints
        from lmstudio.training.loop import Training
        from lmstudio.training.spec import TrainingConfig
        from lmstudio.training.task_config import TaskConfig

        shape = BertConfig(layers=LAYERS, width=WIDTH, heads=HEADS, window=LONGEST)
        encoder = bert.build(shape, np.ones(rows.table))
        module = TaskModel(encoder, TaskConfig(kind=rows.kind), list(map(str, range(rows.classes))))
        config = TrainingConfig(
            epochs=10_000, batch=BATCH, learning_rate=RATE, optimizer="adamw", device="cpu"
        )
        self.training = Training(
            module, rows.batches, None, config, Checkpoints(Path("unused")), torch.device("cpu")
        )
        self.batches = rows.batches

    def step(self) -> int:
        """One update; how many examples were in it."""
        from lmstudio.jobs import Job

        count = len(self.batches.at(self.training.progress.step)["labels"])
        self.training.step(Job())
        return count


class Theirs:
    """transformers' model in a plain loop; `whole`: rows as long as the longest of the set."""

    def __init__(self, rows: Rows, *, whole: bool) -> None:
        import torch
        import transformers

        config = transformers.BertConfig(
            vocab_size=rows.table + 1, hidden_size=WIDTH, num_hidden_layers=LAYERS,
            num_attention_heads=HEADS, intermediate_size=4 * WIDTH,
            max_position_embeddings=LONGEST, num_labels=rows.classes,
        )  # fmt: skip
        self.module = transformers.BertForSequenceClassification(config).train()
        self.optimizer = torch.optim.AdamW(self.module.parameters(), RATE)
        self.rows, self.kind = rows.rows, rows.kind
        self.length = max(len(row.ids) for row in rows.rows) if whole else 0
        self.draw = np.random.default_rng(1)

    def step(self) -> int:
        """One update; how many examples were in it."""
        import torch

        from lmstudio.data.labelled.task_batches import collated

        chosen = self.draw.choice(len(self.rows), BATCH, replace=False)
        arrays = collated([self.rows[number] for number in chosen], self.kind)
        batch = {name: torch.from_numpy(array) for name, array in arrays.items()}
        ids, types = batch["ids"], batch.get("types", torch.zeros_like(batch["ids"]))
        if self.length:
            more = (0, self.length - ids.shape[1])
            ids, types = (torch.nn.functional.pad(rows, more) for rows in (ids, types))
        real = torch.arange(ids.shape[1]) < batch["sizes"][:, None]
        self.optimizer.zero_grad()
        self.module(
            input_ids=ids, attention_mask=real.long(), token_type_ids=types, labels=batch["labels"]
        ).loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        self.optimizer.step()
        return BATCH


def race(name: str, seconds: float) -> dict[str, float]:
    """{contender: examples a second} after `seconds` of each."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    rows = Rows(name)
    runners = {kind: Ours(rows) if kind == "ours" else Theirs(rows, whole=kind == "whole")
               for kind in KINDS}  # fmt: skip
    done, spent = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0.0)
    for one in runners.values():
        one.step()  # what is made at first need
    while min(spent.values()) < seconds:
        kind = min(spent, key=spent.__getitem__)
        began = time.process_time()
        done[kind] += runners[kind].step()
        spent[kind] += time.process_time() - began
    return {kind: done[kind] / spent[kind] for kind in KINDS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=sorted(SETS), help="all of them unless given")
    parser.add_argument("--seconds", type=float, default=30, help="of each contender")
    options = parser.parse_args()
    print("set          ours/s   whole/s   batch/s   x whole   x batch")
    for name in [options.set] if options.set else SETS:
        found = race(name, options.seconds)
        ours, whole, batch = (found[kind] for kind in KINDS)
        verdict = "reached" if ours >= FIGURE * whole else "MISSED"
        print(f"{name:10} {ours:8.0f} {whole:9.0f} {batch:9.0f} {ours / whole:9.2f}"
              f" {ours / batch:9.2f}   ({FIGURE}) {verdict}")  # fmt: skip


if __name__ == "__main__":
    main()
