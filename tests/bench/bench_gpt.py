"""CPU time and memory in which GPT reaches the loss of nanoGPT, on characters of a novel.

    python -m tests.bench.bench_gpt [--seeds 3] [--threads 2] [--quick]
    python -m tests.bench.bench_gpt --device cuda [--size 124M] [--batch 16]

4 layers of 128, 4 heads, windows of 128, 12 rows; the last tenth of the text is held out. nanoGPT
trains for 300 steps at its own learning rate and at a tuned one. Ours, the training loop of the
workbench with its presets' rate, is given several numbers of steps, each a whole training; the time
at equal loss lies on the line between two of them. Seconds are those of the process on its
processors, without importing torch and without the look at the held-out text; memory is the peak
of a process that does nothing else (Linux). On a GPU: tokens a second and the share of the card's
arithmetic (MFU) in bf16, eager and compiled.
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NOVEL = Path(__file__).resolve().parents[3] / "shared/data/lm/hongloumeng_utf8_crlf.txt"
LAYERS, HEADS, WIDTH, WINDOW, ROWS = 4, 4, 128, 128, 12
HELD_OUT = 24_000  # characters of the last tenth that are looked at
STEPS = 300  # of nanoGPT
RATES = {"its own": 1e-3, "a tuned": 3e-3}
BUDGETS = (60, 80, 100, 130, 160)  # steps of ours
FIGURES = {"its own": 0.45, "a tuned": 0.60}
MEMORY = 0.9

SIZES = {"124M": (12, 12, 768), "350M": (24, 16, 1024)}  # layers, heads, width
GPU_WINDOW, GPU_ROWS, GPU_VOCABULARY = 1024, 16, 50304
GPU_STEPS = 20
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}  # dense bf16 operations a second


@dataclass
class Result:
    """Of one training in a process of its own."""

    seconds: float
    loss: float
    peak: float  # MB


# --- on a CPU ---------------------------------------------------------------------------------


def novel() -> tuple[np.ndarray, np.ndarray, int]:
    """Characters as ids, train and held out, and the rows of a table; the end of a line is 2."""
    text = NOVEL.read_text(encoding="utf-8").replace("\r", "")
    kinds = sorted(set(text) - {"\n"})
    number = {"\n": 2} | {kind: i for i, kind in enumerate(kinds, 3)}
    ids = np.array([number[character] for character in text], np.int32)
    cut = len(ids) * 9 // 10
    return ids[:cut], ids[cut : cut + HELD_OUT], 3 + len(kinds)


def lines(ids: np.ndarray) -> np.ndarray:
    """(S, 2) bounds of the lines, without their ends."""
    ends = np.flatnonzero(ids == 2)
    return np.stack([np.append(0, ends[:-1] + 1), ends], 1)


def nano(seed: int, threads: int, rate: float) -> Result:
    """Train nanoGPT."""
    import torch

    from tests.bench import nanogpt

    train, held, rows = novel()
    prepare(seed, threads)
    model = nanogpt.NanoGpt(rows, LAYERS, HEADS, WIDTH, WINDOW)
    began = time.process_time()
    nanogpt.train(model, train, nanogpt.Settings(learning_rate=rate, max_iters=STEPS))
    seconds, peak = time.process_time() - began, peak_memory()
    with torch.no_grad():
        return Result(seconds, loss(model.eval(), held), peak)


def ours(seed: int, threads: int, steps: int) -> Result:
    """Train GPT by the loop of the workbench."""
    import torch

    from lmstudio.data.windows import WindowBatches
    from lmstudio.jobs import Job
    from lmstudio.models import gpt
    from lmstudio.models.config import GptConfig
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.loop import Training
    from lmstudio.training.spec import TrainingConfig

    train, held, rows = novel()
    prepare(seed, threads)
    config = TrainingConfig(epochs=100, max_steps=steps, learning_rate=0.01, batch=ROWS, seed=seed)
    shape = GptConfig(layers=LAYERS, heads=HEADS, width=WIDTH, window=WINDOW)
    with tempfile.TemporaryDirectory() as folder:
        module = gpt.build(shape, np.ones(rows))
        began = time.process_time()
        batches = WindowBatches(train, lines(train), rows=ROWS, window=WINDOW, seed=seed)
        checkpoints = Checkpoints(Path(folder))
        training = Training(module, batches, None, config, checkpoints, torch.device("cpu"))
        training.run(Job())
        seconds, peak = time.process_time() - began, peak_memory()
    module.eval()
    with torch.no_grad():
        return Result(seconds, loss(lambda ids, targets: module(ids, targets)[1], held), peak)


def prepare(seed: int, threads: int) -> None:
    """What takes seconds the first time, and is not what is measured."""
    import torch
    import torch._dynamo

    torch.set_num_threads(threads)
    torch.manual_seed(seed)


def loss(model: Callable, ids: np.ndarray) -> float:
    """The mean of `model(ids, targets)` over windows side by side."""
    import torch

    size, losses = ROWS * WINDOW, []
    for first in range(0, len(ids) - size, size):
        rows = torch.from_numpy(ids[first : first + size + 1].astype(np.int64))
        losses.append(model(rows[:-1].view(ROWS, WINDOW), rows[1:].view(ROWS, WINDOW)).item())
    return statistics.fmean(losses)


def peak_memory() -> float:
    """MB that this process held at most."""
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) / 1024


def alone(work: Callable[..., Result], *arguments: float) -> Result:
    """The result of `work` in a new process; a line of it is printed."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(work, arguments)
    print(f"    {work.__name__:5} {arguments[-1]:>6}  {found.seconds:6.1f} s  "
          f"loss {found.loss:.3f}  {found.peak:4.0f} MB", flush=True)  # fmt: skip
    return found


