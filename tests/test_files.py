"""What is written is whole, and takes the place of nothing but a file."""

import os
import tempfile
from pathlib import Path

import pytest

from lmstudio.errors import AppError
from lmstudio.files import unwritten, usual_rights, written, written_folder


def test_a_file_takes_the_place_of_a_file(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("one", "two"):
        with written(path) as temporary:
            temporary.write_text(text)
    assert path.read_text() == "two"


def test_folders_are_refused_before_anything_is_written(tmp_path):
    for path in (tmp_path, Path(), Path("/")):
        with pytest.raises(IsADirectoryError), written(path):
            pytest.fail("nothing should be written")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files on Windows")
def test_pipes_and_devices_are_never_replaced(tmp_path):
    """A pipe stands for /dev/full, which a test must not put at risk; links count as their ends."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(AppError, match="cannot be written"), unwritten(path), written(path):
            pytest.fail("nothing should be written")
        assert path.is_fifo()


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_stay_links(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for text in ("one", "two"):
        with written(tmp_path / "link") as temporary:
            temporary.write_text(text)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "two"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_what_is_made_has_the_rights_of_any_new_file_and_folder(tmp_path):
    (tmp_path / "plain").mkdir()
    with written_folder(tmp_path / "made") as folder:
        (folder / "a").write_text("plain")
        with usual_rights(folder / "b"):
            handle, hidden = tempfile.mkstemp(dir=folder)
            os.close(handle)
            os.replace(hidden, folder / "b")  # as safetensors writes
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "made" / "b").stat().st_mode == (tmp_path / "made" / "a").stat().st_mode
    assert {path.name for path in tmp_path.iterdir()} == {"plain", "made"}
