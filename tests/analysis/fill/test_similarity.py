"""How alike two words are in one blank: cosines of their vectors, layer by layer."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.similarity import similarity
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained


@pytest.fixture(params=["bert", "lstm", "elmo", "gpt", "ffnn"])
def run(request, tmp_path, monkeypatch):
    return untrained(tmp_path, monkeypatch, request.param)


def cosine(one, two):
    return float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))


def test_cosines_are_those_of_the_vectors_in_the_sentence(run):
    found = similarity(run, Question.of("a [MASK] d"), 0, ("b", "c"), job=Job())
    model = answering(run, job=Job()).model
    one, two = (model.layers(np.array([3, word, 6]))[:, 2] for word in (4, 5))
    expected = [cosine(a, b) for a, b in zip(one, two, strict=True)]
    assert found.cosines == pytest.approx(expected, abs=1e-5)
    assert found.known == (True, True)


def test_a_word_is_like_itself_and_words_of_several_tokens_are_their_mean(run):
    found = similarity(run, Question.of("a b d", [(2, 3)]), 0, ("c", "c"), job=Job())
    assert found.cosines == pytest.approx([1.0] * len(found.cosines))
    found = similarity(run, Question.of("a b d", [(2, 3)]), 0, ("b c", "zz"), job=Job())
    assert found.known == (True, False)
    model = answering(run, job=Job()).model
    one = model.layers(np.array([3, 4, 5, 6]))[:, 2:4].mean(1)
    two = model.layers(np.array([3, 0, 6]))[:, 2]
    assert found.cosines == pytest.approx(
        [cosine(a, b) for a, b in zip(one, two, strict=True)], abs=1e-5
    )


def test_an_empty_word_is_refused(run):
    with pytest.raises(AppError, match="nothing stands"):
        similarity(run, Question.of("a [MASK] d"), 0, ("b", " "), job=Job())


def test_a_blank_that_is_not_read_is_refused(tmp_path, monkeypatch):
    run = untrained(tmp_path, monkeypatch, "bert")
    with pytest.raises(AppError, match="window"):
        similarity(run, Question.of("a " * 20 + "[MASK]"), 0, ("b", "c"), job=Job())
