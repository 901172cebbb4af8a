"""N-gram files: the same model again, and a plain sentence for every file that is none."""

import contextlib
import json
import struct

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.formats import ngram_file
from lmstudio.formats.ngram_file import MAGIC
from lmstudio.jobs import Job
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


def altered(path, **change):
    """Rewrite the header of a file, as a file without sums; None takes a name out."""
    whole = path.read_bytes()
    _, _, length = struct.unpack("<8sII", whole[:16])
    header = json.loads(whole[16 : 16 + length])
    header |= {"header_sum": None, "sums": None} | change
    kept = {name: value for name, value in header.items() if value is not None}
    text = json.dumps(kept).encode().ljust(length)
    path.write_bytes(struct.pack("<8sII", MAGIC, 1, len(text)) + text + whole[16 + length :])
    return header


def test_garbled_headers_are_refused(path):
    whole = path.read_bytes()
    arrays = altered(path)["arrays"]
    assert ngram_file.load(path).sizes[0] == 8  # without sums it is one of an older version
    short = {name: [kind, size - 1, at] for name, (kind, size, at) in arrays.items()}
    for change in (
        *({"arrays": arrays | {name: short[name]}} for name in arrays),
        {"arrays": {}}, {"arrays": []}, {"arrays": "x"}, {"arrays": {"keys2": 1}},
        {"arrays": {"keys2": ["<i8", 10**15, 0]}},
        {"arrays": {"keys2": ["|O", 1, 0]}},
        {"arrays": arrays | {"keys2": ["<i8", -1, 0]}},
        {"arrays": arrays | {"keys2": ["<f8", *arrays["keys2"][1:]]}},
        {"config": {"order": 99}}, {"config": {"order": 2}}, {"config": {"order": "3"}},
        {"config": {}}, {"config": []}, {"config": "x"}, {"config": {"order": 3, "x": 1}},
        {"size": "large"}, {"size": []}, {"rows": 7}, {"rows": 9}, {"rows": "8"}, {"rows": 8.0},
        {"rows": -1}, {"arrays": None}, {"config": None}, {"size": None}, {"rows": None},
        {"kind": None}, {"header_sum": 1}, {"header_sum": "x"}, {"sums": {}}, {"sums": [1]},
        {"sums": dict.fromkeys(arrays, 1)},
    ):  # fmt: skip
        path.write_bytes(whole)
        altered(path, **change)
        with pytest.raises(AppError, match="damaged"):
            ngram_file.load(path)


@pytest.mark.parametrize("kind", ["null", "[]", "3", '"x"', "{}", "{", '{"kind": ["model"]}'])
def test_headers_that_are_something_else_are_refused(path, kind):
    path.write_bytes(struct.pack("<8sII", MAGIC, 1, len(kind)) + kind.encode() + bytes(64))
    with pytest.raises(AppError, match=r"damaged|not an n-gram file"):
        ngram_file.load(path)


def test_no_byte_may_be_wrong(path):
    whole = path.read_bytes()
    length = struct.unpack("<8sII", whole[:16])[2]
    for number in range(0, len(whole), 7):
        path.write_bytes(whole[:number] + bytes([whole[number] ^ 0x55]) + whole[number + 1 :])
        ngram_file._sound.clear()
        with contextlib.suppress(AppError):
            ngram_file.load(path)
            assert number >= 16 + length - 64  # only what fills up between arrays may be
    path.write_bytes(whole)
    ngram_file.load(path)


def test_large_files_are_checked_when_they_are_read_as_a_whole(path, monkeypatch):
    monkeypatch.setattr(ngram_file, "CHECKED", 100)
    ngram_file.check(path, job=Job())
    whole = path.read_bytes()
    at = whole.rindex(struct.pack("<f", ngram_file.load(path).smoothing.backoffs[-1][-1]))
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    ngram_file._sound.clear()
    ngram_file.load(path)
    with pytest.raises(AppError, match="damaged"):
        ngram_file.check(path, job=Job())


def test_keys_out_of_range_are_refused_without_sums_too(path):
    whole = path.read_bytes()
    keys = [table.copy() for table in ngram_file.load(path).lookup.keys]  # not mapped
    altered(path)
    header = path.read_bytes()
    for table in keys:
        for place, value in ((0, -1), (1, int(table[0])), (len(table) - 1, 10**9)):
            wrong = table.copy()
            wrong[place] = value
            assert whole.count(table.tobytes()) == 1
            path.write_bytes(header.replace(table.tobytes(), wrong.tobytes()))
            ngram_file._sound.clear()
            with pytest.raises(AppError, match="damaged"):
                ngram_file.load(path)


def test_classes_out_of_range_are_refused(tmp_path):
    text, path = Text(TINY), tmp_path / "m"
    config = ClassNgramConfig(order=2, classes=2)
    model = ClassNgramModel.fit(text.stream, text.rows, config, ignore)[0]
    for number in (-1, 7):
        model.class_of = model.class_of.copy()
        model.class_of[4] = number
        ngram_file.save(path, model)
        with pytest.raises(AppError, match="damaged"):
            ngram_file.load_classes(path)


def test_folders_say_what_they_are(tmp_path):
    with pytest.raises(AppError, match=r"cannot be read|missing"):
        ngram_file.load(tmp_path)


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
