"""Who looks at whom: heads, means, rollout, words, and what is hidden, against plain loops."""

import time
from dataclasses import replace

import numpy as np
import pytest

from lmstudio.analysis.attending.attention import (
    PICTURE,
    View,
    attention,
    grouped,
    rollout,
    small,
)
from lmstudio.analysis.attending.text import Question
from lmstudio.errors import AppError
from lmstudio.jobs import Job

TEXT = "a b x c a"
IDS = np.array([3, 4, 0, 5, 3])  # x is unknown
WORDS = "spaces"


def test_a_head_as_the_model_has_it(made, family):
    asked, model = made()
    found = attention(asked, Question(TEXT), View(((1, 0),)), job=Job())
    assert found.names == ["<s>", "a", "b", "x", "c", "a", *(["</s>"] if family == "bert" else [])]
    assert found.weights == pytest.approx(model.attention(IDS)[1, 0], abs=1e-6)
    assert found.weights.sum(1) == pytest.approx(np.ones(len(found.names)), abs=1e-5)
    assert (found.read, found.cut, found.unknown) == (5, 0, 1)
    assert (found.layers, found.heads) == (2, 2)
    later = np.triu(np.ones_like(found.weights, bool), 1) & (family == "gpt")
    assert np.array_equal(found.barred, later)
    assert (found.weights[found.barred] == 0).all()
    assert found.pictures == pytest.approx(model.attention(IDS), abs=1e-6)


def test_any_heads_are_averaged(made):
    asked, model = made()
    heads = ((0, 1), (1, 0), (1, 1))
    found = attention(asked, Question(TEXT), View(heads), job=Job())
    expected = np.mean([model.attention(IDS)[head] for head in heads], 0)
    assert found.weights == pytest.approx(expected, abs=1e-6)
    with pytest.raises(AppError, match="at least one head"):
        attention(asked, Question(TEXT), View(()), job=Job())
    with pytest.raises(AppError, match="no layer 3: the model has 2"):
        attention(asked, Question(TEXT), View(((2, 0),)), job=Job())
    with pytest.raises(AppError, match="no head 3: a layer has 2"):
        attention(asked, Question(TEXT), View(((0, 2),)), job=Job())


def test_rollout_multiplies_layers_with_what_stays(made):
    asked, model = made()
    looks = model.attention(IDS)
    stay = np.eye(looks.shape[2])
    second, first = (0.5 * (looks[n, 0] + looks[n, 1]) / 2 + 0.5 * stay for n in (1, 0))
    two = second @ first
    found = attention(asked, Question(TEXT), View(rollout=2), job=Job())
    assert found.weights == pytest.approx(two, abs=1e-6)
    assert found.weights.sum(1) == pytest.approx(np.ones(len(two)), abs=1e-5)
    alone = attention(asked, Question(TEXT), View(rollout=1), job=Job()).weights
    assert alone == pytest.approx(first, abs=1e-6)
    on = np.array([[False, False], [True, False]])
    assert rollout(looks, on) == pytest.approx((looks[1, 0] + stay) / 2, abs=1e-6)


def test_words_sum_columns_and_average_rows():
    random = np.random.default_rng(1)
    weights = random.random((2, 6, 6))
    weights /= weights.sum(2, keepdims=True)
    groups = [[0], [1, 2], [3], [4, 5]]
    expected = np.zeros((2, 4, 4))
    for head in range(2):
        for row, rows in enumerate(groups):
            for column, columns in enumerate(groups):
                sums = [sum(weights[head, r, c] for c in columns) for r in rows]
                expected[head, row, column] = sum(sums) / len(sums)
    found = grouped(weights, np.array([0, 1, 3, 4]))
    assert found == pytest.approx(expected)
    assert found.sum(2) == pytest.approx(np.ones((2, 4)))


