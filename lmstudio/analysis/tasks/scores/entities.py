"""Gold and found spans -> precision, recall and F1 of whole spans, of all and of each type.

A span is right where its start, its end and its type are. Tags that break their scheme can be read
in two ways, and the figures tell which:

    strict   what is not written as the scheme wants is no span: the strict mode of seqeval
    lenient  a span begins wherever the type changes: conlleval (Tjong Kim Sang and Buchholz 2000),
             and seqeval where nobody chose
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lmstudio.analysis.tasks.scores.counts import Counts
from lmstudio.data.labelled.example import Span
from lmstudio.data.labelled.tags import spans_of, strict_spans

Tags = Sequence[str]


@dataclass(frozen=True)
class EntityScores:
    """How well whole spans were found, in one reading of the tags."""

    types: dict[str, Counts]  # in the order of their names

    @property
    def all(self) -> Counts:
        """Of all types together: the micro average."""
        return sum(self.types.values(), Counts(0, 0, 0))

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the types."""
        return sum(one.f1 for one in self.types.values()) / max(len(self.types), 1)


@dataclass(frozen=True)
class TagScores:
    """Both readings of the same tags."""

    strict: EntityScores
    lenient: EntityScores

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the whole, by the names that are kept with a run; strict by themselves."""
        strict, lenient = self.strict.all, self.lenient.all
        return {
            "f1": strict.f1, "precision": strict.precision, "recall": strict.recall,
            "macro_f1": self.strict.macro_f1, "lenient_f1": lenient.f1,
            "lenient_precision": lenient.precision, "lenient_recall": lenient.recall,
            "spans": strict.gold, "found": strict.found,
        }  # fmt: skip


def score_tags(gold: Sequence[Tags], found: Sequence[Tags], scheme: str = "BIO") -> TagScores:
    """The scores of tags, sentence by sentence. ValueError: not as many sentences."""
    strict, lenient = (
        score([read(tags, scheme) for tags in gold], [read(tags, scheme) for tags in found])
        for read in (strict_spans, spans_of)
    )
    return TagScores(strict, lenient)


def score(gold: Sequence[Collection[Span]], found: Sequence[Collection[Span]]) -> EntityScores:
    """The scores of spans, sentence by sentence. ValueError: not as many sentences."""
    right, there, said = Counter[str](), Counter[str](), Counter[str]()
    for known, guessed in zip(gold, found, strict=True):
        there.update(span.type for span in set(known))
        said.update(span.type for span in set(guessed))
        right.update(span.type for span in set(known) & set(guessed))
    types = sorted(there | said)
    return EntityScores({kind: Counts(right[kind], there[kind], said[kind]) for kind in types})
