"""Real tokens a second, memory and loss of BERT beside transformers, on sentences of 鲁迅.

    python -m tests.bench.bench_bert [--seconds 60] [--optimizer adamw|muon]
    python -m tests.bench.bench_bert --device cuda [--batch 256]

4 layers of 256, 4 heads, windows of 128, 16 rows, characters. transformers' BertForMaskedLM is
trained by a plain loop on batches of 16 sentences, padded to the longest, and on the same rows of
packed sentences as ours. All take turns in one process, for as many seconds of its processor each
(one thread), so that a busy machine slows all; tokens that pad are not counted. The loss is that
of the same blanks in held-out sentences. Memory is the peak of a process that does nothing else.
"""

import argparse
import multiprocessing
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

TEXT = Path(__file__).resolve().parents[3] / "shared/data/lm/luxun_dev.txt"
LAYERS, HEADS, WIDTH, WINDOW = 4, 4, 256, 128
WARMUP = 20  # steps
RATE = {"adamw": 1e-3, "muon": 0.01}  # ours; transformers' is that of AdamW
SENTENCE = re.compile("[^。！？]+[。！？”’』」]*")
HELD_OUT = 25  # every so manyth sentence
FIGURES = {"padded": 3.5, "packed": 1.6, "memory": 0.8}
KINDS = ("ours", "padded", "packed")
STEPS = 8  # in which the peak of memory is reached


class Sentences:
    """The sentences of a text as ids, and every HELD_OUTth apart."""

    def __init__(self) -> None:
        lines = TEXT.read_text(encoding="utf-8").splitlines()
        found = [s.strip() for line in lines for s in SENTENCE.findall(line) if s.strip()]
        characters = sorted(set("".join(found)))
        number = {character: i for i, character in enumerate(characters, 3)}
        self.rows = 3 + len(characters)
        self.tokens = np.array([number[c] for s in found for c in s], np.int32)
        ends = np.cumsum([len(s) for s in found])
        bounds = np.stack([np.append(0, ends[:-1]), ends], 1)
        held = np.arange(len(bounds)) % HELD_OUT == 0
        self.train, self.held = bounds[~held], bounds[held]
        self.counts = np.bincount(self.tokens, minlength=self.rows)

    def batches(self, bounds: np.ndarray, rows: int, window: int = WINDOW):
        """MaskedBatches of some sentences."""
        from lmstudio.data.masked import MaskedBatches, single
        from lmstudio.data.masking import Masking

        examples = single(bounds, window)
        return MaskedBatches(
            self.tokens, lambda _: examples, Masking(self.rows), rows=rows, window=window, seed=1
        )


class Ours:
    """The step of the training loop."""

    def __init__(self, text: Sentences, batch: int, device: str, optimizer: str) -> None:
        import torch

        from lmstudio.models import bert
        from lmstudio.models.config import BertConfig
        from lmstudio.training.checkpoint import Checkpoints
        from lmstudio.training.loop import Training
        from lmstudio.training.spec import TrainingConfig

        shape = BertConfig(layers=LAYERS, width=WIDTH, heads=HEADS, window=WINDOW)
        self.data = text.batches(text.train, batch)
        config = TrainingConfig(
            epochs=10_000, batch=batch, warmup=WARMUP, optimizer=optimizer, device=device,
            learning_rate=RATE[optimizer],
        )  # fmt: skip
        module = bert.build(shape, text.counts)
        self.module = module
        self.training = Training(
            module, self.data, None, config, Checkpoints(Path("unused")), torch.device(device)
        )

    def step(self) -> int:
        """One update; the real tokens in it."""
        from lmstudio.jobs import Job

        tokens = self.data.at(self.training.progress.step)["segments"] >= 0
        self.training.step(Job())
        return int(tokens.sum())

    def loss(self, batch: dict) -> tuple[float, int]:
        """The sum of -ln p, and of how many blanks."""
        sums, events = self.module.losses(batch), self.module.events(batch)
        return sums["masked"].item(), int(events["masked"])


class Theirs:
    """transformers' model in a plain loop; `packed`: on our rows, else on padded sentences."""

    def __init__(self, text: Sentences, batch: int, device: str, *, packed: bool) -> None:
        import torch
        import transformers

        config = transformers.BertConfig(
            vocab_size=text.rows + 1, hidden_size=WIDTH, num_hidden_layers=LAYERS,
            num_attention_heads=HEADS, intermediate_size=4 * WIDTH, max_position_embeddings=WINDOW,
        )  # fmt: skip
        self.module = transformers.BertForMaskedLM(config).to(device)
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=RATE["adamw"])
        self.text, self.batch, self.device, self.packed = text, batch, device, packed
        self.data = text.batches(text.train, batch)
        self.generator = np.random.default_rng(1)
        self.done = 0

    def step(self) -> int:
        """One update; the real tokens in it."""
        import torch

        inputs, tokens = self._rows() if self.packed else self._padded()
        for group in self.optimizer.param_groups:
            group["lr"] = RATE["adamw"] * min(1, (self.done + 1) / WARMUP)
        self.module.train()
        self.optimizer.zero_grad()
        self.module(**{name: rows.to(self.device) for name, rows in inputs.items()}).loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        self.optimizer.step()
        self.done += 1
        return tokens

    def _rows(self) -> tuple[dict, int]:
        """The same rows as ours; each sentence is kept to itself by a mask."""
        import torch

        batch = {name: torch.from_numpy(a) for name, a in self.data.at(self.done).items()}
        segments = batch["segments"]
        inputs = {
            "input_ids": batch["ids"], "position_ids": batch["positions"],
            "attention_mask": (segments[:, None, None] == segments[:, None, :, None]),
            "labels": batch["targets"].masked_fill(batch["targets"] < 0, -100),
        }  # fmt: skip
        return inputs, int((segments >= 0).sum())

    def _padded(self) -> tuple[dict, int]:
        """Random sentences, padded to the longest, with blanks as the usual collator makes them."""
        import torch

        tokens, bounds, generator = self.text.tokens, self.text.train, self.generator
        chosen = bounds[generator.choice(len(bounds), self.batch, replace=False)]
        rows = [[1, *tokens[start : min(end, start + WINDOW - 2)], 2] for start, end in chosen]
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        real = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        blank = (torch.rand(ids.shape) < 0.15) & (ids > 2)
        labels = ids.masked_fill(~blank, -100)
        hidden = blank & (torch.rand(ids.shape) < 0.8)
        other = blank & ~hidden & (torch.rand(ids.shape) < 0.5)
        ids = ids.masked_fill(hidden, self.text.rows)
        ids = torch.where(other, torch.randint(self.text.rows + 1, ids.shape), ids)
        return {"input_ids": ids, "attention_mask": real, "labels": labels}, int(real.sum())

    def loss(self, batch: dict) -> tuple[float, int]:
        """The sum of -ln p, and of how many blanks."""
        import torch

        found = self.module(input_ids=batch["ids"], attention_mask=(batch["segments"] >= 0).long())
        blanks = batch["targets"] >= 0
        loss = torch.nn.functional.cross_entropy(
            found.logits[blanks], batch["targets"][blanks], reduction="sum"
        )
        return loss.item(), int(blanks.sum())


