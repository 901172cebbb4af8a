"""Times every estimator that nltk.lm has too, ours and nltk's in turn on the same sentences.

    python -m tests.bench.bench_nltk [WORDS]

The text is made by chance, 100,000 words if not said otherwise. CPU seconds from words to a model,
and for each event; `tests/interop/test_nltk.py` holds the
probabilities equal. In November 2026, on a busy core, ours fitted 27 to 36 times as fast and scored
24 (maximum likelihood), 35 (add-one), 32 (add-k), 460 (Witten-Bell) and 139,000 times (Kneser-Ney,
25 ms an event in nltk) as fast.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from nltk import lm
from nltk.util import everygrams

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import Text, ignore

ORDER, DISCOUNT = 3, 0.75
SCORED = {"KneserNeyInterpolated": 20, "WittenBellInterpolated": 2000}
PEERS = {
    "maximum-likelihood": ("MLE", {}, {}),
    "add-one": ("Laplace", {}, {}),
    "add-k": ("Lidstone", {"gamma": 0.1}, {"k": 0.1}),
    "witten-bell": ("WittenBellInterpolated", {}, {}),
    "kneser-ney": (
        "KneserNeyInterpolated", {"discount": DISCOUNT}, {"discount": DISCOUNT},
    ),
}  # fmt: skip


def made_by_chance(words: int) -> list[list[str]]:
    """Sentences of about 20 words; each word depends on the one before, shares are Zipf's."""
    rng = np.random.default_rng(1)
    steps = rng.zipf(1.3, words) % 10_000
    chosen = np.where(rng.random(words) < 0.5, steps, (np.roll(steps, 1) * 31 + steps % 7) % 10_000)
    cuts = np.flatnonzero(rng.random(words) < 0.05)
    return [list(map(str, part)) for part in np.split(chosen, cuts) if len(part)]


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    sentences = made_by_chance(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    lines = [" ".join(sentence) for sentence in sentences]
    padded = [["<s>", *sentence, "</s>"] for sentence in sentences]
    # Without <s> in the context: there nltk's Kneser-Ney has counted nothing.
    events = [(padding[i], padding[i - ORDER + 1 : i])
              for padding in padded for i in range(ORDER, len(padding))]  # fmt: skip
    vocabulary = [word for padding in padded for word in padding]
    for name, (kind, settings, ours) in PEERS.items():
        theirs = getattr(lm, kind)(order=ORDER, **settings)
        grams = [list(everygrams(padding, max_len=ORDER)) for padding in padded]
        fit = seconds(lambda peer=theirs, grams=grams: peer.fit(grams, vocabulary))
        scored = events[: SCORED.get(kind, 20_000)]
        score = seconds(lambda peer=theirs, pairs=scored: [peer.score(w, c) for w, c in pairs])
        made: list[tuple[Text, NgramModel]] = []
        config = NgramConfig(ORDER, name, **ours)
        our_fit = seconds(lambda config=config, made=made: made.append(_fit(lines, config)))
        text, model = made[0]
        our_score = seconds(lambda text=text, model=model: model.logprobs(text.stream))
        per_event, ours_per_event = score / len(scored), our_score / sum(map(len, padded))
        print(f"{name:20} fit {fit:6.2f} s, ours {our_fit:5.2f} s, {fit / our_fit:5.1f} times; "
              f"score {per_event * 1e6:11.1f} us an event, ours {ours_per_event * 1e6:5.2f} us, "
              f"{per_event / ours_per_event:,.0f} times")  # fmt: skip


def _fit(lines: list[str], config: NgramConfig) -> tuple[Text, NgramModel]:
    text = Text(lines)
    return text, NgramModel.fit(text.stream, text.rows, config, ignore)[0]


if __name__ == "__main__":
    main()
