"""Times n-gram models of Chinese text beside KenLM's lmplz and query, and holds them equal.

    python -m tests.bench.bench_ngram [KENLM_BIN [ORDER,...]]

KENLM_BIN is the folder of lmplz and query (built from github.com/kpu/kenlm); without it our own
figures are printed. The text is 42 MB of ../shared/data/lm: novels, laws, poems. Both sides begin
with the same text file of tokens and end with a model on disk, each in a process of its own, one
after the other: CPU seconds, the peak of memory, bytes an n-gram on disk. "ids" is what of ours is
spent before all tokens are numbers, which a segmentation of the program has ready.

One run in November 2026 on a busy core (AMD EPYC, AVX2; numpy 2.4); lmplz with -S 1G:

    text -> model      n-grams  bytes   ours (ids)     lmplz    ratio (no ids)   peak MiB
    characters 3-gram   7.7 M    12.8    4.4 (1.3) s   12.5 s    2.85 (4.0)       417 /  377
    characters 5-gram  26.8 M    14.5    9.8 (1.2) s   27.8 s    2.83 (3.2)      1042 /  627
    words 3-gram       10.2 M    13.0    6.6 (3.2) s   11.6 s    1.75 (3.4)       605 /  375
    words 5-gram       24.0 M    14.6   10.1 (3.4) s   23.0 s    2.26 (3.4)      1069 /  536

Of all n-grams the largest difference of log10 p was 4.8e-7; discounts agree in all digits that
lmplz prints. Tokens a second, ours beside query: characters 3.7 and 3.6 beside 3.2 and 2.6 million
(3- and 5-grams), words 5.0 and 5.9 beside 3.1 and 2.9. A held-out sentence 0.17 to 0.25 ms on
average; ARPA 0.20 to 0.34 us a line; the ten likeliest of 50,000 words 3.3 to 4.5 ms. Files open in
1 to 2 ms.
"""

import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from lmstudio.formats import arpa, ngram_file
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from tests.bench.ngram_bench_texts import KINDS, held_out, read_ids, write_texts
from tests.models.ngram.texts import ignore

NEXT_WORDS = 50_000
REPEATED = 5  # times that query reads the held-out text
_BLOCK = 1 << 20
T = TypeVar("T")


