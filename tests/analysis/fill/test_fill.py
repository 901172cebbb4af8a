"""Blanks filled by every family, against what every word in the vocabulary would give."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.fill import search
from lmstudio.analysis.fill.fill import fill
from lmstudio.analysis.fill.question import Question
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained

READING = ("ffnn", "rnn", "lstm", "gru", "gpt of sentences")
WORDS = ("a", "b", "c", "d")


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A run of a variant that was not trained, over `<unk>`, a, b, c and d."""
    return lambda variant, **config: untrained(tmp_path, monkeypatch, variant, **config)


def ask(run, text, *spans, **how):
    return fill(run, Question.of(text, spans), top=50, job=Job(), **how)


def exhaustive(model, left, right):
    """p of each id between two stretches, by scoring whole sentences."""
    ids = [UNK, 3, 4, 5, 6]
    logs = [model.logprobs(np.array([BOS, *left, i, *right, EOS], np.int32)).sum() for i in ids]
    shares = np.exp(np.array(logs) - max(logs))
    return dict(zip(("<unk>", *WORDS), shares / shares.sum(), strict=True))


@pytest.mark.parametrize("variant", READING)
def test_networks_that_read_from_the_left_score_both_sides(asked, variant):
    run = asked(variant)
    answer = ask(run, "a b [MASK] c a")
    (blank,) = answer.blanks
    expected = exhaustive(answering(run, job=Job()).model, [3, 4], [5, 3])
    found = {guess.text: guess.probability for guess in blank.guesses}
    assert found == pytest.approx(expected, rel=1e-4)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert (answer.method, blank.unscored, blank.scored) == ("rescored", 0, 5)


@pytest.mark.parametrize("variant", ["bert", "elmo", "elmo, joint"])
def test_models_of_both_sides_fill_by_themselves(asked, variant):
    run = asked(variant)
    (blank,) = ask(run, "a b [MASK] c").blanks
    known = answering(run, job=Job()).model.fill_probs(np.array([3, 4, 0, 5]), 2)
    found = {guess.text: guess.probability for guess in blank.guesses}
    assert found == pytest.approx(dict(zip(("<unk>", *WORDS), known[[0, 3, 4, 5, 6]], strict=True)))
    assert sum(found.values()) == pytest.approx(1)
    assert (blank.left, blank.right, blank.unscored) == (2, 1, 0)


def test_the_methods_are_named(asked):
    methods = {variant: ask(asked(variant), "a [MASK]").method
               for variant in ("bert", "elmo", "elmo, joint", "gpt")}  # fmt: skip
    assert methods == {"bert": "masked", "elmo": "directions", "elmo, joint": "joint",
                       "gpt": "rescored"}  # fmt: skip


@pytest.mark.parametrize("variant", ["bert", "lstm"])
def test_the_true_word_has_its_rank(asked, variant):
    run = asked(variant)
    for place, word in ((0, "a"), (2, "b"), (4, "c")):
        (blank,) = ask(run, "a b c", (place, place + 1)).blanks
        order = [guess.text for guess in blank.guesses]
        assert blank.truth.text == word
        assert blank.rank == order.index(word) + 1
        assert blank.truth.probability == pytest.approx(blank.guesses[blank.rank - 1].probability)
        assert not blank.least


def test_a_word_that_the_vocabulary_lacks_is_told(asked):
    (blank,) = ask(asked("lstm"), "a xyz c", (2, 5)).blanks
    assert not blank.truth.known
    assert blank.truth.text == "xyz"
    unknown = next(guess for guess in blank.guesses if guess.text == "<unk>")
    assert blank.truth.probability == unknown.probability
    assert not unknown.known


# --- words of several tokens ---------------------------------------------------------------------


def test_a_word_of_two_tokens_is_the_product_of_its_pieces(asked):
    run = asked("bert")
    (blank,) = ask(run, "a b c d", (2, 5)).blanks  # "b c"
    model = answering(run, job=Job()).model
    ids, both = np.array([[3, 4, 5, 6]]), np.array([False, True, True, False])
    first = model.fill_rows(ids, both, 1)[0]
    products = {}
    for word in (0, 3, 4, 5, 6):
        begun = np.array([[3, word, 5, 6]])
        then = model.fill_rows(begun, np.array([False, False, True, False]), 2)[0]
        for last in (0, 3, 4, 5, 6):
            products[word, last] = first[word] * then[last]
    assert blank.pieces == 2
    assert blank.truth.probability == pytest.approx(products[4, 5])
    better = [p for p in products.values() if p > products[4, 5]]
    assert blank.rank == len(better) + 1
    assert sum(guess.probability for guess in blank.guesses) == pytest.approx(1)


