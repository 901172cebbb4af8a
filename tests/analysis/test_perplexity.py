"""Every figure of an evaluation, on texts small enough to check by hand."""

import math

import numpy as np
import pytest

from lmstudio.analysis import perplexity
from lmstudio.analysis.instalments import instalments
from lmstudio.analysis.perplexity import (
    Tally,
    bits_per_character,
    evaluate,
    pooled_perplexity,
    score,
)
from lmstudio.data.layout import BOS, EOS, SegmentationMeta
from lmstudio.data.pieces import pieces
from lmstudio.data.windows import overlapping
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.training import fit_ngram
from lmstudio.training.spec import RunSpec
from tests.models.ngram.texts import TINY, Text
from tests.segmentations import write_segmentation


@pytest.fixture
def figures(tmp_path):
    """Trains on TINY and evaluates a part of other lines."""

    def run(lines: list[str], smoothing: str = "add-one", spelling_bits: float = 0.0, **more):
        folder = write_segmentation(tmp_path / "s", train=TINY, valid=TINY, test=lines)
        meta = SegmentationMeta.load(folder)
        meta.parts["test"].spelling_bits = spelling_bits
        for name, value in more.items():
            setattr(meta, name, value)
        meta.save(folder)
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2, "smoothing": smoothing}})
        fit_ngram.fit(folder, tmp_path / "r", spec, job=Job())
        return evaluate(folder, tmp_path / "r", spec, "test", job=Job())

    return run


def test_case_c1(figures):
    found = figures(["我 爱 我"])
    assert found.perplexity == pytest.approx(4.082483, abs=1e-6)
    assert (found.events, found.tokens, found.sentences, found.characters) == (4, 3, 1, 3)
    assert found.log10_probability == pytest.approx(math.log10(9 / 2500))
    assert found.bits_per_character == pytest.approx(-math.log2(9 / 2500) / 3)
    assert found.perplexity_ppl1 == found.perplexity_per_word
    assert found.perplexity_per_word == pytest.approx((2500 / 9) ** (1 / 3))
    assert found.context == "sentence"
    assert found.comparable


def test_case_c2_zero_probability_is_infinite_and_says_where(figures):
    found = figures(["我 爱 他"], "maximum-likelihood")
    assert found.perplexity == found.bits_per_character == math.inf
    assert found.zero_probability == 2
    assert found.log10_probability == -math.inf
    types = Text(TINY).types
    spelled = [([types[i] for i in ids], types[token]) for ids, token in found.zero_examples]
    assert spelled == [(["<s>", "我", "爱"], "他"), (["<s>", "我", "爱", "他"], "</s>")]
    assert "nan" not in str(found.to_json())


def test_case_c3_unknown_words_with_and_without(figures):
    found = figures(["他 爱 广州"], spelling_bits=30.0)
    assert found.perplexity == pytest.approx(6.116909, abs=1e-6)
    assert found.perplexity_without_unknown == pytest.approx(5.192494, abs=1e-6)
    assert (found.unknown, found.tokens, found.events_without_unknown) == (1, 3, 3)
    assert found.perplexity_ppl1 == pytest.approx(140 ** (1 / 2))
    assert found.bits_per_character == pytest.approx((math.log2(1400) + 30) / 4)
    assert found.spelling_bits == 30


def test_case_c6_two_sentences_are_pooled(figures):
    found = figures(["我 爱 我", "他 爱 广州"])
    assert found.events == 8
    assert found.perplexity == pytest.approx(4.997217, abs=1e-6)


def test_case_c6_windows_and_batches_are_pooled():
    assert pooled_perplexity([6.0, 1.0], [4, 1]) == pytest.approx(4.055200, abs=1e-6)
    assert pooled_perplexity([20.0, 8.0], [10, 2]) == pytest.approx(10.312258, abs=1e-6)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("scored", [9, 10])
def test_case_c6_every_token_is_scored_once_whatever_the_stride(stride, scored):
    windows = overlapping(np.array([scored]), 3, stride)  # of four tokens: three are predicted
    counts = windows["size"] - windows["shown"]
    assert counts.sum() == scored
    nats = counts * math.log(50)  # equal logits over 50 types
    assert pooled_perplexity(nats.tolist(), counts.tolist()) == pytest.approx(50)


@pytest.mark.parametrize("size", [1, 8, 10_000])
def test_case_c6_pieces_of_any_size_give_the_same(size):
    text = Text(TINY * 4)
    model = text.fit(3)
    tally = Tally()
    for piece in pieces(text.stream, size):
        tally.add(piece, model.logprobs(piece))
    assert tally.nats == pytest.approx(-model.logprobs(text.stream).sum(), rel=1e-12)


