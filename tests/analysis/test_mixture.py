"""Mixtures of models: weights by EM, a cache by hand, and figures that add up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.analysis.mixture import (
    Asked,
    cache_probs,
    interpolate,
    mixed,
    tuned_weights,
)
from lmstudio.analysis.perplexity import evaluate
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training import fit_ngram
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

TRAIN = ["我 爱 北京", "我 爱 上海", "他 爱 我", "他 去 北京", "我 去 上海"] * 2
VALID = ["他 爱 上海", "我 爱 他", "他 去 广州"]
P = st.one_of(st.just(0.0), st.floats(1e-12, 1.0))


def logs(probs):
    with np.errstate(divide="ignore"):
        return np.log(np.array(probs, float))


@given(st.integers(1, 4).flatmap(lambda k: st.lists(
    st.lists(P, min_size=k, max_size=k), min_size=1, max_size=12)))  # fmt: skip
def test_a_mixture_is_never_worse_than_its_best_model(events):
    table = logs(events).T
    weights = tuned_weights(table, Job())
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert mixed(table, weights).sum() >= table.sum(axis=1).max() - 1e-9


def test_weights_by_hand():
    """One model is certain of 3 events of 4 and excludes the last, the other the reverse."""
    table = logs([[1, 1, 1, 0], [0, 0, 0, 1]])
    assert tuned_weights(table, Job()) == pytest.approx([0.75, 0.25])
    assert mixed(table, np.array([0.75, 0.25])) == pytest.approx(logs([0.75] * 3 + [0.25]))


def test_weights_are_those_of_a_fine_search():
    rng = np.random.default_rng(1)
    table = logs(rng.dirichlet([1, 1], 200).T * rng.random(200))
    weights = tuned_weights(table, Job())
    grid = [mixed(table, np.array([w, 1 - w])).sum() for w in np.linspace(0, 1, 1001)]
    assert mixed(table, weights).sum() >= max(grid) - 1e-3
    assert weights[0] == pytest.approx(np.argmax(grid) / 1000, abs=2e-2)


def test_an_event_that_none_thinks_possible_changes_no_weight():
    probs = [[0.5, 0.1, 0.2], [0.1, 0.5, 0.3]]
    more = [[*row, 0.0] for row in probs]
    assert tuned_weights(logs(more), Job()) == pytest.approx(tuned_weights(logs(probs), Job()))
    assert mixed(logs(more), np.array([0.5, 0.5]))[-1] == -math.inf


def test_a_cache_by_hand():
    events = np.array([5, 7, 5, 5, 2, 7], np.int32)
    found = cache_probs(events, 3, 10)
    # nothing; [5]; [5 7]; [5 7 5]; [7 5 5]; [5 5 2]
    np.testing.assert_allclose(found, [0.1, 0, 1 / 2, 2 / 3, 0, 0])


@given(st.lists(st.integers(0, 4), max_size=40), st.integers(1, 50))
def test_a_cache_counts_what_it_holds(events, size):
    expected = []
    for place, event in enumerate(events):
        held = events[max(0, place - size) : place]
        expected.append(held.count(event) / len(held) if held else 1 / 9)
    np.testing.assert_allclose(cache_probs(np.array(events, np.int32), size, 9), expected)


def trained(tmp_path, folder, name, model="ngram", **config) -> Asked:
    spec = RunSpec.from_json({"model": model, "config": config})
    fit_ngram.fit(folder, tmp_path / name, spec, job=Job())
    return Asked(name, tmp_path / name, spec)


def test_figures_of_models_are_those_of_evaluate(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TRAIN, valid=VALID, test=["我 去 他"])
    runs = [
        trained(tmp_path, folder, "words", order=3),
        trained(tmp_path, folder, "classes", "class-ngram", order=2, classes=3),
        trained(tmp_path, folder, "ml", order=2, smoothing="maximum-likelihood"),
    ]
    found = interpolate(folder, runs, cache=20, job=Job())
    assert sum(found.weights) == pytest.approx(1)
    assert len(found.weights) == 4
    for part, scores in found.scores.items():
        assert len(scores) == 5
        for asked, score in zip(runs, scores, strict=False):
            known = evaluate(folder, asked.folder, asked.spec, part, job=Job())
            assert score.perplexity == pytest.approx(known.perplexity)
            assert score.bits_per_character == pytest.approx(known.bits_per_character)
    valid = [score.perplexity for score in found.scores["valid"]]
    assert valid[-1] <= min(valid[:-1]) * (1 + 1e-12)


def test_what_cannot_be_mixed_is_said(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TRAIN, valid=VALID)
    run = trained(tmp_path, folder, "scores", order=2, smoothing="stupid-backoff")
    with pytest.raises(AppError, match="scores are no probabilities"):
        interpolate(folder, [run], cache=5, job=Job())
    empty = write_segmentation(tmp_path / "e", train=TRAIN)
    with pytest.raises(AppError, match="valid part is empty"):
        interpolate(empty, [run], cache=5, job=Job())


def test_a_cache_may_be_larger_than_any_text():
    events = np.array([5, 5, 6], np.int32)
    np.testing.assert_allclose(cache_probs(events, 10**30, 4), cache_probs(events, 3, 4))
