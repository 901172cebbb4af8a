"""A text to what stands between the marks `<s>`, `</s>` and `<unk>` that somebody wrote into it.

They are taken for what they say: the first two are dropped, for every sentence gets its own, and
`<unk>` is a token, the unknown one. Other marks such as [MASK] are whole where a user says so.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

UNKNOWN = "<unk>"
_MARK = re.compile("<s>|</s>|<unk>")
SENTENCE_MARK = re.compile("</?s>")


def unmarked(text: str, special: tuple[str, ...] = ()) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is whole) of every `<unk>`, every `special` and every stretch between marks."""
    position = 0
    if special or "<" in text:
        for match in _marks(special).finditer(text):
            yield position, match.start(), False
            if not SENTENCE_MARK.fullmatch(match[0]):
                yield match.start(), match.end(), True
            position = match.end()
    yield position, len(text), False


@lru_cache(maxsize=8)
def _marks(special: tuple[str, ...]) -> re.Pattern[str]:
    """Ours and `special`, the longest first."""
    marks = sorted(map(re.escape, special), key=len, reverse=True)
    return re.compile("|".join([_MARK.pattern, *marks]))


def unknown_type(text: str) -> str:
    """The type of an unknown piece that stands for `text`.

    It is no type of any vocabulary: within a stretch between marks there is no `<unk>`.
    """
    return UNKNOWN + text


def written_as(word: str) -> str:
    """The text that a type stands for, where the type is the text or `unknown_type` of it."""
    return word if word == UNKNOWN else word.removeprefix(UNKNOWN)


def without_marks(text: str) -> str:
    """`text` with white space in the place of every mark."""
    return _MARK.sub(" ", text) if "<" in text else text


def characters_of(text: str) -> int:
    """Code points of `text` without white space and sentence marks: what bits are divided by.

    `<unk>` is a token like any other, so its characters count.
    """
    if "<" in text:
        text = SENTENCE_MARK.sub(" ", text)
    return sum(map(len, text.split()))
