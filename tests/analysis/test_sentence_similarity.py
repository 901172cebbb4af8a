"""Sentences as vectors: pooled without padding, compared, whitened, beside what is usual."""

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.contextual import contextual
from lmstudio.analysis.sentence_similarity import similarity
from lmstudio.analysis.sentence_vectors import (
    POOLINGS,
    check_pooling,
    cosines,
    fit_whitening,
    pooled,
    random_cosines,
)
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.base import NeuralModel
from tests.analysis.networks import untrained
from tests.data.word_files import write_words

LINES = [list(line) for line in ("aba", "ac", "dab", "bcd", "cab", "ddba", "acbd", "b", "cc", "da")]
TEXTS = ["a b a", "d c", "b a b a c d", "a"]


@pytest.fixture
def corpus(tmp_path):
    return write_words(tmp_path, train=LINES, test=[["d", "d"]]).corpus


@pytest.fixture
def ask(corpus, tmp_path, monkeypatch):
    def ask(family="bert", texts=TEXTS, pooling="mean", drawn=0, **options):
        asked = untrained(tmp_path, monkeypatch, family)
        return similarity(asked, corpus, texts, pooling, drawn, **options, job=Job())

    return ask


class Padded(NeuralModel):
    """Vectors (1, 0) and (0, 1) for two words, and (9, 9) wherever a batch is padded."""

    def shown(self, ids):
        return np.concatenate([[1], ids])

    def layers_of(self, rows, sizes):
        vectors = np.full((1, *rows.shape, 2), 9.0, np.float32)
        for row, size in enumerate(sizes):
            vectors[0, row, :size] = [[5, 5], [1, 0], [0, 1], [1, 1]][:size]
        return vectors


def test_case_g3_padding_is_no_part_of_the_mean():
    sentences = [np.array([3, 4]), np.array([3, 4, 5])]  # the first is padded in the batch
    found = dict(contextual(Padded(), sentences, job=Job()))
    assert pooled(found[0], 0, "mean").tolist() == [0.5, 0.5]
    assert pooled(found[0], 0, "max").tolist() == [1, 1]


@pytest.mark.parametrize("family", ["ffnn", "rnn", "gru", "lstm", "elmo", "gpt", "bert"])
def test_case_g3_a_sentence_is_the_same_alone_and_in_a_batch(ask, family):
    for pooling in POOLINGS[family != "bert" :]:
        together = ask(family, pooling=pooling).cosines
        for i, j in ((0, 1), (2, 3)):
            alone = ask(family, [TEXTS[i], TEXTS[j]], pooling).cosines
            assert alone[0, 1] == pytest.approx(together[i, j], abs=1e-6)
        assert np.diag(together) == pytest.approx(np.ones(4), abs=1e-6)


def test_case_g3_random_pairs_of_the_corpus_say_what_is_usual(ask):
    found = ask(drawn=100)
    assert found.drawn == len(LINES)  # those of the test part are not drawn
    assert len(found.random) == 45
    every = ask(texts=[" ".join(line) for line in LINES]).cosines
    assert found.baseline == pytest.approx(every[np.triu_indices(10, 1)].mean(), abs=1e-5)
    assert (np.diff(found.random) >= 0).all()
    assert found.share_below(1.1) == 1
    low, high = found.usual
    assert low < found.baseline < high
    assert np.isnan(ask().baseline)


def test_pooling_as_its_definition_says(ask, tmp_path, monkeypatch):
    model = answering(untrained(tmp_path, monkeypatch, "bert"), job=Job()).model
    layers = model.layers(np.array([3, 4, 3]))  # (L + 1, 5, D)
    words = layers[:, 1:4]
    assert pooled(layers, 1, "cls") == pytest.approx(layers[-1, 0])
    assert pooled(layers, 1, "mean") == pytest.approx(words[-1].mean(0))
    assert pooled(layers, 1, "max") == pytest.approx(words[-1].max(0))
    both = np.concatenate([words[1], words[-1]]).mean(0)
    assert pooled(layers, 1, "first-last") == pytest.approx(both, abs=1e-6)


def test_whitened_vectors_have_covariance_one():
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(400, 6)) @ generator.normal(size=(6, 6)) + 5
    found = fit_whitening(vectors).apply(vectors)
    assert np.cov(found.T, bias=True) == pytest.approx(np.eye(6), abs=1e-8)
    assert found.mean(0) == pytest.approx(np.zeros(6), abs=1e-8)
    assert cosines(vectors, vectors).mean() > 0.8  # they all pointed the same way
    assert abs(random_cosines(found).mean()) < 0.05


def test_whitening_keeps_what_there_is_enough_of(ask):
    flat = np.zeros((100, 5))
    flat[:, 2] = np.arange(100)
    assert fit_whitening(flat).matrix.shape == (5, 1)
    assert fit_whitening(np.random.default_rng(0).normal(size=(12, 8))).matrix.shape == (8, 3)
    with pytest.raises(AppError, match="differ"):
        fit_whitening(np.ones((50, 3)))
    found = ask(drawn=100, whiten=True)
    assert found.whitened == 2
    assert np.diag(found.cosines) == pytest.approx(np.ones(4))


def test_the_nearest_sentences_of_the_corpus(ask):
    found = ask(texts=["a c", "d d"], drawn=100, nearest=3)
    every = ask(texts=["a c", *(" ".join(line) for line in LINES)]).cosines[0, 1:]
    order = np.argsort(-every, kind="stable")
    assert found.nearest[0].texts[0] == "ac"  # as it stands in the corpus, between no spaces
    assert found.nearest[0].lines.tolist() == order[:3].tolist()
    assert found.nearest[0].cosines == pytest.approx(every[order[:3]], abs=1e-5)
    own = ask(texts=["ac"], drawn=100, nearest=20).nearest[0]
    assert "ac" not in own.texts  # not itself
    assert len(own.texts) == 9


def test_cosines_of_nothing_are_zero():
    found = cosines(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[24.0, 7.0]]))
    assert found.tolist() == [[0.0], [pytest.approx(100 / 125)]]


def test_pairs_are_drawn_where_there_are_many():
    vectors = np.random.default_rng(2).normal(size=(300, 4))
    found = random_cosines(vectors)
    assert len(found) == 2000
    assert (found == random_cosines(vectors)).all()
    assert found.max() < 1 - 1e-9  # none with itself
    assert len(random_cosines(vectors[:1])) == 0


def test_refusals(ask):
    with pytest.raises(AppError, match="Only BERT"):
        ask("gpt", pooling="cls")
    with pytest.raises(AppError, match="no pooling best"):
        check_pooling("bert", "best")
    with pytest.raises(AppError, match="Line 2 holds nothing"):
        ask(texts=["a", "  "])
    with pytest.raises(AppError, match="1 to 64"):
        ask(texts=[])
    with pytest.raises(AppError, match="let some be drawn"):
        ask(whiten=True)


def test_sentences_that_are_cut_are_told(ask):
    assert ask(texts=["a b " * 20, "a"]).cut == [0]