def test_case_c7_words_and_characters():
    assert pooled_perplexity([20.0], [5]) == pytest.approx(54.598150, abs=1e-6)
    assert pooled_perplexity([20.0], [8]) == pytest.approx(12.182494, abs=1e-6)
    assert bits_per_character(20.0, 8) == pytest.approx(3.606738, abs=1e-6)


def test_huge_perplexities_are_infinite_not_an_error():
    assert pooled_perplexity([1e6], [10]) == math.inf


def test_a_part_without_text_is_said(figures):
    with pytest.raises(AppError, match="test part of this corpus is empty"):
        figures([])


def test_a_segmentation_with_an_axis_of_its_own_is_not_comparable(figures):
    assert not figures(["我 爱 我"], axis="overlapping").comparable


def test_scoring_stops_when_the_job_is_cancelled():
    text = Text(TINY)
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        score(text.fit(2), text.stream, job=job)


def test_nan_from_a_model_is_a_bug_not_a_figure():
    class Broken:
        context = "sentence"
        proper = True

        def logprobs(self, stream: np.ndarray) -> np.ndarray:
            return np.full(int((stream != 1).sum()), np.nan)

    with pytest.raises(ValueError, match="NaN"):
        score(Broken(), Text(TINY).stream, job=Job())


class Uniform:
    """Gives every event the same probability, like a network would; no sentence ends at wish."""

    context = "sentence"

    def __init__(self, p: float = 0.25, *, ends: bool = True) -> None:
        self.p, self.proper = p, ends

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        events = stream[stream != BOS]
        return np.where((events == EOS) & (not self.proper), np.nan, math.log(self.p))


class Reading(Uniform):
    """Reads a document in instalments of three events."""

    context = "document"

    def read(self, stream: np.ndarray):
        found = self.logprobs(stream)
        for start in range(0, len(found), 3):
            yield found[start : start + 3]


@pytest.fixture
def network(tmp_path, monkeypatch):
    """The figures of a model that is put in the place of an LSTM."""

    def run(model: Uniform):
        folder = write_segmentation(tmp_path / "s", train=TINY, valid=TINY, test=["我 爱 我"] * 4)
        monkeypatch.setattr(perplexity, "load_checked", lambda *_, job: model)
        spec = RunSpec.from_json({"model": "lstm"})
        return evaluate(folder, tmp_path / "r", spec, "test", job=Job())

    return run


@pytest.mark.parametrize("model", [Uniform(), Reading()])
def test_a_document_is_scored_like_its_sentences_and_says_so(network, model):
    found = network(model)
    assert (found.events, found.tokens, found.context) == (16, 12, model.context)
    assert found.perplexity == pytest.approx(4)
    assert found.comparable
    assert not found.pseudo
    assert found.backward_perplexity is None


def test_reading_a_document_stops_when_the_job_is_cancelled():
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        score(Reading(), Text(TINY).stream, job=job)


def test_a_document_model_that_stops_early_is_a_bug():
    class Short(Reading):
        def read(self, stream: np.ndarray):
            yield self.logprobs(stream)[:3]

    with pytest.raises(ValueError, match="too few"):
        score(Short(), Text(TINY).stream, job=Job())


def test_pseudo_figures_count_no_sentence_ends_and_share_no_axis(network):
    found = network(Uniform(ends=False))
    assert (found.events, found.tokens) == (12, 12)
    assert found.perplexity == found.perplexity_per_word == pytest.approx(4)
    assert found.pseudo
    assert not found.comparable


def test_a_model_that_reads_both_ways_tells_of_each(network):
    model = Uniform()
    model.backward_logprobs = Uniform(0.5).logprobs
    found = network(model)
    assert found.perplexity == pytest.approx(4)
    assert found.backward_perplexity == pytest.approx(2)
    assert found.comparable


def test_a_long_part_is_sampled_for_pseudo_figures(network, monkeypatch):
    monkeypatch.setattr("lmstudio.analysis.instalments.PIECES", {"pseudo": 5})
    spread = perplexity.spread
    monkeypatch.setattr(perplexity, "spread", lambda stream: spread(stream, 10))
    found = network(Uniform(ends=False))
    assert (found.events, found.sentences, found.characters) == (6, 2, 6)
    assert found.sampled == pytest.approx(0.5)
    assert found.bits_per_character == pytest.approx(2)


def test_slices_of_a_document_join_to_the_whole():
    stream = Text(TINY * 3).stream
    slices = list(instalments(Reading(), stream, 5))
    assert np.concatenate([piece for piece, _ in slices]).tolist() == stream.tolist()
    assert all((piece != BOS).sum() == len(logprobs) for piece, logprobs in slices)
