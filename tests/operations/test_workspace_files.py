"""A whole workspace goes into one file and is opened from it elsewhere, without its trash."""

import json
import shutil
import sqlite3
import zipfile

import pytest

from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    dictionaries,
    evaluation,
    runs,
    segmentations,
    training,
    workspace_files,
)
from lmstudio.operations.run_recorder import LOGGED_TO
from lmstudio.store import findings
from lmstudio.store.workspace import Workspace
from tests.operations.families import network
from tests.operations.test_hostile_run_files import rewritten

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def full(workspace, tmp_path):
    """A text of a strange name, a network, a dictionary, a finding, and something in the trash."""
    source = tmp_path / "语料 测试#1 100%25.tmp"
    source.write_text(TEXT, encoding="utf-8")
    corpora.import_files(workspace, [source], name="短文", job=Job())
    options = segmentations.SegmentOptions(by="characters")
    cut = segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id
    training.train(workspace, cut, network("lstm"), name="网", job=Job())
    training.train(workspace, cut, network("lstm"), name="秘密的网", job=Job())
    dictionaries.add(workspace, "我的", "天安门")
    findings.add(workspace.db, "fill", "题", {}, {})
    runs.delete(workspace, "秘密的网")
    return workspace


def packed(ws, path):
    workspace_files.export_workspace(ws, path, job=Job())
    return path


def test_it_opens_elsewhere_with_all_there_is(full, tmp_path):
    path = packed(full, tmp_path / "包 一.zip")
    names = zipfile.ZipFile(path).namelist()
    assert "corpora/1/source/语料 测试#1 100%25.tmp" in names
    assert not [name for name in names if name.startswith(("trash", "workspace.lock"))]
    folder = workspace_files.unpack_workspace(path, tmp_path / "那里" / "打开", job=Job())
    assert [run["name"] for run in runs.runs(full)] == ["网"]
    with Workspace(folder) as there:
        assert runs.runs(there) == runs.runs(full)
        assert dictionaries.words(there, "我的") == dictionaries.words(full, "我的")
        assert findings.findings(there.db) == findings.findings(full.db)
        assert evaluation.evaluate(there, "网", "train", job=Job()) == evaluation.evaluate(
            full, "网", "train", job=Job()
        )
        training.continue_run(there, "网", max_steps=4, job=Job())
        assert there.run("网").step == 8
        assert there.next_id("run") == 2
    assert sorted(p.name for p in folder.parent.iterdir()) == ["打开"]


def test_what_was_deleted_does_not_go_with_it(full, tmp_path):
    path = packed(full, tmp_path / "a.zip")
    zipfile.ZipFile(path).extract("workspace.db", tmp_path)
    data = (tmp_path / "workspace.db").read_bytes()
    assert "短文".encode() in data
    assert "秘密".encode() not in data


def test_an_empty_folder_is_taken_a_full_one_is_not(full, tmp_path):
    path = packed(full, tmp_path / "a.zip")
    (tmp_path / "empty").mkdir()
    workspace_files.unpack_workspace(path, tmp_path / "empty", job=Job())
    assert (tmp_path / "empty" / "workspace.db").exists()
    with pytest.raises(AppError, match="not empty"):
        workspace_files.unpack_workspace(path, tmp_path / "empty", job=Job())
    with pytest.raises(AppError, match="not empty"):
        workspace_files.unpack_workspace(path, path, job=Job())


def test_a_place_in_another_workspace_is_refused(full, tmp_path):
    path = packed(full, tmp_path / "a.zip")
    (tmp_path / "link").symlink_to(full.folder)
    for place in (full.folder / "new", full.folder / "runs" / "9", tmp_path / "link" / "x" / "y"):
        with pytest.raises(AppError, match="Choose a folder outside it"):
            workspace_files.unpack_workspace(path, place, job=Job())
        assert not place.exists()


def test_a_run_that_is_trained_and_a_place_inside_are_refused(full, tmp_path):
    with pytest.raises(AppError, match="Choose a folder outside it"):
        packed(full, full.folder / "a.zip")
    (tmp_path / "link").symlink_to(full.folder)
    with pytest.raises(AppError, match="Choose a folder outside it"):
        packed(full, tmp_path / "link" / "a.zip")
    full.update_run(1, state="running")
    with pytest.raises(AppError, match="being trained"):
        packed(full, tmp_path / "a.zip")


@pytest.fixture(scope="module")
def one_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("file")
    with Workspace(folder / "w") as ws:
        corpora.import_text(ws, TEXT, name="短文", job=Job())
        return packed(ws, folder / "w.zip")


def refused(path, target, sentence):
    with pytest.raises(AppError, match=sentence):
        workspace_files.unpack_workspace(path, target, job=Job())
    assert not list(target.parent.iterdir())


def with_database(path, data):
    """The file with another database, and a manifest that is right about it."""
    with zipfile.ZipFile(path, "a") as inside:
        inside.writestr("rows.json", "{}")
    manifest = json.loads(zipfile.ZipFile(path).read("manifest.json"))
    assert manifest["kind"] == "workspace"
    return rewritten(path, lambda _, entries: entries.update({"workspace.db": data}))


def test_a_newer_database_and_one_that_is_none_are_refused(one_file, tmp_path):
    target = tmp_path / "into" / "folder"
    target.parent.mkdir()
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("create table corpus (id)")
    newer.execute("pragma user_version = 99")
    newer.commit()
    newer.close()
    bodies = {"newer version": (tmp_path / "newer.db").read_bytes(), "damaged": b"no database" * 99}
    for sentence, data in bodies.items():
        path = with_database(shutil.copy(one_file, tmp_path / f"{sentence}.zip"), data)
        refused(path, target, sentence)
    cut_off = tmp_path / "cut.zip"
    cut_off.write_bytes(one_file.read_bytes()[:-100])
    refused(cut_off, target, "damaged or cut off")


def test_a_stop_leaves_nothing(one_file, tmp_path):
    class Stopped(Job):
        left = 5

        def check(self):
            self.left -= 1
            if self.left < 0:
                self.cancel()
            super().check()

    home = tmp_path / "into"
    home.mkdir()
    with pytest.raises(Cancelled):
        workspace_files.unpack_workspace(one_file, home / "folder", job=Stopped())
    assert not list(home.iterdir())
    with Workspace(tmp_path / "w") as ws:
        corpora.import_text(ws, TEXT, name="短文", job=Job())
        with pytest.raises(Cancelled):
            workspace_files.export_workspace(ws, home / "a.zip", job=Stopped())
    assert not list(home.iterdir())


def test_curves_are_not_written_to_folders_of_another_computer(full, tmp_path):
    full.update_run(1, facts=full.run(1).facts | {LOGGED_TO: "../elsewhere"})
    path = packed(full, tmp_path / "a.zip")
    with Workspace(workspace_files.unpack_workspace(path, tmp_path / "x", job=Job())) as there:
        assert LOGGED_TO not in there.run(1).facts