def apart(function: Callable[..., T], *arguments: object) -> T:
    """Its result, from a process that ends with it.

    This process has to stay small: what it holds is counted into the peak of those it starts.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


@dataclass
class Used:
    """What a child process took."""

    cpu: float
    peak: float  # MiB
    output: str


def run(*command: str | Path) -> Used:
    """Run to the end. Its output is that of both streams."""
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(list(map(str, command)), stdout=output, stderr=output)
        _, status, used = os.wait4(child.pid, 0)
        output.seek(0)
        text = output.read()
    if status:
        raise RuntimeError(text)
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text)


def fit(text: Path, order: int, model_file: Path) -> None:
    """The whole way from a text to a model on disk; prints its facts. Run in a child."""
    ids, words = read_ids(text)
    after_reading = time.process_time()
    model, facts = NgramModel.fit(ids, len(words), NgramConfig(order), ignore)
    ngram_file.save(model_file, model)
    model_file.with_suffix(".words").write_text("\n".join(words), encoding="utf-8")
    print(json.dumps({"ids": after_reading, "discounts": facts.discounts}))


def compare(folder: Path, kind: str, order: int, kenlm: Path | None) -> None:
    """One line of the table of training, ours beside lmplz."""
    text, model_file = folder / f"train.{kind}", folder / f"{kind}{order}.ngram"
    ours = run(sys.executable, "-m", "tests.bench.bench_ngram", "--fit", text, order, model_file)
    facts = json.loads(ours.output.splitlines()[-1])
    model = ngram_file.load(model_file)
    size = model_file.stat().st_size / sum(model.sizes)
    print(f"{kind} {order}-gram, {sum(model.sizes) / 1e6:.1f} M n-grams of {size:.1f} bytes: "
          f"{ours.cpu:.1f} s (ids {facts['ids']:.1f} s), {ours.peak:.0f} MiB")  # fmt: skip
    if not kenlm:
        return
    theirs_file = folder / "theirs"
    theirs = run(kenlm / "lmplz", "-o", str(order), "--text", text, "--intermediate", theirs_file,
                 "-S", "1G", "-T", folder)  # fmt: skip
    print(f"    lmplz {theirs.cpu:.1f} s, {theirs.peak:.0f} MiB: {theirs.cpu / ours.cpu:.2f} times "
          f"our time, {theirs.cpu / (ours.cpu - facts['ids']):.2f} times that without ids; "
          f"our peak {ours.peak / theirs.peak:.2f} times theirs")  # fmt: skip
    found = re.findall(r"^\d+ \d+ D1=(\S+) D2=(\S+) D3\+=(\S+)", theirs.output, re.MULTILINE)
    gap = np.abs(np.array(found, float) - np.array(facts["discounts"])).max()
    probs, weights = apart(difference, model_file, theirs_file)
    print(f"    largest difference: discounts {gap:.1e}, log10 p {probs:.1e}, log10 of weights "
          f"{weights:.1e}, of all n-grams")  # fmt: skip


def difference(model_file: Path, theirs: Path) -> tuple[float, float]:
    """The largest of log10 p and of log10 of the weights between ours and lmplz's --intermediate.

    Its files hold, for each n-gram, 32-bit ids and two floats; .vocab the words by id.
    """
    model, words_file = ngram_file.load(model_file), model_file.with_suffix(".words")
    ours = {word: i for i, word in enumerate(words_file.read_text(encoding="utf-8").split("\n"))}
    names = theirs.with_suffix(".vocab").read_bytes().decode().rstrip("\0").split("\0")
    id_of = np.array([ours[name] for name in names])
    arrays = model.arrays()
    worst = [0.0, 0.0]
    for order, size in enumerate(model.sizes, 1):
        table = np.memmap(theirs.with_suffix(f".{order}"), np.uint32, "r").reshape(-1, order + 2)
        assert len(table) == size, "the numbers of n-grams differ"
        for start in range(0, size, _BLOCK):
            block = np.array(table[start : start + _BLOCK])
            ids = id_of[block[:, :order]]
            numbers = ids[:, -1]
            for length in range(2, order + 1):
                numbers = model.lookup.find(length, numbers, ids[:, -length])
            assert (numbers >= 0).all(), "an n-gram of lmplz is not among ours"
            logs = block[:, order:].copy().view(np.float32).astype(np.float64)
            scored = numbers != 1 if order == 1 else np.ones(len(numbers), bool)  # <s> has no p
            gap = np.log10(arrays[f"probs{order}"][numbers[scored]]) - logs[scored, 0]
            worst[0] = max(worst[0], np.abs(gap).max(initial=0))
            if order < len(model.sizes):
                gap = np.log10(arrays[f"backoffs{order}"][numbers]) - logs[:, 1]
                worst[1] = max(worst[1], np.abs(gap).max())
    return worst[0], worst[1]


def score(folder: Path, kind: str, order: int, kenlm: Path | None) -> None:
    """Tokens a CPU second of held-out text, beside query on the ARPA file that we write."""
    model_file = folder / f"{kind}{order}.ngram"
    words = model_file.with_suffix(".words").read_text(encoding="utf-8").split("\n")
    started = time.process_time()
    model = ngram_file.load(model_file)
    opened = time.process_time() - started
    stream = held_out(folder / f"held.{kind}", words)
    seconds = []
    for _ in range(3):
        started = time.process_time()
        logprobs = model.logprobs(stream)
        seconds.append(time.process_time() - started)
    speed = len(logprobs) / min(seconds) / 1e6
    perplexity = np.exp(-logprobs.mean())
    print(f"{kind} {order}-gram: opens in {opened * 1000:.1f} ms, scores {speed:.2f} M tokens/s, "
          f"perplexity {perplexity:.4f}; {sentences(model, stream):.3f} ms a sentence")  # fmt: skip
    if kenlm:
        beside_query(folder, kind, (model, words), len(logprobs), kenlm)


def sentences(model: NgramModel, stream: np.ndarray) -> float:
    """Milliseconds, the median of one sentence at a time, 10 to 60 tokens long."""
    starts = np.append(np.flatnonzero(stream == 1), len(stream))
    chosen = [s for s in np.split(stream, starts[1:-1]) if 10 <= len(s) <= 60][:300]
    taken = []
    for sentence in chosen * 2:
        started = time.process_time()
        model.logprobs(sentence)
        taken.append(time.process_time() - started)
    return float(np.median(taken[len(chosen) :])) * 1000


def beside_query(
    folder: Path, kind: str, ours: tuple[NgramModel, list[str]], tokens: int, kenlm: Path
) -> None:
    """The ARPA file is written for query, which reads the text again and again."""
    path = folder / "model.arpa"
    started = time.process_time()
    arpa.save(path, *ours, job=Job())
    seconds = time.process_time() - started
    print(f"    ARPA: {seconds / sum(ours[0].sizes) * 1e6:.2f} us a line")
    text = (folder / f"held.{kind}").read_bytes() * REPEATED
    taken, output = query(kenlm, path, text)
    found = re.search(r"including OOVs:\s*(\S+)", output)
    print(f"    query: {tokens * REPEATED / taken / 1e6:.2f} M tokens/s, "
          f"perplexity {found and found[1]}")  # fmt: skip
    path.unlink()


def query(kenlm: Path, path: Path, text: bytes) -> tuple[float, str]:
    """CPU seconds in which query scores a text, once it has loaded the model; its output."""
    child = subprocess.Popen([kenlm / "query", "-v", "summary", path], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    before, loading = -1.0, 0.0
    while loading != before or not loading:  # it waits for text when it has loaded
        time.sleep(3)
        before, loading = loading, _cpu(child.pid)
    assert child.stdin
    assert child.stdout
    child.stdin.write(text)
    child.stdin.close()
    output = child.stdout.read().decode()
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime - loading, output


def _cpu(process: int) -> float:
    """Seconds that a running process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def next_words(folder: Path) -> None:
    """The ten likeliest of NEXT_WORDS words after held-out contexts, by a 5-gram."""
    ids, words = read_ids(folder / "train.words")
    held = held_out(folder / "held.words", words)
    counts = np.bincount(ids, minlength=len(words))
    counts[:3] = counts.max() + 1  # the special ones stay in front
    number_of = np.zeros(len(words), np.int32)
    number_of[np.argsort(-counts, kind="stable")[:NEXT_WORDS]] = np.arange(NEXT_WORDS)
    model, _ = NgramModel.fit(number_of[ids], NEXT_WORDS, NgramConfig(5), ignore)
    model.top_k(np.array([], np.int32), 10)
    stream, taken = number_of[held], []
    for place in np.flatnonzero(stream == 1)[:100]:
        started = time.process_time()
        model.top_k(stream[place + 1 : place + 6], 10)
        taken.append(time.process_time() - started)
    print(f"next word, top 10 of {NEXT_WORDS:,}: {np.median(taken) * 1000:.1f} ms")


def main() -> None:
    kenlm = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    orders = [int(order) for order in sys.argv[2].split(",")] if len(sys.argv) > 2 else [3, 5]
    if hasattr(os, "sched_setaffinity"):  # all on one core, children too
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        apart(write_texts, folder)
        for kind in KINDS:
            for order in orders:
                compare(folder, kind, order, kenlm)
            apart(score, folder, kind, orders[-1], kenlm)
        apart(next_words, folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fit"]:
        fit(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
