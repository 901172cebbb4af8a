"""A word with several meanings: where it occurs, and what networks make of each occurrence."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lmstudio.analysis import polysemy as looking
from lmstudio.analysis.polysemy import LayerGroups, Polysemy
from lmstudio.data.browse.concordance import Concordance, View
from lmstudio.data.browse.search import Query
from lmstudio.data.browse.uses import Occurrence, occurrences_of
from lmstudio.data.browse.uses import typed as typed_in
from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import browse
from lmstudio.operations.asked import asked
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace
from lmstudio.text.grammar.senses import SENSES, sense_of
from lmstudio.text.segment_options import OF_WORDS

MOST = 200
"""Occurrences that are drawn where nobody says how many."""

_SEED = 1  # of the draw among what was typed
_SIGNS = frozenset("人天水山花心手车头年国家书")  # nouns of one sign
_GRAMMAR = (
    "我们 你们 他们 她们 它们 自己 一个 这个 那个 什么 怎么 这样 那样 没有 不是 就是 可以 已经 "
    "因为 所以 但是 如果 还是 或者 以及 其中 进行 通过 对于 由于 这些 那些 这里 那里 一些 一种 "
    "两个 应当 不得 "
    "their there these those which would could should about after before other where while"
)
"""Frequent words that mean little by themselves."""


@dataclass(frozen=True)
class Found:
    """Occurrences of a word in a corpus."""

    word: str
    total: int  # in the corpus
    occurrences: list[Occurrence]  # in its order; drawn at random where there are more


def occurrences(
    ws: Workspace, corpus: int | str, word: str, segmentation: int | str | None = None,
    limit: int = MOST, *, job: Job,
) -> Found:  # fmt: skip
    """Where a word stands in a corpus: as a word of `segmentation`, or as text without one.

    Their senses are those of the sample corpora, or else the labels of their documents. AppError
    where nothing is to be searched for.
    """
    row = ws.corpus(corpus)
    query = Query(word, "word" if segmentation is not None else "text")
    view = View(limit=limit, width=0, sample=True)
    hits = browse.concordance(ws, row.id, query, segmentation=segmentation, view=view, job=job)
    places = zip(hits.line.tolist(), hits.start.tolist(), hits.end.tolist(), strict=True)
    found = job.call(occurrences_of, ws.corpus_folder(row.id), list(places))
    return Found(word, hits.total, _with_senses(ws, row.id, word, hits, found))


def typed(word: str, lines: Sequence[str], limit: int = MOST) -> Found:
    """The same in sentences that were typed, one a line. AppError where no line has the word."""
    if not word.strip():
        raise AppError("Say what to search for.")
    found = typed_in(word, lines)
    if not found:
        raise AppError("None of the sentences has the word {word}.", word=word)
    places: Sequence[int] = range(len(found))
    if len(found) > limit:
        places = sorted(random.Random(_SEED).sample(places, limit))
    return Found(word, len(found), [found[place] for place in places])


def searched(ws: Workspace, segmentation: int | str) -> int | None:
    """The segmentation that a word is looked for in, if it cuts into words; None: in the text."""
    row = ws.segmentation(segmentation)
    return row.id if row.segmenter in OF_WORDS else None


def of_word(
    ws: Workspace, run: int | str, word: str, groups: int = 0, limit: int = MOST, *, job: Job
) -> Polysemy:
    """`polysemy` of what `occurrences` finds in the run's own corpus."""
    cut = ws.segmentation(ws.run(run).segmentation_id)
    found = occurrences(ws, cut.corpus_id, word, searched(ws, cut.id), limit, job=job)
    return polysemy(ws, run, found.occurrences, groups, job=job)


def known_words(ws: Workspace, corpus: int | str) -> list[str]:
    """Words whose meanings are known: those that the sample corpora were written with."""
    return list(SENSES) if "oracle" in ws.corpus(corpus).facts else []


