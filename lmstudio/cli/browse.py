"""The verbs concordance, tags, frequencies, ngrams, collocations, keyness and growth."""

import argparse
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.cli.shared import (
    Verb,
    add_csv,
    add_name,
    add_text,
    add_verb,
    do,
    joined,
    natural,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.data.browse.collocations import Window
from lmstudio.data.browse.concordance import SIDES, Concordance, View
from lmstudio.data.browse.growth import Growth
from lmstudio.data.browse.listing import Listing
from lmstudio.data.browse.search import KINDS, Query
from lmstudio.data.browse.words import WordFilter
from lmstudio.figures import count, decimal
from lmstudio.messages import tr
from lmstudio.operations import browse, places
from lmstudio.operations.value_names import value_name
from lmstudio.store.names import CONTROLS
from lmstudio.store.rows import PARTS

_SHOWN = 20  # rows, where nobody says how many
_WIDTH = 30  # characters of context on a terminal
More = dict[str, tuple[str, list[int | None]]]


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_concordance(verbs)
    tags = add_verb(verbs, "tags", tr("List the tags that a corpus came with"), _tags)
    add_name(tags, "corpus")
    _add_output(tags)
    frequencies = _add(verbs, "frequencies", tr("List the words of a segmentation"), _frequencies)
    ngrams = _add(verbs, "ngrams", tr("List the frequent word sequences"), _ngrams)
    ngrams.add_argument("-n", type=int, default=2, metavar="N", help=tr("Words in a sequence"))
    collocations = _add(
        verbs, "collocations", tr("List the words that stand near a word"), _collocations
    )
    collocations.add_argument("word", metavar="WORD", help=tr("The word; * and ? stand for others"))
    for side in ("left", "right"):
        collocations.add_argument(
            f"--{side}", type=int, default=5, metavar="N", help=tr("Tokens on this side")
        )
    collocations.add_argument("--ignore-case", action="store_true", help=_ignore_case())
    keyness = _add(
        verbs, "keyness", tr("List the words typical of a segmentation against another"), _keyness
    )
    keyness.add_argument("reference", metavar="REFERENCE", help=tr("Segmentation to compare with"))
    _add(verbs, "growth", tr("Fit the laws of Heaps and Zipf to a segmentation"), _growth)
    for verb in (frequencies, ngrams, collocations, keyness):
        _add_filter(verb)
    for verb, default in ((ngrams, 2), (collocations, 2), (keyness, 5)):
        verb.add_argument("--min-count", type=positive, default=default, metavar="N",
                          help=tr("Leave out what is rarer"))  # fmt: skip


def _add_concordance(verbs: Any) -> None:
    verb = add_verb(verbs, "concordance", tr("Show every place where a text stands"), _concordance)
    add_name(verb, "corpus")
    add_text(verb, "query", tr("What to search for"))
    verb.add_argument("--kind", default="text", choices=KINDS, help=tr("What the text is"))
    verb.add_argument("--ignore-case", action="store_true", help=_ignore_case())
    verb.add_argument("--segmentation", metavar="SEGMENTATION", help=tr("Where to look for words"))
    verb.add_argument("--sort", default="document", choices=SIDES, help=tr("Order of the hits"))
    verb.add_argument("--nth", type=positive, default=1, metavar="N",
                      help=tr("Sort by the nth word or character of that side"))  # fmt: skip
    verb.add_argument("--width", type=int, default=_WIDTH, metavar="N",
                      help=tr("Characters of context on each side"))  # fmt: skip
    verb.add_argument("--limit", type=positive, default=View.limit, metavar="N",
                      help=tr("Hits that are kept; all are counted"))  # fmt: skip
    verb.add_argument("--sample", action="store_true",
                      help=tr("Keep hits drawn at random, not the first ones"))  # fmt: skip
    _add_output(verb)


def _add(verbs: Any, name: str, about: str, verb: Verb) -> argparse.ArgumentParser:
    """A verb about a segmentation."""
    added = add_verb(verbs, name, about, verb)
    add_name(added, "segmentation")
    _add_output(added)
    return added


def _add_output(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--part", default="", choices=PARTS, help=tr("Only this part of the corpus"))
    verb.add_argument("--top", type=natural, default=_SHOWN, metavar="N",
                      help=tr("Rows to print, 0 for all"))  # fmt: skip
    add_csv(verb)


def _add_filter(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--stop-words", type=Path, metavar="FILE",
                      help=tr("Words to leave out, one a line"))  # fmt: skip
    verb.add_argument("--letters-only", action="store_true",
                      help=tr("Leave out what holds no letter and no digit"))  # fmt: skip


def _concordance(options: argparse.Namespace) -> None:
    query = Query(joined(options.query), options.kind, options.ignore_case)
    view = View(limit=options.limit, width=options.width, sample=options.sample)
    with open_workspace(options, may_read=True) as ws:
        found: Concordance = do(
            browse.concordance, ws, options.corpus, query,
            segmentation=options.segmentation, part=options.part, view=view,
        )  # fmt: skip
        found = found.sorted_by(options.sort, options.nth)
        shown = found.top(options.top) if options.top else found
        where = list(zip(shown.line.tolist(), shown.start.tolist(), strict=True))
        in_files = do(places.places, ws, options.corpus, where) if where else []
    if len(found) < found.total:
        kept = tr("drawn at random") if found.sampled else tr("the first")
        say(tr("{total} hits, of which {shown} are kept: {kept}.", total=count(found.total),
               shown=count(len(found)), kept=kept))  # fmt: skip
    else:
        say(tr("{total} hits.", total=count(found.total)))
    _tell(options, found, {"file_line": (tr("File line"), in_files)})


def _tags(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        _tell(options, do(browse.tags, ws, options.corpus, part=options.part))


def _frequencies(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        words = do(
            browse.frequencies, ws, options.segmentation, part=options.part, shown=_filter(options)
        )
    say(tr("{tokens} tokens, {types} types.", tokens=count(words.tokens), types=count(words.types)))
    _tell(options, words)


def _ngrams(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(
            browse.ngrams, ws, options.segmentation, options.n, part=options.part,
            min_count=options.min_count, shown=_filter(options),
        )  # fmt: skip
    say(tr("{total} n-grams, {found} different ones that are frequent enough.",
           total=count(found.total), found=count(found.found)))  # fmt: skip
    _tell(options, found)


def _collocations(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(
            browse.collocations, ws, options.segmentation, options.word,
            window=Window(options.left, options.right), part=options.part,
            min_count=options.min_count, ignore_case=options.ignore_case, shown=_filter(options),
        )  # fmt: skip
    say(tr("{word} stands {nodes} times.", word=options.word, nodes=count(found.nodes)))
    _tell(options, found)


def _keyness(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(
            browse.keyness, ws, options.segmentation, options.reference, part=options.part,
            min_count=options.min_count, shown=_filter(options),
        )  # fmt: skip
    if found.note:
        say(str(found.note))
    _tell(options, found)


def _growth(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        heaps = do(browse.growth, ws, options.segmentation, part=options.part)
        words = do(browse.frequencies, ws, options.segmentation, part=options.part)
    zipf = browse.zipf(words)
    say(tr("Heaps: types = {scale} × tokens ^ {exponent}",
           scale=decimal(heaps.scale), exponent=decimal(heaps.exponent, 3)))  # fmt: skip
    say(tr("Zipf: count = {scale} ÷ rank ^ {exponent}",
           scale=decimal(zipf.scale), exponent=decimal(zipf.exponent, 3)))  # fmt: skip
    if options.json:
        say_json({"heaps": _value(heaps), "zipf": _value(zipf)})
    else:
        say_table(heaps.header(), list(_spread(heaps, options.top).rows()))
    if options.csv:
        do(browse.save, heaps, options.csv)


def _spread(curve: Growth, count: int) -> Growth:
    """`count` points of a curve, from its first to its last; 0 for all of them."""
    if not 0 < count < len(curve):
        return curve
    return curve.take(np.linspace(0, len(curve) - 1, count).round().astype(np.int64))


def _tell(options: argparse.Namespace, found: Listing, more: More | None = None) -> None:
    """The first rows as a table or all that is asked for as JSON; the CSV file, if one is named.

    `more`: columns of the rows that are shown, by JSON name their heading and cells.
    """
    more = more or {}
    if options.csv:
        do(browse.save, found, options.csv)
    shown = found.top(options.top) if options.top > 0 else found
    if options.json:
        value = _value(shown)
        for name, (_, cells) in more.items():
            for record, cell in zip(value["rows"], cells, strict=True):
                record[name] = cell
        say_json(value)
        return
    names = list(shown.headings())
    rows = [[value_name(cell) if name == "part" else _clean(cell)
             for name, cell in zip(names, row, strict=True)] for row in shown.rows()]  # fmt: skip
    for _, cells in more.values():
        rows = [[cell, *row] for row, cell in zip(rows, cells, strict=True)]
    header = [*(heading for heading, _ in more.values()), *shown.header()]
    right = [place + len(more) for place in _flush_right(shown)]
    say_table(header, rows, right=right)


def _value(found: Listing) -> dict[str, Any]:
    """What is of the whole table, and its rows."""
    names = [f.name for f in fields(found) if f.name not in found.columns()]
    values = ((name, getattr(found, name)) for name in names)
    whole = {name: asdict(v) if is_dataclass(v) else v for name, v in values}  # type: ignore[arg-type]
    return whole | {"rows": found.records()}


def _flush_right(found: Listing) -> tuple[int, ...]:
    """The left context ends where the hit begins."""
    return (list(found.headings()).index("left"),) if isinstance(found, Concordance) else ()


def _clean(cell: Any) -> Any:
    return CONTROLS.sub(" ", cell) if isinstance(cell, str) else cell


def _filter(options: argparse.Namespace) -> WordFilter:
    return browse.word_filter(options.stop_words, letters_only=options.letters_only)


def _ignore_case() -> str:
    return tr("Large and small letters are the same")
