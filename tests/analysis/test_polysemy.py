"""A word in sentences: the mean of its pieces in each layer, as the model alone has it."""

from dataclasses import replace

import numpy as np
import pytest

from lmstudio.analysis import occurrence_vectors
from lmstudio.analysis.asked import answering
from lmstudio.analysis.clusters import adjusted_rand, silhouette
from lmstudio.analysis.polysemy import grouped, polysemy
from lmstudio.data.browse.uses import Occurrence, typed
from lmstudio.data.token_preview import pieces_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained

MODELS = ["rnn", "gru", "lstm", "elmo", "gpt", "bert"]
TEXTS = ["a b a", "c b d a", "b", "d d b c a a", "a c b"]
WORDS = [Occurrence(text, text.index("b"), text.index("b") + 1, sense)
         for text, sense in zip(TEXTS, ["x", "y", "x", "", "y"], strict=True)]  # fmt: skip


def by_hand(asked, word):
    """(L + 1, D): from the layers of the sentence alone."""
    model = answering(asked, job=Job())
    pieces = model.pieces(word.text, job=Job())
    layers = model.model.layers(np.array([piece.id for piece in pieces]))
    inside = [n + 1 for n, p in enumerate(pieces) if p.start < word.end and p.end > word.start]
    return layers[:, inside].mean(1)


@pytest.mark.parametrize("family", MODELS)
def test_groups_are_those_of_the_vectors_of_each_layer(family, tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, family)
    found = polysemy(asked, WORDS, 2, job=Job())
    vectors = np.stack([by_hand(asked, word) for word in WORDS], 1).astype(float)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    assert len(found.layers) == len(vectors)
    for layer, points in zip(found.layers[1:], vectors[1:], strict=True):
        assert layer.groups == 2
        assert layer.silhouette == pytest.approx(silhouette(points, layer.labels), abs=1e-5)
        cosines = points @ points.T
        assert layer.likeness == pytest.approx(cosines[~np.eye(5, dtype=bool)].mean(), abs=1e-5)
        senses, known = np.array(["x", "y", "x", "", "y"]), [0, 1, 2, 4]
        agreement = adjusted_rand(layer.labels[known], senses[known])
        assert layer.agreement == pytest.approx(agreement)
        apart = silhouette(points[known], senses[known])
        assert layer.sense_silhouette == pytest.approx(apart, abs=1e-5)


