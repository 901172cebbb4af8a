"""Sample lines in; what each normalisation step would change in them, and the lines after, out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from lmstudio.jobs import Job
from lmstudio.options import options_of
from lmstudio.text.normalize import NormaliseOptions, Normalizer

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SampleLine:
    """A line before and after; `left` and `right` are the code points that differ in each."""

    before: str
    after: str
    left: Spans = ()
    right: Spans = ()


@dataclass(frozen=True)
class NormalisedSample:
    """`counts` has, for each step and each value that is not off, the characters it changes."""

    lines: list[SampleLine] = field(default_factory=list)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)


def normalised_sample(
    lines: Sequence[str], options: NormaliseOptions, *, job: Job
) -> NormalisedSample:
    """Normalise sample lines as `options` say, and count what each step alone would change."""
    changed = Normalizer(options)
    found = NormalisedSample([compared(line, changed.apply(line)[0]) for line in lines])
    for step, values in steps().items():
        job.check()
        found.counts[step] = {str(value): _changes(lines, step, value) for value in values}
    return found


def steps() -> dict[str, list[str | bool]]:
    """The normalisation steps and the values that do something."""
    off = NormaliseOptions()
    return {
        name: [value for value in entry.choices or (False, True) if value != getattr(off, name)]
        for name, (_, entry) in options_of(NormaliseOptions).items()
    }


def _changes(lines: Sequence[str], step: str, value: str | bool) -> int:
    """Characters of the lines that a step alone changes."""
    only: dict[str, Any] = {step: value}
    alone = Normalizer(NormaliseOptions(**only))
    for line in lines:
        alone.apply(line)
    return sum(alone.changed.values())


def compared(before: str, after: str) -> SampleLine:
    """Two forms of a line and where they differ."""
    if before == after:
        return SampleLine(before, after)
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    differing = [code for code in codes if code[0] != "equal"]
    return SampleLine(
        before,
        after,
        tuple((start, end) for _, start, end, _, _ in differing if end > start),
        tuple((start, end) for _, _, _, start, end in differing if end > start),
    )
