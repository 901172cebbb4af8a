"""A model scores long streams in blocks, and is the same when its arrays are loaded again."""

import numpy as np
import pytest

from lmstudio.models.config import SETTINGS, SMOOTHINGS, NgramConfig
from lmstudio.models.ngram import counts
from lmstudio.models.ngram import lookup as lookup_module
from lmstudio.models.ngram import model as model_module
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.texts import TINY, Text


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("block", [1, 3, 10])
def test_blocks_do_not_change_the_scores(monkeypatch, smoothing, block):
    text = Text(TINY * 3)
    stream = text.encode(["我 爱 我 爱 我 爱 北京 他 他", "", "他 爱 上海 我 我 广州 爱"])
    model = text.fit(5, smoothing)
    whole = model.logprobs(stream)
    monkeypatch.setattr(model_module, "_BLOCK", block)
    np.testing.assert_array_equal(model.logprobs(stream), whole)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_stream_is_scored_like_its_events(smoothing):
    text = Text(TINY * 2)
    stream = text.encode(["我 爱 北京 我 爱 上海 他", "", "他 爱 我", "广州"])
    model = text.fit(4, smoothing)
    probs = model.smoothing.probs(model.lookup.events(stream))
    expected = np.log(probs, out=np.full(len(probs), -np.inf), where=probs > 0)
    np.testing.assert_array_equal(model.logprobs(stream), expected)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_arrays_make_the_same_model_again(smoothing):
    text = Text(TINY)
    model = text.fit(3, smoothing, k=0.25)
    again = NgramModel.load(model.arrays(), text.rows, model.config)
    np.testing.assert_array_equal(again.logprobs(text.stream), model.logprobs(text.stream))
    assert again.sizes == model.sizes == [text.rows, *map(len, again.lookup.keys)]


def test_nothing_to_score_gives_nothing():
    assert Text(TINY).fit(3).logprobs(np.empty(0, np.int32)).shape == (0,)


def test_every_event_is_scored_once_and_sentence_starts_never():
    text = Text(TINY)
    assert len(text.fit(3).logprobs(text.stream)) == 9 + 3


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_likeliest_words_are_those_of_the_whole_distribution(smoothing):
    model = Text(TINY).fit(3, smoothing)
    for prefix in ([], [3], [3, 4], [5, 4, 3]):
        probs = model.next_probs(np.array(prefix, np.int32))
        for k in (1, 2, 5, 100):
            ids, found = model.top_k(np.array(prefix, np.int32), k)
            expected = sorted(np.flatnonzero(probs > 0), key=lambda i: (-probs[i], i))[:k]
            assert ids.tolist() == expected
            np.testing.assert_array_equal(found, probs[ids])


@pytest.mark.parametrize("many", [0, 1000])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_likeliest_of_many_words(monkeypatch, smoothing, many):
    monkeypatch.setattr(lookup_module, "_MANY", many)
    rng = np.random.default_rng(4)
    lines = [" ".join(map(str, rng.zipf(1.3, 8) % 300)) for _ in range(200)]
    text = Text(lines)
    model = text.fit(3, smoothing)
    for line in ("1 2", "7", "1 299 4", "x", ""):
        prefix = np.array(text.ids(line), np.int32)
        probs = np.nan_to_num(model.next_probs(prefix))
        ids, found = model.top_k(prefix, 40)
        stream = np.concatenate([[1], prefix, [0]]).astype(np.int32)
        for word in (*ids[:5], 0, 2):
            stream[-1] = word
            assert np.exp(model.logprobs(stream)[-1]) == pytest.approx(probs[word])
        expected = sorted(np.flatnonzero(probs > 0), key=lambda i: (-probs[i], i))[:40]
        assert ids.tolist() == expected
        np.testing.assert_array_equal(found, probs[ids])


def test_next_word_and_score_agree():
    text = Text(TINY * 2)
    model = text.fit(4)
    stream = text.encode(["我 爱 他 北京 北京 我"])
    scores = model.logprobs(stream)
    for place, word in enumerate(stream[1:]):
        probs = model.next_probs(stream[1 : place + 1])
        assert np.log(probs[word]) == pytest.approx(scores[place])


def test_a_text_may_be_shorter_than_the_order():
    text = Text(TINY)
    assert len(text.fit(7).logprobs(np.array([1, 3, 2], np.int32))) == 2
    assert text.fit(7).next_probs(np.array([3], np.int32)).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "how",
    [
        *({"smoothing": name} for name in SMOOTHINGS),
        *({"smoothing": name, "interpolate": False} for name in SETTINGS["interpolate"]),
        {"prune": 1e-9}, {"min_counts": "1,2"}, {"prune": 1e-3, "min_counts": "2"},
        {"order": 1, "prune": 1e-3},
    ],
)  # fmt: skip
def test_progress_never_stands_still(monkeypatch, how):
    """So a stop takes effect soon: however large the tables are, it comes block by block."""
    lines = [" ".join(f"{(n * k * k) % 61}" for k in range(1, 12)) for n in range(40)]
    text, shares = Text(lines), []
    monkeypatch.setattr(counts, "PIECE", 20)
    NgramModel.fit(
        text.stream, text.rows, NgramConfig(**{"order": 3} | how), shares.append, text.stream
    )
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    if how.get("smoothing") not in ("maximum-likelihood", "add-one", "add-k"):
        assert max(np.diff([share for share in shares if share >= 0.8])) < 0.1
