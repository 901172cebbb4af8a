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
POOL = 50  # batches whose rows are put in order of length together
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
    """The examples of a set as ids; also our batches of them: `len` and `at`."""

    def __init__(self, name: str) -> None:
        texts = list(islice(SETS[name](), EXAMPLES))
        number = {c: i for i, c in enumerate(sorted({c for a, b, _ in texts for c in a + b}), 3)}
        classes = {label: i for i, label in enumerate(sorted({label for _, _, label in texts}))}
        self.ids, self.types, self.classes = [], [], len(classes)
        for text, other, _ in texts:
            first = [1, *(number[c] for c in text[: LONGEST - 2]), 2]
            second = [*(number[c] for c in other), 2] if other else []
            self.ids.append([*first, *second][:LONGEST])
            self.types.append([*[0] * len(first), *[1] * len(second)][:LONGEST])
        self.labels = np.array([classes[label] for _, _, label in texts])
        self.sizes = np.array(list(map(len, self.ids)))
        self.rows = 3 + len(number)
        self.draw = np.random.default_rng(1)
        self.order = self._by_length()

    def _by_length(self) -> list[np.ndarray]:
        """Rows of like length together, in batches whose order is random."""
        order, size = self.draw.permutation(len(self.ids)), POOL * BATCH
        pools = [order[start : start + size] for start in range(0, len(order), size)]
        order = np.concatenate([some[np.argsort(self.sizes[some])] for some in pools])
        batches = np.split(order, range(BATCH, len(order), BATCH))
        return [batches[number] for number in self.draw.permutation(len(batches))]

    def __len__(self) -> int:
        return len(self.order)

    def at(self, step: int) -> dict[str, np.ndarray]:
        """A batch of texts about as long as each other."""
        return self.padded(self.order[step % len(self)])

    def padded(self, chosen: np.ndarray, length: int = 0) -> dict[str, np.ndarray]:
        """A batch; `length` 0: of the longest."""
        shape = len(chosen), length or self.sizes[chosen].max()
        ids, types = np.full(shape, 2), np.zeros(shape, np.int64)
        for row, number in enumerate(chosen):
            ids[row, : self.sizes[number]] = self.ids[number]
            types[row, : self.sizes[number]] = self.types[number]
        sizes, labels = self.sizes[chosen], self.labels[chosen]
        return {"ids": ids, "types": types, "sizes": sizes, "labels": labels}


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
        encoder = bert.build(shape, np.ones(rows.rows))
        module = TaskModel(encoder, TaskConfig(), list(map(str, range(rows.classes))))
        config = TrainingConfig(
            epochs=10_000, batch=BATCH, learning_rate=RATE, optimizer="adamw", device="cpu"
        )
        self.training = Training(
            module, rows, None, config, Checkpoints(Path("unused")), torch.device("cpu")
        )
        self.rows = rows

    def step(self) -> int:
        """One update; how many examples were in it."""
        from lmstudio.jobs import Job

        count = len(self.rows.at(self.training.progress.step)["labels"])
        self.training.step(Job())
        return count


class Theirs:
    """transformers' model in a plain loop; `whole`: rows as long as the longest of the set."""

    def __init__(self, rows: Rows, *, whole: bool) -> None:
        import torch
        import transformers

        config = transformers.BertConfig(
            vocab_size=rows.rows + 1, hidden_size=WIDTH, num_hidden_layers=LAYERS,
            num_attention_heads=HEADS, intermediate_size=4 * WIDTH,
            max_position_embeddings=LONGEST, num_labels=rows.classes,
        )  # fmt: skip
        self.module = transformers.BertForSequenceClassification(config).train()
        self.optimizer = torch.optim.AdamW(self.module.parameters(), RATE)
        self.rows, self.length = rows, int(rows.sizes.max()) if whole else 0
        self.draw = np.random.default_rng(1)

    def step(self) -> int:
        """One update; how many examples were in it."""
        import torch

        chosen = self.draw.choice(len(self.rows.ids), BATCH, replace=False)
        arrays = self.rows.padded(chosen, self.length)
        batch = {name: torch.from_numpy(array) for name, array in arrays.items()}
        real = torch.arange(batch["ids"].shape[1]) < batch["sizes"][:, None]
        self.optimizer.zero_grad()
        self.module(
            input_ids=batch["ids"], attention_mask=real.long(), token_type_ids=batch["types"],
            labels=batch["labels"],
        ).loss.backward()  # fmt: skip
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
