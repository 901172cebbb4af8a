"""Files are found and read, or refused with a reason."""

import gzip
import os
from pathlib import Path

import pytest

from lmstudio.text.read import (
    DecodeError,
    OpenFile,
    ReadError,
    files_in,
    sample,
    shown,
    text_chunks,
)  # fmt: skip


def read(path, encoding="utf-8"):
    with OpenFile(path) as file:
        return "".join(text_chunks(file, encoding))


def reasons(refused):
    return {refusal.name: str(refusal.reason) for refusal in refused}


def test_folders_are_searched_in_sorted_order(tmp_path):
    for name in ("b.txt", "a/2.md", "a/1.txt", ".hidden.txt", ".git/x.txt", "c.TXT", "d.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("字")
    taken, refused = files_in([tmp_path])
    names = [file.relative_to(tmp_path).as_posix() for file in taken]
    assert names == ["a/1.txt", "a/2.md", "b.txt", "c.TXT"]
    assert ".txt, .md, .csv" in reasons(refused)["d.png"]


def test_links_in_a_circle_end(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_text("字")
    try:
        (tmp_path / "a" / "back").symlink_to(tmp_path, target_is_directory=True)
        (tmp_path / "a" / "nowhere.txt").symlink_to(tmp_path / "gone")
    except OSError:
        pytest.skip("no links here")
    taken, refused = files_in([tmp_path, tmp_path / "a" / "1.txt"])
    assert taken == [tmp_path / "a" / "1.txt"]
    assert "cannot be opened" in reasons(refused)["nowhere.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    taken, refused = files_in([tmp_path, tmp_path / "gone.txt", tmp_path / "a\0.txt"])
    assert not taken
    assert reasons(refused)["pipe.txt"] == "This is not a file."
    assert "cannot be opened" in reasons(refused)["gone.txt"]


def test_packed_text_is_unpacked(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("中文\n".encode()))
    assert read(tmp_path / "a.txt.gz") == "中文\n"


SHORT = gzip.compress(b"text" * 999, mtime=0)[:-9]  # the same at every collection


@pytest.mark.parametrize("data", [b"no gzip", SHORT, b"\x1f\x8b\x08"])
def test_a_damaged_gz_is_refused(tmp_path, data):
    (tmp_path / "a.gz").write_bytes(data)
    with pytest.raises(ReadError, match="damaged"):
        read(tmp_path / "a.gz")


def test_a_bad_byte_is_named_and_nothing_is_replaced(tmp_path):
    data = ("中" * 100_000).encode() + b"\xff\xfe" + "文".encode()
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(DecodeError, match="Byte 300000 is not utf-8") as caught:
        read(tmp_path / "a.txt")
    assert caught.value.position == 300_000


def test_a_half_character_at_the_end_is_named(tmp_path):
    (tmp_path / "a.txt").write_bytes("中文".encode("gb18030")[:-1])
    with pytest.raises(DecodeError, match="Byte 2 is not gb18030"):
        read(tmp_path / "a.txt", "gb18030")


def test_text_of_any_name_can_be_given_but_folders_are_searched_by_name(tmp_path):
    (tmp_path / "gold.utf8").write_text("中文", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    given = [tmp_path / "gold.utf8", tmp_path / "picture.png"]
    taken, refused = files_in(given)
    assert taken == given[:1]
    assert set(reasons(refused)) == {"picture.png"}
    assert files_in([tmp_path])[0] == []


def test_a_sample_says_whether_it_is_all(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"12345")
    assert sample(tmp_path / "a.txt", 5) == (b"12345", True)
    assert sample(tmp_path / "a.txt", 4) == (b"1234", False)


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_can_be_shown(tmp_path):
    path = tmp_path / os.fsdecode(b"\xf0name.txt")
    assert shown(path) == "\\xf0name.txt"


def test_a_name_with_control_characters_is_shown_without():
    assert shown(Path("a\n\x1b[31mb\x9b.txt")) == "a__[31mb_.txt"
