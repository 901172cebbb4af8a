"""Similarity of layers, positions, terms of the input, both directions: against sums by hand."""

import math

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.input_terms import input_terms
from lmstudio.analysis.layer_similarity import adjacent, among, layer_similarity
from lmstudio.analysis.logit_lens import lens
from lmstudio.analysis.position_vectors import cosines, position_vectors
from lmstudio.analysis.two_directions import two_directions
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained

TEXT, IDS = "b c x a", np.array([4, 5, 0, 3])


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A run of a variant, and its model."""

    def make(variant: str, **config):
        asked = untrained(tmp_path, monkeypatch, variant, **config)
        return asked, answering(asked, job=Job()).model

    return make


def cosine(one, two) -> float:
    dot = sum(float(a) * float(b) for a, b in zip(one, two, strict=True))
    return dot / math.sqrt(sum(float(a) ** 2 for a in one) * sum(float(b) ** 2 for b in two))


@pytest.mark.parametrize("variant", ["lstm", "elmo", "bert", "gpt"])
def test_adjacent_layers_by_hand(made, variant):
    asked, model = made(variant)
    found, streams = layer_similarity(asked, TEXT, job=Job()), model.streams(IDS)
    layers, size, _ = streams.shape
    assert len(found.tokens) == size
    assert found.cosines.shape == (layers - 1, size)
    for layer, place in np.ndindex(*found.cosines.shape):
        expected = cosine(streams[layer, place], streams[layer + 1, place])
        assert found.cosines[layer, place] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(found.means, found.cosines.mean(1))
    for layer in range(layers):
        pairs = [cosine(streams[layer, i], streams[layer, j])
                 for i in range(size) for j in range(size) if i != j]  # fmt: skip
        assert found.apart[layer] == pytest.approx(np.mean(pairs), abs=1e-9)
    assert next(found.rows()) == (1, 0, "<s>", found.cosines[0, 0])


def test_a_vector_without_direction_has_no_cosine():
    streams = np.array([[[0.0, 0], [3, 4]], [[1, 0], [4, 3]]])
    np.testing.assert_allclose(adjacent(streams), [[np.nan, 0.96]])
    assert np.isnan(among(streams)[0])
    assert among(streams)[1] == pytest.approx(0.8)


@pytest.mark.parametrize("variant", ["bert", "gpt"])
def test_positions_are_compared_with_sinusoids(made, variant):
    asked, model = made(variant)
    found, table = position_vectors(asked, job=Job()), model.position_table()
    assert (found.kind, found.window) == ("learned", 16)
    assert found.own[3, 9] == pytest.approx(cosine(table[3], table[9]), abs=1e-6)
    angles = [1 / 10_000 ** (2 * n / 8) for n in range(4)]  # sin a sin b + cos a cos b
    expected = sum(math.cos(6 * angle) for angle in angles) / 4
    assert found.waves[3, 9] == pytest.approx(expected, abs=1e-6)
    by_distance = found.by_distance(found.waves)
    assert by_distance[6] == pytest.approx(expected, abs=1e-6)
    assert found.lengths[2] == pytest.approx(np.sqrt((table[2] ** 2).sum()))
    off = ~np.eye(16, dtype=bool)
    assert found.agreement() == pytest.approx(np.corrcoef(found.own[off], found.waves[off])[0, 1])
    assert list(found.rows())[16 * 3 + 9][:2] == (3, 9)


def test_sinusoids_agree_with_themselves_and_none_has_nothing_to_show(made):
    found = position_vectors(made("gpt", positions="sinusoidal")[0], job=Job())
    np.testing.assert_allclose(found.own, found.waves, atol=1e-6)
    assert found.agreement() == pytest.approx(1)
    found = position_vectors(made("gpt", positions="none")[0], job=Job())
    assert (found.kind, found.own, found.lengths) == ("none", None, None)
    assert math.isnan(found.agreement())
    assert next(found.rows()) == (0, 0, None, pytest.approx(1))


def test_a_position_without_direction_is_like_no_other():
    np.testing.assert_array_equal(cosines(np.array([[0.0, 0], [2, 0]])), [[0, 0], [0, 1]])


@pytest.mark.parametrize("variant", ["bert", "gpt"])
def test_the_terms_are_the_input(made, variant):
    asked, model = made(variant)
    found = input_terms(asked, TEXT, job=Job())
    added = sum(found.values[name] for name in ("token", "position", "segment")
                if name in found.values)  # fmt: skip
    np.testing.assert_allclose(added, found.values["sum"], atol=1e-6)
    read = found.values["norm" if variant == "bert" else "sum"]
    np.testing.assert_allclose(read, model.streams(IDS)[0], atol=1e-6)
    np.testing.assert_allclose(found.values["token"][1], model.layers(IDS)[0, 1])
    shares = found.shares()
    np.testing.assert_allclose(sum(shares.values()), 1)
    token, total = found.values["token"][2].astype(float), found.values["sum"][2].astype(float)
    assert shares["token"][2] == pytest.approx(token @ total / (total @ total))
    assert found.lengths()["sum"][2] == pytest.approx(math.sqrt(total @ total), rel=1e-5)
    place, text, name, component, value = next(found.rows())
    assert (place, text, name, component) == (0, "<s>", "token", 1)
    assert value == found.values["token"][0, 0]


def test_a_blank_has_a_vector_too(made):
    asked, model = made("bert")
    found = input_terms(asked, "a [MASK]", job=Job())
    mask = model.module.embedding.weight[-1].detach().numpy()
    np.testing.assert_array_equal(found.values["token"][2], mask)


@pytest.mark.parametrize("variant", ["elmo", "elmo, joint"])
def test_both_directions_read_towards_each_other(made, variant):
    asked, model = made(variant)
    found = two_directions(asked, TEXT, job=Job())
    assert found.tokens == ["<s>", "b", "c", "x", "a", "</s>"]
    both = np.concatenate([found.forward, found.backward], 2)
    np.testing.assert_allclose(both, model.layers(IDS), atol=1e-6)
    other = model.streams(np.array([4, 5, 0, 6]))  # another last word
    np.testing.assert_allclose(found.forward[:, :4], other[:, :4, :8], atol=1e-6)
    assert not np.allclose(found.backward[-1, :4], other[-1, :4, 8:])
    if variant == "elmo, joint":
        assert found.before is found.behind is None
    else:
        before = lens(asked, TEXT, side="before", job=Job())
        np.testing.assert_array_equal(found.before.probs, before.probs)
        assert [row[0] for row in found.rows()][:1] == ["before"]
    for column in range(4):
        own = model.fill_probs(IDS, column)
        assert found.both.truth_probs[-1, column] == pytest.approx(own[IDS[column]], abs=1e-6)


def test_models_that_cannot_answer_say_so(made):
    lstm, _ = made("lstm")
    for question in (two_directions, input_terms):
        with pytest.raises(AppError, match="lstm cannot answer this"):
            question(lstm, TEXT, job=Job())
    with pytest.raises(AppError, match="it is no transformer"):
        position_vectors(lstm, job=Job())
    ffnn, _ = made("ffnn")
    with pytest.raises(AppError, match="no vectors of words"):
        layer_similarity(ffnn, TEXT, job=Job())
