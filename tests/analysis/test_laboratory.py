"""The laboratory says what trained models say, for every smoothing and wherever a knob stands."""

import math
import time

import numpy as np
import pytest

from lmstudio.analysis.laboratory import Laboratory
from lmstudio.data.layout import BOS
from lmstudio.jobs import Job
from lmstudio.models.config import SMOOTHINGS, NgramConfig
from lmstudio.models.ngram.model import NgramModel
from tests.models.ngram.segmented import segmented
from tests.models.ngram.texts import TINY, Text, ignore


@pytest.fixture(scope="module")
def lines():
    rng = np.random.default_rng(1)
    words = [chr(0x4E00 + min(rng.zipf(1.5), 60)) for _ in range(6000)]
    return [" ".join(words[i : i + 8]) for i in range(0, 6000, 8)]


@pytest.fixture(scope="module")
def folder(lines, tmp_path_factory):
    return segmented(tmp_path_factory.mktemp("s"), train=lines[:700], valid=lines[700:])


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 4])
def test_it_agrees_with_trained_models(folder, lines, smoothing, order):
    text, laboratory = Text(lines[:700]), Laboratory(folder, 4, job=Job())
    valid = text.encode(lines[700:])
    for how in ({}, {"k": 0.3, "discount": 0.6}):
        config = NgramConfig(order, smoothing, **how)
        model, _ = NgramModel.fit(text.stream, text.rows, config, ignore, valid)
        assert laboratory.loss(config, job=Job()) == pytest.approx(
            -model.logprobs(valid).mean(), rel=1e-6
        )
        for line in ("", lines[0][:5], "丁 七 一"):
            bars = laboratory.bars([BOS, *text.ids(line)], order, [config], job=Job())
            column = bars.columns[0]
            expected = model.next_probs(np.array(text.ids(line), np.int32))
            np.testing.assert_allclose(column.probs, expected[bars.words], rtol=1e-6)
            if not np.isnan(expected).any():
                assert column.total == pytest.approx(expected.sum())
                assert column.rest == pytest.approx(np.delete(expected, bars.words).sum(), abs=1e-6)


def test_the_bars_of_three_sentences(tmp_path):
    """By hand: 北京, 上海 and 我 follow 爱 once each."""
    text = Text(TINY)
    laboratory = Laboratory(segmented(tmp_path, train=TINY), 3, job=Job())
    love = text.ids("我 爱")[1:]
    bars = laboratory.bars([5, *love], 2, [NgramConfig(2, "add-one")], job=Job())
    assert (bars.context, bars.occurrences, bars.followers) == (love, 3, 3)
    assert sorted(bars.words[:3]) == sorted(text.ids("北京 上海 我"))
    assert bars.counts == [1, 1, 1, 0]
    assert bars.columns[0].probs == pytest.approx([0.2, 0.2, 0.2, 0.1])
    assert bars.columns[0].seen == pytest.approx(0.6)
    assert bars.columns[0].total == pytest.approx(1)
    assert math.isnan(bars.columns[0].valid_loss)
    assert bars.others == 7 - 4


def test_counts_of_counts(tmp_path):
    laboratory = Laboratory(segmented(tmp_path, train=["a b", "a b", "a c", "d"]), 2, job=Job())
    found = laboratory.counts_of_counts(2, most=4)
    assert found.n == [4, 2, 1, 0]  # a c, c </s>, <s> d, d </s>; a b, b </s>; <s> a
    assert found.turing[0] == pytest.approx(2 * 2 / 4)
    assert math.isnan(found.turing[2])


def test_a_short_context_stands_anywhere_in_a_sentence(tmp_path):
    """By hand: three words follow 爱, which never begins a sentence."""
    text = Text(TINY)
    laboratory = Laboratory(segmented(tmp_path, train=TINY), 3, job=Job())
    love = text.ids("爱")
    asked = [NgramConfig(3, "add-one")]
    anywhere = laboratory.bars(love, 3, asked, job=Job())
    assert (anywhere.context, anywhere.occurrences, anywhere.followers) == (love, 3, 3)
    assert anywhere.columns[0].probs == pytest.approx([0.2, 0.2, 0.2, 0.1])
    first = laboratory.bars([BOS, *love], 3, asked, job=Job())
    assert (first.context, first.occurrences) == ([BOS, *love], 0)
    assert first.columns[0].probs == pytest.approx([1 / 7])
    nothing = laboratory.bars([], 3, asked, job=Job())
    assert (nothing.context, nothing.occurrences) == ([], 12)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("knobs", [{}, {"k": 0.3, "discount": 0.6}])
def test_a_short_context_is_asked_of_shorter_n_grams(folder, lines, smoothing, knobs):
    text, laboratory = Text(lines[:700]), Laboratory(folder, 4, job=Job())
    config = NgramConfig(4, smoothing, **knobs)
    word = text.ids(lines[0])[:1]
    column = laboratory.bars(word, 4, [config], job=Job()).columns[0]
    if smoothing != "stupid-backoff":
        assert column.total == pytest.approx(1)
    if smoothing not in ("kneser-ney", "modified-kneser-ney", "jelinek-mercer"):
        # Those count other things, or weigh differently, below the highest order.
        bigrams = laboratory.bars(word, 2, [NgramConfig(2, smoothing, **knobs)], job=Job())
        np.testing.assert_allclose(column.probs, bigrams.columns[0].probs, rtol=1e-6)


def test_what_surprises_is_explained(tmp_path):
    train, valid = ["a b", "a b", "a c", "d"], ["a x", "b y"]
    laboratory = Laboratory(segmented(tmp_path, train=train, valid=valid), 2, job=Job())
    names = ("good-turing", "katz", "kneser-ney", "witten-bell")
    bars = laboratory.bars([BOS], 2, [NgramConfig(2, name) for name in names], job=Job())
    said = [" ".join(map(str, column.remarks)) for column in bars.columns]
    assert "2-grams together" in said[0]
    assert "33 % of the valid" in said[1]  # x and y of six events
    assert said[2] == said[1]
    assert said[3] == ""


@pytest.mark.slow
def test_a_step_of_a_knob_takes_less_than_50_ms(tmp_path):
    """Trigrams of a million tokens."""
    rng = np.random.default_rng(1)
    words = (rng.zipf(1.2, 1_100_000) % 20_000).astype(str).tolist()
    lines = [" ".join(words[i : i + 20]) for i in range(0, len(words), 20)]
    folder = segmented(tmp_path, train=lines[:50_000], valid=lines[50_000:])
    laboratory = Laboratory(folder, 3, job=Job())
    for smoothing in ("add-k", "absolute-discounting", "kneser-ney"):
        seconds = []
        for knob in (0.1, 0.2, 0.3, 0.4, 0.5):
            config = NgramConfig(3, smoothing, k=knob, discount=knob)
            started = time.process_time()
            laboratory.bars([5, 6], 3, [config], job=Job())
            seconds.append(time.process_time() - started)
        assert min(seconds) < 0.05
