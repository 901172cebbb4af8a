"""ARPA files: the exact figures of two small ones, and what is written reads the same."""

import contextlib
import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.errors import AppError
from lmstudio.formats import arpa, arpa_reading
from lmstudio.jobs import Job
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from lmstudio.models.ngram.smoothing.backoff import Backoff
from tests.models.ngram.texts import TINY, Text

CASES = Path(__file__).parents[1] / "data" / "cases"
BACKOFF = [name for name, kind in SMOOTHINGS.items() if issubclass(kind, Backoff) and kind.proper]


_WEIGHED = "\\data\\\nngram 1=1\n\\1-grams:\n-1 a {}\n\\end\\"


@pytest.mark.parametrize("name", ["c_bigram_lf.arpa", "c_bigram_crlf.arpa"])
def test_case_c4_line_ends_do_not_matter(name):
    read = arpa_reading.load(CASES / name, job=Job())
    assert read.notes == []
    for line, expected in (("我 爱 你", 2.378414), ("我 爱 我", 3.600205), ("你 爱 他", 7.200410)):
        logprobs = read.model.logprobs(read.stream([line]))
        assert math.exp(-logprobs.mean()) == pytest.approx(expected, abs=1e-5)
    assert math.exp(-logprobs[[0, 1, 3]].mean()) == pytest.approx(5.768998, abs=1e-5)
    love = read.types.index("爱")
    assert read.model.next_probs(np.array([love]))[read.types.index("我")] == pytest.approx(1 / 7)
    for context in ([], [love], [0], [3, 4]):
        assert read.model.next_probs(np.array(context, np.int32)).sum() == pytest.approx(1)


@pytest.mark.parametrize("smoothing", BACKOFF)
def test_what_is_written_reads_the_same(tmp_path, smoothing):
    text = Text(["a b a c", "b a b", "a", "c c a b", "爱 a 爱"])
    model = text.fit(4, smoothing)
    path = tmp_path / "model.arpa"
    arpa.save(path, model, text.types, job=Job())
    read = arpa_reading.load(path, job=Job())
    assert read.types == text.types
    assert read.model.sizes == model.sizes
    stream = text.encode(["a b c a 爱", "c x b", ""])
    np.testing.assert_allclose(read.model.logprobs(stream), model.logprobs(stream), atol=2e-5)


def test_words_of_any_length_read_the_same(tmp_path):
    text = Text(["a 中华人民 b", "a 中华人民共和国 " + "很" * 30, "中 华 人 a b 中华人民共和国 a"])
    model = text.fit(3)
    path = tmp_path / "model.arpa"
    arpa.save(path, model, text.types, job=Job())
    read = arpa_reading.load(path, job=Job())
    assert read.types == text.types
    np.testing.assert_allclose(
        read.model.logprobs(text.stream), model.logprobs(text.stream), atol=2e-5
    )


def test_words_that_the_format_has_no_way_for(tmp_path):
    text, path = Text(["a b"]), tmp_path / "model.arpa"
    types = [*text.types[:3], "\0", "a\u3000b\0c"]
    arpa.save(path, text.fit(2), types, job=Job())
    assert arpa_reading.load(path, job=Job()).types[3:] == ["\u2581", "a\u2581b\u2581c"]


def test_words_that_are_called_like_the_unknown_one_stay_words(tmp_path):
    text, path = Text(["UNK a [UNK] b <UNK>", "a UNK b"]), tmp_path / "model.arpa"
    model = text.fit(3)
    arpa.save(path, model, text.types, job=Job())
    read = arpa_reading.load(path, job=Job())
    assert read.types == text.types
    stream = read.stream(["UNK a [UNK] b <UNK>", "x"])
    np.testing.assert_array_equal(stream, text.encode(["UNK a [UNK] b <UNK>", "x"]))
    np.testing.assert_allclose(read.model.logprobs(stream), model.logprobs(stream), atol=2e-5)


def test_another_name_counts_where_there_is_no_unk(tmp_path):
    path = tmp_path / "other.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1 a\n-99 <s>\n-2 UNK\n-3 <UNK>\n-1 </s>\n\n"
        "\\2-grams:\n-0.5 a UNK\n-0.3 a <UNK>\n\n\\end\\\n", encoding="utf-8"
    )  # fmt: skip
    read = arpa_reading.load(path, job=Job())
    assert (read.types, read.notes) == (["<unk>", "<s>", "</s>", "a", "UNK"], [])
    logs = read.model.logprobs(read.stream(["a x", "a <UNK>", "a UNK"])) / math.log(10)
    assert logs == pytest.approx([-1, -0.3, -1, -1, -0.3, -1, -1, -0.5, -1], abs=1e-5)


def test_words_that_are_written_alike_stay_two(tmp_path):
    text, path = Text(["a b c"]), tmp_path / "model.arpa"
    types = [*text.types[:3], "x y", "x\u2581y", "x\u3000y"]
    arpa.save(path, text.fit(2), types, job=Job())
    read = arpa_reading.load(path, job=Job())
    assert read.types[3:] == ["x\u2581y", "x\u2581y\u2581", "x\u2581y\u2581\u2581"]


@given(st.floats(-98, 98, allow_nan=False).map(np.float64))
def test_decimals(value):
    row = arpa._decimals(np.array([value]))[0]
    assert float(row[row != 0].tobytes()) == pytest.approx(value, abs=5.1e-7)


