"""A file of stop words, one a line, into a set."""

from pathlib import Path

from lmstudio.text.word_file import read_word_file


def read_stop_words(path: Path) -> frozenset[str]:
    """The words of a UTF-8 (with or without mark) or GB18030 file; AppError if unreadable."""
    lines = read_word_file(path).split("\n")
    return frozenset(line.strip() for line in lines if line.strip())
