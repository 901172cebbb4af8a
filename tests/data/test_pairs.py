"""Pairs for next sentence prediction: neighbours are never called strangers (case D-3)."""

import numpy as np
import pytest

from lmstudio.data.pairs import NextSentencePairs
from lmstudio.errors import AppError


def drawn(pairs: NextSentencePairs, count: int = 1000) -> list[tuple[int, int, bool]]:
    rng = np.random.default_rng(1)
    return [pairs.draw(rng) for _ in range(count)]


def test_case_d3_a_single_document(cases):
    lines = (cases / "d_nsp_single_doc.txt").read_text(encoding="utf-8").split("\n")
    sentences = [number for number, line in enumerate(lines) if line.strip()]
    assert len(sentences) == 4
    pairs = NextSentencePairs([sentences])
    assert "only one document" in str(pairs.notice)
    assert pairs.neighbours == 3
    found = drawn(pairs)
    assert {(a, b) for a, b, follows in found if follows} == {(0, 1), (1, 2), (2, 3)}
    assert all(b not in (a, a + 1) for a, b, follows in found if not follows)


def test_case_d3_several_documents():
    documents = [[10, 11, 12], [], [20], [30, 31, 32, 33]]
    pairs = NextSentencePairs(documents)
    assert pairs.notice is None
    found = drawn(pairs)
    assert 0.45 < sum(follows for _, _, follows in found) / len(found) < 0.55
    for a, b, follows in found:
        assert (b == a + 1) if follows else (b // 10 != a // 10)
    assert {b for _, b, follows in found if not follows} == {10, 11, 12, 20, 30, 31, 32, 33}


@pytest.mark.parametrize("documents", [[], [[]], [[1]], [[1], [2], [3]]])
def test_case_d3_a_blank_line_after_each_leaves_no_neighbours(documents):
    with pytest.raises(AppError, match="No sentence has one that follows it"):
        NextSentencePairs(documents)


def test_two_sentences_have_no_strangers():
    with pytest.raises(AppError, match="three sentences"):
        NextSentencePairs([[1, 2]])


def test_the_same_seed_draws_the_same():
    pairs = NextSentencePairs([[0, 1, 2], [3, 4]])
    assert drawn(pairs, 50) == drawn(pairs, 50)
