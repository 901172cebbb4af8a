"""The schema, as ordered migrations; each runs in one transaction with its number.

Add a new function at the end and to MIGRATIONS; never change one that has been released.
"""

import sqlite3


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

MIGRATIONS = (m001_initial,)
