"""Maps of words: which are on them, how they are grouped, and how they came about in training."""

import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from lmstudio.analysis import word_groups, word_map
from lmstudio.analysis.film import film
from lmstudio.analysis.word_map import MapOptions, map_of, umap_missing
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training import snapshots
from tests.analysis.embedding_models import trained


def vectors_of(count, zero=()):
    table = np.random.default_rng(1).normal(size=(count, 8))
    table[list(zero)] = 0
    counts = np.arange(count, 0, -1)
    return WordVectors.of([f"w{number}" for number in range(count)], table, counts)


@pytest.mark.parametrize("count", [1, 2])
def test_case_g1_too_few_words_are_told(count):
    with pytest.raises(AppError, match="A map needs 3 words at least, and there are"):
        map_of(vectors_of(9), MapOptions("tsne"), ["w1", "w2"][:count], job=Job())


@pytest.mark.parametrize("method", ["pca", "tsne"])
@pytest.mark.parametrize("count", [3, 5, 29, 31])
def test_case_g1_some_words_have_a_map(method, count):
    chosen = [f"w{number}" for number in range(count)]
    found = map_of(vectors_of(40), MapOptions(method), chosen, job=Job())
    assert found.words == chosen
    assert np.isfinite(found.places).all()
    if method == "tsne":
        assert 1 <= found.layout.perplexity < count


def test_the_most_frequent_words_with_a_direction_are_shown():
    found = map_of(vectors_of(20, zero=[2]), MapOptions(words=6, min_count=16), job=Job())
    assert found.words == ["w0", "w1", "w3", "w4"]
    assert found.undefined == ["w2"]


def test_tsne_of_too_many_words_is_refused(monkeypatch):
    monkeypatch.setattr(word_map, "MOST_TSNE", 10)
    with pytest.raises(AppError, match="10 words at most"):
        map_of(vectors_of(20), MapOptions("tsne"), job=Job())


@pytest.mark.skipif(umap_missing() is None, reason="umap-learn is installed")
def test_umap_that_is_not_installed_says_what_to_do():
    with pytest.raises(AppError, match="pip install umap-learn"):
        map_of(vectors_of(20), MapOptions("umap"), job=Job())


@pytest.mark.parametrize(
    ("count", "asked"),
    [(5, {"n_neighbors": 4, "init": "random"}), (40, {"n_neighbors": 15, "init": "spectral"})],
    ids=["few", "many"],
)
def test_umap_is_asked_for_cosines_of_as_many_neighbours_as_there_are(monkeypatch, count, asked):
    """A stand-in of the package: half the perplexity is what UMAP calls neighbours."""
    told = {}

    class Umap:
        def __init__(self, **settings):
            told.update(settings)

        def fit_transform(self, units):
            told["lengths"] = np.linalg.norm(units, axis=1)
            return units[:, :2].astype(np.float64)

    package = ModuleType("umap")
    package.UMAP = Umap
    package.__spec__ = ModuleSpec("umap", None)
    monkeypatch.setitem(sys.modules, "umap", package)
    assert umap_missing() is None
    found = map_of(vectors_of(count), MapOptions("umap"), job=Job())
    np.testing.assert_allclose(told.pop("lengths"), 1, rtol=1e-5)
    assert told == asked | {"metric": "cosine", "random_state": word_map.SEED}
    assert found.places.shape == (count, 2)
    assert found.places.dtype == np.float32
    np.testing.assert_array_equal(found.places, vectors_of(count).units[:, :2])


def test_clusters_are_named_by_a_word_of_theirs(tmp_path):
    asked = trained(tmp_path, "lstm")
    words = [*"abcdefg", "none"]
    found = word_groups.clusters(asked, words, 0, 3, job=Job())
    assert found.labels[-1] == -1
    assert len(found.names) == 3
    for group, name in enumerate(found.names):
        assert found.labels[words.index(name)] == group


def test_only_the_largest_groups_are_told_apart():
    names = [str(number) for number in range(20) for _ in range(number)] + [""]
    found = word_groups._largest(names)
    assert found.names == [str(number) for number in range(19, 11, -1)]
    assert found.labels[-1] == found.labels[0] == -1


def test_all_steps_of_a_film_lie_in_the_plane_of_the_last(tmp_path):
    asked = trained(tmp_path, "gpt", max_steps=9)
    found = film(asked.segmentation_folder, asked.run_folder, job=Job())
    assert found.steps == [0, 3, 6, 9]
    assert found.places.shape == (4, 7, 2)
    table = word_vectors(asked, 0, job=Job())
    best = snapshots.read(asked.run_folder).snapshots[-1].vectors.astype(np.float32)
    units = best / np.linalg.norm(best, axis=1, keepdims=True)
    centred = units - units.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(found.places[-1]), np.abs(centred @ axes[:2].T), atol=1e-3)
    assert sorted(found.words) == sorted(table.words)
    first = snapshots.read(asked.run_folder).snapshots[0].vectors.astype(np.float32)
    first = first / np.linalg.norm(first, axis=1, keepdims=True) - units.mean(axis=0)
    np.testing.assert_allclose(np.abs(found.places[0]), np.abs(first @ axes[:2].T), atol=1e-3)


def test_a_run_without_snapshots_has_an_empty_film(tmp_path):
    asked = trained(tmp_path, "rnn")
    (asked.run_folder / snapshots.VECTORS).unlink()
    assert film(asked.segmentation_folder, asked.run_folder, job=Job()).steps == []


def test_the_map_of_a_run_is_that_of_its_vectors(tmp_path):
    asked, options = trained(tmp_path, "bert"), MapOptions(words=5)
    found = word_map.word_map(asked, options, job=Job())
    same = map_of(word_vectors(asked, 0, job=Job()), options, job=Job())
    np.testing.assert_array_equal(found.places, same.places)
    deep = word_map.word_map(asked, replace(options, layer=2), job=Job())
    assert not np.allclose(found.places, deep.places)
