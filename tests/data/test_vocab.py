"""Which types a vocabulary keeps, and under which ids."""

import numpy as np
import pytest

from lmstudio.data.vocab import Vocabulary, choose
from lmstudio.errors import AppError

WORDS = ["b", "a", "c", "<unk>", "d"]
COUNTS = np.array([2, 2, 5, 3, 0])


def test_ids_by_falling_count_then_code_point():
    vocabulary = choose(WORDS, COUNTS, sentences=4)
    assert vocabulary.types == ["<unk>", "<s>", "</s>", "c", "a", "b"]
    assert vocabulary.counts.tolist() == [3, 0, 4, 5, 2, 2]
    assert (vocabulary.rows, vocabulary.size) == (6, 5)
    assert vocabulary.encode(["b", "d", "<unk>"]).tolist() == [5, 0, 0]
    assert (vocabulary.id_of("a"), vocabulary.id_of("x"), vocabulary.type_of(3)) == (4, 0, "c")


def test_minimum_count_and_size():
    assert choose(WORDS, COUNTS, sentences=1, min_count=3).types[3:] == ["c"]
    limited = choose(WORDS, COUNTS, sentences=1, max_size=2)
    assert limited.types[3:] == ["c", "a"]
    assert limited.counts.tolist() == [5, 0, 1, 5, 2]


def test_saved_and_loaded(tmp_path):
    made = choose(["𠮷", "\u2028"], np.array([1, 1]), sentences=1)
    made.save(tmp_path)
    loaded = Vocabulary.load(tmp_path)
    assert (loaded.types, loaded.counts.tolist()) == (made.types, made.counts.tolist())


def test_no_token_in_train_is_refused():
    with pytest.raises(AppError, match="train part"):
        choose(["a"], np.array([0]), sentences=0)
