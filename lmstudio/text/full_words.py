"""The dictionary words at each place of a block into the tokens of jieba's full mode."""

import re
from collections.abc import Iterator, Mapping, Sequence

Span = tuple[int, int]

_LATIN = re.compile("[a-zA-Z0-9]")


def full_words(
    text: str, start: int, end: int, words: Mapping[int, Sequence[int]]
) -> Iterator[Span]:
    """As `Tokenizer.cut(cut_all=True)` on `text[start:end]`, which holds no mark.

    `words`: where those end that begin at a place, shorter ones first. Every word of more than one
    character is a token; a character in none stands alone, Latin ones join. Where a word stands
    between two Latin runs jieba would join them across it; here each is a token of its own, for a
    token is a piece of the text.
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
