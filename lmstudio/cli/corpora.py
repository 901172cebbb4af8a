"""The verbs import, segment, corpora and segmentations."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import add_options, add_verb, do, given, list_rows, open_workspace, tell
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError, SpecError
from lmstudio.figures import count
from lmstudio.messages import tr
from lmstudio.operations import corpora, segmentations
from lmstudio.options import from_dict
from lmstudio.text.segment import SegmentOptions


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_import(verbs)
    segment = add_verb(verbs, "segment", tr("Cut a corpus into tokens"), _segment)
    segment.add_argument("corpus", metavar="CORPUS", help=tr("Name of the corpus"))
    segment.add_argument("--name", default="", help=tr("Name of the new segmentation"))
    segment.add_argument(
        "--dictionary", type=Path, metavar="FILE", help=tr("User dictionary for jieba")
    )
    add_options(segment, SegmentOptions)
    add_verb(verbs, "corpora", tr("List the corpora"), _corpora)
    add_verb(verbs, "segmentations", tr("List the segmentations"), _segmentations)


def _add_import(verbs: Any) -> None:
    verb = add_verb(verbs, "import", tr("Read text files or folders into a corpus"), _import)
    verb.add_argument("files", nargs="*", type=Path, metavar="FILE")
    verb.add_argument("--name", default="", help=tr("Name of the new corpus"))
    verb.add_argument("--encoding", default="auto", help=tr("Encoding of the files, if not found"))
    verb.add_argument(
        "--lines", default="auto", choices=("auto", "sentence", "paragraph", "wrapped"),
        help=tr("What a line is; wrapped lines are joined"),
    )  # fmt: skip
    for part in ("train", "valid", "test"):
        verb.add_argument(
            f"--{part}", nargs="+", type=Path, default=[], metavar="F",
            help=tr("Files of a given split"),
        )  # fmt: skip
    verb.add_argument(
        "--shares", nargs=2, type=float, default=[5, 5], metavar=("VALID", "TEST"),
        help=tr("Percent of the text held out for valid and test"),
    )  # fmt: skip
    verb.add_argument("--seed", type=int, default=1, help=tr("Seed of the split"))


def _import(options: argparse.Namespace) -> None:
    how = {"name": options.name, "encoding": options.encoding, "lines": options.lines}
    given_split = [options.train, options.valid, options.test]
    with open_workspace(options) as ws:
        if any(given_split):
            if options.files:
                raise AppError("Give either files to be split, or --train, --valid and --test.")
            changes = do(corpora.import_splits, ws, *given_split, **how)
        else:
            valid, test = options.shares
            split = SplitRule(valid, test, options.seed)
            changes = do(corpora.import_files, ws, options.files, split=split, **how)
        row = ws.corpus(changes.new_id)
        sentence = tr(
            "Corpus {name}: documents {documents}, lines {lines}, characters {characters}, "
            "encoding {encoding}, split {split}.", name=row.name, documents=count(row.documents),
            lines=count(row.lines), characters=count(row.characters), encoding=row.encoding,
            split=row.split_rule,
        )  # fmt: skip
        tell(options, changes, row, sentence)


def _segment(options: argparse.Namespace) -> None:
    how, faults = from_dict(SegmentOptions, given(options, SegmentOptions))
    if faults:
        raise SpecError(faults)
    if options.dictionary and how.by != "jieba":
        raise AppError("A user dictionary is for jieba. Add --by jieba, or leave it out.")
    with open_workspace(options) as ws:
        changes = do(
            segmentations.create, ws, options.corpus, how, name=options.name,
            dictionary=options.dictionary,
        )  # fmt: skip
        row = ws.segmentation(changes.new_id)
        sentence = tr(
            "Segmentation {name}: {tokens} tokens, vocabulary of {vocabulary}.",
            name=row.name, tokens=count(row.facts["tokens"]), vocabulary=count(row.vocabulary),
        )  # fmt: skip
        tell(options, changes, row, sentence)


def _corpora(options: argparse.Namespace) -> None:
    columns = {
        "name": tr("Corpus"), "encoding": tr("Encoding"), "documents": tr("Documents"),
        "lines": tr("Lines"), "characters": tr("Characters"), "split_rule": tr("Split"),
    }  # fmt: skip
    with open_workspace(options, may_read=True) as ws:
        list_rows(options, ws.corpora(), columns)


def _segmentations(options: argparse.Namespace) -> None:
    columns = {"name": tr("Segmentation"), "segmenter": tr("Segmenter"),
               "vocabulary": tr("Vocabulary")}  # fmt: skip
    with open_workspace(options, may_read=True) as ws:
        list_rows(options, ws.segmentations(), columns)
