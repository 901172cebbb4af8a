"""A workspace keeps what it is given, refuses what it cannot keep, and survives a crash."""

import shutil
import sqlite3
import subprocess
import sys
import threading

import pytest

from lmstudio.errors import AppError, WorkspaceError
from lmstudio.store import findings, names, tags
from lmstudio.store.migrations import m001_initial, m002_sources
from lmstudio.store.rows import CorpusRow, DocumentRow, SegmentationRow, SourceRow
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace


def add_corpus(workspace, name="红楼梦"):
    row = CorpusRow(workspace.next_id("corpus"), name, "", "utf-8", "paragraph", "blocks", 1, 3, 20,
                    60, {"parts": {"train": 3}})  # fmt: skip
    document = DocumentRow(row.id, 0, "a.txt", "utf-8", 60, 3, 20, 0, "train")
    return workspace.add_corpus(row, [document])


def add_run(workspace, name="run"):
    corpus = add_corpus(workspace, f"corpus of {name}")
    segmentation = workspace.add_segmentation(
        SegmentationRow(workspace.next_id("segmentation"), corpus.id, f"of {name}", "", "jieba", 9)
    )
    return workspace.add_run(segmentation.id, name, "lstm", {"model": "lstm"})


def test_rows_come_back_as_they_went_in(workspace):
    corpus = add_corpus(workspace)
    assert workspace.corpora() == [corpus]
    assert workspace.corpus("红楼梦").facts == {"parts": {"train": 3}}
    assert workspace.documents(corpus.id)[0].name == "a.txt"
    run = add_run(workspace)
    workspace.update_run(run.id, state="running", step=7, facts={"device": "cpu"})
    assert workspace.run("run").state == "running"
    assert workspace.run(run.id).facts == {"device": "cpu"}


def test_metrics_keep_gaps_and_are_cut_at_a_checkpoint(workspace):
    run = add_run(workspace)
    nan = float("nan")
    points = [(1, 0.1, "loss", 5.0), (2, 0.2, "loss", nan), (3, 0.3, "loss", 4.0)]
    workspace.add_metrics(run.id, points)
    values = [value for _, _, value in workspace.metrics(run.id, "loss")]
    assert values[0] == 5.0
    assert values[1] != values[1]
    workspace.drop_metrics_after(run.id, 2)
    assert len(workspace.metrics(run.id, "loss")) == 2


