"""Grammar files -> a Grammar: topics with their templates, and the sentences of no topic.

Order matters everywhere: what stands first is drawn most often (`ranks`). The files themselves
are in the order of their names. What begins with # is a comment. Keyword lines stand at the
margin:

topic NAME                  the topic of the file; a file without one holds what all topics share
document VAR VAR=TABLE      variables drawn once a document, from the table of that name
phrase NAME = TEXT          pasted wherever <NAME> stands
table NAME                  lines of entries, blank between entries
table NAME: COLUMN COLUMN   a line an entry, blank between the attributes; {NAME} is the first
table NAME = FIRST SECOND   every entry of one table before every entry of another
synonyms                    a line of words: where a sentence says the first, any of them may stand
opening / body / closing    a line a sentence

In entries `_` parts words and `/` alternatives. Sentences are written in words parted by blanks;
(a|b|) is a choice, {VAR} and {VAR.COLUMN} are slots. A variable that `document` does not name
draws anew in each sentence, from the table of its name without digits or of the document's
variable so named: {动物} and {动物2} are two different animals, whichever stands first, and a
second {动物} is the first.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal as OneOf
from typing import get_args

from lmstudio import resources
from lmstudio.text.grammar.ranks import ENTRIES, shares
from lmstudio.text.grammar.templates import (
    Cell,
    Choice,
    Literal,
    Mention,
    Node,
    Slot,
    Table,
    Template,
)

Phase = OneOf["opening", "body", "closing"]
PHASES: tuple[Phase, ...] = get_args(Phase)

_TOKEN = re.compile(r"\{(\w+?)(\d*)(?:\.(\w+))?\}|([()|])|([^\s(){}|]+)")


@dataclass(frozen=True, eq=False)
class Topic:
    """What documents of one topic are made of."""

    name: str
    templates: dict[Phase, tuple[Template, ...]]
    variables: dict[str, Table]  # of the document


@dataclass(frozen=True, eq=False)
class Grammar:
    """All topics, and the body sentences that any document may hold."""

    topics: tuple[Topic, ...]
    general: tuple[Template, ...]
    general_share: float = 0.2  # of body sentences
    lengths: tuple[int, int] = (6, 20)  # of documents, in sentences, both included


class GrammarError(ValueError):
    """A grammar file says something that cannot be: a fault of ours, not of the user."""


@dataclass
class _Source:
    """A file, cut into its sections."""

    topic: str = ""
    document: dict[str, str] = field(default_factory=dict)  # variable -> table
    phrases: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    synonyms: dict[str, list[str]] = field(default_factory=dict)
    sentences: dict[str, list[str]] = field(default_factory=dict)


@cache
def load(folder: Path | None = None) -> Grammar:
    """The grammar in the *.txt files of a folder; by default the one that comes with us."""
    folder = folder or resources.path("samples", "grammar")
    return read([path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))])


def read(texts: list[str]) -> Grammar:
    """The grammar that the texts of several files make together."""
    sources = [_cut(text) for text in texts]
    shared = [source for source in sources if not source.topic]
    topics = []
    for source in sources:
        if source.topic:
            parse = _Parser([*shared, source])
            templates = {
                phase: parse.templates(source.sentences.get(phase, [])) for phase in PHASES
            }
            if missing := [phase for phase in PHASES if not templates[phase]]:
                raise GrammarError(f"{source.topic} has no {missing[0]}")
            if max(Counter(parse.variables.values()).values(), default=0) > 2:
                raise GrammarError(f"{source.topic} has three variables of one table")
            topics.append(Topic(source.topic, templates, parse.variables))
    parse = _Parser(shared)
    general = [line for source in shared for line in source.sentences.get("body", [])]
    grammar = Grammar(tuple(topics), parse.templates(general))
    if not general:
        grammar = Grammar(grammar.topics, (), general_share=0.0)
    return grammar


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """(keyword, rest of its line, the indented lines below it)."""
    section: tuple[str, str, list[str]] | None = None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace() and section:
            section[2].append(line.strip())
            continue
        if section:
            yield section
        keyword, _, rest = line.strip().partition(" ")
        section = keyword, rest.strip(), []
    if section:
        yield section


def _cut(text: str) -> _Source:
    source = _Source()
    for keyword, rest, lines in _sections(text):
        if keyword == "topic":
            source.topic = rest
        elif keyword == "document":
            for word in rest.split():
                variable, _, table = word.partition("=")
                source.document[variable] = table or variable
        elif keyword == "phrase":
            name, _, value = rest.partition("=")
            source.phrases[name.strip()] = value.strip()
        elif keyword == "table" and "=" in rest:
            name, _, first, second = rest.split()
            source.tables[name] = _product(name, source.tables[first], source.tables[second])
        elif keyword == "table":
            name, _, columns = rest.partition(":")
            source.tables[name] = _table(name, tuple(columns.split()), lines)
        elif keyword == "synonyms":
            source.synonyms |= {line.split()[0]: line.split() for line in lines}
        elif keyword in PHASES:
            source.sentences.setdefault(keyword, []).extend(lines)
        else:
            raise GrammarError(f"{keyword} is not a keyword")
    return source


def _table(name: str, columns: tuple[str, ...], lines: list[str]) -> Table:
    entries = [line.split() for line in lines]
    if name[-1].isdigit():
        raise GrammarError(f"{name}: digits tell variables of one table apart")
    if not columns:
        words = tuple((_cell(word),) for line in entries for word in line)
        return Table(name, (name,), words, shares(len(words), ENTRIES))
    for entry in entries:
        if len(entry) != len(columns):
            raise GrammarError(f"{name} has {len(columns)} columns: {entry}")
    rows = tuple(tuple(_cell(cell) for cell in entry) for entry in entries)
    return Table(name, columns, rows, shares(len(rows), ENTRIES))


def _product(name: str, first: Table, second: Table) -> Table:
    """Each row of `first` in front of each of `second`; attributes are those of `second`.

    Both halves are habits: a few people do most of what happens.
    """
    rows = tuple(
        (tuple(a + b for a in before[0] for b in after[0]), *after[1:])
        for before in first.rows
        for after in second.rows
    )
    products = tuple(p * q for p in shares(len(first.rows)) for q in shares(len(second.rows)))
    return Table(name, (name, *second.columns[1:]), rows, products)


def _cell(text: str) -> Cell:
    return tuple(tuple(words.split("_")) for words in text.split("/"))


def _mentions(template: Template) -> list[Mention]:
    """Document variables that must be known from the start, since others of their table come first.

    A sentence that compares {鸟2} with {鸟} must not compare a bird with itself.
    """
    drawn: set[Table] = set()
    late: dict[str, Mention] = {}
    for slot in template.slots():
        if not slot.of_document:
            drawn.add(slot.table)
        elif slot.table in drawn:
            late[slot.variable] = Mention(slot.variable, slot.table)
    return list(late.values())


def _check_lengths(template: Template, line: str) -> None:
    """Refuse a sentence that could not give all variables of a table different values."""
    variables = {(slot.variable, slot.table) for slot in template.slots()}
    for table, count in Counter(table for _, table in variables).items():
        if count > len(table.rows):
            raise GrammarError(f"{table.name} is too short for {count} that differ: {line}")


class _Parser:
    """Turns lines into templates; what its sources name is known to it, the last one first."""

    def __init__(self, sources: list[_Source]) -> None:
        self._tables: dict[str, Table] = {}
        self._phrases: dict[str, str] = {}
        self._synonyms: dict[str, list[str]] = {}
        self.variables: dict[str, Table] = {}
        for source in sources:
            self._tables |= source.tables
            self._phrases |= source.phrases
            self._synonyms |= source.synonyms
        for source in sources:
            self.variables |= {v: self._table(t) for v, t in source.document.items()}

    def templates(self, lines: list[str]) -> tuple[Template, ...]:
        return tuple(self._template(line) for line in lines)

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            raise GrammarError(f"there is no table {name}")
        return self._tables[name]

    def _template(self, line: str) -> Template:
        while paste := re.search(r"<(\w+)>", line):
            if paste[1] not in self._phrases:
                raise GrammarError(f"there is no phrase {paste[1]}: {line}")
            line = line.replace(paste[0], self._phrases[paste[1]])
        tokens = list(_TOKEN.finditer(line))
        tokens.reverse()  # so that pop() gives the next one
        template = self._sequence(tokens)
        if tokens:
            raise GrammarError(f"a bracket too many: {line}")
        _check_lengths(template, line)
        return Template((*_mentions(template), *template.nodes))

    def _sequence(self, tokens: list[re.Match[str]]) -> Template:
        """Nodes up to the end or to a mark that belongs to the choice around them."""
        nodes: list[Node] = []
        while tokens and tokens[-1][4] not in ("|", ")"):
            token = tokens.pop()
            if word := token[5]:
                self._add_word(nodes, word)
            else:
                nodes.append(self._choice(tokens) if token[4] else self._slot(token))
        return Template(tuple(nodes))

    def _add_word(self, nodes: list[Node], word: str) -> None:
        """A word joins the literal before it, unless it has synonyms."""
        if synonyms := self._synonyms.get(word):
            nodes.append(Choice(tuple(Template((Literal((each,)),)) for each in synonyms)))
        elif nodes and isinstance(last := nodes[-1], Literal):
            nodes[-1] = Literal((*last.words, word))
        else:
            nodes.append(Literal((word,)))

    def _choice(self, tokens: list[re.Match[str]]) -> Choice:
        alternatives = [self._sequence(tokens)]
        while tokens and (mark := tokens.pop()[4]):
            if mark == ")":
                return Choice(tuple(alternatives))
            alternatives.append(self._sequence(tokens))
        raise GrammarError("there is no closing bracket")

    def _slot(self, token: re.Match[str]) -> Slot:
        name, digits, column = token[1], token[2], token[3]
        variable = name + digits
        of_document = variable in self.variables
        table = self.variables.get(variable) or self.variables.get(name) or self._table(name)
        if column and column not in table.columns:
            raise GrammarError(f"{table.name} has no column {column}")
        return Slot(variable, table, table.columns.index(column) if column else 0, of_document)
