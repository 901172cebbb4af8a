"""Times the search for duplicate documents, and tells how many planted ones it finds.

    python -m tests.bench.bench_duplicates [FILE ...]

A FILE, also .gz, holds a document a line or, if it has blank lines, a document between them; of
lines with tabs the last column counts. Without one, texts are made by chance. Planted are copies of
300 documents with some characters changed, here and there or all in one place; "near" are those
that `data.neighbours` would call so if it compared all pairs, "found" what it finds of these.
"""

import gzip
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from lmstudio.data.copies.duplicates import duplicates
from lmstudio.data.copies.neighbours import NEAR
from lmstudio.data.copies.shingles import Resemblance, Stretch
from lmstudio.data.layout import CorpusText
from lmstudio.data.writer import CorpusWriter
from lmstudio.jobs import Job

PLANTED = 300
EDITS = ((0.02, False), (0.05, False), (0.10, False), (0.05, True), (0.10, True), (0.20, True))
"""Share of the characters that is changed, and whether they stand together."""


def read(path: Path) -> list[list[str]]:
    """Lines by document."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        text = file.read()
    blocks = text.split("\n\n") if "\n\n" in text else text.split("\n")
    documents = [[line.split("\t")[-1] for line in block.split("\n")] for block in blocks]
    return [
        lines for lines in ([one for one in lines if one.strip()] for lines in documents) if lines
    ]


def made_by_chance(count: int = 20_000) -> list[list[str]]:
    """Documents of 20 to 100 characters."""
    rng = random.Random(1)
    letters = [chr(0x4E00 + number) for number in range(3000)]
    return [["".join(rng.choices(letters, k=rng.randint(20, 100)))] for _ in range(count)]


def edited(lines: list[str], share: float, together: bool, rng: random.Random) -> list[str]:
    """A copy in which some characters are others of the same document."""
    text = "\n".join(lines)
    places = [place for place, one in enumerate(text) if one != "\n"]
    count = max(1, round(share * len(places)))
    begin = rng.randrange(len(places) - count + 1)
    chosen = places[begin : begin + count] if together else rng.sample(places, count)
    changed = list(text)
    for place in chosen:
        changed[place] = chr(rng.randrange(0x4E00, 0x9000))
    return "".join(changed).split("\n")


def write(folder: Path, documents: list[list[str]]) -> list[Stretch]:
    """The files of a corpus, and where its documents stand."""
    bounds = []
    with CorpusWriter(folder) as writer:
        for lines in documents:
            writer.begin_document()
            bounds.append((writer.lines, len(lines)))
            for line in lines:
                writer.add(line, [(0, 0)])
    return bounds


def bench(name: str, documents: list[list[str]]) -> None:
    """Time and memory, then what is found of each kind of planted documents."""
    with tempfile.TemporaryDirectory() as folder:
        bounds = write(Path(folder), documents)
        start = time.process_time()
        report = duplicates(Path(folder), bounds, job=Job())
        seconds = time.process_time() - start
        size = (Path(folder) / "text.utf8").stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}: {len(documents):,} documents, {size:.1f} MB")
    print(f"  {seconds:.2f} s of CPU time, peak {peak:.0f} MB with the texts themselves")
    print(f"  exact {report.exact_documents:,}, near {report.near_documents:,}")
    for share, together in EDITS:
        near, found = planted(documents, share, together)
        kind = "in one place" if together else "here and there"
        recall = f"{found / near:.1%}" if near else "-"
        print(
            f"  {share:4.0%} changed {kind:15} near {near / PLANTED:6.1%}   found {recall} of these"
        )


def planted(documents: list[list[str]], share: float, together: bool) -> tuple[int, int]:
    """How many planted copies are near their original, and how many of these are found."""
    rng = random.Random(2)
    long = [lines for lines in documents if 20 <= sum(map(len, lines)) < 100_000]
    originals = rng.sample(long, PLANTED)
    copies = [edited(lines, share, together, rng) for lines in originals]
    everything = rng.sample(documents, min(2000, len(documents))) + originals + copies
    with tempfile.TemporaryDirectory() as folder:
        bounds = write(Path(folder), everything)
        report = duplicates(Path(folder), bounds, job=Job())
        alike = Resemblance(CorpusText(Path(folder)), bounds, job=Job())
        last = len(everything) - PLANTED
        near = {n for n in range(last, len(everything)) if alike.jaccard(n - PLANTED, n) >= NEAR}
    named = {number for group in report.near for number in group}
    return len(near), len(near & named)


if __name__ == "__main__":
    files = list(map(Path, sys.argv[1:]))
    for file in files:
        bench(file.name, read(file))
    if not files:
        bench("made by chance", made_by_chance())
