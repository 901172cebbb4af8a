"""The columns of each answer of the statistics panel, and the sentence that stands over them."""

from collections.abc import Callable
from functools import partial

from lmstudio import figures
from lmstudio.data.browse.collocations import Collocations
from lmstudio.data.browse.frequencies import Frequencies
from lmstudio.data.browse.keyness import Keyness
from lmstudio.data.browse.listing import Listing
from lmstudio.data.browse.ngram_list import NgramList
from lmstudio.gui.tables import Column
from lmstudio.messages import msg, tr

_LISTINGS: dict[str, type[Listing]] = {
    "words": Frequencies, "ngrams": NgramList, "collocations": Collocations, "keyness": Keyness,
}  # fmt: skip
FIRST_SORTED = {
    "words": "count", "ngrams": "count", "collocations": "log_likelihood",
    "keyness": "log_likelihood",
}  # fmt: skip
"""The column by which an answer comes sorted, falling."""

BARS = {"ngrams": "count"}
"""The column that has room for lengths."""

_DECIMAL = {
    "per_million": 1, "reference_per_million": 1, "log_likelihood": 2, "log_ratio": 2,
    "mutual_information": 2, "t_score": 2, "dice": 4,
}  # fmt: skip
"""Decimals of the columns that are no counts."""

_WORDS = ("word", "ngram")
_WIDTHS = {
    "words": {"documents": 92, "train": 72, "valid": 72, "test": 72},
    "collocations": {"mutual_information": 136, "log_likelihood": 112},
    "ngrams": {"count": 560, "per_million": 150},
    "keyness": {"reference": 160, "reference_per_million": 210},
}
_WIDTH = 104
_NOTES = {
    "log_likelihood": msg(
        "G²: over 10.83 chance exceeds it once in a thousand cases. Negative: rarer than expected."
    ),
    "log_ratio": msg("1 is twice as frequent as in the reference, −1 half as frequent."),
    "mutual_information": msg("How many bits the one tells of the other; high for rare words"),
    "t_score": msg("High for pairs that are frequent and no accident"),
    "dice": msg("1 where one is never without the other"),
    "per_million": msg("Times in a million words"),
}  # fmt: skip


def columns(view: str) -> list[Column]:
    """The columns of a view's table: what the answer calls its own."""
    widths = _WIDTHS.get(view, {})
    return [
        Column(name, tr(title)) if name in _WORDS else Column(
            name, tr(title), right=True, show=_shown(name), width=widths.get(name, _WIDTH),
            note=tr(_NOTES[name]) if name in _NOTES else "",
        )
        for name, title in _LISTINGS[view].headings().items()
    ]  # fmt: skip


def _shown(name: str) -> Callable[[float], str]:
    places = _DECIMAL.get(name)
    return figures.count if places is None else partial(figures.decimal, places=places)


def said(listing: Listing, node: str = "") -> str:
    """How much was counted."""
    count = figures.count
    match listing:
        case Frequencies():
            return tr("{tokens} tokens, {types} types.",
                      tokens=count(listing.tokens), types=count(listing.types))  # fmt: skip
        case NgramList():
            return tr("{total} n-grams, {found} different ones that are frequent enough.",
                      total=count(listing.total), found=count(listing.found))  # fmt: skip
        case Collocations():
            return tr("{word} stands {nodes} times.", word=node, nodes=count(listing.nodes))
        case Keyness():
            theirs = count(listing.reference_tokens)
            return tr("{tokens} tokens against {reference} of the reference",
                      tokens=count(listing.tokens), reference=theirs)  # fmt: skip
    return ""
