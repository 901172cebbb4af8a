"""Examples to two parts: a share of every class is held out, by chance, from a seed.

Examples of the same text go to the same side, so that nothing is tested that was learned by heart.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from lmstudio.data.labelled.example import Example
from lmstudio.data.watched import watched
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import msg

TOO_FEW = msg("There are too few different examples to hold some out. Give a part for validation.")
_Key = tuple[str, str]


def key_of(example: Example) -> _Key:
    """What makes two examples the same, whatever their labels: the texts, but for white space."""
    return "".join(example.text.split()), "".join(example.other.split())


def hold_out(
    examples: Sequence[Example], share: float, seed: int, *, job: Job
) -> tuple[list[Example], list[Example]]:
    """The examples that stay and those held out, both in their order; neither is ever empty.

    Where classes are too rare for a share of each, examples of any make up for it.

    AppError if all have the same text. Of a question the passage decides the side.
    """
    groups = defaultdict[_Key, list[int]](list)
    for number, example in enumerate(watched(examples, job)):
        groups[_side(example)].append(number)
    if len(groups) < 2:  # noqa: PLR2004 - one for each side
        raise AppError(TOO_FEW)
    classes = defaultdict[str, list[list[int]]](list)
    for numbers in groups.values():
        classes[examples[numbers[0]].label].append(numbers)
    draw = random.Random(f"hold out {seed}")  # noqa: S311 - no secret
    held: set[int] = set()
    for label in sorted(classes):
        held |= _drawn(classes[label], share, draw)
    _make_up(held, classes, round(share * len(examples)), draw)
    if not held:
        largest = max(sorted(classes), key=lambda label: len(classes[label]))
        smallest = min(draw.sample(classes[largest], len(classes[largest])), key=len)
        held |= set(smallest)
    return ([example for n, example in enumerate(examples) if n not in held],
            [example for n, example in enumerate(examples) if n in held])  # fmt: skip


def _side(example: Example) -> _Key:
    text, other = key_of(example)
    return (text, "") if example.other and not example.label else (text, other)


def _drawn(groups: list[list[int]], share: float, draw: random.Random) -> set[int]:
    """Numbers of `share` of the examples of a class, in whole groups, one of which stays."""
    wanted = round(share * sum(map(len, groups)))
    held: set[int] = set()
    for numbers in draw.sample(groups, len(groups))[1:]:
        if len(held) + len(numbers) <= wanted:
            held |= set(numbers)
    return held


def _make_up(
    held: set[int], classes: Mapping[str, list[list[int]]], wanted: int, draw: random.Random
) -> None:  # fmt: skip
    """Add groups of any class until `wanted` are held; one group of each class stays."""
    stay = {label: [one for one in groups if one[0] not in held]
            for label, groups in classes.items()}  # fmt: skip
    left = [(label, group) for label in sorted(stay) for group in stay[label]]
    for label, group in draw.sample(left, len(left)):
        if len(stay[label]) > 1 and len(held) + len(group) <= wanted:
            stay[label].remove(group)
            held.update(group)
