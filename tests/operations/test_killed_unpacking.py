"""What a killed unpacking left beside its target is taken away by the next one, nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from lmstudio.files import folder_beside
from lmstudio.jobs import Job
from lmstudio.operations import corpora, workspace_files
from lmstudio.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from lmstudio.jobs import Job
from lmstudio.operations import workspace_files
workspace_files._forget_places = lambda ws: os.kill(os.getpid(), signal.SIGKILL)
workspace_files.unpack_workspace(Path(sys.argv[1]), Path(sys.argv[2]), job=Job())
"""


@pytest.fixture
def packed(workspace, tmp_path):
    corpora.import_text(workspace, "我爱北京。\n" * 9, name="c", job=Job())
    workspace_files.export_workspace(workspace, tmp_path / "w.zip", job=Job())
    return tmp_path / "w.zip"


def unpacked(packed, target):
    """The names beside the target, which is a workspace now."""
    workspace_files.unpack_workspace(packed, target, job=Job())
    with Workspace(target) as ws:
        assert [row.name for row in ws.corpora()] == ["c"]
    return sorted(path.name for path in target.parent.iterdir())


def test_what_a_kill_left_is_removed(packed, tmp_path):
    target = tmp_path / "there" / "opened"
    done = subprocess.run([sys.executable, "-c", KILLED, packed, target], cwd=ROOT, check=False,
                          timeout=120)  # fmt: skip
    assert done.returncode == -9
    assert [path.suffix for path in target.parent.iterdir()] == [".tmp", ".tmp"]
    assert unpacked(packed, target.with_name("another"))[0] == "another"
    assert len(list(target.parent.iterdir())) == 3  # it was of another target
    assert unpacked(packed, target) == ["another", "opened"]


def test_what_lives_and_what_is_not_ours_stays(packed, tmp_path):
    target = tmp_path / "there" / "opened"
    strange = [target.with_name(name) for name in ("opened.0123abcd.tmp", "opened.mine.tmp")]
    for folder in strange:
        folder.mkdir(parents=True)
    target.with_name("opened.mine.lock.tmp").touch()
    with folder_beside(target) as living:
        (living / "text").touch()
        before = {path.name for path in target.parent.iterdir()}
        assert set(unpacked(packed, target)) == {"opened", *before}
        assert [path.name for path in living.iterdir()] == ["text"]
