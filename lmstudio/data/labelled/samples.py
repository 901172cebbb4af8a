"""Templates of resources/samples/tasks -> labelled examples: the tasks that come with the program.

A template holds slots: {list} is filled from the list of that name, {list2} by another value of
the same list, {type:list} is a slot whose words are tagged as `type`. The same slot has the same
value all over an example. Some templates, `held`, occur in the valid and test part only, so that
who knows the templates of training by heart does not know these.
"""

import random
import re
from dataclasses import replace
from typing import Any

from lmstudio import resources
from lmstudio.data.labelled.example import PARTS, Example, Span
from lmstudio.files import read_json

NAMES = {"sentiment": "classify", "travel": "tag", "inference": "pair", "passages": "qa"}
"""The tasks, and of which kind each is."""

SIZES = {"train": 900, "valid": 150, "test": 150}
HELD = 0.3  # of the valid and test part is made of templates that training never shows
UNANSWERED = 0.1  # of questions ask for what the passage does not say

_SLOT = re.compile(r"\{(?:([^{}:]+):)?([^{}:]+?)(\d*)\}")
_Values = dict[str, str]
_Lists = dict[str, list[str]]


def sample(name: str, seed: int = 1) -> dict[str, list[Example]]:
    """The parts of a task of NAMES: SIZES examples, no two of them with the same text.

    The same for the same `seed`, on every computer.
    """
    data = read_json(resources.path("samples", "tasks", f"{name}.json"))
    draw, seen = random.Random(f"{name} {seed}"), set[tuple[str, str]]()
    make = _question if data["kind"] == "qa" else _example
    found: dict[str, list[Example]] = {}
    for part in PARTS:
        rows: list[Example] = []
        while len(rows) < SIZES[part]:
            held = part != "train" and draw.random() < HELD
            example = make(data, held, draw)
            if (example.text, example.other) not in seen:
                seen.add((example.text, example.other))
                rows.append(replace(example, place=str(len(rows) + 1)))
        found[part] = rows
    return found


def _example(data: dict[str, Any], held: bool, draw: random.Random) -> Example:
    """A sentence or a pair, by a template that is drawn."""
    label, *texts = draw.choice(data["held" if held else "templates"])
    values: _Values = {}
    filled = [fill(text, data["lists"], values, draw) for text in texts]
    other = filled[1][0] if len(filled) > 1 else ""
    return Example(filled[0][0], other, label, filled[0][1])


def _question(data: dict[str, Any], held: bool, draw: random.Random) -> Example:
    """A passage of facts in an order that is drawn, and a question about one of them.

    Where it is `held`, the passage is longer than those of training.
    """
    lists: _Lists = data["lists"]
    first, *others = data["facts"]
    chosen = [first, *draw.sample(others, 5 if held else draw.choice((3, 4)))]
    values: _Values = {}
    text, where = "", dict[str, Span]()
    for sentence, _ in chosen:
        for part in re.split(r"(\{[^{}]+\})", sentence):
            filled = fill(part, lists, values, draw)[0]
            if part.startswith("{"):
                where.setdefault(part[1:-1], Span(len(text), len(text) + len(filled)))
            text += filled
    left_out = [fact for fact in others if fact not in chosen]
    impossible = draw.random() < UNANSWERED
    asked = draw.choice(left_out if impossible and left_out else chosen)
    question, slot = draw.choice([(str(q), str(s)) for q, s in asked[1]])
    question = fill(question, lists, values, draw)[0]
    answers = () if asked in left_out else (where[slot],)
    return Example(text, question, spans=answers)


def fill(
    template: str, lists: _Lists, values: _Values, draw: random.Random
) -> tuple[str, tuple[Span, ...]]:
    """The text of a template, and its tagged slots; what is drawn is kept in `values`."""
    text, end, spans = "", 0, []
    for slot in _SLOT.finditer(template):
        tag, name, number = slot.groups()
        text += template[end : slot.start()]
        end = slot.end()
        key = name + number
        if key not in values:
            used = {value for other, value in values.items() if other.rstrip("0123456789") == name}
            values[key] = draw.choice([value for value in lists[name] if value not in used])
        if tag:
            spans.append(Span(len(text), len(text) + len(values[key]), tag))
        text += values[key]
    return text + template[end:], tuple(spans)
