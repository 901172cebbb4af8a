"""Sentence templates: a random sentence out of one, and the probability of a text under one.

A template is a tuple of nodes. Sampling walks it once from left to right. Matching is a forward
pass over (position in the text, values of the variables so far): a finite-state machine with
registers, so the sum over all derivations is exact.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import NamedTuple, TypeAlias

from lmstudio.text.grammar.ranks import draw, pick, shares

Words: TypeAlias = tuple[str, ...]
Cell: TypeAlias = tuple[Words, ...]  # alternatives, the likeliest first
Bindings: TypeAlias = tuple[tuple[str, int], ...]  # (variable, row), in order of first mention
States: TypeAlias = dict[tuple[int, Bindings], float]  # probability of having come so far


@dataclass(frozen=True, eq=False)
class Table:
    """Words that fill the same places: a row is an entry, a column one of its attributes."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shares: tuple[float, ...]  # by row, how often it is drawn; their sum is 1

    @cached_property
    def sums(self) -> tuple[float, ...]:
        """Running sums of `shares`."""
        return tuple(accumulate(self.shares))

    @cached_property
    def paired(self) -> tuple[float, ...]:
        """By row: p(the first of two rows is it), if two are drawn anew until they differ."""
        differ = 1 - sum(share * share for share in self.shares)
        return tuple(share * (1 - share) / differ for share in self.shares)

    @cached_property
    def spellings(self) -> tuple[dict[str, list[tuple[int, float]]], ...]:
        """By column: text -> the rows it may stand for, each with p(text | row)."""
        found: tuple[dict[str, list[tuple[int, float]]], ...]
        found = tuple(defaultdict(list) for _ in self.columns)
        for number, row in enumerate(self.rows):
            for column in range(len(row)):
                for text, share in self.texts(number, column):
                    found[column][text].append((number, share))
        return found

    def texts(self, row: int, column: int) -> Iterator[tuple[str, float]]:
        """What may be written for a row, each with p(text | row)."""
        cell = self.rows[row][column]
        for words, share in zip(cell, shares(len(cell)), strict=True):
            yield "".join(words), share

    @cached_property
    def lengths(self) -> tuple[tuple[int, ...], ...]:
        """By column: the numbers of characters that its texts have."""
        return tuple(tuple(sorted({len(text) for text in index})) for index in self.spellings)


@dataclass(frozen=True, eq=False)
class Literal:
    """Words that stand there as they are."""

    words: Words


@dataclass(frozen=True, eq=False)
class Slot:
    """An attribute of a variable; a variable without a value draws one from its table.

    No two variables of one table have the same value in a sentence.
    """

    variable: str
    table: Table
    column: int
    of_document: bool  # drawn once a document: here it costs nothing, but the value is noted


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several sequences of nodes, the likeliest first."""

    alternatives: tuple["Template", ...]


@dataclass(frozen=True, eq=False)
class Mention:
    """A variable of the document, thought of but not said: those drawn after it differ from it."""

    variable: str
    table: Table


Node: TypeAlias = Literal | Slot | Choice | Mention


@dataclass(frozen=True, eq=False)
class Template:
    """The nodes of a sentence or of a part of one."""

    nodes: tuple[Node, ...]

    @cached_property
    def required(self) -> frozenset[str]:
        """Characters without which no text can match."""
        return frozenset(
            character
            for node in self.nodes
            if isinstance(node, Literal)
            for word in node.words
            for character in word
        )

    def slots(self) -> Iterator[Slot]:
        """All slots, from left to right."""
        for node in self.nodes:
            if isinstance(node, Slot):
                yield node
            elif isinstance(node, Choice):
                for alternative in node.alternatives:
                    yield from alternative.slots()


Names: TypeAlias = dict[str, Slot | Mention]  # a node of each variable met so far


class Sampled(NamedTuple):
    """The words of a sentence, and how far each looks back.

    `back`: for a word that agrees with one before it (an attribute of the same animal, country...),
    the number of words from the last mention to it; 0 for all others.
    """

    words: list[str]
    back: list[int]


def sample(template: Template, bindings: dict[str, tuple[Table, int]], random: Random) -> Sampled:
    """A random sentence; `bindings` are the values of the document's variables."""
    walk = _Walk(bindings, random)
    walk.follow(template)
    return walk.sampled