@pytest.mark.parametrize("variant", READING)
def test_two_tokens_are_scored_with_both_sides(asked, variant):
    run = asked(variant)
    (blank,) = ask(run, "a b c d", (2, 5)).blanks
    model = answering(run, job=Job()).model
    sentences = {(one, two): [BOS, 3, one, two, 6, EOS]
                 for one in (0, 3, 4, 5, 6) for two in (0, 3, 4, 5, 6)}  # fmt: skip
    logs = {word: model.logprobs(np.array(ids)).sum() for word, ids in sentences.items()}
    total = np.logaddexp.reduce(list(logs.values()))
    assert blank.truth.probability == pytest.approx(np.exp(logs[4, 5] - total), rel=1e-4)
    assert blank.rank == 1 + sum(value > logs[4, 5] for value in logs.values())


def test_where_beginnings_are_left_out_their_mass_is_told(asked, monkeypatch):
    whole = ask(asked("bert"), "a b c d", (2, 5)).blanks[0]
    monkeypatch.setattr(search, "BEGINNINGS", 2)
    (some,) = ask(asked("bert"), "a b c d", (2, 5)).blanks
    assert 0 < some.unscored < 1
    assert sum(g.probability for g in some.guesses) + some.unscored == pytest.approx(1)
    assert some.truth.probability == pytest.approx(whole.truth.probability)  # always scored
    assert some.rank <= whole.rank


# --- several blanks -------------------------------------------------------------------------------


def test_case_h1_two_marks_give_two_lists_that_know_nothing_of_each_other(asked):
    run = asked("bert")
    answer = ask(run, "a[MASK] [MASK]".replace("a[", "a ["))
    model = answering(run, job=Job()).model
    hidden = np.array([False, True, True])
    for place, blank in enumerate(answer.blanks, 1):
        expected = model.fill_rows(np.array([[3, 0, 0]]), hidden, place)[0]
        found = {guess.text: guess.probability for guess in blank.guesses}
        assert found["a"] == pytest.approx(expected[3])
        assert blank.truth is None
    best = [blank.guesses[0].text for blank in answer.blanks]
    assert answer.text == f"a {best[0]} {best[1]}"
    assert "[" not in answer.text


def test_in_order_each_blank_knows_what_was_put_before_it(asked):
    run = asked("bert")
    answer = ask(run, "[MASK] b [MASK]", in_order=True)
    first = answer.blanks[0].guesses[0].text
    (alone,) = ask(run, f"{first} b [MASK]").blanks
    assert answer.blanks[1].guesses == alone.guesses
    independent = ask(run, "[MASK] b [MASK]")
    assert independent.blanks[0].guesses == answer.blanks[0].guesses
    assert independent.blanks[1].guesses != answer.blanks[1].guesses


def test_what_lies_behind_another_blank_is_not_scored_from_the_left(asked):
    run = asked("lstm")
    (first, second) = ask(run, "a [MASK] b [MASK] c").blanks
    model = answering(run, job=Job()).model
    rows = np.array([[i, 4] for i in (0, 3, 4, 5, 6)])  # stops before the second
    logs = model.continuations(np.array([3]), rows).sum(1)
    expected = np.exp(logs - np.logaddexp.reduce(logs))
    found = {guess.text: guess.probability for guess in first.guesses}
    assert found == pytest.approx(dict(zip(("<unk>", *WORDS), expected, strict=True)), rel=1e-4)
    left = exhaustive(model, [3, UNK, 4], [5])  # the first is an unknown word to the second
    assert second.guesses[0].probability == pytest.approx(max(left.values()), rel=1e-4)


def test_nothing_to_fill_is_refused(asked):
    with pytest.raises(AppError, match=r"Nothing is blank in this text. Write \[MASK\]"):
        ask(asked("lstm"), "a b")
    with pytest.raises(AppError, match="400 at most"):
        ask(asked("lstm"), "a " * 500 + "[MASK]")
