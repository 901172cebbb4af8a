"""Times jieba's modes beside jieba itself, and counts the sentences that differ.

    python -m tests.bench.bench_segment [FOLDER [SENTENCES]]

FOLDER holds texts (.txt, .tsv, .json, and these as .gz); by default ../shared/data/lm. Ratios are
of CPU seconds within one run, jieba and ours in turn on the same sentences, each of them loaded and
warm: first to the same mode of jieba, then to a plain loop of `jieba.lcut`. On two cores it is
elapsed seconds of the whole way from a corpus folder to numbered tokens, beside the plain loop.
"""

import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from lmstudio.data.cut_lines import cut_lines
from lmstudio.data.cut_plan import CutPlan
from lmstudio.jobs import Job
from lmstudio.text.jieba_tokenizer import jieba, tokenizer
from lmstudio.text.jieba_words import JiebaWords
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.sentences import sentence_spans
from lmstudio.text.userdict import UserWord
from lmstudio.worker import Pool
from tests.data.corpus_files import write_corpus

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "lm"
SENTENCES = 60_000
AT_ONCE = 1000  # sentences between two turns
MODES = [("accurate", True), ("accurate", False), ("full", True), ("search", True),
         ("search", False)]  # fmt: skip

Cut = Callable[[str], list[str]]


def sentences(folder: Path, count: int) -> list[str]:
    """About `count` sentences, taken evenly from all texts."""
    found = [s for path in sorted(folder.iterdir()) for s in _sentences_of(path)]
    step = max(1, len(found) // count)
    return found[::step][:count]


def _sentences_of(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    text = data.decode("gb18030" if "gb18030" in path.name else "utf-8")
    for line in text.replace("\r\n", "\n").split("\n"):
        yield from (line[start:end] for start, end in sentence_spans(line))


def user_words(texts: list[str], count: int) -> list[UserWord]:
    """Strings of two to four characters out of the text, with and without a frequency."""
    found = (text[i : i + 2 + i % 3] for i, text in enumerate(texts[:: max(1, len(texts) // 4000)]))
    words = dict.fromkeys(w for w in found if len(w) > 1 and w.isalnum())
    return [UserWord(w, None if i % 2 else i + 1) for i, w in enumerate(islice(words, count))]


def jieba_cut(stock: object, mode: str, hmm: bool) -> Cut:
    """What jieba offers for a mode."""
    if mode == "full":
        return lambda text: stock.lcut(text, cut_all=True)
    if mode == "search":
        return lambda text: stock.lcut_for_search(text, HMM=hmm)
    return lambda text: stock.lcut(text, HMM=hmm)


def differs(text: str, words: list[str], spans: list[tuple[int, int]]) -> bool:
    """Whether a sentence was cut otherwise. White space is no token of ours.

    Nor is what does not stand in the text: in full mode jieba joins Latin letters across a word.
    """
    words = [word for word in words if word.strip()]
    ours = [text[a:b] for a, b in spans]
    return words != ours and all(word in text for word in words)


def compare(texts: list[str], theirs: Cut, ours: JiebaWords) -> tuple[float, float, list[str]]:
    """CPU seconds of both, and the sentences that differ."""
    used = [0.0, 0.0]
    differing = []
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        began = time.process_time()
        want = [theirs(text) for text in some]
        between = time.process_time()
        found = ours.cut_many(some)
        used[0] += between - began
        used[1] += time.process_time() - between
        for text, words, spans in zip(some, want, found, strict=True):
            if differs(text, words, spans):
                differing.append(text)
    return *used, differing


def two_cores(texts: list[str], cache: Path) -> None:
    """Elapsed seconds of a pool of two workers beside a loop of `jieba.lcut` in this process."""
    options = SegmentOptions(by="jieba", sentences="line")
    folder = write_corpus(Path(tempfile.mkdtemp()), train=[text.strip() for text in texts])
    pieces = [(folder, first, min(first + AT_ONCE, len(texts)), CutPlan(options, None, cache))
              for first in range(0, len(texts), AT_ONCE)]  # fmt: skip
    pool = Pool(2, ("lmstudio.data.cut_lines",))
    began = time.perf_counter()
    list(pool.map(Job(), cut_lines, pieces[:2]))
    warm = time.perf_counter() - began
    before = dict(pool.map(Job(), used, [(), ()]))
    began = time.perf_counter()
    tokens = sum(len(cut.ids) for cut in pool.map(Job(), cut_lines, pieces))
    ours = time.perf_counter() - began
    busier = max(cpu - before[pid] for pid, cpu in pool.map(Job(), used, [(), ()]))
    pool.close()
    began, cpu = time.perf_counter(), time.process_time()
    for text in texts:
        jieba().lcut(text)
    theirs, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(
        f"two cores, corpus to numbered tokens: {theirs / ours:.2f} x the plain loop "
        f"({tokens:,} tokens in {ours:.2f} s, jieba {theirs:.2f} s; start {warm:.2f} s); "
        f"by CPU time of the busier worker {cpu / busier:.2f} x"
    )


def used(*, job: Job) -> tuple[int, float]:
    """This worker, and the CPU seconds it has used."""
    return os.getpid(), time.process_time()


def first_words(texts: list[str], cache: Path) -> None:
    """Elapsed seconds from asking for a segmenter to its first sentences."""
    JiebaWords("accurate", True, [], cache)
    began = time.perf_counter()
    JiebaWords("accurate", True, user_words(texts, 1000), cache).cut_many(texts[:8])
    print(f"first 8 sentences with 1,000 new user words: {time.perf_counter() - began:.2f} s")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED
    texts = sentences(folder, int(sys.argv[2]) if len(sys.argv) > 2 else SENTENCES)
    size = sum(len(text.encode()) for text in texts)
    cache = Path(tempfile.mkdtemp())
    print(f"{len(texts):,} sentences, {size / 1e6:.1f} MB")
    first_words(texts, cache)
    two_cores(texts, cache)
    plain = None
    for name, words in [("", []), (" + 1,000 user words", user_words(texts, 1000))]:
        stock = tokenizer(words, cache)[0] if words else jieba()
        stock.initialize()
        for mode, hmm in MODES:
            ours = JiebaWords(mode, hmm, words, cache)
            theirs, us, differing = compare(texts, jieba_cut(stock, mode, hmm), ours)
            plain = plain or theirs
            label = f"{mode}{'' if hmm else ', HMM off'}{name}"
            print(f"{label:39} jieba {size / theirs / 1e6:6.3f} MB/s  ours {size / us / 1e6:6.3f}  "
                  f"{theirs / us:5.2f} x, {plain / us:5.2f} x lcut  {len(differing)} differ",
                  flush=True)  # fmt: skip
            for text in differing[:3]:
                print("    ", text[:80])


if __name__ == "__main__":
    main()
