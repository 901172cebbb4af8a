"""Times import, characters and vocabulary of one big file, beside `wc -m` and a loop in Python.

    python -m tests.bench.bench_import [MEGABYTES]

The text is made by chance (100 MB unless said otherwise; 1000 for the figure of the README). Memory
is the most that our process and its workers held together, without the files they map (Linux).
"""

import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions

SAMPLED_EVERY = 0.05  # seconds
_MARKS = np.array(list("，，，、；。。。！？"))


def write_text(path: Path, size: int, seed: int = 1) -> None:
    """About `size` bytes of lines of Chinese characters, whose shares are Zipf's, and marks."""
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        while out.tell() < size:
            codes = 0x4E00 + (rng.zipf(1.2, 300_000) * 7919) % 6000
            characters = codes.astype("<u4").view("<U1")
            at = rng.random(len(characters)) < 0.12
            characters[at] = rng.choice(_MARKS, int(at.sum()))
            lines = np.split(characters, np.flatnonzero(rng.random(len(characters)) < 0.01))
            out.writelines("".join(line) + "\n" for line in lines)


def anonymous(pid: int) -> int:
    """Bytes of memory that a process and its children hold, mapped files left out."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return 0
    own = next((line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")), "0")
    return 1024 * int(own) + sum(anonymous(int(child)) for child in children)


def measured(work: Callable[..., None], *args: object) -> tuple[float, int]:
    """Seconds, and the most memory, of `work` in a process of its own."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=args)
    start, most = time.perf_counter(), 0
    process.start()
    ended = threading.Event()
    while not ended.wait(SAMPLED_EVERY):
        most = max(most, anonymous(process.pid or 0))
        if process.exitcode is not None:
            ended.set()
    if process.exitcode:
        raise SystemExit(process.exitcode)
    return time.perf_counter() - start, most


def bring_in(workspace: Path, file: Path) -> None:
    """Import the file as a corpus."""
    with Workspace(workspace) as ws:
        corpora.import_files(ws, [file], name="big", job=Job())


def cut(workspace: Path) -> None:
    """Segment the corpus into characters, with their vocabulary."""
    with Workspace(workspace) as ws:
        segmentations.create(ws, "big", SegmentOptions(), name="characters", job=Job())


def count_in_python(file: Path) -> None:
    """What a few lines of Python do: read, and count the characters."""
    counts: Counter[str] = Counter()
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            counts.update(line.strip())


def main() -> None:
    size = int(sys.argv[1] if len(sys.argv) > 1 else 100) * 1_000_000
    folder = Path(tempfile.mkdtemp())
    try:
        file, workspace = folder / "big.txt", folder / "workspace"
        write_text(file, size)
        megabytes = file.stat().st_size / 1e6
        print(f"{megabytes:,.0f} MB")
        for name, work, args in [
            ("import", bring_in, (workspace, file)),
            ("characters and vocabulary", cut, (workspace,)),
            ("a loop in Python", count_in_python, (file,)),
        ]:
            seconds, memory = measured(work, *args)
            print(f"{name:28} {seconds:8.1f} s {megabytes / seconds:8.1f} MB/s "
                  f"{memory / 1e6:8.0f} MB", flush=True)  # fmt: skip
        if shutil.which("wc"):
            start = time.perf_counter()
            subprocess.run(["wc", "-m", file], check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - start
            print(f"{'wc -m':28} {seconds:8.1f} s {megabytes / seconds:8.1f} MB/s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
