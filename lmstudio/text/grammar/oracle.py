"""A grammar -> the exact -log2 probability of sentences, alone and within their documents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import inf, log2
from typing import NamedTuple

from lmstudio.text.grammar.ranks import shares
from lmstudio.text.grammar.reading import Grammar, Phase
from lmstudio.text.grammar.templates import Bindings, Template, match

ANY = -1  # the topic of a sentence that fits every topic alike


class Reading(NamedTuple):
    """What a sentence may have come from, with p(sentence | topic, phase, values)."""

    topic: int  # index into the grammar's topics, or ANY
    phase: Phase
    bindings: Bindings  # the values that document variables must have
    p: float


class Source(NamedTuple):
    """A template with its place in the grammar and p(template | topic, phase)."""

    topic: int  # or ANY
    phase: Phase
    template: Template
    p: float


class Hypothesis(NamedTuple):
    """A hidden state: a topic and the variables seen so far; the others are still undrawn."""

    topic: int
    bindings: Bindings


class Oracle:
    """Scores sentences under the process described in the package docstring."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._sources = _by_character(list(_sources(grammar)))
        self._topic_p = shares(len(grammar.topics))
        mean_length = sum(grammar.lengths) / 2
        self._phase_p: dict[Phase, float] = {
            "opening": 1 / mean_length,
            "body": 1 - 2 / mean_length,
            "closing": 1 / mean_length,
        }

    def readings(self, sentence: str) -> list[Reading]:
        """All readings of a sentence; none if the grammar cannot make it."""
        summed: dict[tuple[int, Phase, Bindings], float] = defaultdict(float)
        characters = frozenset(sentence)
        for character in ("", *dict.fromkeys(sentence)):
            for source in self._sources.get(character, ()):
                if source.template.required <= characters:
                    for bindings, p in match(source.template, sentence).items():
                        summed[source.topic, source.phase, bindings] += source.p * p
        return [Reading(*key, p) for key, p in summed.items()]

    def bits(self, sentence: str) -> float:
        """-log2 p of a sentence of which nothing else is known; inf if it cannot be."""
        return self.bits_of(self.readings(sentence))

    def bits_of(self, readings: Iterable[Reading]) -> float:
        """`bits` of a sentence whose readings are known.

        p is averaged over the hidden states in which a random sentence of a corpus stands.
        """
        return _bits(
            sum(
                self._phase_p[r.phase]
                * (1.0 if r.topic == ANY else self._topic_p[r.topic])
                * self._prior(r.topic, r.bindings, ())
                * r.p
                for r in readings
            )
        )

    def document_bits(self, sentences: Sequence[str]) -> list[float]:
        """-log2 p of each sentence of a document, given those before it and that it is there."""
        return self.filter_bits([self.readings(sentence) for sentence in sentences])

    def filter_bits(self, document: Sequence[Sequence[Reading]]) -> list[float]:
        """`document_bits` of sentences whose readings are known."""
        state = {Hypothesis(topic, ()): p for topic, p in enumerate(self._topic_p)}
        bits = []
        for number, readings in enumerate(document, 1):
            seen = 0.0
            later: dict[Hypothesis, float] = defaultdict(float)
            for phase, p_phase in self._phases(number).items():
                for hypothesis, p in self._advance(state, phase, readings):
                    seen += p_phase * p
                    if phase != "closing":  # a closing ends the document: nothing follows it
                        later[hypothesis] += p
            bits.append(_bits(seen))
            total = sum(later.values())
            if total > 0:
                state = {hypothesis: p / total for hypothesis, p in later.items()}
        return bits

    def _advance(
        self, state: dict[Hypothesis, float], phase: Phase, readings: Iterable[Reading]
    ) -> Iterable[tuple[Hypothesis, float]]:
        """The states after a sentence of `phase`, each with p(it, sentence | past, phase)."""
        for reading in readings:
            if reading.phase != phase:
                continue
            for (topic, bound), p in state.items():
                if reading.topic not in (ANY, topic):
                    continue
                if p_values := self._prior(topic, reading.bindings, bound):
                    merged = tuple(sorted({**dict(bound), **dict(reading.bindings)}.items()))
                    yield Hypothesis(topic, merged), p * p_values * reading.p

    def _phases(self, number: int) -> dict[Phase, float]:
        """The phases that sentence `number` may be, given that the document is that long."""
        if number == 1:
            return {"opening": 1.0}
        low, high = self._grammar.lengths
        last = 1 / (high - number + 1) if low <= number <= high else 0.0
        return {"body": 1 - last, "closing": last}

    def _prior(self, topic: int, wanted: Bindings, bound: Bindings) -> float:
        """p(the variables have the wanted values | those bound before).

        Two variables of one table depend on each other, no others do.
        """
        values = dict(bound)
        p = 1.0
        for variable, row in wanted:
            if variable not in values:
                p *= self._draw(topic, variable, row, values)
                values[variable] = row
            elif values[variable] != row:
                return 0.0
        return p

    def _draw(self, topic: int, variable: str, row: int, known: dict[str, int]) -> float:
        """p(a variable has a value | those known)."""
        variables = self._grammar.topics[max(topic, 0)].variables  # those of ANY are in every topic
        table = variables[variable]
        partner = next((v for v, t in variables.items() if t is table and v != variable), "")
        if not partner:
            return table.shares[row]
        if partner not in known:
            return table.paired[row]
        if row == known[partner]:
            return 0.0
        return table.shares[row] / (1 - table.shares[known[partner]])


def _sources(grammar: Grammar) -> Iterable[Source]:
    """Every template of the grammar."""
    share = grammar.general_share
    yield from _ranked(ANY, "body", grammar.general, share)
    for number, topic in enumerate(grammar.topics):
        for phase, templates in topic.templates.items():
            yield from _ranked(number, phase, templates, 1 - share if phase == "body" else 1.0)


def _ranked(
    topic: int, phase: Phase, templates: Sequence[Template], share: float
) -> Iterable[Source]:
    for template, p in zip(templates, shares(len(templates)), strict=True):
        yield Source(topic, phase, template, share * p)


def _by_character(sources: list[Source]) -> dict[str, list[Source]]:
    """Sources by the rarest character that they require ("" for none): few fit a sentence."""
    counts = Counter(character for source in sources for character in source.template.required)
    index: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        index[min(source.template.required, key=lambda c: (counts[c], c), default="")].append(
            source
        )
    return dict(index)


def _bits(p: float) -> float:
    return -log2(p) if p > 0 else inf
