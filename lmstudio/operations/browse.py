"""Looking into a corpus: concordance, word list, growth, n-grams, collocations, keyness.

Every result is a `data.listing.Listing`: all are sorted, cut and saved as CSV in the same way. The
words are those of a segmentation, also those that its vocabulary leaves out. `part` is a part of
the corpus, "" for all.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lmstudio.data.browse import frequencies as word_lists
from lmstudio.data.browse import growth as curves
from lmstudio.data.browse.collocations import Collocations, Window
from lmstudio.data.browse.collocations import collocations as collocations_of
from lmstudio.data.browse.concordance import Concordance, View
from lmstudio.data.browse.concordance import concordance as concordance_of
from lmstudio.data.browse.frequencies import EVERYTHING, Frequencies
from lmstudio.data.browse.growth import Growth, Zipf
from lmstudio.data.browse.hit_context import HitContext
from lmstudio.data.browse.hit_context import hit_context as hit_context_of
from lmstudio.data.browse.keyness import Keyness
from lmstudio.data.browse.keyness import keyness as keyness_of
from lmstudio.data.browse.laws import Laws
from lmstudio.data.browse.laws import laws as laws_of
from lmstudio.data.browse.listing import Listing, order_of
from lmstudio.data.browse.ngram_list import NgramList
from lmstudio.data.browse.ngram_list import ngrams as ngrams_of
from lmstudio.data.browse.search import Query
from lmstudio.data.browse.tag_list import TagList, tag_list
from lmstudio.data.browse.words import WordFilter
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations.value_names import value_name
from lmstudio.store.rows import PARTS, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import OF_WORDS, SUBWORD
from lmstudio.text.stop_words import read_stop_words

_VIEW = View()
_WINDOW = Window()
Key = int | str
_CUT_DIFFERENTLY = Message(
    "The two are not cut by the same rules: words that only one of them has may seem typical."
)


def concordance(
    ws: Workspace,
    corpus: Key,
    query: Query,
    *,
    segmentation: Key | None = None,
    part: str = "",
    view: View = _VIEW,
    job: Job,
) -> Concordance:
    """Every place of a corpus where the query is found, in its context.

    A word query looks into `segmentation`, or the first one of the corpus if none is named. Raises
    AppError for a pattern that is none, for words where nothing is segmented, for tags where none
    came with the text.
    """
    _check_part(part)
    row = ws.corpus(corpus)
    cut = _cut_for(ws, row.id, segmentation) if query.kind == "word" else None
    found: Concordance = job.call(
        concordance_of, ws.corpus_folder(row.id), query, view, segmentation=cut, part=part
    )
    return _named(ws, row.id, found)


def hit_context(
    ws: Workspace, corpus: Key, line: int, start: int, end: int, *, job: Job
) -> HitContext:
    """More of the text around a hit than a concordance holds."""
    folder = ws.corpus_folder(ws.corpus(corpus).id)
    return job.call(hit_context_of, folder, line, start, end)


def frequencies(
    ws: Workspace, segmentation: Key, *, part: str = "", shown: WordFilter = EVERYTHING, job: Job
) -> Frequencies:
    """The words of a segmentation by falling count."""
    return job.call(word_lists.frequencies, *_folders(ws, segmentation, part), part, shown)


def tags(ws: Workspace, corpus: Key, *, part: str = "", job: Job) -> TagList:
    """The tags that a corpus came with. AppError if it came without."""
    _check_part(part)
    return job.call(tag_list, ws.corpus_folder(ws.corpus(corpus).id), part)


def zipf(words: Frequencies) -> Zipf:
    """Rank against frequency, of a word list that leaves nothing out."""
    return curves.zipf(words.count)


def growth(ws: Workspace, segmentation: Key, *, part: str = "", job: Job) -> Growth:
    """How the number of different words grows with the text."""
    return job.call(curves.growth, *_folders(ws, segmentation, part), part)


def laws(ws: Workspace, segmentation: Key, *, part: str = "", job: Job) -> Laws:
    """Both laws, for their plots."""
    return job.call(laws_of, *_folders(ws, segmentation, part), part)


def ngrams(
    ws: Workspace,
    segmentation: Key,
    n: int = 2,
    *,
    min_count: int = 2,
    limit: int = 10_000,
    part: str = "",
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> NgramList:
    """The most frequent sequences of `n` words inside sentences."""
    return job.call(
        ngrams_of, *_folders(ws, segmentation, part), n,
        min_count=min_count, limit=limit, part=part, shown=shown,
    )  # fmt: skip


def collocations(
    ws: Workspace,
    segmentation: Key,
    node: str,
    *,
    window: Window = _WINDOW,
    min_count: int = 1,
    part: str = "",
    ignore_case: bool = False,
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> Collocations:
    """The words that stand near `node`, which is written as in a word query."""
    query = Query(node, "word", ignore_case)
    query.check()
    return job.call(
        collocations_of, *_folders(ws, segmentation, part), query, window,
        part=part, min_count=min_count, shown=shown,
    )  # fmt: skip


def keyness(
    ws: Workspace,
    segmentation: Key,
    reference: Key,
    *,
    part: str = "",
    min_count: int = 1,
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> Keyness:
    """The words that are typical of a segmentation as against that of another corpus.

    Raises AppError if the one holds words and the other characters or pieces. Where the rules of
    cutting differ otherwise, the result says so.
    """
    ours, theirs = ws.segmentation(segmentation), ws.segmentation(reference)
    if ours.id == theirs.id:
        raise AppError("A segmentation differs in nothing from itself. Choose another reference.")
    cut = {ours.segmenter, theirs.segmenter}
    if len(cut) > 1 and not cut <= set(OF_WORDS):
        raise AppError(
            "{first} is cut by {one}, {second} by {other}: their words cannot be compared. Cut "
            "both in the same way.",
            first=ours.name, one=value_name(ours.segmenter), second=theirs.name,
            other=value_name(theirs.segmenter),
        )  # fmt: skip
    found: Keyness = job.call(
        keyness_of, _folders(ws, ours.id, part), _folders(ws, theirs.id, part),
        part=part, min_count=min_count, shown=shown,
    )  # fmt: skip
    return found if _rules(ours) == _rules(theirs) else replace(found, note=_CUT_DIFFERENTLY)


def word_filter(stop_words: Path | None = None, *, letters_only: bool = False) -> WordFilter:
    """A filter from a file with a word a line, UTF-8 or GB18030. AppError if it is unreadable."""
    left_out = read_stop_words(stop_words) if stop_words else frozenset()
    return WordFilter(left_out, letters_only)


def order(listing: Listing, column: str, *, falling: bool, job: Job) -> np.ndarray:
    """(N,) int64: the rows by a column."""
    return order_of(getattr(listing, column), falling=falling, job=job)


def save(listing: Listing, path: Path, *, order: np.ndarray | None = None, job: Job) -> None:
    """Write all rows of a result as CSV, in an order if one is given. AppError if it cannot be."""
    listing = listing if order is None else listing.take(order)
    save_table(path, listing.header(), listing.rows(), total=len(listing), job=job)


def _rules(row: SegmentationRow) -> tuple[object, ...]:
    """What decides where a segmentation cuts; pieces learnt from a corpus are its own."""
    options = row.facts.get("options", {})
    learnt = row.id if row.segmenter in SUBWORD else None
    how = (options.get("mode"), options.get("hmm")) if row.segmenter == "jieba" else ()
    return row.segmenter, *how, row.facts.get("dictionary"), learnt


def _check_part(part: str) -> None:
    if part not in ("", *PARTS):
        raise AppError("There is no part called {part}. Choose train, valid or test.", part=part)


def _folders(ws: Workspace, segmentation: Key, part: str) -> tuple[Path, Path]:
    """The folders of a segmentation's corpus and its own."""
    _check_part(part)
    row = ws.segmentation(segmentation)
    return ws.corpus_folder(row.corpus_id), ws.segmentation_folder(row.id)


