"""The verbs segment, segmentations, tokens and lookup."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lmstudio.analysis.lookup import Lookup
from lmstudio.cli.shared import (
    DICTIONARY,
    add_csv,
    add_name,
    add_options,
    add_text,
    add_verb,
    config,
    do,
    given,
    joined,
    list_rows,
    open_workspace,
    tell,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.data.token_preview import Piece
from lmstudio.errors import AppError
from lmstudio.figures import count
from lmstudio.messages import listed, tr
from lmstudio.operations import dictionaries, segmentations
from lmstudio.operations.value_names import value_name
from lmstudio.options import from_dict
from lmstudio.store.rows import SegmentationRow
from lmstudio.text.segment_options import SegmentOptions, applies

_SHOWN = 6  # numbers of a row


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_segment(verbs)
    add_verb(verbs, "segmentations", tr("List the segmentations"), _segmentations)
    tokens = add_verb(verbs, "tokens", tr("Show the tokens and ids of a text"), _tokens)
    add_name(tokens, "segmentation")
    add_text(tokens, "text", tr("Text to be cut"))
    add_csv(tokens)
    lookup = add_verb(
        verbs, "lookup", tr("Show the rows of a model's look-up table for a text"), _lookup
    )
    add_name(lookup, "run")
    add_text(lookup, "text", tr("Text to be cut"))


def _add_segment(verbs: Any) -> None:
    verb = add_verb(verbs, "segment", tr("Cut a corpus into tokens"), _segment)
    add_name(verb, "corpus")
    verb.add_argument("--name", default="", metavar="NAME", help=tr("Name of the new segmentation"))
    verb.add_argument("--dictionary", metavar="NAME", help=tr(DICTIONARY))
    verb.add_argument(
        "--tokenizer", type=Path, metavar="FILE",
        help=tr("Pieces to load, a vocab.txt or tokenizer.json; it decides the segmenter"),
    )  # fmt: skip
    verb.add_argument(
        "--stop-words", type=Path, metavar="FILE",
        help=tr("Words, one a line, that are kept out of the vocabulary"),
    )  # fmt: skip
    add_options(verb, SegmentOptions)


def _segment(options: argparse.Namespace) -> None:
    how = config(options, SegmentOptions)
    if options.dictionary and how.by != "jieba":
        raise AppError("A user dictionary is for jieba. Add --by jieba, or leave it out.")
    with open_workspace(options) as ws:
        dictionary = dictionaries.chosen(ws, options.dictionary) if options.dictionary else None
        changes = do(
            segmentations.create, ws, options.corpus, how, name=options.name,
            dictionary=dictionary, tokenizer=options.tokenizer,
            stop_words=options.stop_words,
        )  # fmt: skip
        row = ws.segmentation(changes.new_id)
        _say_ignored(given(options, SegmentOptions), row.segmenter, options.tokenizer)
        sentence = tr(
            "Segmentation {name}: {tokens} tokens, vocabulary of {vocabulary}.",
            name=row.name, tokens=count(row.facts["tokens"]), vocabulary=count(row.vocabulary),
        )  # fmt: skip
        tell(options, changes, row, sentence)


def _say_ignored(said: dict[str, Any], by: str, tokenizer: Path | None) -> None:
    """Options that somebody typed for nothing."""
    heeded = {"by", *applies(by, tokenizer.name if tokenizer else "")}
    ignored = [f"--{name.replace('_', '-')}" for name in said if name not in heeded]
    if ignored:
        say(tr("This segmenter ignores {options}.", options=listed(ignored)))


def _segmentations(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        rows, corpora = ws.segmentations(), {row.id: row.name for row in ws.corpora()}
    header = (tr("Segmentation"), tr("Corpus"), tr("Segmenter"), tr("Mode"), tr("Dictionary"),
              tr("Tokens"), tr("Vocabulary"))  # fmt: skip
    list_rows(options, rows, header, lambda row: (
        row.name, corpora[row.corpus_id], value_name(row.segmenter), _mode(row),
        (row.facts.get("dictionary") or {}).get("name", ""), row.facts.get("tokens"),
        row.vocabulary,
    ))  # fmt: skip


def _mode(row: SegmentationRow) -> str:
    """What jieba did, "" for the other segmenters."""
    if row.segmenter != "jieba":
        return ""
    options, _ = from_dict(SegmentOptions, row.facts.get("options", {}))
    mode = value_name(options.mode)
    return mode if options.hmm else tr("{mode}, no new words", mode=mode)


def _tokens(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(segmentations.tokens, ws, options.segmentation, joined(options.text))
    if options.csv:
        do(segmentations.save_tokens, found, options.csv)
    if options.json:
        say_json(asdict(found))
        return
    rows = [(piece.text, piece.piece, str(piece.id), f"{piece.start}–{piece.end}")
            for piece in found.pieces]  # fmt: skip
    say_table((tr("Text"), tr("Token"), tr("Id"), tr("Characters")), rows, right=[2])
    say(tr("{unknown} of {count} unknown", unknown=found.unknown, count=len(found.pieces)))


def _lookup(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        run = ws.run(options.run)
        pieces = do(segmentations.tokens, ws, run.segmentation_id, joined(options.text)).pieces
        found = do(segmentations.lookup, ws, run.id, [piece.id for piece in pieces])
    if options.json:
        say_json(_plain(pieces, found))
        return
    width = found.rows.shape[1]
    say(
        tr(
            "A one-hot row of {vocabulary} numbers times a matrix of {vocabulary} × {width} is the "
            "row of the matrix with the token's id.", vocabulary=count(found.vocabulary),
            width=width,
        )
    )  # fmt: skip
    rows = [(piece.text, piece.id, _numbers(row), _numbers(product))
            for piece, row, product in zip(pieces, found.rows, found.products, strict=True)
            ]  # fmt: skip
    say_table((tr("Text"), tr("Id"), tr("Row of the table"), tr("One-hot × matrix")), rows)


def _plain(pieces: list[Piece], found: Lookup) -> dict[str, Any]:
    return {
        "pieces": [asdict(piece) for piece in pieces],
        "vocabulary": found.vocabulary,
        "rows": found.rows.tolist(),
        "products": found.products.tolist(),
        "equal": found.equal,
    }


def _numbers(row: Any) -> str:
    shown = " ".join(f"{number:.3f}" for number in row[:_SHOWN].tolist())
    return f"{shown} …" if len(row) > _SHOWN else shown
