"""N-gram files: the same model again, and a plain sentence for every file that is none."""

import json
import struct

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.formats import ngram_file
from lmstudio.models.config import SMOOTHINGS, ClassNgramConfig
from lmstudio.models.ngram.class_model import ClassNgramModel
from lmstudio.models.ngram.spelling import Speller
from tests.models.ngram.texts import TINY, Text, ignore


@pytest.fixture
def path(tmp_path):
    """A file with a model."""
    path = tmp_path / "model.ngram"
    ngram_file.save(path, Text(TINY).fit(3))
    return path


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 3, 6])
def test_round_trip(tmp_path, smoothing, order):
    text = Text(TINY)
    model = text.fit(order, smoothing, k=0.3)
    ngram_file.save(tmp_path / "m", model)
    again = ngram_file.load(tmp_path / "m")
    assert again.config == model.config
    np.testing.assert_array_equal(again.logprobs(text.stream), model.logprobs(text.stream))
    np.testing.assert_array_equal(again.next_probs(np.array([3])), model.next_probs(np.array([3])))


def test_classes_round_trip(tmp_path):
    text = Text(TINY)
    config = ClassNgramConfig(order=2, classes=2)
    model = ClassNgramModel.fit(text.stream, text.rows, config, ignore)[0]
    ngram_file.save(tmp_path / "m", model)
    for again in (ngram_file.load_classes(tmp_path / "m"), ngram_file.load_either(tmp_path / "m")):
        assert again.config == config
        np.testing.assert_array_equal(again.logprobs(text.stream), model.logprobs(text.stream))
    with pytest.raises(AppError, match="not an n-gram file"):
        ngram_file.load(tmp_path / "m")


def test_speller_round_trip(tmp_path):
    speller = Speller.fit(["北京", "上海", "京"], ignore)
    ngram_file.save_speller(tmp_path / "s", speller)
    again = ngram_file.load_speller(tmp_path / "s")
    assert again.bits("海京x") == speller.bits("海京x")


def test_arrays_are_mapped_not_read(path):
    assert isinstance(ngram_file.load(path).lookup.keys[0].base, (memoryview, np.memmap))


def test_cut_files_are_refused_at_any_length(path):
    whole = path.read_bytes()
    for size in [*range(0, 40), len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(AppError, match=r"not an n-gram file|damaged"):
            ngram_file.load(path)


def test_garbled_headers_are_refused(path):
    whole = path.read_bytes()
    _, _, length = struct.unpack("<8sII", whole[:16])
    header = json.loads(whole[16 : 16 + length])
    for change in (
        {"arrays": {}},
        {"arrays": {"keys2": ["<i8", 10**15, 0]}},
        {"arrays": {"keys2": ["|O", 1, 0]}},
        {"config": {"order": 99}},
        {"size": "large"},
    ):
        text = json.dumps(header | change).encode().ljust(length)
        path.write_bytes(
            struct.pack("<8sII", b"LMWNGRAM", 1, len(text)) + text + whole[16 + length :]
        )
        with pytest.raises(AppError, match="damaged"):
            ngram_file.load(path)


def test_foreign_newer_missing_and_other_kinds_say_what_they_are(path, tmp_path):
    for other in (ngram_file.load_speller, ngram_file.load_classes):
        with pytest.raises(AppError, match="not an n-gram file"):
            other(path)
    path.write_bytes(b"PK\x03\x04 something else entirely")
    with pytest.raises(AppError, match="not an n-gram file"):
        ngram_file.load(path)
    path.write_bytes(struct.pack("<8sII", b"LMWNGRAM", 2, 0))
    with pytest.raises(AppError, match="newer version"):
        ngram_file.load(path)
    with pytest.raises(AppError, match="missing"):
        ngram_file.load(tmp_path / "nothing.ngram")
