"""The dictionary words at each place of a text into the tokens of jieba's full mode."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lmstudio.text.joined_text import LATIN, MARK, JoinedText, Span, runs

_LATIN = re.compile("[a-zA-Z0-9]")


def full_words(text: JoinedText, starts: np.ndarray, ends: np.ndarray) -> list[list[Span]]:
    """As `Tokenizer.cut(cut_all=True)` of each text; marks between words stay together.

    `starts` and `ends` (N,) are the dictionary words at all places, shorter ones first. Each word
    of more than one character is a token; a character in none stands alone, Latin ones join.
    """
    long = ends > starts + 1
    alone = text.kinds >= LATIN
    alone[starts[long]] = False
    alone &= ~_covered(len(text.text), starts[long], ends[long])
    marks = np.array(runs(text.kinds == MARK), np.int64).reshape(-1, 2)
    singles = np.flatnonzero(alone)
    begins = np.concatenate([starts[long], singles, marks[:, 0]])
    stops = np.concatenate([ends[long], singles + 1, marks[:, 1]])
    order = begins
    if blocks := _latin_blocks(text):
        elsewhere = ~_inside(len(text.text), blocks)[begins]
        rows = [row for block in blocks for row in _block_rows(text, block, starts, ends)]
        latin = np.array(rows, np.int64)
        order = np.concatenate([begins[elsewhere], latin[:, 0]])
        begins = np.concatenate([begins[elsewhere], latin[:, 1]])
        stops = np.concatenate([stops[elsewhere], latin[:, 2]])
    by = np.argsort(order, kind="stable")
    return text.spans(begins[by], stops[by], order[by])


def _covered(size: int, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(size,) bool: what lies in the longest word at the last place before where any begins."""
    reach = np.zeros(size, np.int64)
    reach[starts] = ends  # of several the last one, which is the longest
    place = np.arange(size)
    last = np.maximum.accumulate(np.where(reach > 0, place, 0))
    return reach[last] > place


def _latin_blocks(text: JoinedText) -> list[Span]:
    """The stretches between marks that hold a Latin letter or a digit."""
    blocks = runs(text.kinds >= LATIN)
    places = [match.start() for match in _LATIN.finditer(text.text)]
    held = np.searchsorted(places, np.array(blocks, np.int64).reshape(-1, 2))
    return [block for block, (a, b) in zip(blocks, held.tolist(), strict=True) if a < b]


def _inside(size: int, blocks: Sequence[Span]) -> np.ndarray:
    inside = np.zeros(size, bool)
    for first, last in blocks:
        inside[first:last] = True
    return inside


def _block_rows(
    text: JoinedText, block: Span, starts: np.ndarray, ends: np.ndarray
) -> Iterator[tuple[int, int, int]]:
    """(start of the block, start, end) of its tokens, in jieba's order."""
    words: dict[int, list[int]] = defaultdict(list)
    a, b = np.searchsorted(starts, block)
    for start, end in zip(starts[a:b].tolist(), ends[a:b].tolist(), strict=True):
        words[start].append(end)
    return ((block[0], *span) for span in block_words(text.text, *block, words))


def block_words(
    text: str, start: int, end: int, words: Mapping[int, Sequence[int]]
) -> Iterator[Span]:
    """The tokens of `text[start:end]`, which holds no mark, place by place.

    `words`: where those end that begin at a place, shorter ones first. Where a word stands between
    two Latin runs jieba would join them across it; here each is a token of its own, for a token is
    a piece of the text.
    """
    covered, latin = start, None
    for place in range(start, end):
        ends = words.get(place) or (place + 1,)
        if latin and not _LATIN.match(text, place):
            yield latin
            latin = None
        if len(ends) > 1 or place < covered:
            for last in ends:
                if last > place + 1:
                    yield place, last
                    covered = last
            continue
        covered = ends[0]
        if not _LATIN.match(text, place):
            yield place, covered
        elif latin and latin[1] == place:
            latin = latin[0], covered
        else:
            if latin:
                yield latin
            latin = place, covered
    if latin:
        yield latin
