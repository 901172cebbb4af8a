"""Times jieba's modes beside jieba itself, and counts the sentences that differ.

    python -m tests.bench.bench_segment [FOLDER [SENTENCES]]

FOLDER holds texts (.txt, .tsv, .json, and these as .gz); by default ../shared/data/lm. Ratios are
of CPU seconds (on two cores: of seconds) within one run, jieba and ours in turn on the same
sentences, each of them loaded and warm.
"""

import gzip
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from lmstudio.text.jieba_tokenizer import jieba, tokenizer
from lmstudio.text.jieba_words import JiebaWords
from lmstudio.text.sentences import sentence_spans
from lmstudio.text.userdict import UserWord

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
            if [w for w in words if w.strip()] != [text[a:b] for a, b in spans]:
                differing.append(text)
    return *used, differing


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED
    texts = sentences(folder, int(sys.argv[2]) if len(sys.argv) > 2 else SENTENCES)
    size = sum(len(text.encode()) for text in texts)
    cache = Path(tempfile.mkdtemp())
    print(f"{len(texts):,} sentences, {size / 1e6:.1f} MB")
    for name, words in [("", []), (" + 1,000 user words", user_words(texts, 1000))]:
        stock = tokenizer(words, cache)[0] if words else jieba()
        stock.initialize()
        for mode, hmm in MODES:
            ours = JiebaWords(mode, hmm, words, cache)
            theirs, us, differing = compare(texts, jieba_cut(stock, mode, hmm), ours)
            label = f"{mode}{'' if hmm else ', HMM off'}{name}"
            print(f"{label:40} jieba {size / theirs / 1e6:6.3f} MB/s   ours {size / us / 1e6:6.3f}"
                  f" MB/s   {theirs / us:5.2f} x   {len(differing)} differ", flush=True)  # fmt: skip
            for text in differing[:3]:
                print("    ", text[:80])


if __name__ == "__main__":
    main()
