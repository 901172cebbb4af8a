"""Cosines of word lists, and rank correlation with what people said, against brute force."""

import numpy as np
import pytest

from lmstudio.analysis.rank_correlation import ranks, spearman
from lmstudio.analysis.similarity import (
    WordPair,
    cosines,
    read_pairs,
    score_pairs,
    similarity,
    similarity_set,
)
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.embedding_models import trained


def test_equal_values_share_a_rank():
    assert ranks(np.array([3.0, 1, 3, 2])).tolist() == [3.5, 1, 3.5, 2]
    assert ranks(np.array([])).tolist() == []


def test_spearman_by_hand():
    assert spearman(np.array([1, 2, 3, 4]), np.array([10, 20, 30, 40])) == pytest.approx(1)
    assert spearman(np.array([1, 2, 3, 4]), np.array([4, 3, 2, 1])) == pytest.approx(-1)
    # without ties: 1 - 6 sum d^2 / (n (n^2 - 1)) with d = 1, -1, 0, 0
    assert spearman(np.array([1, 2, 3, 4]), np.array([2, 1, 3, 4])) == pytest.approx(0.8)
    # ranks 1.5 1.5 3 4 and 1 2 3.5 3.5: 4 / sqrt(4.5 * 4.5)
    assert spearman(np.array([1, 1, 2, 3]), np.array([1, 2, 3, 3])) == pytest.approx(4 / 4.5)


@pytest.mark.parametrize("side", [np.array([]), np.array([1.0]), np.array([1.0, 1.0])])
def test_spearman_of_nothing_to_order_is_no_number(side):
    assert np.isnan(spearman(side, np.arange(len(side))))


def test_cosines_are_those_of_the_formula():
    x = np.random.default_rng(1).normal(size=(6, 4))
    found = cosines(x)
    for a in range(6):
        for b in range(6):
            lengths = np.linalg.norm(x[a]) * np.linalg.norm(x[b])
            assert found[a, b] == pytest.approx(x[a] @ x[b] / lengths, abs=1e-6)


def test_case_g2_a_matrix_with_a_zero_vector_says_so():
    found = cosines(np.array([[3.0, 4], [0, 0], [4, 3]]))
    assert np.isnan(found[1]).all()
    assert np.isnan(found[:, 1]).all()
    assert found[0, 2] == pytest.approx(0.96)


def test_a_word_list_is_compared_each_word_once(tmp_path):
    asked = trained(tmp_path, "lstm")
    found = similarity(asked, ["a", "b", "a", " c ", "zz", ""], job=Job())
    assert (found.words, found.unknown) == (["a", "b", "c"], ["zz"])
    vectors = word_vectors(asked, job=Job())
    rows = vectors.units[[vectors.places[word] for word in "abc"]]
    np.testing.assert_allclose(found.values, rows @ rows.T, atol=1e-6)
    with pytest.raises(AppError, match="None of these"):
        similarity(asked, ["zz"], job=Job())
    with pytest.raises(AppError, match="512 words"):
        similarity(asked, [str(number) for number in range(513)], job=Job())


def test_pairs_are_scored_over_those_that_are_covered(tmp_path):
    vectors = WordVectors.of(["a", "b", "c", "zero"], np.array([[1, 0], [1, 1], [0, 1], [0, 0]]))
    pairs = [WordPair("a", "b", 9), WordPair("a", "c", 1), WordPair("b", "c", 5),
             WordPair("a", "zero", 9), WordPair("a", "x", 9)]  # fmt: skip
    found = score_pairs(vectors, pairs)
    assert (found.covered, found.coverage) == (3, 0.6)
    assert [pair.cosine for pair in found.pairs] == [
        pytest.approx(0.5**0.5), pytest.approx(0), pytest.approx(0.5**0.5), None, None,
    ]  # fmt: skip
    assert found.rho == pytest.approx(1.5 / (2 * 1.5) ** 0.5)  # ranks 3 1 2 and 2.5 1 2.5


def test_files_with_and_without_a_header_are_read(tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_text("\ufeffword 1\tword 2\tscore\r\na\tb\t3.5\r\n\r\na c 2\r\n", encoding="utf-8")
    assert read_pairs(file) == [WordPair("a", "b", 3.5), WordPair("a", "c", 2.0)]
    asked = trained(tmp_path, "ffnn")
    assert similarity_set(asked, file, job=Job()).covered == 2
    for text, sentence in (("a\tb\t1\na b", "Line 2 of"), ("word 1\tword 2", "holds no pair")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(AppError, match=sentence):
            read_pairs(file)


def test_the_shared_sets_are_read(shared):
    assert len(read_pairs(shared / "data/sim/wordsim-240.txt")) == 240
    assert len(read_pairs(shared / "data/sim/simlex999_english.txt")) == 999
