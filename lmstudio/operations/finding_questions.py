"""The question that a finding keeps -> a line: what was asked, and settings that are unusual."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.errors import AppError
from lmstudio.messages import msg, tr
from lmstudio.operations.findings import KINDS, defaults
from lmstudio.operations.term_names import POOLINGS, SIDES
from lmstudio.operations.value_names import value_name
from lmstudio.options import options_of

_NAMES = {
    "base": msg("Base"), "part": msg("Part"), "by": msg("Draws"), "layer": msg("Layer"),
    "most": msg("Listed"), "count": msg("Listed"), "nearest": msg("Nearest listed"),
    "heads": msg("Heads that are shown"), "off": msg("Heads switched off"),
    "rollout": msg("Rollout to layer"), "side": msg("Read"), "groups": msg("Groups"),
    "pooling": msg("Pooling"), "drawn": msg("Sentences drawn"), "limit": msg("Occurrences read"),
}  # fmt: skip
_SWITCHES = {
    ("in_order", True): msg("Left to right"), ("marks", False): msg("Hide <s> and </s>"),
    ("renormalise", True): msg("Rows sum to 1 again"), ("whiten", True): msg("Whiten"),
    ("hidden", False): msg("BERT sees the token that it guesses"),
}  # fmt: skip
"""What is on where a value of yes or no is the unusual one."""
_WORDS = {
    "auto": msg("Words: the models' own, or jieba's"), "jieba": msg("Words: jieba's"),
    "spaces": msg("Words: between my spaces"), "tokens": msg("Words: each token is one"),
}  # fmt: skip
_ALWAYS = ("base", "part")  # told even where they are what is usual
_VALUES = {"side": SIDES, "pooling": POOLINGS}


def told(kind: str, question: Mapping[str, Any]) -> str:
    """What was asked, in a line of the language in use; what is not known, as it is."""
    if kind in KINDS:
        try:
            return " · ".join([*_subject(kind, question), *_settings(kind, question)])
        except (AppError, AttributeError, KeyError, TypeError, ValueError):
            pass  # kept by another version of the program, or typed otherwise
    return " · ".join(_named(name, _plain(value)) for name, value in question.items())


def _subject(kind: str, question: Mapping[str, Any]) -> Iterator[str]:
    """What the question is about."""
    if kind == "fill":
        blanks = Question.from_json({"blanks": (), **question})
        places = [blanks.truth(number) for number in range(len(blanks.blanks))]
        yield blanks.filled([f"[{word}]" if word else None for word in places])
    elif text := question.get("text") or question.get("word"):
        yield str(text).replace("\n", " / ")
    elif kind == "sentences":
        yield " / ".join(question.get("sentences", ()))
    elif kind == "similarity":
        yield " ".join(question.get("words", ()))


def _settings(kind: str, question: Mapping[str, Any]) -> Iterator[str]:
    """What is not as it is where nobody says anything."""
    usual = defaults(kind)
    for name, value in question.items():
        if name not in _ALWAYS and value in (usual.get(name), _emptied(usual.get(name))):
            continue
        if name == "options":
            yield from _options(value)
        elif name == "words" and kind != "similarity":
            yield tr(_WORDS[value]) if value in _WORDS else tr("Words: {name}", name=value)
        elif isinstance(value, bool):
            if (name, value) in _SWITCHES:
                yield tr(_SWITCHES[name, value])
        elif name in _NAMES:
            yield _named(tr(_NAMES[name]), _value(name, value))


def _emptied(value: object) -> object:
    """How JSON keeps a tuple."""
    return list(value) if isinstance(value, tuple) else value


def _options(values: Mapping[str, Any]) -> Iterator[str]:
    """How a text was generated."""
    for name, (field, option) in options_of(GenerationOptions).items():
        if name in values and values[name] != field.default:
            yield _named(tr(option.label), _plain(values[name]))


def _value(name: str, value: object) -> str:
    if name in _VALUES and value in _VALUES[name]:
        return tr(_VALUES[name][str(value)])
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value_name(value) if isinstance(value, str) else str(value)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named(name: str, value: str) -> str:
    return tr("{name}: {value}", name=name, value=value)