def made(kind: str, text: Sentences, batch: int, device: str, optimizer: str) -> Ours | Theirs:
    """The contender `kind`, a name of KINDS."""
    if kind == "ours":
        return Ours(text, batch, device, optimizer)
    return Theirs(text, batch, device, packed=kind == "packed")


def clock(device: str) -> float:
    """Seconds of this process on its processors; of the clock where a GPU works for it."""
    if device == "cpu":
        return time.process_time()
    import torch

    torch.cuda.synchronize()
    return time.perf_counter()


def held_out(one: Ours | Theirs, text: Sentences, device: str) -> float:
    """The mean loss in the blanks of held-out sentences, a sentence a row."""
    import torch

    total, count = 0.0, 0
    one.module.eval()
    with torch.no_grad():
        for batch in alone_in_rows(text):
            loss, blanks = one.loss({k: torch.from_numpy(a).to(device) for k, a in batch.items()})
            total, count = total + loss, count + blanks
    return total / count


def alone_in_rows(text: Sentences) -> Iterator[dict[str, np.ndarray]]:
    """Batches of held-out sentences that are not packed, so that all contenders can read them."""
    padding = {"ids": 2, "targets": -1, "positions": 0, "segments": -1, "types": 0}
    order = np.argsort(text.held[:, 1] - text.held[:, 0])
    for some in np.array_split(text.held[order], len(text.held) // 16):
        rows = [batch for bounds in some[:, None] for batch in text.batches(bounds, 1).once()]
        longest = max(row["ids"].shape[1] for row in rows)
        yield {
            name: np.concatenate([
                np.pad(row[name], ((0, 0), (0, longest - row[name].shape[1])), constant_values=pad)
                for row in rows
            ])
            for name, pad in padding.items()
        }  # fmt: skip


def race(seconds: float, batch: int, device: str, optimizer: str) -> dict[str, tuple[float, float]]:
    """{contender: (real tokens a second, held-out loss)} after `seconds` of each."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    text = Sentences()
    runners = {kind: made(kind, text, batch, device, optimizer) for kind in KINDS}
    tokens, spent = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0.0)
    for one in runners.values():
        one.step()  # what is made at first need
    while min(spent.values()) < seconds:
        kind = min(spent, key=spent.__getitem__)
        began = clock(device)
        for _ in range(2):
            tokens[kind] += runners[kind].step()
        spent[kind] += clock(device) - began
    return {kind: (tokens[kind] / spent[kind], held_out(one, text, device))
            for kind, one in runners.items()}  # fmt: skip


def peak(kind: str, batch: int, device: str, optimizer: str) -> float:
    """MB that a process holds at most which does nothing but train `kind`."""
    import torch

    torch.set_num_threads(1)
    one = made(kind, Sentences(), batch, device, optimizer)
    for _ in range(STEPS):
        one.step()
    if device != "cpu":
        return torch.cuda.max_memory_allocated() / 2**20
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="of each contender")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--optimizer", choices=sorted(RATE), default="adamw", help="of ours")
    options = parser.parse_args()
    how = options.batch, options.device, options.optimizer
    found = race(options.seconds, *how)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        most = {kind: pool.apply(peak, (kind, *how)) for kind in KINDS}
    print("             real tokens/s   held-out loss   peak MB")
    for kind, (speed, loss) in found.items():
        print(f"{kind:12} {speed:13.0f} {loss:15.3f} {most[kind]:9.0f}")
    speed, loss = found["ours"]
    ratios = {kind: speed / found[kind][0] for kind in ("padded", "packed")}
    ratios["memory"] = most["ours"] / most["padded"]
    for name, ratio in ratios.items():
        good = ratio <= FIGURES[name] if name == "memory" else ratio >= FIGURES[name]
        print(f"{name}: {ratio:.2f} ({FIGURES[name]}) {'reached' if good else 'MISSED'}")
    lower = all(loss < found[kind][1] for kind in ("padded", "packed"))
    print(f"loss at equal time: {'lower' if lower else 'NOT lower'}")


if __name__ == "__main__":
    main()
