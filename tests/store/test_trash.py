"""What is deleted can be had back whole, however it was deleted and whatever came in between."""

import subprocess
import sys
from pathlib import Path

import pytest

from lmstudio.errors import AppError, WorkspaceError
from lmstudio.store import findings, tags, trash
from lmstudio.store.workspace import Workspace
from tests.store.test_workspace import add_corpus, add_run

EVERY = (*trash.TABLES, "tag")


def rows(ws):
    """Everything that lives, by table."""
    return {table: sorted(map(tuple, ws.db.rows(f"select * from {table}"))) for table in EVERY}


def files(ws):
    """Every file that is not of the database, with what is in it."""
    found = (path for path in ws.folder.rglob("*")
             if path.is_file() and not path.name.startswith("workspace."))  # fmt: skip
    return {path.relative_to(ws.folder).as_posix(): path.read_bytes() for path in found}


def fill(ws):
    """Two corpora, each with a run; the second run began with the first; all have files."""
    made = [add_run(ws, name) for name in ("first", "second")]
    ws.db.connection.execute("update run set parent = ? where id = ?", (made[0].id, made[1].id))
    for run in made:
        ws.update_run(run.id, state="done", facts={"steps": run.id})
        ws.add_metrics(run.id, [(step, step / 7, "loss", 1 / (step + 3)) for step in range(9)])
        ws.set_evaluation(run.id, "test", {"perplexity": 0.1 + 0.2})
        tags.set_tags(ws.db, "run", run.id, ["课堂"])
        cut = ws.segmentation(run.segmentation_id)
        for folder in (ws.run_folder(run.id), ws.segmentation_folder(cut.id),
                       ws.corpus_folder(cut.corpus_id)):  # fmt: skip
            (folder / "里").mkdir(parents=True)
            (folder / "里" / "文件").write_text(f"{folder.parent.name} of {run.name}", "utf-8")
    findings.add(ws.db, "fill", "题", {"text": "天"}, {"first": 1})
    return made


@pytest.mark.parametrize(
    ("noun", "gone"),
    [("corpus", 3), ("segmentation", 2), ("run", 1), ("finding", 0)],
)
def test_what_was_deleted_comes_back_whole(workspace, noun, gone):
    fill(workspace)
    before, kept = rows(workspace), files(workspace)
    number = trash.put(workspace, noun, 1)
    assert workspace.db.row(f"select 1 from {noun} where id = 1") is None
    live = {path for path in files(workspace) if not path.startswith("trash/")}
    assert len(kept) - len(live) == gone
    (one,) = trash.deleted(workspace.db)
    assert (one.id, one.noun, one.ids[noun]) == (number, noun, [1])
    assert trash.restore(workspace, number) == one
    assert rows(workspace) == before
    assert files(workspace) == kept
    assert trash.deleted(workspace.db) == []
    assert not list((workspace.folder / "trash").iterdir())


def test_every_table_that_goes_with_something_deleted_is_kept(workspace):
    """A table that a migration adds must be named in TABLES, or its rows would be lost."""
    tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
    names = [row[0] for row in workspace.db.rows(tables)]
    cascading = {name for name in names
                 for key in workspace.db.rows(f"pragma foreign_key_list({name})")
                 if key["on_delete"] == "CASCADE"}  # fmt: skip
    own = {"trash", "trashed", "trashed_parent"}
    assert set(names) - own == set(EVERY)
    assert cascading - own <= set(trash.TABLES)


def test_an_id_in_the_trash_is_not_given_again(tmp_path):
    with Workspace(tmp_path / "w") as ws:
        fill(ws)
        trash.put(ws, "corpus", 2)
        trash.put(ws, "finding", 1)
    with Workspace(tmp_path / "w") as ws:
        assert [ws.next_id(noun) for noun in ("corpus", "segmentation", "run")] == [3, 3, 3]
        assert findings.add(ws.db, "fill", "另", {}, {}) == 2
        trash.empty(ws)
        assert ws.next_id("run") == 3


def test_a_name_that_was_taken_meanwhile_gets_a_number(workspace):
    add_corpus(workspace)
    number = trash.put(workspace, "corpus", 1)
    add_corpus(workspace)
    trash.restore(workspace, number)
    assert [row.name for row in workspace.corpora()] == ["红楼梦 2", "红楼梦"]


