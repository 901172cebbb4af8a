"""A text to what stands between the marks `<s>`, `</s>` and `<unk>` that somebody wrote into it.

They are taken for what they say: the first two are dropped, for every sentence gets its own, and
`<unk>` is a token, the unknown one.
"""

import re
from collections.abc import Iterator

UNKNOWN = "<unk>"
_MARK = re.compile("<s>|</s>|<unk>")
_SENTENCE_MARK = re.compile("</?s>")


def unmarked(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is `<unk>`) of every `<unk>` and every stretch without marks, in order."""
    position = 0
    if "<" in text:
        for match in _MARK.finditer(text):
            yield position, match.start(), False
            if match[0] == UNKNOWN:
                yield match.start(), match.end(), True
            position = match.end()
    yield position, len(text), False


def without_marks(text: str) -> str:
    """`text` with white space in the place of every mark."""
    return _MARK.sub(" ", text) if "<" in text else text


def characters_of(text: str) -> int:
    """Code points of `text` without white space and sentence marks: what bits are divided by.

    `<unk>` is a token like any other, so its characters count.
    """
    if "<" in text:
        text = _SENTENCE_MARK.sub(" ", text)
    return sum(map(len, text.split()))
