"""Word lists, n-gram lists and the laws of Zipf and Heaps, against plain loops."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.data.browse import ngram_list, words
from lmstudio.data.browse.frequencies import frequencies
from lmstudio.data.browse.growth import growth, zipf
from lmstudio.data.browse.ngram_list import ngrams
from lmstudio.data.browse.words import WordFilter
from lmstudio.data.layout import LINE
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.data.word_files import write_words

TEXT = {
    "train": [["的", "我", "的", "，"], ["我", "们"], ["的"]],
    "valid": [["新", "的", "新"]],
    "test": [["们", "，", "罕"]],
}
lists = st.lists(st.lists(st.sampled_from("甲乙丙"), min_size=1, max_size=7), max_size=8)


@pytest.fixture
def text(tmp_path):
    return write_words(tmp_path / "text", **TEXT)


def listed(text, *args, **how):
    return frequencies(text.corpus, text.segmentation, *args, job=Job(), **how)


def test_words_are_counted_also_those_the_vocabulary_lacks(text):
    found = listed(text)
    assert list(found.rows()) == [
        ("的", 4, pytest.approx(4e6 / 13), 2, 3, 1, 0),
        ("我", 2, pytest.approx(2e6 / 13), 1, 2, 0, 0),
        ("们", 2, pytest.approx(2e6 / 13), 2, 1, 0, 1),
        ("，", 2, pytest.approx(2e6 / 13), 2, 1, 0, 1),
        ("新", 2, pytest.approx(2e6 / 13), 1, 0, 2, 0),
        ("罕", 1, pytest.approx(1e6 / 13), 1, 0, 0, 1),
    ]
    assert (found.tokens, found.types) == (13, 6)


def test_a_part_is_counted_alone(text):
    found = listed(text, "valid")
    assert [row[:4] for row in found.rows()] == [
        ("新", 2, pytest.approx(2e6 / 3), 1), ("的", 1, pytest.approx(1e6 / 3), 1)
    ]  # fmt: skip


def test_stop_words_and_punctuation_are_left_out_but_counted(text):
    found = listed(text, shown=WordFilter(frozenset("的"), letters_only=True))
    assert found.word == ["我", "们", "新", "罕"]
    assert (found.tokens, found.types) == (13, 6)


def test_documents_that_go_on_from_chunk_to_chunk_count_once(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "CHUNK", 3)
    text = write_words(tmp_path / "text", train=[list("甲乙甲甲"), list("乙甲"), list("丙甲")])
    lines = np.fromfile(text.corpus / "lines.idx", LINE)
    lines["document"] = [0, 0, 1]
    lines.tofile(text.corpus / "lines.idx")
    assert dict(zip(listed(text).word, listed(text).documents.tolist(), strict=True)) == {
        "甲": 2, "乙": 1, "丙": 1
    }  # fmt: skip


@settings(max_examples=40)
@given(lists, lists, st.integers(2, 5), st.integers(1, 3), st.integers(1, 20))
def test_ngrams_are_those_of_a_plain_loop(tmp_path_factory, train, test, n, least, chunk):
    text = write_words(tmp_path_factory.mktemp("text"), train=[["甲"], *train], test=test)
    grams = [" ".join(line[i : i + n]) for line in train + test for i in range(len(line) - n + 1)]
    wanted = {gram: count for gram, count in Counter(grams).items() if count >= least}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "CHUNK", chunk)
        patch.setattr(ngram_list, "GROUP", chunk)
        found = ngrams(text.corpus, text.segmentation, n, min_count=least, job=Job())
    assert dict(zip(found.ngram, found.count.tolist(), strict=True)) == wanted
    assert (found.total, found.found) == (len(grams), len(wanted))
    assert list(found.count) == sorted(found.count, reverse=True)


def test_ngrams_with_a_word_that_is_left_out_are_left_out(text):
    found = ngrams(text.corpus, text.segmentation, 2, min_count=1,
                   shown=WordFilter(frozenset("的"), letters_only=True), job=Job())  # fmt: skip
    assert found.ngram == ["我 们"]
    assert (found.total, found.found) == (8, 1)
    assert ngrams(text.corpus, text.segmentation, 2, min_count=1, limit=3, job=Job()).found == 8
    only = ngrams(text.corpus, text.segmentation, 2, min_count=1, part="test", job=Job())
    assert sorted(only.ngram) == ["们 ，", "， 罕"]


@pytest.mark.parametrize("n", [0, 1, 9])
def test_ngrams_have_a_length(text, n):
    with pytest.raises(AppError, match="2 to 8"):
        ngrams(text.corpus, text.segmentation, n, job=Job())


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.7, 4.0])
def test_zipf_finds_the_exponent_that_made_the_counts(exponent):
    counts = 1e9 * np.arange(1, 2000) ** -exponent
    found = zipf(np.random.default_rng(1).permutation(counts.astype(np.int64)))
    assert found.exponent == pytest.approx(exponent, abs=2e-3)
    assert found.fitted == pytest.approx(found.count, rel=0.02, abs=1)
    assert (found.rank[0], found.rank[-1]) == (1, 1999)


def test_growth_is_that_of_a_plain_loop(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "CHUNK", 7)
    rng = np.random.default_rng(3)
    tokens = [f"w{number}" for number in rng.zipf(1.5, 200)]
    lines = [tokens[start : start + 9] for start in range(0, 200, 9)]
    text = write_words(tmp_path / "text", train=lines[:20], test=lines[20:])
    found = growth(text.corpus, text.segmentation, job=Job())
    assert found.types.tolist() == [len(set(tokens[:n])) for n in found.tokens.tolist()]
    assert found.tokens[-1] == 200
    only = growth(text.corpus, text.segmentation, "test", job=Job())
    assert only.types[-1] == len(set(tokens[180:]))


def test_nothing_has_no_law(tmp_path):
    text = write_words(tmp_path / "text", train=[["甲"]])
    assert np.isnan(growth(text.corpus, text.segmentation, job=Job()).exponent)
    assert len(growth(text.corpus, text.segmentation, "test", job=Job())) == 0
    assert np.isnan(zipf(np.array([5])).exponent)
    assert len(zipf(np.empty(0, np.int64))) == 0