def test_a_run_remembers_what_it_began_with_in_any_order(workspace):
    fill(workspace)
    before = rows(workspace)
    for order in ((1, 2), (2, 1)):
        for back in ((1, 2), (2, 1)):
            numbers = {run: trash.put(workspace, "run", run) for run in order}
            for run in back:
                trash.restore(workspace, numbers[run])
            assert rows(workspace) == before, (order, back)


def test_what_it_stood_on_must_be_there(workspace):
    fill(workspace)
    run, cut = trash.put(workspace, "run", 1), trash.put(workspace, "segmentation", 1)
    with pytest.raises(AppError, match="first stood on of first, which is deleted too"):
        trash.restore(workspace, run)
    trash.restore(workspace, cut)
    trash.restore(workspace, run)
    run, cut = trash.put(workspace, "run", 1), trash.put(workspace, "segmentation", 1)
    trash.empty(workspace, [cut])
    with pytest.raises(AppError, match="What first stood on is deleted for good"):
        trash.restore(workspace, run)
    assert [one.id for one in trash.deleted(workspace.db)] == [run]


def test_emptying_leaves_nothing(workspace):
    fill(workspace)
    trash.put(workspace, "corpus", 1)
    trash.put(workspace, "run", 2)
    trash.empty(workspace)
    assert trash.deleted(workspace.db) == []
    assert {path.split("/")[0] for path in files(workspace)} == {"corpora", "segmentations"}
    with pytest.raises(AppError, match="nothing with the number 1"):
        trash.restore(workspace, 1)


@pytest.mark.parametrize("damage", ["missing", "garbage", "tables"])
def test_damaged_rows_are_told_and_leave_all_as_it_is(workspace, damage):
    fill(workspace)
    number = trash.put(workspace, "run", 1)
    path = workspace.folder / "trash" / str(number) / "rows.db"
    path.unlink()
    if damage == "garbage":
        path.write_bytes(b"no database" * 1000)
    elif damage == "tables":
        path.write_bytes(b"")
    before = files(workspace)
    with pytest.raises((AppError, WorkspaceError), match="rows.db .*damaged"):
        trash.restore(workspace, number)
    assert files(workspace) == before
    assert len(trash.deleted(workspace.db)) == 1


def test_a_column_that_is_newer_than_what_was_deleted_takes_its_default(workspace):
    fill(workspace)
    number = trash.put(workspace, "run", 1)
    workspace.db.connection.execute("alter table run add column hue text not null default 'red'")
    trash.restore(workspace, number)
    assert workspace.db.row("select hue from run where id = 1")[0] == "red"


def test_a_folder_in_use_is_moved_when_the_workspace_is_opened(tmp_path, monkeypatch):
    """As on systems where a file that is open cannot be renamed."""

    def refused(*_):
        raise PermissionError(13, "in use")

    with Workspace(tmp_path / "w") as ws:
        fill(ws)
        kept = files(ws)
        with monkeypatch.context() as patch:
            patch.setattr(trash.os, "replace", refused)
            number = trash.put(ws, "run", 1)
        assert (ws.run_folder(1) / "里" / "文件").exists()
    with Workspace(tmp_path / "w") as ws:
        assert not ws.run_folder(1).exists()
        with monkeypatch.context() as patch:
            patch.setattr(trash.os, "replace", refused)
            with pytest.raises(AppError, match="in use"):
                trash.restore(ws, number)
        assert len(trash.deleted(ws.db)) == 1
        trash.restore(ws, number)
        assert files(ws) == kept


def test_folders_that_a_lost_commit_left_in_the_trash_are_put_back(tmp_path):
    """A computer that loses power may forget the last commit, but not a folder's new name."""
    with Workspace(tmp_path / "w") as ws:
        fill(ws)
        kept = files(ws)
        home = ws.folder / "trash" / "7" / "runs"
        home.mkdir(parents=True)
        ws.run_folder(1).rename(home / "1")
    with Workspace(tmp_path / "w") as ws:
        assert files(ws) == kept
        assert not (ws.folder / "trash" / "7").exists()


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="kills copies of itself")
@pytest.mark.parametrize("deed", ["put", "restore", "empty"])
def test_a_kill_at_any_point_leaves_all_of_it_or_nothing(tmp_path, deed):
    """Before every statement and every change of a file: see `killed.py`."""
    script = Path(__file__).with_name("killed.py")
    done = subprocess.run([sys.executable, script, deed, tmp_path], capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10  # places where it was killed
