"""Records of the binary layout are found where words hold spaces, which it has no mark for."""

import io

import numpy as np
import pytest

from lmstudio.formats.vectors.binary_records import Ahead, NoEnd, records

SIZE = 6
PLAIN = ["北京", "a", "上海", "b", "的"]
ODD = ["the", "New York", "\u200babc", "San Jose", "a\xa0b", "Los Angeles", "c\u3000d", "el Niño"]
SPACED = ["my name", "北京", "new  york", " ", "上海", "las vegas"]


def packed(words, *, end=b"", encoding="utf-8"):
    vectors = np.random.default_rng(3).normal(size=(len(words), SIZE)).astype("<f4")
    found = [
        (word.encode(encoding), row.tobytes()) for word, row in zip(words, vectors, strict=True)
    ]
    return found, b"".join(word + b" " + row + end for word, row in found)


def read(octets, count):
    return list(records(Ahead(io.BytesIO(octets)), count, 4 * SIZE))


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["nothing", "line end"])
@pytest.mark.parametrize(
    ("words", "encoding"), [(PLAIN, "utf-8"), (SPACED, "utf-8"), (PLAIN, "gb18030"),
     (ODD, "utf-8"), (["São Paulo", "São Tomé", "é", "a b", "à"], "latin-1")],
    ids=["plain", "spaces", "gb18030", "unseen", "latin-1"],
)  # fmt: skip
def test_words_are_found(words, encoding, end):
    found, octets = packed(words, end=end, encoding=encoding)
    assert read(octets, len(words)) == found
    assert read(octets[: -2 * SIZE], len(words)) == found[:-1]  # cut off
    assert read(octets, 2) == found[:2]


def test_many_words_beyond_a_block():
    """Any number in a vector may hold the byte of a space."""
    words = [f"词{n} x" if n % 7 == 0 else f"词{n}" for n in range(60_000)]
    found, octets = packed(words)
    assert read(octets, len(words)) == found


@pytest.mark.parametrize("octets", [b"", b"\n", b"no space", b"x" * 20_000 + b" "],
                         ids=["empty", "line end", "word", "endless"])  # fmt: skip
def test_what_is_no_record_ends_it(octets):
    assert read(octets, 3) == []


def test_numbers_of_odd_size_do_not_shift_what_follows():
    words = ["a b", "New York", "c"]
    rows = np.random.default_rng(3).normal(size=(3, SIZE)).astype("<f4")
    rows[0, 2], rows[1, 4] = np.nan, 1e-20
    octets = b"".join(w.encode() + b" " + r.tobytes() for w, r in zip(words, rows, strict=True))
    assert [word.decode() for word, _ in read(octets, 3)] == words


def test_a_word_that_ends_nowhere_is_told():
    odd = np.full(SIZE, 1e-20, "<f4").tobytes()
    with pytest.raises(NoEnd) as caught:
        read(b"New York " + odd + b"\1\2\3 " + odd, 2)
    assert caught.value.args == (b"New",)
