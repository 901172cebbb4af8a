"""Neighbours by cosine: as brute force finds them, and never by a vector without direction."""

import time

import numpy as np
import pytest
import torch

from lmstudio.analysis.asked import answering
from lmstudio.analysis.neighbours import nearest, neighbours, neighbours_of
from lmstudio.analysis.word_vectors import WordVectors, means, word_vectors
from lmstudio.data.layout import Tokens
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.embedding_models import trained
from tests.training.networks import SMALL, VARIANTS


@pytest.fixture
def four(cases):
    """g_vectors.txt: a line of counts, then a word and two numbers a line."""
    lines = (cases / "g_vectors.txt").read_text(encoding="utf-8").split("\n")[1:]
    cells = [line.split() for line in lines if line]
    return WordVectors.of([c[0] for c in cells], np.array([c[1:] for c in cells], float))


def test_case_g2_zero_vectors_are_undefined_and_last(four):
    found = neighbours_of(four, "甲", ["甲"], 10).nearest
    assert [(one.word, one.cosine) for one in found] == [
        ("乙", pytest.approx(24 / 25)), ("丙", pytest.approx(-1)), ("零", None),
    ]  # fmt: skip


def test_case_g2_a_zero_vector_is_answered_with_a_message(four):
    with pytest.raises(AppError, match="no direction"):
        neighbours_of(four, "零", ["零"], 10)
    with pytest.raises(AppError, match="None of these is in the vocabulary: 丁 戊"):
        neighbours_of(four, "丁戊", ["丁", "戊"], 10)


def test_a_mean_of_known_words_is_compared(four):
    found = neighbours_of(four, "甲乙丁", ["甲", "乙", "丁"], 10)
    assert (found.parts, found.rank) == (["甲", "乙"], 0)
    assert found.nearest[0].word == "丙"
    assert found.nearest[0].cosine == pytest.approx(-np.cos(0.1419), abs=1e-4)


def test_neighbours_are_those_of_brute_force():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(200, 16)).astype(np.float32)
    table[7] = 0
    words = [f"w{number}" for number in range(200)]
    vectors = WordVectors.of(words, table)
    cosines = table @ table[3] / np.maximum(np.linalg.norm(table, axis=1), 1e-9)
    cosines /= np.linalg.norm(table[3])
    order = [n for n in np.argsort(-cosines, kind="stable").tolist() if n not in (3, 7)]
    found = nearest(vectors, table[3], 199, [3])
    assert [one.word for one in found] == [words[n] for n in order] + ["w7"]
    np.testing.assert_allclose([one.cosine for one in found[:-1]], cosines[order], atol=1e-5)
    assert nearest(vectors, table[3], 5, [3]) == found[:5]


@pytest.mark.parametrize("model", SMALL)
def test_the_table_of_every_network_is_asked(model, tmp_path):
    asked = trained(tmp_path, model)
    found = neighbours(asked, "a", 0, 3, job=Job())
    assert (found.query, found.parts, len(found.nearest), found.known) == ("a", ["a"], 3, 7)
    assert found.count > 0
    module = answering(asked, job=Job()).model.module
    table = getattr(module, "words", None) or module.embedding
    table = table.weight.detach().numpy()[3:10]
    types = answering(asked, job=Job()).types[3:]
    place = types.index("a")
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    best = np.argsort(-units @ units[place])
    assert [one.word for one in found.nearest] == [types[n] for n in best if n != place][:3]


def test_words_that_are_spelled_have_vectors_too(tmp_path, monkeypatch):
    monkeypatch.setitem(VARIANTS, "elmo", ("elmo", {"characters": True, "filters": 2}))
    asked = trained(tmp_path, "elmo", max_steps=2)
    module = answering(asked, job=Job()).model.module
    found = word_vectors(asked, job=Job())
    with torch.no_grad():
        expected = module.words(torch.arange(3, 10)).numpy()
    np.testing.assert_allclose(found.units * found.lengths[:, None], expected, atol=1e-6)


@pytest.mark.parametrize("model", ["lstm", "elmo", "gpt", "bert"])
def test_a_layer_is_the_mean_over_the_places_of_a_word(model, tmp_path):
    asked = trained(tmp_path, model)
    found = word_vectors(asked, 2, job=Job())
    opened, sums, count = answering(asked, job=Job()), 0, 0
    number = opened.vocabulary.id_of("b")
    tokens = Tokens(asked.segmentation_folder)
    for start, end in tokens.bounds("train"):
        ids = np.asarray(tokens.ids[start:end])
        layer = opened.model.layers(ids)[2]
        shown = opened.model.shown(ids)
        for place in np.flatnonzero(shown == number):
            sums, count = sums + layer[place], count + 1
    np.testing.assert_allclose(found.vector(found.places["b"]), sums / count, atol=1e-5)
    assert len(neighbours(asked, "b", 2, job=Job()).nearest) == 6


def test_rare_words_that_are_asked_about_are_read_too(tmp_path, monkeypatch):
    from lmstudio.analysis import word_vectors as module

    asked = trained(tmp_path, "lstm")
    monkeypatch.setattr(module, "READ", 1)
    few = word_vectors(asked, 1, job=Job())
    missing = next(word for word in "abcdefg" if word not in few.places)
    more = word_vectors(asked, 1, [missing], job=Job())
    assert missing in more.places
    assert more.ids.tolist() == sorted(more.ids.tolist())
    assert [w for w in more.words if w != missing] == few.words
    place = few.places[few.words[0]]
    np.testing.assert_allclose(more.vector(more.places[few.words[0]]), few.vector(place), atol=1e-6)


def test_means_leave_out_marks_and_unknown_words():
    ids, found = means(np.array([5, 0, 3, 5, 2]), np.arange(10).reshape(5, 2))
    assert ids.tolist() == [3, 5]
    assert found.tolist() == [[4, 5], [3, 4]]


def test_what_cannot_be_asked_is_told(tmp_path):
    asked = trained(tmp_path, "ffnn")
    with pytest.raises(AppError, match="layers 0 to 0"):
        neighbours(asked, "a", 1, job=Job())
    with pytest.raises(AppError, match="Type a word"):
        neighbours(asked, " ", job=Job())
    with pytest.raises(AppError, match="None of these"):
        neighbours(asked, "z", job=Job())
    assert neighbours(asked, "a b", job=Job()).parts == ["a", "b"]


@pytest.mark.slow
def test_a_hundred_thousand_words_are_compared_at_once():
    table = np.random.default_rng(1).normal(size=(100_000, 256)).astype(np.float32)
    vectors = WordVectors.of([str(n) for n in range(len(table))], table)
    nearest(vectors, table[0], 20, [0])
    took: list[list[float]] = [[], []]
    for number in range(5):
        began = time.perf_counter()
        nearest(vectors, table[number], 20, [number])
        middle = time.perf_counter()
        table @ table[number]  # the least that must be done
        took[0].append(middle - began)
        took[1].append(time.perf_counter() - middle)
    print(min(took[0]) / min(took[1]))
    assert min(took[0]) < 5 * min(took[1])