def _cut_for(ws: Workspace, corpus_id: int, segmentation: Key | None) -> Path:
    """The folder of the segmentation that words are looked for in."""
    corpus = ws.corpus(corpus_id).name
    if segmentation is not None:
        row = ws.segmentation(segmentation)
        if row.corpus_id != corpus_id:
            raise AppError(
                "{name} is no segmentation of {corpus}.", name=row.name, corpus=corpus
            )  # fmt: skip
        return ws.segmentation_folder(row.id)
    rows = ws.segmentations(corpus_id)
    if not rows:
        raise AppError(
            "{corpus} is not segmented yet, so it has no words. Segment it first, or search for "
            "text.",
            corpus=corpus,
        )
    return ws.segmentation_folder(rows[0].id)


def _named(ws: Workspace, corpus_id: int, found: Concordance) -> Concordance:
    """The hits with the titles, or else the names, of their documents."""
    if not len(found):
        return found
    first, last = int(found.document.min()), int(found.document.max())
    rows = ws.documents(corpus_id, first, last - first + 1)
    names = {row.number: row.title or row.name for row in rows}
    numbers: list[int] = np.asarray(found.document).tolist()
    known = zip(numbers, found.name, strict=True)
    return replace(found, name=[names.get(number, name) for number, name in known])
