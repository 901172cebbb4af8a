"""Classes keep at least as much mutual information as the plain algorithm of Brown et al."""

import numpy as np
import pytest

from lmstudio.data.layout import SPECIALS
from lmstudio.models.ngram.counts import count
from lmstudio.models.ngram.word_classes import WordClasses
from tests.models.ngram.texts import Text, ignore


def classes_of(text: Text, classes: int, sweeps: int = 10) -> WordClasses:
    bigrams = count(text.stream, text.rows, 2, ignore)[1]
    made = WordClasses(
        bigrams.keys % text.rows, bigrams.keys // text.rows, bigrams.counts, text.rows, classes
    )
    made.fit(sweeps, ignore)
    return made


def information(text: Text, class_of: np.ndarray) -> float:
    """By the definition, from the text."""
    pairs = np.zeros((class_of.max() + 1,) * 2)
    for left, right in zip(text.stream, text.stream[1:], strict=False):
        if right != 1:
            pairs[class_of[left], class_of[right]] += 1
    joint = pairs / pairs.sum()
    apart = np.outer(joint.sum(1), joint.sum(0))
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())


def made_by_chance(types: int, words: int, seed: int = 1) -> Text:
    """Five kinds of words that follow one another in a fixed order, mostly."""
    rng = np.random.default_rng(seed)
    kinds = np.arange(words) % 5
    kinds[rng.random(words) < 0.1] = 0
    numbers = rng.zipf(1.3, words) % (types // 5) * 5 + kinds
    chosen = [f"w{n}" for n in numbers]
    return Text([" ".join(chosen[i : i + 15]) for i in range(0, words, 15)])


def test_words_of_a_kind_share_a_class():
    lines = [f"{a} {b} {c}" for a in ("他", "她") for b in ("爱", "看") for c in ("书", "画", "山")]
    text = Text(lines * 3)
    made = classes_of(text, 3)
    found = {
        tuple(sorted(made.class_of[text.ids(words)])) for words in ("他 她", "爱 看", "书 画 山")
    }
    assert all(len(set(numbers)) == 1 for numbers in found)
    assert len({numbers[0] for numbers in found}) == 3
    assert made.class_of[: len(SPECIALS)].tolist() == [0, 1, 2]


def test_mutual_information_is_that_of_the_text():
    text = made_by_chance(100, 3000)
    made = classes_of(text, 8)
    assert made.mutual_information == pytest.approx(information(text, made.class_of))
    assert np.array_equal(np.unique(made.class_of), np.arange(3 + 8))


def test_many_classes_take_no_time_to_join():
    text = made_by_chance(1000, 3000)
    made = classes_of(text, 250, sweeps=1)
    assert text.rows > 260
    assert np.array_equal(np.unique(made.class_of), np.arange(3 + 250))
    assert made.mutual_information > classes_of(text, 20, sweeps=1).mutual_information


def test_as_many_classes_as_words_keep_all():
    text = made_by_chance(40, 1000)
    made = classes_of(text, text.rows)
    assert made.mutual_information == pytest.approx(information(text, np.arange(text.rows)))


def greedy(text: Text, classes: int) -> np.ndarray:
    """Brown et al.: one more word gets a class, then the two whose union loses least are joined."""
    rows, size = text.rows, 3 + classes + 1
    counts = np.zeros((rows, rows))
    inside = text.stream[1:] != 1
    np.add.at(counts, (text.stream[:-1][inside], text.stream[1:][inside]), 1)
    words = [w for w in np.argsort(-counts.sum(0), kind="stable") if w >= 3]
    class_of, pairs = np.full(rows, size), np.zeros((size, size))
    for number, word in enumerate([0, 1, 2, *words]):
        new = min(number, size - 1)
        class_of[word] = new
        pairs[new] += np.bincount(class_of, counts[word], size + 1)[:size]
        pairs[:, new] += np.bincount(class_of, counts[:, word], size + 1)[:size]
        pairs[new, new] -= counts[word, word]
        if number < size - 1:
            continue
        one, other = _cheapest(pairs)
        for old, to in ((other, one), (new, other)) if other != new else ((new, one),):
            class_of[class_of == old] = to
            pairs[to] += pairs[old]
            pairs[old] = 0
            pairs[:, to] += pairs[:, old]
            pairs[:, old] = 0
    return class_of


def _xlogx(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0)


def _cheapest(pairs: np.ndarray) -> tuple[int, int]:
    """The two classes (not special) whose union keeps the most; all pairs, from the definition."""
    size = len(pairs)
    left, right = pairs.sum(1), pairs.sum(0)
    best, found = -np.inf, (0, 0)
    f = _xlogx(pairs)
    for i in range(3, size):
        js = np.arange(i + 1, size)
        if not len(js):
            continue
        rows = _xlogx(pairs[i] + pairs[js]).sum(1) - f[i].sum() - f[js].sum(1)
        cols = _xlogx(pairs[:, [i]] + pairs[:, js]).sum(0) - f[:, i].sum() - f[:, js].sum(0)
        own = pairs[i, i], pairs[i, js], pairs[js, i], pairs[js, js]
        fix = _xlogx(sum(own)) + sum(map(_xlogx, own))
        fix -= _xlogx(own[0] + own[2]) + _xlogx(own[1] + own[3])
        fix -= _xlogx(own[0] + own[1]) + _xlogx(own[2] + own[3])
        margins = sum(_xlogx(m[i] + m[js]) - _xlogx(m[i]) - _xlogx(m[js]) for m in (left, right))
        kept = rows + cols + fix - margins
        at = int(np.argmax(kept))
        if kept[at] > best:
            best, found = kept[at], (i, int(js[at]))
    return found


@pytest.mark.parametrize(
    ("types", "words", "classes"),
    [(60, 2000, 6), (150, 4000, 10),
     pytest.param(5000, 60_000, 16, marks=pytest.mark.slow)],
)  # fmt: skip
def test_no_less_information_than_brown(types, words, classes):
    text = made_by_chance(types, words)
    ours = classes_of(text, classes).mutual_information
    assert ours >= information(text, greedy(text, classes)) - 1e-9
