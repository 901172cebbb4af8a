"""Vector files: two layouts of word2vec, GloVe's, and what is wrong with those people share."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.formats.vectors.vector_file import SPACE, read_vectors, write_vectors
from lmstudio.jobs import Job

WORDS = ["北京", "的", "3.14", "a", "上海"]
VECTORS = np.arange(15, dtype=np.float32).reshape(5, 3) / 7


def read(path):
    return read_vectors(path, job=Job())


def notes(found):
    return [(note.sentence.split("{")[0], note.values.get("count")) for note in found.notes]


@pytest.mark.parametrize("binary", [False, True])
def test_what_is_written_is_read_again(tmp_path, binary):
    path = tmp_path / "vectors"
    assert write_vectors(path, WORDS, VECTORS, binary=binary, job=Job()) == []
    found = read(path)
    assert found.words == WORDS
    assert (found.vectors == VECTORS).all()
    assert found.notes == []


def test_case_e5_words_with_spaces(tmp_path, cases):
    found = read(cases / "e_w2v_spaces.txt")
    assert found.words == ["北京", "my name", " ", "上海"]
    assert found.vectors.shape == (4, 3)
    assert found.vectors[1].tolist() == [0, 1, 0]
    assert found.vectors[2].tolist() == [0, 0, 1]
    (told,) = write_vectors(tmp_path / "again.txt", found.words, found.vectors, job=Job())
    assert told.values == {"count": 2, "mark": SPACE}
    again = read(tmp_path / "again.txt")
    assert again.words == ["北京", f"my{SPACE}name", SPACE, "上海"]
    assert (again.vectors == found.vectors).all()


def test_numbers_may_stand_between_tabs(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"2\t3\na\t1\t2\t3\nb\t4\t5\t6\n")
    found = read(path)
    assert found.words == ["a", "b"]
    assert found.vectors.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_glove_has_no_first_line(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("the 0.5 1 -2\n. . . 1 2 3\n2 1 2 3\n", encoding="utf-8")
    found = read(path)
    assert found.words == ["the", ". . .", "2"]
    assert found.vectors.tolist() == [[0.5, 1, -2], [1, 2, 3], [1, 2, 3]]


def test_binary_without_line_ends_and_packed(tmp_path):
    path = tmp_path / "vectors.bin.gz"
    rows = b"".join(w.encode() + b" " + v.astype("<f4").tobytes()
                    for w, v in zip(WORDS, VECTORS, strict=True))  # fmt: skip
    path.write_bytes(gzip.compress(b"5 3\n" + rows))
    found = read(path)
    assert found.words == WORDS
    assert (found.vectors == VECTORS).all()


def test_what_is_broken_is_left_out_and_told(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"6 2\na 1 2\nb 1\na 3 4\n\xff\xfe 5 6\nc x y\n\nd 7 8\n")
    found = read(path)
    assert found.words == ["a", "\ufffd\ufffd", "d"]
    assert found.vectors.tolist() == [[1, 2], [5, 6], [7, 8]]
    assert [count for _, count in notes(found)] == [2, 1, 1]


def test_a_binary_file_that_ends_early(tmp_path):
    whole = tmp_path / "whole"
    write_vectors(whole, WORDS, VECTORS, binary=True, job=Job())
    path = tmp_path / "cut"
    path.write_bytes(whole.read_bytes()[:-20])
    found = read(path)
    assert found.words == WORDS[:4]
    assert [count for _, count in notes(found)] == [1]


def test_a_binary_file_that_goes_on_says_so(tmp_path):
    path = tmp_path / "vectors"
    write_vectors(path, WORDS, VECTORS, binary=True, job=Job())
    path.write_bytes(path.read_bytes().replace(b"5 3", b"4 3", 1) + b"\n")
    found = read(path)
    assert found.words == WORDS[:4]
    assert notes(found) == [("The file goes on after the number of vectors that its first line "
                             "says; the rest was not read.", None)]  # fmt: skip


def test_a_binary_word_that_ends_nowhere_is_refused(tmp_path):
    path = tmp_path / "vectors.bin"
    odd = np.full(3, 1e-20, "<f4").tobytes()
    path.write_bytes(b"2 3\nNew York " + odd + b"\1\2\3 " + odd)
    with pytest.raises(AppError, match="Word 1 of vectors.bin begins with New"):
        read(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("pickle", b"\x80\x04\x95rest", "pickle"),
        ("numpy", b"PK\x03\x04rest", "pickle"),
        ("empty", b"", "no vectors"),
        ("prose", "没有数字的一行\n".encode(), "no vectors"),
        ("huge", b"99999999999 300\n", "cannot be"),
        ("wide", b"2 99999999999\n", "cannot be"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AppError, match=said):
        read(path)


def test_glove_is_written_without_a_first_line(tmp_path):
    path = tmp_path / "glove.txt"
    write_vectors(path, WORDS, VECTORS, header=False, job=Job())
    assert path.read_text("utf-8").startswith("北京 0.0 0.14285715 0.2857143\n")
    found = read(path)
    assert (found.words, found.vectors.tolist()) == (WORDS, VECTORS.tolist())


def test_values_that_are_no_numbers_and_empty_words_are_left_out(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"\xef\xbb\xbf4 2\r\na 1 2\r\nb nan 2\r\nc inf 2\r\n 3 4\r\nd\t5 6\r\n")
    found = read(path)
    assert found.words == ["a", "d"]
    assert notes(found) == [("", 3)]


def test_a_text_that_ends_early_says_so(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"20000000 3\na 1 2 3\nb 1 2")
    assert notes(read(path)) == [("", 1), ("The file ends ", 19_999_998)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 134\n", "Git LFS"),
        (b"1099511627776 100\nx", "cannot be"),
        (b"20000000 100000\na \x00\x01", "is cut off"),
        (b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.6\t\xe6\x88\x91\t-0.1\n-0.6\ta\n", "no vectors"),
        (gzip.compress(b"2 2\na 1 2\nb 3 4\n")[:-9], "cannot be unpacked"),
    ],
    ids=("pointer", "promises", "cut binary", "arpa", "cut gz"),
)  # fmt: skip
def test_what_is_no_file_of_vectors(tmp_path, content, said):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(AppError, match=said):
        read(path)


def test_a_device_without_end_is_not_read():
    if not Path("/dev/null").is_char_device():
        pytest.skip("no such devices here")
    with pytest.raises(AppError, match="not a plain file"):
        read(Path("/dev/null"))