def test_a_pruned_file_whose_ends_are_missing(tmp_path):
    """By hand: of `b c d` neither `c d` nor `b c` stands in the file."""
    path = tmp_path / "pruned.arpa.gz"
    lines = ["\\data\\", "ngram 1=5", "ngram 2=1", "ngram 3=2", "", "\\1-grams:", "-1 </s>",
             "-99 <s> -0.5", "-1 b -0.2", "-1 c -0.3", "-1 d -0.4", "", "\\2-grams:",
             "-0.7 d b -0.1", "", "\\3-grams:", "-0.01 b c d", "-0.02 c c d", "",
             "\\end\\"]  # fmt: skip
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    read = arpa_reading.load(path, job=Job())
    assert [str(note) for note in read.notes] == [arpa_reading.NO_UNKNOWN]
    logs = read.model.logprobs(read.stream(["b c d b c d"])) / math.log(10)
    assert logs == pytest.approx([-1.5, -1.2, -0.01, -0.7, -1 - 0.1 - 0.2, -0.01, -1.4], abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("\\data\\\nngram 1=1\n\\1-grams:\n0.5 a\n\\end\\", "line 4: A log probability is above 0"),
        ("\\data\\\nngram 1=1\n\\1-grams:\n-1 a b c\n\\end\\", "line 4: There are too few"),
        ("\\data\\\nngram 1=1\n\\1-grams:\nx a\n\\end\\", "line 4: A probability or weight"),
        ("\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n", "ends too early"),
        ("\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a\n\\2-grams:\n-1 a b\n\\end\\", "line 7"),
        ("\\data\\\nngram 2=1\n\\1-grams:\n", "line 2: The orders"),
        (_WEIGHED.format("nan"), "line 4: A probability or weight is not a number"),
        (_WEIGHED.format("inf"), "line 4: A back-off weight is too large"),
        (_WEIGHED.format("1e30"), "line 4: A back-off weight is too large"),
        (_WEIGHED.replace("-1", "nan"), "line 4: A probability or weight is not a number"),
        ("\\data\\\nngram 1=" + "9" * 5000, "line 2: A size or an order has too many digits"),
        ("\\data\\\nngram " + "1" * 5000 + "=1", "line 2: A size or an order has too many"),
        ("\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n\\" + "2" * 5000 + "-grams:", "line 5: A size"),
        ("hello", "is not an ARPA file"),
        ("", "is not an ARPA file"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, wrong, told):
    path = tmp_path / "wrong.arpa"
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(AppError, match=told):
        arpa_reading.load(path, job=Job())


def test_rounding_above_0_is_let_pass(tmp_path):
    path = tmp_path / "rounded.arpa"
    path.write_text(_WEIGHED.format("0.3").replace("-1 a", "0.00001 a"), encoding="utf-8")
    read = arpa_reading.load(path, job=Job())
    assert read.model.next_probs(np.array([], np.int32))[3] == 1


def test_damaged_gz_files_are_refused(tmp_path):
    path = tmp_path / "model.arpa.gz"
    text = Text(TINY)
    arpa.save(tmp_path / "model.arpa", text.fit(3), text.types, job=Job())
    whole = gzip.compress((tmp_path / "model.arpa").read_bytes(), mtime=0)
    flipped = [whole[:n] + bytes([whole[n] ^ 0xFF]) + whole[n + 1 :] for n in range(len(whole))]
    for wrong in (*(whole[:n] for n in (1, 12, len(whole) // 2, len(whole) - 1)), *flipped[10:]):
        path.write_bytes(wrong)  # the sum at the end, too, which comes after the last n-gram
        with pytest.raises(AppError):
            arpa_reading.load(path, job=Job())
    for wrong in flipped[:10]:  # a bit of the head may say little
        path.write_bytes(wrong)
        with contextlib.suppress(AppError):
            assert arpa_reading.load(path, job=Job()).types == text.types


def test_what_cannot_be_written_is_said(tmp_path):
    text = Text(TINY)
    model, kept = text.fit(2), set(tmp_path.iterdir())
    (tmp_path / "file").touch()
    for place in (tmp_path, Path(), tmp_path / "file" / "x.arpa"):
        with pytest.raises(AppError, match="cannot be written"):
            arpa.save(place, model, text.types, job=Job())
    assert set(tmp_path.iterdir()) - kept == {tmp_path / "file"}


def test_a_header_that_miscounts_is_only_noted(tmp_path):
    path = tmp_path / "model.arpa"
    arpa.save(path, Text(TINY).fit(2), Text(TINY).types, job=Job())
    path.write_text(
        path.read_text(encoding="utf-8").replace("ngram 1=8", "ngram 1=9"), encoding="utf-8"
    )
    read = arpa_reading.load(path, job=Job())
    assert str(read.notes[0]) == "The header promises 9 1-grams, but there are 8."


def test_smoothings_without_weights_are_refused(tmp_path):
    for smoothing in ("add-k", "maximum-likelihood", "good-turing", "stupid-backoff"):
        with pytest.raises(AppError, match="back-off weights"):
            arpa.save(tmp_path / "x", Text(TINY).fit(2, smoothing), Text(TINY).types, job=Job())
    assert not list(tmp_path.iterdir())
