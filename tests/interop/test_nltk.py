"""nltk.lm gives the same probabilities, in contexts without `<s>` and with the same vocabulary.

Its own padding doubles `<s>` and `</s>`, and its vocabulary counts `<s>`: here the n-grams are
handed to it as we count them, without `<s>` as an event, and the vocabulary as we count it.
"""

import numpy as np
import pytest

from lmstudio.data.layout import BOS, SPECIALS
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import TINY, Text, ignore

lm = pytest.importorskip("nltk.lm")

D = 0.4
LINES = [*TINY, "他 爱 北京 爱 上海", "我 爱 爱 我 北京", "上海 他 爱 我 爱 北京"]


def peer(kind, order: int, **settings):
    """A model of nltk that has learned LINES."""
    words = {word for line in LINES for word in line.split()} | {"</s>"}
    model = kind(order=order, vocabulary=lm.Vocabulary(words), **settings)
    for line in LINES:
        padded = ["<s>", *line.split(), "</s>"]
        for size in range(1, order + 1):
            for start in range(len(padded) - size + 1):
                gram = padded[start : start + size]
                if gram != ["<s>"]:
                    context, word = tuple(gram[:-1]), gram[-1]
                    if context:
                        model.counts[size][context][word] += 1
                    else:
                        model.counts[1][word] += 1
    return model


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(
    ("name", "settings", "kind", "theirs"),
    [
        ("maximum-likelihood", {}, "MLE", {}),
        ("add-one", {}, "Laplace", {}),
        ("add-k", {"k": 0.3}, "Lidstone", {"gamma": 0.3}),
        ("witten-bell", {"uniform": False}, "WittenBellInterpolated", {}),
        ("kneser-ney", {"discount": D, "uniform": False}, "KneserNeyInterpolated", {"discount": D}),
    ],
)
def test_nltk_gives_the_same(order, name, settings, kind, theirs):
    text = Text(LINES)
    config = NgramConfig(order, name, **settings)
    model, _ = NgramModel.fit(text.stream, text.rows, config, ignore)
    other = peer(getattr(lm, kind), order, **theirs)
    compared = 0
    for context in seen_contexts(order - 1):
        probs = model.next_probs(np.array([text.ids(w)[0] for w in context], np.int32))
        for number, word in enumerate(text.types):
            if number != BOS and not np.isnan(probs[number]):
                word = "<UNK>" if word == SPECIALS[0] else word
                expected = other.score(word, context)
                assert probs[number] == pytest.approx(expected, rel=1e-6, abs=1e-12)
                compared += 1
    assert compared >= 35


def seen_contexts(size: int) -> set[tuple[str, ...]]:
    """All runs of so many words inside the lines."""
    words = [line.split() for line in LINES]
    return {tuple(w[i : i + size]) for w in words for i in range(len(w) - size + 1)}
