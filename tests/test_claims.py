"""What a killed process left beside what it wrote goes with the next one, nothing else does."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from lmstudio.files import folder_beside, written, written_folder

ROOT = Path(__file__).resolve().parents[1]
KILLED = """
import os, signal, sys
from pathlib import Path
from lmstudio import files
with getattr(files, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary / "a" if temporary.is_dir() else temporary).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
HOW = pytest.mark.parametrize("how", [written, written_folder], ids=["file", "folder"])


def again(how, path):
    """Write it whole."""
    with how(path) as temporary:
        (temporary / "a" if temporary.is_dir() else temporary).write_text("whole")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@HOW
def test_the_next_one_removes_what_a_kill_left(tmp_path, how):
    target = tmp_path / "模型.out"
    done = subprocess.run([sys.executable, "-c", KILLED, how.__name__, target], cwd=ROOT,
                          check=False, timeout=60)  # fmt: skip
    assert done.returncode == -9
    half, lock = sorted(names(tmp_path), key=len)
    assert lock == half.removesuffix(".tmp") + ".lock.tmp"
    again(how, tmp_path / "模型")  # another target
    assert names(tmp_path) == sorted(["模型", half, lock])
    again(how, target)
    assert names(tmp_path) == ["模型", "模型.out"]


@HOW
def test_what_lives_and_what_no_lock_shows_to_be_ours_stays(tmp_path, how):
    strange = {"a.0123abcd.tmp", "a.x.tmp", "a.x.lock.tmp", "a.lock.tmp"}
    for name in strange:
        (tmp_path / name).write_text("mine")
    with folder_beside(tmp_path / "a") as living:
        again(how, tmp_path / "a")
        assert living.exists()
        assert len(names(tmp_path)) == len(strange) + 3
    assert set(names(tmp_path)) == {"a", *strange}
    assert all((tmp_path / name).read_text() == "mine" for name in strange)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_what_a_link_leads_to_stays(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "text").write_text("mine")
    (tmp_path / "a.0123abcd.tmp").symlink_to(tmp_path / "mine")
    (tmp_path / "a.0123abcd.lock.tmp").touch()
    again(written, tmp_path / "a")
    assert names(tmp_path) == ["a", "mine"]
    assert names(tmp_path / "mine") == ["text"]


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "no locks"), NotImplementedError()],
                         ids=["disk", "system"])  # fmt: skip
def test_where_there_are_no_locks_files_are_written_all_the_same(tmp_path, monkeypatch, error):
    def refuse(*_args, **_how):
        raise error

    monkeypatch.setattr(FileLock, "acquire", refuse)
    again(written, tmp_path / "a")
    assert names(tmp_path) == ["a"]


def test_nothing_is_left_of_a_block_that_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), folder_beside(tmp_path / "a") as folder:
        (folder / "text").write_text(str(1 // 0))
    assert names(tmp_path) == []
