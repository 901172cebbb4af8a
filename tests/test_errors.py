"""What no code can prevent is told in a sentence, by its number or by what libraries make of it."""

import errno
import os

import pytest

from lmstudio.errors import refusal


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EFBIG, os.strerror(errno.EFBIG)), "FAT32"),
        (RuntimeError("Error while serializing: I/O error: File too large (os error 27)"), "FAT32"),
        (RuntimeError("I/O error: Disk quota exceeded (os error 122)"), "The disk is full"),
        (RuntimeError("I/O error: Nicht genug Platz auf dem Datentr\u00e4ger. (os error 112)"),
         "The disk is full"),
    ],
    ids=["number", "safetensors", "quota", "windows"],
)  # fmt: skip
def test_a_disk_that_takes_no_more_is_told(error, said):
    assert said in str(refusal(error))


def test_what_is_a_bug_stays_one():
    assert refusal(RuntimeError("os error 1125")) is None