def test_tokens_are_joined_to_words(made, plan, family):
    asked, model = made()
    spelled = replace(plan, options=replace(plan.options, by="characters"))
    asked = replace(asked, plan=spelled)
    found = attention(asked, Question("ab xc a", WORDS), View(((1, 1),)), job=Job())
    last = ["</s>"] if family == "bert" else []
    assert found.names == ["<s>", "ab", "xc", "a", *last]
    assert found.spans[:4].tolist() == [[0, 1], [1, 3], [3, 5], [5, 6]]
    assert found.weights.sum(1) == pytest.approx(np.ones(len(found.names)), abs=1e-5)
    whole = model.attention(IDS)[1, 1]
    assert found.weights[1, 2] == pytest.approx(whole[1:3, 3:5].sum(1).mean(), abs=1e-6)
    if family == "gpt":
        assert np.array_equal(found.barred, np.triu(np.ones((4, 4), bool), 1))


def test_marks_are_hidden_and_that_is_said(made, family):
    asked, model = made()
    whole = model.attention(IDS)[0, 0]
    last = -1 if family == "bert" else None
    found = attention(asked, Question(TEXT), View(((0, 0),), marks=False), job=Job())
    assert found.names == ["a", "b", "x", "c", "a"]
    assert found.weights == pytest.approx(whole[1:last, 1:last], abs=1e-6)
    assert found.to_marks == pytest.approx(1 - whole[1:last, 1:last].sum(1).mean(), abs=1e-6)
    view = View(((0, 0),), marks=False, renormalise=True)
    shared = attention(asked, Question(TEXT), view, job=Job())
    assert shared.weights.sum(1) == pytest.approx(np.ones(5), abs=1e-5)
    assert shared.to_marks == found.to_marks
    expected = whole[1:last, 1:last] / whole[1:last, 1:last].sum(1, keepdims=True)
    assert shared.weights == pytest.approx(expected, abs=1e-6)
    assert attention(asked, Question(TEXT), View(), job=Job()).to_marks == 0


def test_a_head_off_changes_what_later_layers_look_at(made):
    asked, model = made()
    on = np.array([[False, True], [True, True]])
    found = attention(asked, Question(TEXT, off=((0, 0),)), View(((1, 1),)), job=Job())
    assert found.weights == pytest.approx(model.attention(IDS, on)[1, 1], abs=1e-6)
    plain = attention(asked, Question(TEXT), View(((1, 1),)), job=Job())
    assert not np.allclose(found.weights, plain.weights, atol=1e-3)


def test_a_blank_may_be_typed_where_it_was_learned(made, family):
    asked, model = made()
    if family == "gpt":
        with pytest.raises(AppError, match="never learned from blanks"):
            attention(asked, Question("a 【mask】 b"), View(), job=Job())
        return
    found = attention(asked, Question("a 【mask】 b", WORDS), View(), job=Job())
    assert found.names == ["<s>", "a", "[MASK]", "b", "</s>"]
    expected = model.attention(np.array([3, model.module.mask, 4]))[0, 0]
    assert found.weights == pytest.approx(expected, abs=1e-6)


def test_an_empty_text_is_refused(made):
    asked, _ = made()
    with pytest.raises(AppError, match="no token"):
        attention(asked, Question("  "), View(), job=Job())


@pytest.mark.parametrize("tokens", [300, 512, 700])
def test_case_h3_attention_for_long_input(made, family, tokens):
    asked, model = made(512)
    started = time.monotonic()
    text = " ".join("abc"[n % 3] for n in range(tokens))
    found = attention(asked, Question(text), View(((1, 1),)), job=Job())
    assert time.monotonic() - started < 3
    marks = 2 if family == "bert" else 1
    assert found.read == min(tokens, 512 - marks)
    assert found.cut == tokens - found.read  # how many tokens were cut
    size = found.read + marks
    assert found.weights.shape == (size, size)  # nothing is padded
    assert found.pictures.shape[2] <= PICTURE
    every = model.attention(np.array([3 + n % 3 for n in range(tokens)]))
    assert np.abs(every.sum(3) - 1).max() < 1e-5
    for head in np.ndindex(2, 2):
        one = attention(asked, Question(text), View((head,)), job=Job())
        assert np.abs(one.weights.sum(1) - 1).max() < 1e-5


def test_small_pictures_keep_what_is_bright():
    weights = np.zeros((1, 100, 100), np.float32)
    weights[0, 7, 99] = 0.9
    found = small(weights)
    assert found.shape == (1, 34, 34)
    assert found[0, 2, 33] == np.float32(0.9)
    assert found.sum() == np.float32(0.9)
    assert small(weights[:, :48, :48]).shape == (1, 48, 48)