def test_names_are_unique_and_freed(workspace):
    add_corpus(workspace)
    with pytest.raises(AppError, match="taken"):
        workspace.check_name("corpus", "红楼梦")
    assert workspace.free_name("corpus", "红楼梦") == "红楼梦 2"
    workspace.rename("corpus", 1, "石头记")
    assert workspace.corpus("石头记").id == 1
    with pytest.raises(AppError, match="no corpus"):
        workspace.corpus("红楼梦")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (" ", "A name is needed"),
        ("a\tb", "control character"),
        ("a\nb", "control character"),
        ("\x1b[31m", "control character"),
        ("a\udce9", "half a character"),
        ("字" * 101, "has 101 characters. At most 100"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(workspace, name, sentence):
    add_corpus(workspace)
    with pytest.raises(AppError, match=sentence):
        workspace.rename("corpus", 1, name)


def test_a_free_name_is_an_allowed_one(workspace):
    add_corpus(workspace, "字" * 100)
    assert workspace.free_name("corpus", "字" * 120) == "字" * 98 + " 2"
    workspace.check_name("corpus", "字" * 98 + " 2")


def test_deleting_a_corpus_deletes_all_that_hangs_on_it(workspace):
    run = add_run(workspace)
    for folder in (workspace.run_folder(run.id), workspace.corpus_folder(1)):
        folder.mkdir(parents=True)
    workspace.delete("corpus", 1)
    assert workspace.segmentations() == workspace.runs() == []
    assert not workspace.run_folder(run.id).exists()
    assert not workspace.corpus_folder(1).exists()


def test_an_id_is_given_once(workspace):
    """What is kept of a corpus by its id must not be taken for another's."""
    run = add_run(workspace)
    segmentation = workspace.run(run.id).segmentation_id
    workspace.delete("corpus", 1)
    again = add_run(workspace)
    assert workspace.corpora()[0].id == 2
    assert workspace.segmentations()[0].id > segmentation
    assert again.id > run.id
    workspace.delete("run", again.id)
    workspace.delete("corpus", 2)
    assert (workspace.next_id("run"), workspace.next_id("corpus")) == (again.id + 1, 3)


def test_a_workspace_can_be_moved(tmp_path):
    with Workspace(tmp_path / "here") as workspace:
        add_corpus(workspace)
    shutil.move(tmp_path / "here", tmp_path / "那里 100%")
    with Workspace(tmp_path / "那里 100%") as workspace:
        assert workspace.corpus("红楼梦").id == 1


def test_one_writer_at_a_time_any_number_of_readers(workspace):
    add_corpus(workspace)
    with pytest.raises(WorkspaceError, match="open in another"):
        Workspace(workspace.folder)
    with Workspace(workspace.folder, read_only=True) as reader:
        assert len(reader.corpora()) == 1
        with pytest.raises(WorkspaceError, match="read-only"):
            add_corpus(reader, "second")


def test_what_a_dead_process_left_is_marked_and_swept(tmp_path):
    script = (
        "import os, sys; sys.path.insert(0, '.')\n"
        "from pathlib import Path\n"
        "from tests.store.test_workspace import Workspace, add_run\n"
        f"w = Workspace(Path({str(tmp_path / 'w')!r}))\n"
        "w.update_run(add_run(w).id, state='running')\n"
        "(w.folder / 'corpora' / '5.x.tmp').mkdir(parents=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    with Workspace(tmp_path / "w") as workspace:
        assert workspace.run("run").state == "interrupted"
        assert not list(workspace.folder.glob("corpora/*"))


def test_strange_folders_are_refused(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.docx").write_text("x")
    with pytest.raises(WorkspaceError, match="not empty"):
        Workspace(full)
    with pytest.raises(WorkspaceError, match="no workspace"):
        Workspace(tmp_path / "absent", read_only=True)
    assert not (tmp_path / "absent").exists()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "workspace.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(WorkspaceError, match="damaged"):
        Workspace(broken)
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        Workspace(tmp_path / "file")


def test_a_database_that_was_lost_is_no_new_workspace(tmp_path):
    with Workspace(tmp_path / "w") as workspace:
        workspace.corpus_folder(1).mkdir(parents=True)
    for lose in (lambda path: path.write_bytes(b""), lambda path: path.unlink()):
        lose(tmp_path / "w" / "workspace.db")
        for read_only in (False, True):
            with pytest.raises(WorkspaceError, match="missing or empty"):
                Workspace(tmp_path / "w", read_only=read_only)


def test_a_full_disk_is_not_called_damage(workspace):
    db = workspace.db.connection
    db.execute(f"pragma max_page_count = {db.execute('pragma page_count').fetchone()[0]}")
    with pytest.raises(WorkspaceError, match=r"disk is full\). Is the disk full or read-only"):
        add_corpus(workspace, "a name" * 10_000)
    db.execute("pragma max_page_count = 100000")
    workspace.add_metrics(1, [])


def test_a_lost_table_and_a_broken_spec_are_told(workspace):
    run = add_run(workspace)
    workspace.db.connection.execute("update run set spec = '{broken'")
    assert workspace.run(run.id).spec == {}
    workspace.db.connection.execute("drop table metric")
    with pytest.raises(WorkspaceError, match=r"damaged \(no such table: metric"):
        workspace.metrics(run.id, "loss")


def test_a_newer_workspace_is_refused_politely(tmp_path):
    with Workspace(tmp_path / "w") as workspace:
        workspace.db.connection.execute("pragma user_version = 99")
    with pytest.raises(WorkspaceError, match="newer version"):
        Workspace(tmp_path / "w")
    with pytest.raises(WorkspaceError, match="newer version"):
        Workspace(tmp_path / "w", read_only=True)


def test_a_transaction_is_all_or_nothing(workspace):
    def half() -> None:
        with workspace.db.transaction() as db:
            db.execute("insert into corpus values (9,'x','','','','',0,0,0,0,'{}')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert workspace.corpora() == []


def test_every_thread_may_read_and_write(workspace):
    run = add_run(workspace)

    def write(thread):
        for step in range(20):
            workspace.add_metrics(run.id, [(thread * 100 + step, 0, "loss", 1.0)])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(workspace.metrics(run.id, "loss")) == 80


def test_settings_survive_nonsense(tmp_path):
    settings = Settings.load()
    settings.opened(tmp_path / "a")
    settings.opened(tmp_path / "b")
    settings.opened(tmp_path / "a")
    assert Settings.load().recent == [str(tmp_path / "a"), str(tmp_path / "b")]
    from lmstudio.store import settings as module

    module._file().write_text('{"theme": 7, "language": "en", "strange": 1}', encoding="utf-8")
    assert (Settings.load().theme, Settings.load().language) == ("system", "en")
    module._file().write_text("{broken", encoding="utf-8")
    assert Settings.load() == Settings()


def old_workspace(folder):
    """One as the first version of the program left it, with two files of one name."""
    folder.mkdir()
    db = sqlite3.connect(folder / "workspace.db")
    m001_initial(db)
    db.execute("insert into corpus values (1,'旧','','utf-8','sentence','files',2,4,8,24,'{}')")
    for number in range(2):
        row = (1, number, "同.txt", "gb18030", 12, 2, 4, 2 * number, "train")
        db.execute("insert into document values (?,?,?,?,?,?,?,?,?)", row)
    db.execute("pragma user_version = 1")
    db.commit()
    db.close()
    return folder


def test_a_workspace_of_the_first_version_is_opened(tmp_path):
    folder = old_workspace(tmp_path / "old")
    with pytest.raises(WorkspaceError, match="older version"):
        Workspace(folder, read_only=True)
    with Workspace(folder) as workspace:
        assert [(d.number, d.name, d.source, d.title) for d in workspace.documents(1)] == [
            (0, "同.txt", 0, ""), (1, "同.txt", 1, ""),
        ]  # fmt: skip
        assert workspace.sources(1) == [
            SourceRow(1, 0, "同.txt", "", 12, "gb18030", "text"),
            SourceRow(1, 1, "同 2.txt", "", 12, "gb18030", "text"),
        ]
        workspace.delete("corpus", 1)
        assert workspace.sources(1) == []


def test_files_of_a_corpus_are_known_by_their_digest(workspace):
    row = CorpusRow(1, "词", "", "utf-8", "sentence", "files", 0, 0, 0, 0)
    source = SourceRow(1, 0, "词.csv", "abc", 9, "utf-8", "csv")
    workspace.add_corpus(row, [], [source])
    assert workspace.sources(1) == [source]
    assert (workspace.corpora_with("abc"), workspace.corpora_with("ab")) == (["词"], [])


def test_a_workspace_from_before_notes_keeps_its_runs(tmp_path):
    folder = old_workspace(tmp_path / "old")
    db = sqlite3.connect(folder / "workspace.db")
    m002_sources(db)
    db.execute("insert into segmentation values (1,1,'字','','characters',9,'{}')")
    run = (1, 1, "旧", "", "lstm", "{}", "done", "", None, 1.5, 7, "{}")
    db.execute("insert into run values (?,?,?,?,?,?,?,?,?,?,?,?)", run)
    db.execute("pragma user_version = 2")
    db.commit()
    db.close()
    with Workspace(folder) as workspace:
        row = workspace.run("旧")
        assert (row.step, row.note, row.parent, row.sweep) == (7, "", None, "")


def test_a_run_remembers_its_note_its_sweep_and_what_it_began_with(workspace):
    first = add_run(workspace)
    cut = first.segmentation_id
    second = workspace.add_run(cut, "second", "lstm", {}, parent=first.id, sweep="width")
    workspace.update_run(second.id, note="好", spec={"model": "lstm"}, parameters=None)
    row = workspace.run("second")
    assert (row.note, row.spec, row.parent, row.sweep) == (
        "好", {"model": "lstm"}, first.id, "width",
    )  # fmt: skip
    workspace.delete("run", first.id)
    assert workspace.run("second").parent is None


def test_the_names_of_curves_are_listed(workspace):
    run = add_run(workspace)
    workspace.add_metrics(run.id, [(1, 0.1, "loss", 2.0), (1, 0.1, "gradient_norm", 0.5)])
    assert workspace.metric_names(run.id) == ["gradient_norm", "loss"]


def test_tags_go_with_what_they_are_on_also_down_from_a_corpus(workspace):
    run = add_run(workspace)
    corpus = workspace.segmentation(run.segmentation_id).corpus_id
    tags.set_tags(workspace.db, "run", run.id, ["课堂", "a"])
    tags.set_tags(workspace.db, "corpus", corpus, ["a"])
    assert tags.tags(workspace.db, "run") == {run.id: ("a", "课堂")}
    workspace.delete("corpus", corpus)
    assert tags.tags(workspace.db, "run") == tags.tags(workspace.db, "corpus") == {}


def test_a_workspace_from_before_findings_can_keep_some(tmp_path):
    folder = old_workspace(tmp_path / "old")
    with Workspace(folder) as workspace:
        assert findings.findings(workspace.db) == []
        number = findings.add(workspace.db, "fill", "题", {"text": "x"}, {})
        assert findings.finding(workspace.db, number).question == {"text": "x"}


def test_a_disk_without_room_for_what_readers_share_can_be_read(tmp_path):
    """As a full or read-only one: the file beside the database cannot be made."""
    with Workspace(tmp_path / "w") as ws:
        add_corpus(ws)
    (tmp_path / "w" / "workspace.db-shm").symlink_to(tmp_path / "nowhere" / "at all")
    before = sorted((tmp_path / "w").iterdir())
    with Workspace(tmp_path / "w", read_only=True) as ws:
        assert [row.name for row in ws.corpora()] == ["红楼梦"]
        assert [path for path in sorted((tmp_path / "w").iterdir())
                if path.name != "workspace.db-wal"] == before  # fmt: skip
    (tmp_path / "w" / "workspace.db-wal").write_bytes(b"not in the database yet")
    with pytest.raises(WorkspaceError, match="cannot be read or written"):
        Workspace(tmp_path / "w", read_only=True)


@pytest.mark.parametrize(
    "runs",
    [["fs, seed 1", "fs, seed 2"], ["fs，随机种子 1", "fs，随机种子 2"], ["fs=0.1", "fs=0.2"]],
    ids=["seeds", "in Chinese", "sweep"],
)
def test_the_name_of_a_setting_tells_its_runs(runs):
    told = str(names.unknown("There is no {name}: {known}.", "fs", ["fs 2", *runs, "f, seed 1"]))
    assert told.startswith(f"fs is a setting of 2 runs: “{runs[0]}”, “{runs[1]}”.")
    assert str(names.unknown("No {name}: {known}.", "s", runs)).startswith("No s")