def example(ws: Workspace, corpus: int | str, segmentation: int | str) -> str:
    """A word to begin with: one whose meanings are known, or else a frequent one with content.

    The first words of a list by frequency are grammar, so these and single signs are left out,
    where there is anything else.
    """
    if known := known_words(ws, corpus):
        return known[0]
    row = ws.segmentation(segmentation)
    vocabulary = Vocabulary.load(ws.segmentation_folder(row.id))
    types, counts = vocabulary.types, vocabulary.counts
    frequent = [types[n] for n in (-counts).argsort(kind="stable").tolist()
                if n >= len(SPECIALS) and counts[n] > 1 and types[n].isalpha()]  # fmt: skip
    content = (word for word in frequent if _has_content(word))
    return next(content, frequent[0] if frequent else "")


def _has_content(word: str) -> bool:
    least = 2 if word[0] > "\u2e80" else 5  # letters of an alphabet say less
    return word not in _GRAMMAR.split() and (len(word) >= least or word in _SIGNS)


def polysemy(
    ws: Workspace, run: int | str, occurrences: Sequence[Occurrence], groups: int = 0, *, job: Job
) -> Polysemy:
    """Each layer of a network, its groups of occurrences, and how well they stand apart.

    `groups` 2 to 6, or 0 for the number with the highest silhouette. AppError for a model that has
    no vectors of words in a sentence, and for fewer than two occurrences.
    """
    return job.call(looking.polysemy, asked(ws, run, "context"), list(occurrences), groups)


def as_json(found: Found, answers: Sequence[Polysemy]) -> Facts:
    """All of it as JSON has it."""
    return {
        "word": found.word,
        "total": found.total,
        "occurrences": [asdict(one) for one in found.occurrences],
        "runs": [
            {"run": one.run, "best_layer": one.best, "pieces": one.pieces.tolist(),
             "wider": one.wider, "unknown": one.unknown,
             "layers": [_layer(number, layer) for number, layer in enumerate(one.layers)]}
            for one in answers
        ],
    }  # fmt: skip


def _layer(number: int, layer: LayerGroups) -> Facts:
    return asdict(layer) | {
        "layer": number, "points": layer.points.tolist(), "labels": layer.labels.tolist()
    }  # fmt: skip


def save(
    occurrences: Sequence[Occurrence], found: Sequence[Polysemy], path: Path, *, job: Job
) -> None:
    """Write every occurrence in every layer as CSV. AppError if it cannot be written."""
    header = [tr("Run"), tr("Layer"), tr("Silhouette"), tr("Agreement"), tr("Sentence"),
              tr("Start"), tr("End"), tr("Sense"), tr("Group"), "x", "y"]  # fmt: skip
    save_table(path, header, _rows(occurrences, found), job=job)


def _rows(
    occurrences: Sequence[Occurrence], found: Sequence[Polysemy]
) -> Iterator[tuple[object, ...]]:
    for one in found:
        for number, layer in enumerate(one.layers):
            points = zip(occurrences, layer.labels.tolist(), layer.points.tolist(), strict=True)
            for use, label, (x, y) in points:
                yield (one.run, number, layer.silhouette, layer.agreement, use.text,
                       use.start, use.end, use.sense, label + 1, x, y)  # fmt: skip


def _with_senses(
    ws: Workspace, corpus_id: int, word: str, hits: Concordance, found: list[Occurrence]
) -> list[Occurrence]:
    """What the sample or the labels of documents tell of them."""
    sample = word in known_words(ws, corpus_id)
    if not found or not (sample or "label" in ws.document_columns(corpus_id)):
        return found
    numbers = hits.document.tolist()
    first, last = min(numbers), max(numbers)
    rows = {row.number: row for row in ws.documents(corpus_id, first, last - first + 1)}
    made = []
    for one, number in zip(found, numbers, strict=True):
        document = rows[number]
        topic = Path(document.name).stem.rpartition("-")[2]  # as operations.samples names them
        sense = sense_of(word, topic, one.text) if sample else document.label
        made.append(replace(one, sense=sense))
    return made
