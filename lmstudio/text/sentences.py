"""A line to the spans of its sentences.

Chinese sentences end at 。！？… and their runs, with the closing quotes and brackets that follow;
Latin ones at "!" and "?", and at "." before white space and a capital. A semicolon ends nothing.
"""

import re

_WIDE = "。！？｡…"  # end a sentence whatever follows, but for a comma
_STRAIGHT = "\"'"  # open and close alike, so they are counted
_CLOSERS = "”’」』）》】〉〕)\\]" + _STRAIGHT
_STOP = re.compile(rf"([{_WIDE}!?.]+)([{_CLOSERS}]*)")
_GOES_ON = frozenset("，、；：,;:")  # cannot begin a sentence
_NEXT_LATIN = re.compile(r"\s+[\"'“‘(\[]*[^\W\d_a-z]|\s*$")  # space and a capital, or the end
_ABBREVIATION = re.compile(
    r"(mr|mrs|ms|dr|prof|st|jr|sr|vs|inc|ltd|co|corp|dept|al|cf|[a-z])$", re.I
)
_LAST_WORD = re.compile(r"(?:^|[^A-Za-z])([A-Za-z]+)$")


def sentence_spans(line: str) -> list[tuple[int, int]]:
    """Start and end (code points) of each sentence, without the white space around it.

    Together the spans cover all of the line that is not white space. 他说：“好！”她走了。 has two.
    """
    spans = []
    start = 0
    quotes = _Quotes(line)
    for match in _STOP.finditer(line):
        end = next((i for i in range(*match.span(2)) if quotes.opens(i)), match.end())
        if _ends_sentence(line, match, end):
            spans.append((start, end))
            start = end
            quotes.restart(end)
    spans.append((start, len(line)))
    found = (trimmed(line, *span) for span in spans)
    return [span for span in found if span[0] < span[1]]


class _Quotes:
    """Which straight quotes of a sentence are open; reads a line once, from left to right."""

    def __init__(self, line: str) -> None:
        self._line = line
        self.restart(0)

    def restart(self, position: int) -> None:
        """A sentence begins, with nothing open."""
        self._position = position
        self._open = dict.fromkeys(_STRAIGHT, False)

    def opens(self, index: int) -> bool:
        """The character there is a straight quote that opens, as its like is not open."""
        for quote in _STRAIGHT:
            self._open[quote] ^= self._line.count(quote, self._position, index) % 2 == 1
        self._position = index
        return not self._open.get(self._line[index], True)


def _ends_sentence(line: str, match: re.Match[str], end: int) -> bool:
    following = line[end : end + 1]
    if following in _GOES_ON:
        return False
    stops = match[1]
    if any(stop in _WIDE for stop in stops):
        return True
    if stops.strip("."):  # "!" or "?"; inside an address or a formula they end nothing
        return not (following.isascii() and (following.isalnum() or following in "=&/%_"))
    return bool(_NEXT_LATIN.match(line, end)) and not _is_abbreviation(line, match)


def _is_abbreviation(line: str, match: re.Match[str]) -> bool:
    """ "J." and "Mr.", but not "..."."""
    word = _LAST_WORD.search(line, max(0, match.start() - 12), match.start())
    return len(match[1]) == 1 and word is not None and bool(_ABBREVIATION.match(word[1]))


def trimmed(line: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at its ends; empty where there is nothing else."""
    while start < end and line[start].isspace():
        start += 1
    while start < end and line[end - 1].isspace():
        end -= 1
    return start, end