class _Walk:
    """Goes once through a template from left to right."""

    def __init__(self, bindings: dict[str, tuple[Table, int]], random: Random) -> None:
        self._bindings, self._random = bindings, random
        self._mentioned: dict[str, tuple[Table, int]] = {}
        self._said: dict[str, int] = {}  # by variable, the place of its last word so far
        self.sampled = Sampled([], [])

    def follow(self, template: Template) -> None:
        for node in template.nodes:
            if isinstance(node, Literal):
                self._say(node.words)
            elif isinstance(node, Choice):
                self.follow(node.alternatives[draw(self._random, len(node.alternatives))])
            elif isinstance(node, Mention):
                self._mentioned[node.variable] = self._bindings[node.variable]
            else:
                self._fill(node)

    def _fill(self, slot: Slot) -> None:
        if slot.variable not in self._mentioned:
            self._mentioned[slot.variable] = (
                self._bindings[slot.variable]
                if slot.of_document
                else (slot.table, _draw_row(slot.table, self._mentioned.values(), self._random))
            )
        cell = slot.table.rows[self._mentioned[slot.variable][1]][slot.column]
        here = len(self.sampled.words)
        back = here - self._said[slot.variable] if slot.variable in self._said else 0
        self._say(cell[draw(self._random, len(cell))], back)
        self._said[slot.variable] = len(self.sampled.words) - 1

    def _say(self, words: Words, back: int = 0) -> None:
        self.sampled.words.extend(words)
        self.sampled.back.extend([back] * len(words))


def _draw_row(table: Table, drawn: Iterable[tuple[Table, int]], random: Random) -> int:
    """A row that none of those drawn before is; the others come as often as their shares say."""
    taken = {row for other, row in drawn if other is table}
    while (row := pick(random, table.sums)) in taken:
        pass
    return row


def match(template: Template, text: str) -> dict[Bindings, float]:
    """The probability of `text`, by the values that the document's variables must have for it.

    The draws of document variables are not counted; values of other variables are summed out.
    """
    names: Names = {}
    states = _forward(template, text, {(0, ()): 1.0}, names)
    found: dict[Bindings, float] = defaultdict(float)
    for (position, bindings), p in states.items():
        if position == len(text):
            found[tuple(sorted(b for b in bindings if _of_document(names[b[0]])))] += p
    return dict(found)


def _of_document(node: Slot | Mention) -> bool:
    return isinstance(node, Mention) or node.of_document


def _forward(template: Template, text: str, states: States, names: Names) -> States:
    for node in template.nodes:
        if not states:
            break
        if isinstance(node, Literal):
            states = _spell("".join(node.words), text, states)
        elif isinstance(node, Choice):
            states = _choose(node, text, states, names)
        elif isinstance(node, Mention):
            names[node.variable] = node
            states = _think_of(node, states)
        else:
            names[node.variable] = node
            states = _fill(node, text, states, names)
    return states


def _spell(literal: str, text: str, states: States) -> States:
    return {
        (position + len(literal), bindings): p
        for (position, bindings), p in states.items()
        if text.startswith(literal, position)
    }


def _choose(node: Choice, text: str, states: States, names: Names) -> States:
    reached: States = defaultdict(float)
    for alternative, share in zip(node.alternatives, shares(len(node.alternatives)), strict=True):
        for state, p in _forward(alternative, text, states, names).items():
            reached[state] += p * share
    return dict(reached)


def _think_of(node: Mention, states: States) -> States:
    return {
        (position, (*bindings, (node.variable, row))): p
        for (position, bindings), p in states.items()
        for row in range(len(node.table.rows))
    }


def _fill(node: Slot, text: str, states: States, names: Names) -> States:
    reached: States = defaultdict(float)
    for (position, bindings), p in states.items():
        known = dict(bindings).get(node.variable)
        if known is not None:
            for piece, p_cell in node.table.texts(known, node.column):
                if text.startswith(piece, position):
                    reached[position + len(piece), bindings] += p * p_cell
            continue
        taken = {row for name, row in bindings if names[name].table is node.table}
        for piece, row, p_row in _rows(node, text, position, taken):
            reached[position + len(piece), (*bindings, (node.variable, row))] += p * p_row
    return dict(reached)


def _rows(
    node: Slot, text: str, position: int, taken: set[int]
) -> Iterator[tuple[str, int, float]]:
    """What a slot may have drawn to write what stands at a position: (text, row, p)."""
    table = node.table
    left = 1.0 - sum(table.shares[row] for row in taken)
    for length in table.lengths[node.column]:
        if position + length > len(text):
            break
        piece = text[position : position + length]
        for row, p_cell in table.spellings[node.column].get(piece, ()):
            if node.of_document:
                yield piece, row, p_cell
            elif row not in taken:
                yield piece, row, p_cell * table.shares[row] / left
