"""Files with a token and its tag in each line (CoNLL, BIO, BMES) to tagged examples.

A blank line, or one of white space, ends a sentence; several make one end. The first column is the
token and the last its tag, unless others are chosen. Tokens of one character each, as in Chinese
files, stand side by side; words are joined as in `text.marked`. A first line may name the columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.joined_tokens import joined
from lmstudio.data.labelled.tags import OUTSIDE, illegal, is_tag, spans_of
from lmstudio.data.watched import watched
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.text.lines import is_blank

NO_TAG = msg("Tokens without a tag, taken as O: {count}.")
UNPARTED = msg(
    "Tokens of a file that stand in one sentence: {count}. A blank line parts sentences."
)
ILLEGAL = msg("Tags that their scheme does not allow there, read as a new span: {count}.")
HEADERS = msg("Lines that name the columns, left out: {count}.")
LONG = 1000
"""Tokens of a sentence that has the whole file, from which on blank lines are surely missing."""
_REMARK = "-DOCSTART-"
_TOKENS = {
    "token", "tokens", "word", "words", "char", "chars", "character", "text", "form",
    "词", "字", "词元", "词语", "单词", "字符", "文本",
}  # fmt: skip
_TAGS = {
    "tag", "tags", "label", "labels", "ner", "ner_tag", "ner_tags", "bio", "entity", "slot", "pos",
    "pos_tag", "upos", "xpos", "标签", "标记", "标注", "实体", "命名实体", "词性",
}  # fmt: skip
_CHARACTERS = 0.99  # share of the tokens that are single characters where a file tags characters


@dataclass(frozen=True)
class Token:
    """A token, its tag, and the line of the file that it stands in, from 1."""

    text: str
    tag: str | None  # None where the line has none
    line: int


def sentences(text: str, columns: tuple[str, str] = ("", ""), *, job: Job) -> list[list[Token]]:
    """The sentences of a file. `columns`: numbers from 1 of token and tag, "" for first and last.

    Raises AppError if a column is no number.
    """
    token, tag = (_number(column) for column in columns)
    found, sentence = list[list[Token]](), list[Token]()
    for number, line in enumerate(watched(text.split("\n"), job), 1):
        if is_blank(line) or line.startswith(_REMARK):
            if sentence:
                found.append(sentence)
            sentence = []
        else:
            sentence.append(_token(line.rstrip("\r"), number, token, tag))
    return [*found, sentence] if sentence else found


def _number(column: str) -> int | None:
    if not column:
        return None
    if not column.isdecimal() or int(column) < 1:
        raise AppError(
            "Columns of such a file have numbers, from 1, not names: {name}.", name=column
        )
    return int(column) - 1


def _token(line: str, number: int, token: int | None, tag: int | None) -> Token:
    cells = line.split("\t") if "\t" in line.strip() else line.split()
    if len(cells) == 1 and line[0].isspace() and is_tag(cells[0].strip()):
        return Token(line[0], cells[0].strip(), number)  # white space that is tagged
    cells = [cell.strip() or cell for cell in cells]
    text = cells[min(token or 0, len(cells) - 1)]
    place = len(cells) - 1 if tag is None else tag
    has_tag = 0 < place < len(cells) and cells[place].strip()
    return Token(text, cells[place] if has_tag else None, number)


def names_columns(token: str, tag: str | None) -> bool:
    """The cells of a line are what columns of tokens and of tags are called."""
    return tag is not None and token.casefold() in _TOKENS and tag.casefold() in _TAGS


def without_header(found: list[list[Token]], name: str, problems: Problems) -> list[list[Token]]:
    """The sentences without a first line that names the columns, which is told.

    It is a token all the same where its tag comes again.
    """
    tokens = [token for sentence in found for token in sentence]
    first = tokens[0] if tokens else Token("", None, 0)
    again = any(token.tag == first.tag for token in tokens[1:])
    if again or not names_columns(first.text, first.tag):
        return found
    problems.add(HEADERS, "noticed", f"{name}:{first.line}", f"{first.text} {first.tag}")
    return [sentence for sentence in (found[0][1:], *found[1:]) if sentence]


def are_characters(found: Sequence[Sequence[Token]]) -> bool:
    """Nearly all tokens are single characters."""
    sizes = [len(token.text) == 1 for sentence in found for token in sentence]
    return sum(sizes) >= _CHARACTERS * len(sizes)


def examples(
    found: Sequence[Sequence[Token]], scheme: str, name: str, problems: Problems
) -> Iterator[Example]:
    """An example a sentence of the file `name`; what breaks the `scheme` is listed."""
    characters = are_characters(found)
    tagged = any(token.tag for sentence in found for token in sentence)
    if len(found) == 1 and len(found[0]) >= LONG:
        problems.add(UNPARTED, "noticed", name, count=len(found[0]))
    for sentence in found:
        tags = [token.tag or OUTSIDE for token in sentence]
        for token in sentence:
            if tagged and token.tag is None:
                problems.add(NO_TAG, "noticed", f"{name}:{token.line}", token.text)
        for number, detail in illegal(tags, scheme):
            line = sentence[min(number, len(sentence) - 1)].line
            problems.add(ILLEGAL, "noticed", f"{name}:{line}", detail)
        text, words = joined([token.text for token in sentence], side_by_side=characters)
        spans = tuple(Span(words[s.start][0], words[s.end - 1][1], s.type)
                      for s in spans_of(tags, scheme))  # fmt: skip
        yield Example(text, spans=spans, words=() if characters else words,
                      place=f"{name}:{sentence[0].line}",
                      labelled=any(token.tag for token in sentence))  # fmt: skip