def test_the_look_up_table_has_one_point(tmp_path, monkeypatch):
    found = polysemy(untrained(tmp_path, monkeypatch, "bert"), WORDS, job=Job())
    table = found.layers[0]
    assert table.groups == 1
    assert np.isnan(table.silhouette)
    assert table.likeness == pytest.approx(1)
    assert np.ptp(table.points, axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert found.best > 0
    assert found.pieces.tolist() == [1] * 5
    assert (found.wider, found.unknown) == (0, 0)


def test_a_word_of_several_pieces_is_their_mean(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")
    words = [Occurrence("a c b d", 2, 5), Occurrence("c b", 0, 3), Occurrence("d c b a", 2, 5)]
    found = polysemy(asked, words, 2, job=Job())
    assert found.pieces.tolist() == [2, 2, 2]
    vectors = np.stack([by_hand(asked, word)[-1] for word in words])
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = [np.linalg.norm(units[i] - units[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    seen = [np.linalg.norm(found.layers[-1].points[i] - found.layers[-1].points[j])
            for i, j in ((0, 1), (0, 2), (1, 2))]  # fmt: skip
    assert seen == pytest.approx(distances, abs=1e-5)  # three points lie in one plane


def test_a_token_may_be_longer_than_the_word_and_unknown(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "gpt")
    words = [Occurrence("a bb", 2, 3), Occurrence("a b", 2, 3), Occurrence("x b", 2, 3)]
    found = polysemy(asked, words, 2, job=Job())
    assert (found.wider, found.unknown) == (1, 1)


def test_what_holds_no_piece_is_in_no_group(tmp_path, monkeypatch):
    words = [*WORDS, Occurrence("a  b", 1, 3)]  # white space, which is dropped
    found = polysemy(untrained(tmp_path, monkeypatch, "lstm"), words, 2, job=Job())
    assert found.pieces[-1] == 0
    assert found.layers[-1].labels[-1] == -1
    assert np.isnan(found.layers[-1].points[-1]).all()


def test_of_a_sentence_longer_than_the_window_what_is_near_is_read(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")  # a window of 16
    long = "a " * 40 + "b" + " c" * 40
    words = [
        Occurrence(long, 80, 81),
        Occurrence("b a", 0, 1),
        Occurrence("a " * 60 + "b", 120, 121),
    ]
    found = polysemy(asked, words, 2, job=Job())
    assert found.pieces.tolist() == [1, 1, 1]
    assert np.isfinite(found.layers[-1].points).all()


def test_a_sentence_that_holds_the_word_often_is_cut_and_read_once(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")  # a window of 16
    read = []
    model = answering(asked, job=Job()).model
    layers_of = model.layers_of
    monkeypatch.setattr(model, "layers_of", lambda rows, sizes: read.extend(sizes)
                        or layers_of(rows, sizes))  # fmt: skip
    cut = []
    monkeypatch.setattr(occurrence_vectors, "pieces_of", lambda texts, *rest, **job:
                        cut.extend(texts) or pieces_of(texts, *rest, **job))  # fmt: skip
    short = [Occurrence("a b b b a", place, place + 1) for place in (2, 4, 6)]
    polysemy(asked, short, 2, job=Job())
    assert (len(cut), len(read)) == (1, 1)
    long = "d c b a " * 50
    found = polysemy(asked, typed("b", [long]), 2, job=Job())
    assert cut[1:] == [long]
    assert len(read) - 1 < 10  # 50 words, in stretches that begin alike
    assert found.pieces.tolist() == [1] * 50


@pytest.mark.parametrize(("size", "most"), [(200, 14), (200, 510), (40, 5), (9, 1)])
def test_a_stretch_holds_its_word_near_the_middle(size, most):
    for length in range(1, min(most, size) + 1):
        for first in range(size - length + 1):
            start = occurrence_vectors._stretch(size, range(first, first + length), most)
            assert 0 <= start <= first
            assert first + length <= start + most
            if most < size and start not in (0, size - most):
                assert abs(first + length / 2 - start - most / 2) <= most / 8 + 1


def test_the_number_of_groups_is_the_best_or_the_one_asked_for():
    generator = np.random.default_rng(0)
    heaps = np.repeat(np.eye(4)[:3] * 8, 10, 0) + generator.normal(size=(30, 4))
    senses = np.repeat(["x", "y", "z"], 10)
    free = grouped(heaps, senses, 0, job=Job())
    assert free.groups == 3
    assert free.silhouette == max(free.tried.values())
    assert free.agreement == 1
    assert grouped(heaps, senses, 5, job=Job()).groups == 5
    assert np.isnan(grouped(heaps, np.repeat("", 30), 0, job=Job()).agreement)
    assert np.isnan(grouped(heaps, np.repeat("x", 30), 0, job=Job()).agreement)


def test_refusals(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")
    with pytest.raises(AppError, match="two sentences"):
        polysemy(asked, WORDS[:1], job=Job())
    for groups in (1, 7):
        with pytest.raises(AppError, match="2 to 6"):
            polysemy(asked, WORDS, groups, job=Job())


def test_the_same_occurrences_are_read_once(tmp_path, monkeypatch):
    asked = untrained(tmp_path, monkeypatch, "bert")
    first = polysemy(asked, WORDS, 2, job=Job())
    model = answering(asked, job=Job()).model
    monkeypatch.setattr(model, "layers_of", None)  # would fail if it were asked again
    marked = [replace(word, sense="y") for word in WORDS[:3]] + WORDS[3:]
    again = polysemy(asked, marked, 3, job=Job())
    assert again.layers[1].groups == 3
    assert (polysemy(asked, WORDS, 2, job=Job()).layers[2].labels == first.layers[2].labels).all()
