"""What a file is turned into: documents with their text, and how the user wants them read."""

from collections.abc import Iterable
from dataclasses import dataclass

from lmstudio.messages import Message, msg
from lmstudio.options import option

FORMATS = ("auto", "text", "words", "tagged", "conllu")
HEADERS = ("auto", "yes", "no")
NO_COLUMN = "-"
"""Instead of a column's name: none, whatever the columns are called."""


@dataclass(frozen=True)
class ReadOptions:
    """How files are to be read; "auto" or empty for what is found in them. Kept with the corpus."""

    encoding: str = option("auto", msg("Encoding"), msg("Of text files; auto for what is found."))
    lines: str = option(
        "auto",
        msg("Lines"),
        msg("What a line is: a sentence, a paragraph, or wrapped where the page ended."),
        choices=("auto", "sentence", "paragraph", "wrapped"),
    )
    format: str = option(
        "auto",
        msg("Text is"),
        msg("What stands in a text file: plain text, words with spaces, word/tag, or CoNLL-U."),
        choices=FORMATS,
    )
    text_column: str = option(
        "", msg("Text column"), msg("Its name, or its number from 1; empty to guess it.")
    )
    title_column: str = option(
        "",
        msg("Title column"),
        msg("Its name or number; empty for the one called so, if any; - for none."),
    )
    label_column: str = option(
        "",
        msg("Label column"),
        msg("Its name or number; empty for the one called label, if any; - for none."),
    )
    part_column: str = option(
        "",
        msg("Part column"),
        msg("Says train, valid or test; empty for one called so, if any; - for none."),
    )
    header: str = option(
        "auto",
        msg("Header"),
        msg("Whether the first row of a table names its columns."),
        choices=HEADERS,
        more=True,
    )


@dataclass(frozen=True)
class MarkedLine:
    """A line whose words are given.

    Positions in `shifts` are code points of the decoded text of the file (or member) in which the
    document stands; `words` are half-open spans of `text`.
    """

    text: str
    shifts: tuple[tuple[int, int], ...]  # (character, original - position here); first at 0
    words: tuple[tuple[int, int], ...]
    tags: tuple[str, ...] = ()  # one a word, or none


@dataclass
class RawDocument:
    """One document of a file, with either `chunks` or `marked`.

    Both are read from the file as they are iterated: once, before the next document is asked for.
    Meanwhile they may raise ReadError, which then is about this document only.
    """

    name: str
    encoding: str  # of the file it stands in; empty where the format knows it
    title: str = ""
    label: str = ""
    part: str = ""  # train, valid or test, or empty
    format: str = "text"  # one of FORMATS, or the kind of file: csv, docx, ...
    chunks: Iterable[str] | None = None
    marked: Iterable[MarkedLine] | None = None
    lines: str = ""  # the rule that this kind of file asks for; empty to judge


@dataclass(frozen=True)
class Refusal:
    """What was left out, a file or a part of one, and why."""

    name: str
    reason: Message
