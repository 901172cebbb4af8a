"""Modified Kneser-Ney against the same formula written out with dictionaries, and small corpora."""

import numpy as np
import pytest

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.kneser_ney import FALLBACK, TOO_FEW, TOO_SHORT, discounts
from tests.models.ngram.texts import TINY, Text, ignore


class WrittenOut:
    """Chen & Goodman's formula with given discounts, slowly; counts as KenLM's."""

    def __init__(self, text: Text, order: int, discounts: list[list[float]]) -> None:
        self.size, self.order, self.discounts = text.rows - 1, order, discounts
        starts = np.flatnonzero(text.stream == BOS)
        sentences = [tuple(s.tolist()) for s in np.split(text.stream, starts)[1:]]
        self.counts: list[dict[tuple[int, ...], int]] = [{} for _ in range(order + 1)]
        occurring = [
            [s[i : i + n] for s in sentences for i in range(len(s) - n + 1)]
            for n in range(order + 1)
        ]
        for n in range(1, order + 1):
            for gram in set(occurring[n]) - {(BOS,)}:
                if n == order or gram[0] == BOS:
                    self.counts[n][gram] = occurring[n].count(gram)
                else:
                    longer = {g for g in occurring[n + 1] if g[1:] == gram}
                    self.counts[n][gram] = len(longer)

    def prob(self, history: tuple[int, ...], word: int) -> float:
        history = history[-(self.order - 1) :] if self.order > 1 else ()
        return self._prob(history, word)

    def _prob(self, history: tuple[int, ...], word: int) -> float:
        lower = self._prob(history[1:], word) if history else 1 / self.size
        table = self.counts[len(history) + 1]
        after = [c for gram, c in table.items() if gram[:-1] == history]
        if not after:
            return lower
        discount = [0.0, *self.discounts[len(history)]]
        taken = [discount[min(c, 3)] for c in after]
        own = table.get((*history, word), 0)
        own -= discount[min(own, 3)]
        return (own + sum(taken) * lower) / sum(after)


@pytest.mark.parametrize("order", range(1, 7))
def test_formula_written_out_gives_the_same(order):
    text = Text([*TINY, "我", "我 爱 爱 爱 北京 北京", "他 爱 北京"])
    model, facts = NgramModel.fit(text.stream, text.rows, NgramConfig(order), ignore)
    written_out = WrittenOut(text, order, facts.discounts)
    for prefix in ([], [3], [3, 4], [4, 4, 4], [0, 4], [5, 4, 3, 3, 4, 5]):
        expected = [
            0.0 if word == BOS else written_out.prob((BOS, *prefix), word)
            for word in range(text.rows)
        ]
        found = model.next_probs(np.array(prefix, np.int32))
        np.testing.assert_allclose(found, expected, rtol=2e-6)


def test_discounts_of_chen_and_goodman():
    adjusted = np.repeat([1, 2, 3, 4, 5, 9], [100, 40, 20, 10, 3, 1])
    y = 100 / 180
    found, note = discounts(adjusted, 2)
    assert found == pytest.approx([1 - 2 * y * 0.4, 2 - 3 * y * 0.5, 3 - 4 * y * 0.5])
    assert note is None


@pytest.mark.parametrize(
    "seen",
    [
        {1: 3},  # no doubles
        {2: 5, 3: 2, 4: 1},  # no singletons
        {1: 9, 2: 3, 3: 1},  # no fours: D3+ would be 3, no share left for a count of three
        {1: 10, 2: 1, 3: 9, 4: 1},  # D2 would be negative
    ],
)
def test_too_few_counts_fall_back_and_say_so(seen):
    found, note = discounts(np.repeat(list(seen), list(seen.values())), 3)
    assert found == list(FALLBACK)
    sentence, values = note
    assert sentence == TOO_FEW
    assert values == {"order": 3, **{f"n{i}": seen.get(i, 0) for i in (1, 2, 3, 4)}}
    assert sentence.format(**values)


def test_a_short_corpus_trains_at_every_order_and_says_what_is_missing():
    text = Text(["我 爱"])
    _, facts = NgramModel.fit(text.stream, text.rows, NgramConfig(6), ignore)
    assert [note[0] for note in facts.notes] == [TOO_FEW] * 4 + [TOO_SHORT] * 2
    assert facts.discounts == [list(FALLBACK)] * 6


def test_unknown_words_get_their_share_of_the_uniform_distribution():
    text = Text(TINY)
    probs = text.fit(1).next_probs(np.array([], np.int32))
    assert 0 < probs[0] < probs[EOS]
