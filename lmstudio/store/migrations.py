"""The schema, as ordered migrations; each runs in one transaction with its number.

Add a new function at the end and to MIGRATIONS; never change one that has been released.
"""

import sqlite3

from lmstudio.files import FreeNames


def m001_initial(db: sqlite3.Connection) -> None:
    """Corpora with documents, segmentations, runs with metrics and evaluations."""
    for statement in _INITIAL.split(";"):
        db.execute(statement)


_INITIAL = """
create table corpus (
    id integer primary key, name text not null unique, created text not null,
    encoding text not null, lines_rule text not null, split_rule text not null,
    documents integer not null, lines integer not null, characters integer not null,
    bytes integer not null, facts text not null
);
create table document (
    corpus_id integer not null references corpus (id) on delete cascade, number integer not null,
    name text not null, encoding text not null, bytes integer not null, lines integer not null,
    characters integer not null, first_line integer not null, part text not null,
    primary key (corpus_id, number)
) without rowid;
create table segmentation (
    id integer primary key, corpus_id integer not null references corpus (id) on delete cascade,
    name text not null unique, created text not null, segmenter text not null,
    vocabulary integer not null, facts text not null
);
create table run (
    id integer primary key,
    segmentation_id integer not null references segmentation (id) on delete cascade,
    name text not null unique, created text not null, model text not null, spec text not null,
    state text not null, message text not null, parameters integer, seconds real not null,
    step integer not null, facts text not null
);
create table metric (
    run_id integer not null references run (id) on delete cascade, step integer not null,
    seconds real not null, name text not null, value real,
    primary key (run_id, name, step)
) without rowid;
create table evaluation (
    run_id integer not null references run (id) on delete cascade, part text not null,
    figures text not null, primary key (run_id, part)
) without rowid
"""


def m002_sources(db: sqlite3.Connection) -> None:
    """A file may hold many documents, each with a title and a label.

    Until now a document was a file. The copies of files with one name were told apart by numbers,
    as `data.importing` still does, and their digests are not known.
    """
    for statement in _SOURCES.split(";"):
        db.execute(statement)
    for (corpus_id,) in db.execute("select id from corpus").fetchall():
        documents = db.execute(
            "select number, name, bytes, encoding from document where corpus_id = ? "
            "order by number",
            (corpus_id,),
        ).fetchall()
        names = FreeNames()
        db.executemany(
            "insert into source values (?, ?, ?, '', ?, ?, 'text')",
            [(corpus_id, number, names.take(name), size, encoding)
             for number, name, size, encoding in documents],
        )  # fmt: skip


_SOURCES = """
create table source (
    corpus_id integer not null references corpus (id) on delete cascade, number integer not null,
    name text not null, sha256 text not null, bytes integer not null, encoding text not null,
    format text not null, primary key (corpus_id, number)
) without rowid;
create index source_sha256 on source (sha256);
alter table document add column source integer not null default 0;
alter table document add column title text not null default '';
alter table document add column label text not null default '';
update document set source = number
"""


def m003_lineage(db: sqlite3.Connection) -> None:
    """A run has a note, may begin with the weights of another, and may belong to a sweep."""
    for statement in _LINEAGE.split(";"):
        db.execute(statement)


_LINEAGE = """
alter table run add column note text not null default '';
alter table run add column parent integer references run (id) on delete set null;
alter table run add column sweep text not null default ''
"""


def m004_findings(db: sqlite3.Connection) -> None:
    """Questions are kept with their answers; they, runs and corpora may have tags.

    A tag goes with what it is on, also where that is deleted with what it belongs to.
    """
    for statement in _FINDINGS.split(";"):
        db.execute(statement)
    for noun in ("corpus", "run", "finding"):
        db.execute(
            f"create trigger {noun}_tags after delete on {noun} begin "
            f"delete from tag where noun = '{noun}' and row_id = old.id; end"
        )


_FINDINGS = """
create table finding (
    id integer primary key, kind text not null, title text not null, created text not null,
    question text not null, answers text not null
);
create table tag (
    noun text not null, row_id integer not null, tag text not null,
    primary key (noun, row_id, tag)
) without rowid
"""


def m005_tasks(db: sqlite3.Connection) -> None:
    """Labelled examples are kept as tasks; a run may be one that was fine-tuned for a task."""
    for statement in _TASKS.split(";"):
        db.execute(statement)
    db.execute(
        "create trigger task_tags after delete on task begin "
        "delete from tag where noun = 'task' and row_id = old.id; end"
    )


_TASKS = """
create table task (
    id integer primary key, name text not null unique, created text not null, kind text not null,
    facts text not null
);
alter table run add column task integer references task (id) on delete cascade
"""


def m006_trash(db: sqlite3.Connection) -> None:
    """What is deleted is kept until the trash is emptied; see `store.trash`."""
    for statement in _TRASH.split(";"):
        db.execute(statement)


_TRASH = """
create table trash (
    id integer primary key autoincrement, noun text not null, name text not null,
    deleted text not null
);
create table trashed (
    trash_id integer not null references trash (id) on delete cascade,
    noun text not null, row_id integer not null, name text not null,
    primary key (noun, row_id)
) without rowid;
create table trashed_parent (
    trash_id integer not null references trash (id) on delete cascade,
    run_id integer primary key, parent integer not null
)
"""

MIGRATIONS = (m001_initial, m002_sources, m003_lineage, m004_findings, m005_tasks, m006_trash)