def time_at(target: float, results: list[Result]) -> float:
    """Seconds in which trainings of growing length reach a loss; infinite where none does."""
    reached = [r.loss for r in results]
    if min(reached) > target:
        return float("inf")
    return float(np.interp(-target, [-r for r in reached], [r.seconds for r in results]))


def compare(seeds: int, threads: int, *, quick: bool) -> None:
    """Print the trainings and the ratios."""
    rates = {"its own": RATES["its own"]} if quick else RATES
    ratios: dict[str, list[float]] = {name: [] for name in rates}
    memory = []
    for seed in range(1, seeds + 1):
        print(f"seed {seed}")
        trained = [alone(ours, seed, threads, steps) for steps in BUDGETS[: 2 if quick else None]]
        for name, rate in rates.items():
            theirs = alone(nano, seed, threads, rate)
            ratios[name].append(time_at(theirs.loss, trained) / theirs.seconds)
            memory.append(max(r.peak for r in trained) / theirs.peak)
    for name, found in ratios.items():
        print(f"time to equal loss, nanoGPT at {name} rate: {statistics.median(found):.2f} "
              f"({', '.join(f'{r:.2f}' for r in found)}; at most {FIGURES[name]})")  # fmt: skip
    print(f"peak memory: {statistics.median(memory):.2f} (at most {MEMORY})")


# --- on a GPU ---------------------------------------------------------------------------------


def gpu(size: str, rows: int, device: str) -> None:
    """Print tokens a second and MFU, eager and compiled."""
    import torch

    card = torch.cuda.get_device_name(device)
    peak = next((peak for name, peak in PEAKS.items() if name in card), None)
    for compiled in (False, True):
        speed, parameters = gpu_speed(size, rows, device, compiled=compiled)
        layers, _, width = SIZES[size]
        operations = 6 * parameters + 12 * layers * width * GPU_WINDOW  # a token (PaLM, appendix B)
        share = f"{speed * operations / peak:.1%} MFU" if peak else "MFU unknown"
        name = "compiled" if compiled else "eager"
        print(f"{card}, {size}, {name}: {speed:,.0f} tokens a second, {share}")


def gpu_speed(size: str, rows: int, device: str, *, compiled: bool) -> tuple[float, int]:
    """Tokens a second of the training loop, and the weights of the model."""
    import torch

    from lmstudio.data.windows import WindowBatches
    from lmstudio.jobs import Job
    from lmstudio.models import gpt
    from lmstudio.models.config import GptConfig
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.loop import Training
    from lmstudio.training.spec import TrainingConfig

    layers, heads, width = SIZES[size]
    tokens = np.random.default_rng(1).integers(3, GPU_VOCABULARY, 1 << 20, dtype=np.int32)
    bounds = np.array([[0, len(tokens)]])
    batches = WindowBatches(tokens, bounds, rows=rows, window=GPU_WINDOW, seed=1)
    config = TrainingConfig(epochs=100, learning_rate=0.002, batch=rows, precision="bf16",
                            compile=compiled, device=device)  # fmt: skip
    shape = GptConfig(layers=layers, heads=heads, width=width, window=GPU_WINDOW)
    module = gpt.build(shape, np.ones(GPU_VOCABULARY))
    training = Training(module, batches, None, config, Checkpoints(Path("unused")),
                        torch.device(device))  # fmt: skip
    for _ in range(5):
        training.step(Job())
    torch.cuda.synchronize(device)
    began = time.perf_counter()
    for _ in range(GPU_STEPS):
        training.step(Job())
    torch.cuda.synchronize(device)
    seconds = time.perf_counter() - began
    return GPU_STEPS * rows * GPU_WINDOW / seconds, sum(p.numel() for p in module.parameters())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="one seed, its own rate only")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", choices=SIZES, default="124M")
    parser.add_argument("--batch", type=int, default=GPU_ROWS)
    arguments = parser.parse_args()
    if arguments.device == "cpu":
        seeds = 1 if arguments.quick else arguments.seeds
        compare(seeds, arguments.threads, quick=arguments.quick)
    else:
        gpu(arguments.size, arguments.batch, arguments.device)


if __name__ == "__main__":
    main()
