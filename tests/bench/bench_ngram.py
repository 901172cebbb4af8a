"""Times n-gram training and scoring, beside nltk and KenLM's lmplz where they are installed.

    python -m tests.bench.bench_ngram [FILE]

FILE holds one sentence of words a line; without it a text is made by chance. Ratios are of CPU
seconds within one run: only they can be compared between machines. Needs numpy alone.
"""

import importlib.util
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import Text

PEER_WORDS = 100_000  # nltk is given the beginning of the text only
SCORED_WORDS = 10_000


def cpu_seconds(work: Callable[[], object]) -> float:
    """Of this process and of those it waits for."""
    start = _used()
    work()
    return _used() - start


def _used() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def made_by_chance(words: int, seed: int = 1) -> list[str]:
    """Sentences of about 20 words; each word depends on the one before, shares are Zipf's."""
    rng = np.random.default_rng(seed)
    steps = rng.zipf(1.3, words) % 10_000
    chosen = np.where(rng.random(words) < 0.5, steps, (np.roll(steps, 1) * 31 + steps % 7) % 10_000)
    cuts = np.flatnonzero(rng.random(words) < 0.05)
    return [" ".join(map(str, part)) for part in np.split(chosen, cuts) if len(part)]


def say(what: str, seconds: float, tokens: int, ratio: float | None = None) -> None:
    """One line of the table."""
    beside = "" if ratio is None else f"   {ratio:8.2f} x ours"
    print(f"{what:42} {seconds:8.2f} s   {tokens / seconds / 1e6:7.3f} M tokens/s{beside}")


def bench_ours(text: Text) -> None:
    """Training at every order, and scoring of the training text."""
    size = len(text.stream)
    print(f"{size:,} tokens, {text.rows:,} types")
    prefixes = [text.stream[i : i + 4] for i in range(1000, 1020)]
    for order in (2, 3, 5):
        made: list[NgramModel] = []
        seconds = cpu_seconds(partial(_append, made, partial(text.fit, order)))
        say(f"ours, {order}-gram Kneser-Ney: train", seconds, size)
        say("  score", cpu_seconds(partial(made[0].logprobs, text.stream)), size)
        seconds = cpu_seconds(partial(_each, made[0].next_probs, prefixes)) / len(prefixes)
        print(f"  next word, all {text.rows:,}: {seconds * 1000:.1f} ms")


def bench_nltk(lines: list[str]) -> None:
    """Trigrams with add-one on the beginning of the text, ours and nltk's."""
    if importlib.util.find_spec("nltk") is None:
        print("nltk is not installed here: pip install nltk to compare with it")
        return
    from nltk.lm import Laplace
    from nltk.lm.preprocessing import padded_everygram_pipeline
    from nltk.util import ngrams, pad_sequence

    sentences = [line.split() for line in _beginning(lines, PEER_WORDS)]
    size = sum(len(s) + 2 for s in sentences)
    theirs = Laplace(3)
    nltk_train = cpu_seconds(lambda: theirs.fit(*padded_everygram_pipeline(3, sentences)))
    scored = [s.split() for s in _beginning(lines, SCORED_WORDS)]
    grams = [
        gram
        for s in scored
        for gram in ngrams(
            pad_sequence(s, 3, pad_left=True, pad_right=True, left_pad_symbol="<s>",
                         right_pad_symbol="</s>"), 3)
    ]  # fmt: skip
    nltk_score = cpu_seconds(lambda: theirs.perplexity(grams)) / len(grams)

    joined = [" ".join(s) for s in sentences]
    ours_train = cpu_seconds(lambda: Text(joined).fit(3, "add-one"))
    text = Text(joined)
    model = text.fit(3, "add-one")
    ours_score = cpu_seconds(lambda: model.logprobs(text.stream)) / size
    say("nltk, 3-gram add-one, words to model", nltk_train, size, nltk_train / ours_train)
    say("ours, words to model", ours_train, size)
    say("nltk, score", nltk_score * size, size, nltk_score / ours_score)


def bench_lmplz(lines: list[str], text: Text) -> None:
    """5-grams, from a file of words to a model in both."""
    if shutil.which("lmplz") is None:
        print("lmplz is not on the path: build KenLM to compare with it")
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "text"
        source.write_text("\n".join(line.replace("<unk>", "<UNK>") for line in lines))
        command = ["lmplz", "-o", "5", "--discount_fallback", "--text", str(source),
                   "--intermediate", f"{folder}/model", "-S", "1G", "-T", folder]  # fmt: skip
        theirs = cpu_seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    ours = cpu_seconds(lambda: Text(lines).fit(5))
    say("lmplz, 5-gram, words to model", theirs, len(text.stream), theirs / ours)
    say("ours, words to model", ours, len(text.stream))


def _append(made: list, make: Callable[[], object]) -> None:
    made.append(make())


def _each(function: Callable[[np.ndarray], object], values: list[np.ndarray]) -> None:
    for value in values:
        function(value)


def _beginning(lines: list[str], words: int) -> list[str]:
    """The first lines that hold so many words."""
    counts = np.cumsum([line.count(" ") + 1 for line in lines])
    return lines[: int(np.searchsorted(counts, words)) + 1]


def main() -> None:
    if len(sys.argv) > 1:
        lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    else:
        lines = made_by_chance(1_000_000)
    text = Text(lines)
    bench_ours(text)
    bench_nltk(lines)
    bench_lmplz(lines, text)


if __name__ == "__main__":
    main()
