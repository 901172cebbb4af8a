"""Chinese in; the first letters of its pinyin out, without a dictionary.

The 3755 frequent characters of GB 2312 (level 1) stand there in the order of their pinyin, so the
first code of each letter tells all of them. A character of several readings has one of them.
"""

from bisect import bisect_right

_LETTERS = "abcdefghjklmnopqrstwxyz"
_FIRST = (
    0xB0A1, 0xB0C5, 0xB2C1, 0xB4EE, 0xB6EA, 0xB7A2, 0xB8C1, 0xB9FE, 0xBBF7, 0xBFA6, 0xC0AC, 0xC2E8,
    0xC4C3, 0xC5B6, 0xC5BE, 0xC6DA, 0xC8BB, 0xC8F6, 0xCBFA, 0xCDDA, 0xCEF4, 0xD1B9, 0xD4D1,
)  # fmt: skip
_END = 0xD7FA


def initials(text: str) -> str:
    """The letters of the frequent characters, all else as it is: "填空 BERT" gives "tk bert"."""
    return "".join(map(_initial, text.casefold()))


def _initial(character: str) -> str:
    code = int.from_bytes(character.encode("gb2312", errors="ignore"), "big")
    if not _FIRST[0] <= code < _END:
        return character
    return _LETTERS[bisect_right(_FIRST, code) - 1]
