"""Blanks: how many, where, and what is shown in them."""

import numpy as np
import pytest

from lmstudio.data.masking import Masking

ROWS = 20


def examples(*sizes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ids, number of the example, may be chosen) of examples of `sizes` tokens and two marks."""
    number = np.repeat(np.arange(len(sizes)), np.add(sizes, 2))
    open_ = np.concatenate([[False, *[True] * size, False] for size in sizes]).astype(bool)
    return np.where(open_, 3 + np.arange(len(open_)) % (ROWS - 3), 1), number, open_


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (5, 1), (8, 2), (18, 3), (126, 19)])
def test_fifteen_percent_of_the_tokens_with_their_marks(size, count):
    _, number, open_ = examples(size)
    chosen = Masking(ROWS).choose(number, open_, None, rng())
    assert chosen.sum() == count
    assert not chosen[~open_].any()


def test_case_d1_every_example_has_a_blank():
    sizes = [1, 2, 3, 1, 2, 3] * 20
    _, number, open_ = examples(*sizes)
    for seed in range(20):
        chosen = Masking(ROWS).choose(number, open_, None, rng(seed))
        assert (np.bincount(number, chosen) == 1).all()


def test_padding_and_marks_are_never_chosen():
    _, number, open_ = examples(6, 6)
    number, open_ = np.append(number, [-1] * 5), np.append(open_, [False] * 5)
    chosen = np.zeros(len(number))
    for seed in range(200):
        chosen += Masking(ROWS, share=0.5).choose(number, open_, None, rng(seed))
    assert (chosen[~open_] == 0).all()
    assert (chosen[open_] > 0).all()


def test_every_token_is_chosen_as_often():
    _, number, open_ = examples(10, 10)
    masking = Masking(ROWS, share=0.25)
    times = sum(masking.choose(number, open_, None, rng(s)).astype(int) for s in range(2000))
    assert times[open_] / 2000 == pytest.approx(np.full(20, 0.3), abs=0.04)


def test_tokens_of_a_word_are_chosen_together():
    _, number, open_ = examples(12, 12)
    begins = open_ & (np.arange(len(open_)) % 3 == 1)  # words of three
    begins[number == 1] = True
    masking = Masking(ROWS, share=0.3)
    for seed in range(50):
        chosen = masking.choose(number, open_, begins, rng(seed))
        words = chosen[(number == 0) & open_].reshape(4, 3)
        assert (words.all(1) == words.any(1)).all()
        assert words.any(1).sum() == 1  # of the count 4, three fit
        assert chosen[number == 1].sum() == 4


def test_a_long_word_may_be_the_only_one_chosen():
    """Else short sentences would never hide their long words."""
    _, number, open_ = examples(4)
    begins = np.array([False, True, False, True, True, False])  # a word of two, two of one
    found = {tuple(np.flatnonzero(Masking(ROWS).choose(number, open_, begins, rng(s))).tolist())
             for s in range(100)}  # fmt: skip
    assert found == {(1, 2), (3,), (4,)}


def test_words_end_with_their_half_of_a_pair():
    number = np.zeros(7, np.int64)
    open_ = np.array([False, True, True, False, True, True, False])
    begins = np.zeros(7, bool)  # as if both halves were inside words
    found = {tuple(np.flatnonzero(Masking(ROWS, 0.3).choose(number, open_, begins, rng(s))))
             for s in range(50)}  # fmt: skip
    assert found == {(1, 2), (4, 5)}


@pytest.mark.parametrize("kind", ["all", "others"])
def test_four_fifths_are_hidden_and_a_tenth_is_random(kind):
    masking = Masking(ROWS, random_from=kind)
    ids = np.full(50_000, 7)
    shown = masking.hide(ids, np.ones(len(ids), bool), rng())
    assert (shown == masking.mask).mean() == pytest.approx(0.8 + (kind == "all") / 210, abs=0.01)
    assert (shown == 7).mean() == pytest.approx(0.1 + (kind == "all") / 210, abs=0.01)
    random = shown[(shown != masking.mask) & (shown != 7)]
    assert set(random.tolist()) == set(range(0 if kind == "all" else 3, ROWS)) - {7}


def test_others_of_an_unknown_word_are_all_words():
    masking = Masking(ROWS, random_from="others")
    shown = masking.hide(np.zeros(20_000, np.int64), np.ones(20_000, bool), rng())
    assert set(shown.tolist()) == {0, masking.mask, *range(3, ROWS)}


def test_a_vocabulary_of_one_word_has_no_others():
    masking = Masking(4, random_from="others")
    shown = masking.hide(np.full(1000, 3), np.ones(1000, bool), rng())
    assert set(shown.tolist()) == {3, 4}


def test_what_is_not_chosen_stays():
    ids, number, open_ = examples(30, 30)
    masking = Masking(ROWS)
    chosen = masking.choose(number, open_, None, rng())
    shown = masking.hide(ids, chosen, rng())
    assert np.array_equal(shown[~chosen], ids[~chosen])
