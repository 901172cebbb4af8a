"""How far back models see: exact for those whose memory is known, defined for every kind."""

import dataclasses

import numpy as np
import pytest
import torch

from lmstudio.analysis import context_reach as reaching
from lmstudio.analysis.context_reach import context_reach, reach
from lmstudio.data.layout import BOS, EOS, PartCounts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training.assembly import build
from lmstudio.training.fit_ngram import fit
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation
from tests.training.networks import VARIANTS, spec_of

ROWS = 12
COUNTS = PartCounts(tokens=90, sentences=10, characters=200)


class Copies:
    """Expects what stood `back` tokens before, and knows nothing else."""

    def __init__(self, back: int, context: str = "sentence", proper: bool = True) -> None:
        self.back, self.context, self.proper = back, context, proper

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        found = []
        assert stream[0] == BOS
        assert stream[-1] == EOS
        whole = [] if self.context == "document" else None
        for sentence in np.split(stream, np.flatnonzero(stream == BOS)[1:]):
            before = [] if whole is None else whole
            for number in sentence[1:].tolist():
                known = before[-self.back] if len(before) >= self.back else -1
                found.append(np.log(0.9 if number == known else 0.01))
                before.append(number)
        return np.array(found)

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class CopiesBoth(Copies):
    """Expects what stands `back` tokens after."""

    def fill_probs(self, ids: np.ndarray, place: int) -> np.ndarray:
        probs = np.full(ROWS, 0.01)
        if place + self.back < len(ids):
            probs[ids[place + self.back]] = 0.9
        return probs


def periodic(period: int, sentences: int = 5, length: int = 30) -> np.ndarray:
    """Sentences whose words come again after `period`."""
    words = [3 + i % period for i in range(length)]
    return np.array(([BOS, *words, EOS]) * sentences, np.int32)


@pytest.mark.parametrize("context", ["sentence", "document"])
def test_what_stood_four_tokens_before_needs_four_tokens(context):
    found = reach(Copies(4, context), periodic(5), COUNTS, job=Job())
    assert found.events == 5 * 31
    assert found.context == context
    before = found.distances < 4
    assert found.cut[~before] == pytest.approx(found.full)
    assert found.shuffled[~before] == pytest.approx(found.full)
    assert (found.cut[before] >= found.full - 1e-9).all()


def test_a_copy_from_far_is_lost_where_it_is_cut_and_nearly_where_it_is_shuffled():
    found = reach(Copies(5), periodic(5), COUNTS, job=Job())
    assert found.distances.tolist() == [1, 2, 4, 8, 16]
    known = 5 * (30 - 5) / (5 * 31)  # of the events; the first five and the ends are not
    full = -(known * np.log(0.9) + (1 - known) * np.log(0.01))
    assert found.full == pytest.approx(full)
    assert found.cut[:3] == pytest.approx(-np.log(0.01))
    assert found.cut[3:] == pytest.approx(full)
    assert (found.shuffled[:3] > full + 1).all()
    assert (found.shuffled[:3] < found.cut[:3]).all()
    assert found.longer == pytest.approx([(30 - d) / 31 for d in (1, 2, 4, 8, 16)])


def test_of_two_sides_both_are_cut():
    found = reach(CopiesBoth(2, proper=False), periodic(5), COUNTS, job=Job())
    assert found.both_sides
    assert found.events == 5 * 30
    assert found.cut[0] == pytest.approx(-np.log(0.01))
    assert found.cut[1:] == pytest.approx(found.full)


def test_documents_are_seen_beyond_their_sentences():
    stream = np.tile(np.array([BOS, 3, EOS, BOS, 4, EOS, BOS, 5, EOS], np.int32), 20)
    inside = reach(Copies(6), stream, COUNTS, job=Job())
    beyond = reach(Copies(6, "document"), stream, COUNTS, job=Job())
    assert inside.full == pytest.approx(-np.log(0.01))
    assert inside.distances.tolist() == [1]
    assert beyond.full < 0.5
    assert beyond.cut[:3] == pytest.approx(-np.log(0.01))
    assert beyond.cut[3:] == pytest.approx(beyond.full)
    assert beyond.distances[-1] < reaching.LONGEST


def test_the_sample_is_drawn_by_the_seed_and_the_seconds_end_it():
    stream = periodic(7)
    first, again, other = (
        reach(Copies(7), stream, COUNTS, events=20, seed=seed, job=Job()) for seed in (1, 1, 2)
    )
    for name in ("full", "cut", "shuffled"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
    assert (first.longer != other.longer).any()
    assert reach(Copies(3), stream, COUNTS, seconds=0, job=Job()).events == 1


def test_bits_per_character_are_those_of_the_part():
    found = reach(Copies(1), periodic(2), COUNTS, job=Job())
    assert found.events_per_character == 0.5
    assert found.bits_per_character(np.array([np.log(2)])) == pytest.approx([0.5])


# --- real models --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    generator = np.random.default_rng(1)
    lines = []
    for _ in range(200):  # a word stands again two places later
        a, b = generator.choice(list("abcdefg"), 2)
        lines.append(" ".join([a, b] * int(generator.integers(1, 6))))
    return write_segmentation(tmp_path_factory.mktemp("segmentation"), train=lines, test=lines[:40])


def test_an_ngram_sees_as_far_as_its_order(folder, tmp_path):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 3}})
    fit(folder, tmp_path, spec, job=Job())
    found = context_reach(folder, tmp_path, spec, "test", events=100, job=Job())
    assert found.distances.tolist() == [1, 2, 4, 8]
    assert found.cut[0] > found.full + 0.3
    assert found.shuffled[0] > found.full + 0.3
    assert found.cut[1:] == pytest.approx(found.full, abs=1e-9)
    assert found.shuffled[1:] == pytest.approx(found.full, abs=1e-9)


@pytest.fixture
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("_one_thread")
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_network_can_be_asked(folder, variant):
    torch.manual_seed(1)
    spec = spec_of(variant)
    counts = np.array([1, 0, 200, *[100] * 7])
    module = build(spec, counts, folder)
    with torch.no_grad():
        for parameter in module.parameters():  # layers of transformers begin with nothing to say
            parameter += 0.2 * torch.randn_like(parameter)
    model = module.model()
    stream = np.array([BOS, 3, 4, 5, 6, 7, EOS, BOS, 4, 5, EOS], np.int32)
    found = reach(model, stream, COUNTS, job=Job())
    assert found.both_sides == (not model.proper)
    assert found.events == (7 if found.both_sides else 9)
    scored = model.logprobs(stream)
    if not found.both_sides:
        assert found.full == pytest.approx(-scored.mean(), abs=1e-4)
    for losses in (found.cut, found.shuffled):
        assert np.isfinite(losses).all()
        assert losses[0] != pytest.approx(found.full, abs=1e-9)
    assert dataclasses.asdict(found)["context"] == model.context


def test_a_part_without_text_is_refused(folder, tmp_path):
    spec = RunSpec.from_json({"model": "ngram"})
    with pytest.raises(AppError, match="valid part of this corpus is empty"):
        context_reach(folder, tmp_path, spec, "valid", job=Job())
    empty = np.array([BOS, EOS] * 3, np.int32)
    with pytest.raises(AppError, match="No sentence of this part holds a word"):
        reach(CopiesBoth(1, proper=False), empty, COUNTS, job=Job())
