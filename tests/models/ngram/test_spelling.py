"""What the spelling of unknown words costs: a distribution over all strings."""

from itertools import product

import numpy as np
import pytest

from lmstudio.models.ngram.spelling import CODE_POINTS, Speller
from tests.models.ngram.texts import ignore

WORDS = ["ab", "ab", "b", "ba", "abba", "c"]


@pytest.fixture(scope="module")
def speller() -> Speller:
    return Speller.fit(WORDS, ignore)


def test_all_strings_together_have_probability_one():
    """Strings up to a length, with x for any unknown character, and what begins a longer one."""
    speller = Speller.fit(["a", "ab", "a", "b"], ignore)
    strangers = CODE_POINTS - 2
    total = 0.0
    for length in range(9):
        words = ["".join(letters) for letters in product("abx", repeat=length)]
        kinds = np.array([float(strangers) ** word.count("x") for word in words])
        total += float((kinds * 2.0 ** -speller.bits_of(words)).sum())
    assert 0.97 < total < 1 + 1e-6


def test_one_by_one_is_the_same_as_together(speller):
    words = ["ab", "", "zz", "ba", "𠮷", "b"]
    together = speller.bits_of(words)
    assert together.tolist() == pytest.approx([speller.bits(word) for word in words])
    assert speller.bits_of([]).shape == (0,)


def test_frequent_words_are_cheaper_and_strange_ones_finite(speller):
    assert speller.bits("ab") < speller.bits("ca") < speller.bits("zz")
    assert np.isfinite(speller.bits("ab魑𠮷\u0000"))


def test_every_unknown_character_pays_for_its_choice(speller):
    assert speller.bits("x") == pytest.approx(speller.bits("\U0010ffff"))
    assert speller.bits("x") > np.log2(CODE_POINTS - 3)
