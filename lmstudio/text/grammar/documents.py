"""A grammar -> documents about one topic each, as sentences in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from lmstudio.text.grammar.ranks import draw, pick
from lmstudio.text.grammar.reading import PHASES, Grammar, Phase, Topic
from lmstudio.text.grammar.templates import Table, Template, sample


@dataclass(frozen=True)
class Document:
    """A topic and its sentences, each a list of words whose concatenation is the line."""

    topic: str
    sentences: list[list[str]]
    back: list[list[int]]  # of each word, how many words before it that is which it agrees with; 0

    @property
    def lines(self) -> list[str]:
        """The sentences as they are written."""
        return ["".join(words) for words in self.sentences]

    @property
    def text(self) -> str:
        """One sentence a line, each ended by a line end."""
        return "".join(f"{line}\n" for line in self.lines)


def documents(grammar: Grammar, size: int, seed: int) -> Iterator[Document]:
    """Documents until their texts hold at least `size` bytes of UTF-8.

    The same grammar, size and seed give the same text on every system; a longer text begins
    with the shorter one.
    """
    random = Random(seed)
    made = 0
    while made < size:
        document = draw_document(grammar, random)
        made += len(document.text.encode("utf-8"))
        yield document


def draw_document(grammar: Grammar, random: Random) -> Document:
    """A random document."""
    topic = grammar.topics[draw(random, len(grammar.topics))]
    low, high = grammar.lengths
    length = low + int(random.random() * (high - low + 1))
    bindings = _draw_variables(topic.variables, random)
    phases = [PHASES[0], *[PHASES[1]] * (length - 2), PHASES[2]]
    made = [
        sample(_draw_template(grammar, topic, phase, random), bindings, random) for phase in phases
    ]
    return Document(topic.name, [each.words for each in made], [each.back for each in made])


def _draw_variables(tables: dict[str, Table], random: Random) -> dict[str, tuple[Table, int]]:
    """A row for each variable, all again until variables that share a table differ."""
    while True:
        drawn = {name: (table, pick(random, table.sums)) for name, table in tables.items()}
        if len(set(drawn.values())) == len(drawn):
            return drawn


def _draw_template(grammar: Grammar, topic: Topic, phase: Phase, random: Random) -> Template:
    templates = topic.templates[phase]
    if phase == "body" and random.random() < grammar.general_share:
        templates = grammar.general
    return templates[draw(random, len(templates))]
