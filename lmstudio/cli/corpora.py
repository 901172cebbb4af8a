"""The verbs import, corpora, documents and sources."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import (
    add_name,
    add_options,
    add_verb,
    add_written,
    do,
    given,
    list_rows,
    natural,
    open_workspace,
    tell,
)
from lmstudio.cli.terminal import say
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError
from lmstudio.figures import DASH, count
from lmstudio.messages import tr
from lmstudio.operations import corpora, document_search, tags
from lmstudio.operations.value_names import split_name, value_name
from lmstudio.options import options_of
from lmstudio.store.rows import DocumentRow
from lmstudio.text.document import ReadOptions
from lmstudio.text.normalize import NormaliseOptions

_SHOWN = 20  # documents, where nobody says how many


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_import(verbs)
    listed = add_verb(verbs, "corpora", tr("List the corpora"), _corpora)
    listed.add_argument("--search", default="", metavar="WORDS",
                        help=tr("Only those in whose name or tags these words stand"))  # fmt: skip
    documents = add_verb(
        verbs, "documents", tr("List the documents of a corpus, or export them"), _documents
    )
    add_name(documents, "corpus")
    documents.add_argument(
        "--search", default="", metavar="WORDS",
        help=tr("Only the documents whose name, title or label holds these words"),
    )  # fmt: skip
    documents.add_argument(
        "--limit", type=natural, metavar="N",
        help=tr("Documents to list, 0 for all; 20 where nothing is said, all with --json"),
    )  # fmt: skip
    about = tr("Write all documents with their text; the file can be imported again")
    add_written(documents, "--export", about)
    sources = add_verb(verbs, "sources", tr("List the files a corpus was made of"), _sources)
    add_name(sources, "corpus")


def _add_import(verbs: Any) -> None:
    verb = add_verb(verbs, "import", tr("Read files or folders into a corpus"), _import)
    verb.add_argument("files", nargs="*", type=Path, metavar="FILE", help=tr("Files or folders"))
    verb.add_argument("--name", default="", metavar="NAME", help=tr("Name of the new corpus"))
    verb.add_argument(
        "--again", metavar="CORPUS", default="",
        help=tr("Read the files of this corpus again; options not given are as they were"),
    )  # fmt: skip
    for part in ("train", "valid", "test"):
        verb.add_argument(
            f"--{part}", nargs="+", type=Path, default=[], metavar="F",
            help=tr("Files of a given split"),
        )  # fmt: skip
    verb.add_argument(
        "--shares", nargs=2, type=float, default=argparse.SUPPRESS, metavar=("VALID", "TEST"),
        help=tr("Percent of the text held out for valid and test"),
    )  # fmt: skip
    verb.add_argument(
        "--split-by", default=argparse.SUPPRESS, choices=options_of(SplitRule)["by"][1].choices,
        help=tr(options_of(SplitRule)["by"][1].help),
    )  # fmt: skip
    verb.add_argument("--seed", type=int, default=argparse.SUPPRESS, metavar="N",
                      help=tr("Seed of the split"))  # fmt: skip
    add_options(verb, ReadOptions, NormaliseOptions, ImportOptions)


def _import(words: argparse.Namespace) -> None:
    given_split = [words.train, words.valid, words.test]
    if bool(words.again) + bool(words.files) + any(given_split) > 1:
        raise AppError(
            "Give either files to be split, or --train, --valid and --test, or --again and a "
            "corpus."
        )
    with open_workspace(words) as ws:
        options = _import_options(
            words, corpora.options_of(ws, words.again) if words.again else ImportOptions()
        )
        how = {"name": words.name, "options": options}
        if words.again:
            changes = do(corpora.import_again, ws, words.again, **how)
        elif any(given_split):
            changes = do(corpora.import_splits, ws, *given_split, **how)
        else:
            changes = do(corpora.import_files, ws, words.files, **how)
        row = ws.corpus(changes.new_id)
        sentence = tr(
            "Corpus {name}: documents {documents}, lines {lines}, characters {characters}, "
            "encoding {encoding}, split {split}.", name=row.name, documents=count(row.documents),
            lines=count(row.lines), characters=count(row.characters), encoding=row.encoding or DASH,
            split=split_name(row.split_rule),
        )  # fmt: skip
        tell(words, changes, row, sentence)


def _import_options(words: argparse.Namespace, base: ImportOptions) -> ImportOptions:
    """`base` with what was said on the command line."""
    said = vars(words)
    split = {name: said[word] for name, word in (("seed", "seed"), ("by", "split_by"))
             if word in said}  # fmt: skip
    if "shares" in said:
        split |= dict(zip(("valid", "test"), said["shares"], strict=True))
    return replace(
        base,
        reading=replace(base.reading, **given(words, ReadOptions)),
        normalise=replace(base.normalise, **given(words, NormaliseOptions)),
        split=replace(base.split, **split),
        **given(words, ImportOptions),
    )


def _corpora(options: argparse.Namespace) -> None:
    header = (tr("Corpus"), tr("Encoding"), tr("Documents"), tr("Lines"), tr("Characters"),
              tr("Split"), tr("Tags"))  # fmt: skip
    with open_workspace(options, may_read=True) as ws:
        words = tags.tags(ws, "corpus")
        rows = [row for row in ws.corpora()
                if tags.matches(options.search, row.name, *words.get(row.id, ()))]  # fmt: skip
        list_rows(options, rows, header, lambda row: (
            row.name, row.encoding, row.documents, row.lines, row.characters,
            split_name(row.split_rule), " ".join(words.get(row.id, ())),
        ))  # fmt: skip


def _documents(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        row = ws.corpus(options.corpus)
        if options.export:
            do(corpora.documents_csv, ws, row.id, options.export)
        if options.json or not options.export:
            rows = ws.documents(row.id)
            if options.search:
                numbers = do(document_search.search, ws, row.id, options.search)
                rows = [rows[number] for number in numbers]
            _list_documents(options, rows)


def _list_documents(options: argparse.Namespace, rows: list[DocumentRow]) -> None:
    header = (tr("Document"), tr("Title"), tr("Label"), tr("Part"), tr("Lines"), tr("Characters"))
    limit = options.limit if options.limit is not None else 0 if options.json else _SHOWN
    shown = rows[: limit or None]
    list_rows(options, shown, header, lambda row: (
        row.name, row.title, row.label, value_name(row.part), row.lines, row.characters,
    ))  # fmt: skip
    if len(shown) < len(rows):
        more = count(len(rows) - len(shown))
        say(tr("… and {count} more. --limit 0 lists all.", count=more))


def _sources(options: argparse.Namespace) -> None:
    header = (tr("File"), tr("Format"), tr("Encoding"), tr("Bytes"), tr("SHA-256"))
    with open_workspace(options, may_read=True) as ws:
        list_rows(options, corpora.sources(ws, options.corpus), header, lambda row: (
            row.name, row.format, row.encoding, row.bytes, row.sha256,
        ))  # fmt: skip
