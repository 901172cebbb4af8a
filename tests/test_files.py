"""What is written is whole, and takes the place of nothing but a file."""

import os
import tempfile
from pathlib import Path

import pytest

from lmstudio.errors import AppError
from lmstudio.files import DATABASE, unwritten, usual_rights, written, written_folder


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


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("there", [True, False], ids=["empty", "new"])
def test_links_to_folders_stay_links(tmp_path, there):
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    if there:
        (tmp_path / "folder").mkdir()
    with written_folder(tmp_path / "link") as temporary:
        (temporary / "a").touch()
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "folder", "link"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("how", [written, written_folder], ids=["file", "folder"])
@pytest.mark.parametrize("name", ["loop", "loop/x"], ids=["itself", "above"])
def test_a_link_to_itself_is_told(tmp_path, how, name):
    (tmp_path / "loop").symlink_to("loop")
    path = tmp_path / name
    with pytest.raises(AppError, match="cannot be written"), unwritten(path), how(path):
        pytest.fail("nothing should be written")
    assert [one.name for one in tmp_path.iterdir()] == ["loop"]


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


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_what_is_called_as_temporary_files_are_is_left_alone(tmp_path):
    own, victim = tmp_path / "b.txt.tmp", tmp_path / "victim"
    own.write_text("mine")
    victim.write_text("whole")
    (tmp_path / "c.txt.tmp").symlink_to(victim)
    (tmp_path / "d.txt.tmp").mkdir()
    for name in "bcd":
        with written(tmp_path / f"{name}.txt") as temporary:
            assert temporary.suffix == ".tmp"  # what a program that died left is swept away
            temporary.write_text(name)
        assert (tmp_path / f"{name}.txt").read_text() == name
        assert not (tmp_path / f"{name}.txt").is_symlink()
    assert (own.read_text(), victim.read_text()) == ("mine", "whole")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_a_file_has_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    with written(tmp_path / "made") as temporary:
        temporary.write_text("text")
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["a" * 251 + ".txt", "语" * 85], ids=["letters", "characters"])
def test_the_longest_names_can_be_written(tmp_path, name):
    with written(tmp_path / name) as temporary:
        temporary.write_text("text")
    assert (tmp_path / name).read_text() == "text"
    (tmp_path / name).unlink()
    with written_folder(tmp_path / name) as folder:
        (folder / "a").touch()
    assert [path.name for path in tmp_path.rglob("*")] == [name, "a"]


def test_in_a_workspace_only_the_program_writes(tmp_path):
    database, outside = tmp_path / "w" / DATABASE, tmp_path / "x.csv"
    database.parent.mkdir()
    database.write_text("rows")
    for path in (database, tmp_path / "w" / "a.csv", tmp_path / "w" / "runs" / "1" / "a.csv"):
        with pytest.raises(AppError, match="Choose a folder outside it"), unwritten(path):
            pytest.fail("nothing should be written")
    with unwritten(outside), written(outside) as temporary:
        temporary.write_text("text")
    with unwritten(tmp_path / "w" / "a", own=True), written(tmp_path / "w" / "a") as temporary:
        temporary.write_text("text")
    with pytest.raises(AppError), unwritten(database, own=True), written(database):
        pytest.fail("nothing should be written")
    assert database.read_text() == "rows"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_into_a_workspace_is_in_it(tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / DATABASE).write_text("rows")
    (tmp_path / "folder").symlink_to(tmp_path / "w")
    (tmp_path / "link").symlink_to(tmp_path / "w" / DATABASE)
    for path in (tmp_path / "folder" / "a", tmp_path / "link"):
        with pytest.raises(AppError, match="Choose a folder outside it"), unwritten(path):
            pytest.fail("nothing should be written")
