"""A user dictionary file into words: `word [frequency] [tag]` a line, read from the right.

So a word may hold spaces. A line that cannot be used is told by its number; the others load.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from lmstudio.messages import Message
from lmstudio.text.word_file import read_word_file

_FREQUENCY = re.compile(r"[+-]?\d[\d.,]*")
_TAG = re.compile("[a-z]+")
_MOST_DIGITS = 15  # of a frequency: sums of many still fit into 64 bits
_LONGEST_TAG = 3
_LONGEST = 80  # characters of a word
_SHOWN = 40


@dataclass(frozen=True)
class UserWord:
    """A word that a segmenter should know; frequency None asks for one that keeps it whole."""

    word: str
    frequency: int | None = None
    tag: str = ""


@dataclass(frozen=True)
class UserDictionary:
    """The words of a file, and what was wrong with it."""

    words: tuple[UserWord, ...] = ()
    warnings: tuple[Message, ...] = ()


def read_dictionary(path: Path) -> UserDictionary:
    """The dictionary in a UTF-8 (with or without mark) or GB18030 file; AppError if unreadable."""
    return parse_dictionary(read_word_file(path))


def parse_dictionary(text: str) -> UserDictionary:
    """The words in `text`; the last of two lines for one word counts."""
    words: dict[str, UserWord] = {}
    warnings: list[Message] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if found := _parse_line(line.strip()):
            words[found.word] = found
        else:
            warnings.append(
                Message(
                    "Line {number} of the user dictionary is left out: {line}",
                    {"number": number, "line": line.strip()[:40]},
                )
            )
    return UserDictionary(tuple(words.values()), tuple(warnings))


def _parse_line(line: str) -> UserWord | None:
    word, tag = _parted(line, _TAG)
    word, frequency = _parted(word, _FREQUENCY)
    if not frequency and tag and (word.isascii() or len(tag) > _LONGEST_TAG):
        word, tag = f"{word} {tag}", ""  # "ice cream", not ice with the tag cream
    if len(word) > _LONGEST:  # no word: a text, of which jieba would keep every beginning
        return None
    if not frequency:
        return UserWord(word, None, tag)
    usable = frequency.isdigit() and len(frequency) <= _MOST_DIGITS
    return UserWord(word, int(frequency), tag) if usable else None


def _parted(line: str, ending: re.Pattern[str]) -> tuple[str, str]:
    """A line without its last column and that column, if there are two and it looks like that."""
    parts = line.rsplit(None, 1)
    return (parts[0], parts[1]) if len(parts) > 1 and ending.fullmatch(parts[1]) else (line, "")


def line_of(word: UserWord) -> str:
    """The line of a dictionary that gives `word` back.

    Where a tag without a frequency would be read as part of the word, it is left out. A word whose
    own end reads as a frequency ("iPhone 15") gets one: for words with white space it decides
    nothing.
    """
    frequency = "" if word.frequency is None else str(word.frequency)
    for parts in ((word.word, frequency, word.tag), (word.word, frequency)):
        line = " ".join(filter(None, parts))
        found = _parse_line(line)
        if found and (found.word, found.frequency) == (word.word, word.frequency):
            return line
    return f"{word.word} 1"


def check_word(word: str) -> Message | None:
    """Why a word can never be found in a text; None where it can."""
    if not word.strip():
        return Message("A word is needed.")
    if word != word.strip() or re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", word):
        return Message(
            "{word} cannot match: it begins or ends with white space, or holds a tab or line end.",
            {"word": word.strip()[:_SHOWN]},
        )
    if re.search(r"[\ud800-\udfff]", word):
        return Message("A word cannot hold half a character.")
    if re.search("<s>|</s>|<unk>", word):
        return Message(
            "{word} cannot match: <s>, </s> and <unk> are marks of their own.",
            {"word": word[:_SHOWN]},
        )
    if len(word) > _LONGEST:
        return Message(
            "{word} cannot match: a word has at most {most} characters.",
            {"word": word[:_SHOWN], "most": _LONGEST},
        )
    return None
