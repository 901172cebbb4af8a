"""Pairs for next sentence prediction: neighbours are never called strangers (case D-3)."""

import numpy as np
import pytest

from lmstudio.data.pairs import MARKS, NextSentencePairs
from lmstudio.errors import AppError

SIZE = 3  # tokens of a sentence


def pairs_of(*documents: int) -> NextSentencePairs:
    """Documents of so many sentences, one after the other."""
    ends = SIZE * np.arange(1, sum(documents) + 1)
    return NextSentencePairs(
        np.stack([ends - SIZE, ends], 1), np.repeat(np.arange(len(documents)), documents)
    )


def drawn(pairs: NextSentencePairs, epochs: int = 1, window: int = 2 * SIZE + MARKS) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.concatenate([pairs.examples(window, rng) for _ in range(epochs)])


def test_case_d3_a_single_document(cases):
    lines = (cases / "d_nsp_single_doc.txt").read_text(encoding="utf-8").split("\n")
    assert len([line for line in lines if line.strip()]) == 4
    pairs = pairs_of(4)
    assert "only one document" in str(pairs.notice)
    assert pairs.neighbours == 3
    found = drawn(pairs, 300)
    first, second = (found[name] // SIZE for name in "ab")
    follows = found["follows"] == 1
    assert set(zip(first[follows].tolist(), second[follows].tolist(), strict=True)) == {
        (0, 1), (1, 2), (2, 3),
    }  # fmt: skip
    assert not np.isin(second - first, (0, 1))[~follows].any()


def test_case_d3_several_documents():
    documents = (3, 0, 1, 4, 6)
    pairs = pairs_of(*documents)
    assert pairs.notice is None
    found = drawn(pairs, 200, window=20)
    assert len(found) > 1000
    assert 0.45 < (found["follows"] == 1).mean() < 0.55
    document = np.repeat(np.arange(len(documents)), np.multiply(documents, SIZE))
    last_of_a = found["a"] + found["a_size"] - 1
    follows = found["follows"] == 1
    assert (document[found["a"]] == document[last_of_a]).all()
    assert (document[found["b"]] == document[found["b"] + found["b_size"] - 1]).all()
    assert (document[found["b"]] != document[last_of_a])[~follows].all()
    cut = found["a_size"] + found["b_size"] == 20 - MARKS  # the longer one at both ends
    assert (found["b"] == last_of_a + 1)[follows & ~cut].all()
    assert (document[found["b"]] == document[last_of_a])[follows].all()
    assert set(document[found["b"]][~follows].tolist()) == {0, 2, 3, 4}


def test_most_pairs_fill_the_window_and_none_is_longer():
    found = drawn(pairs_of(500, 500), window=50)
    sizes = found["a_size"] + found["b_size"] + MARKS
    assert sizes.max() == 50
    assert (sizes == 50).mean() > 0.7
    assert found["a_size"].min() > 0
    assert found["b_size"].min() > 0


def test_every_sentence_is_read_and_unused_ones_are_given_back():
    found = drawn(pairs_of(40, 40), window=200)
    read = np.zeros(80 * SIZE, bool)
    for record in found:
        read[record["a"] :][: record["a_size"]] = True
        if record["follows"]:
            read[record["b"] :][: record["b_size"]] = True
    assert read.mean() > 0.9  # what is cut off the ends is lost, as published


def test_lone_sentences_have_strangers_and_others_make_up_for_them():
    found = drawn(pairs_of(*[1] * 40, *[20] * 20), window=40)
    alone = found["a"] < 40 * SIZE
    assert alone.sum() == 40
    assert (found["follows"][alone] == 0).all()
    assert 0.45 < (found["follows"] == 1).mean() < 0.55


def test_sentences_that_others_stand_between_do_not_follow():
    starts = SIZE * np.array([0, 1, 3, 4])  # the third is of another part
    pairs = NextSentencePairs(np.stack([starts, starts + SIZE], 1), np.zeros(4, np.int64))
    assert pairs.neighbours == 2
    found = drawn(pairs, 100)
    follows = found["follows"] == 1
    assert set(found["a"][follows].tolist()) == {0, 3 * SIZE}


@pytest.mark.parametrize("documents", [(), (0,), (1,), (1, 1, 1)])
def test_case_d3_a_blank_line_after_each_leaves_no_neighbours(documents):
    with pytest.raises(AppError, match="No sentence has one that follows it"):
        pairs_of(*documents)


def test_two_sentences_have_no_strangers():
    with pytest.raises(AppError, match="three sentences"):
        pairs_of(2)


def test_the_same_seed_draws_the_same():
    pairs = pairs_of(3, 2, 8)
    assert np.array_equal(drawn(pairs), drawn(pairs))
