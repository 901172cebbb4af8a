"""The one catalogue: English sentences in the code, their Chinese in resources/locale.

The English sentence is its own key, so the code can be read. `Message` keeps a sentence and its
values apart until somebody looks at it; then it is in the language of that moment.
"""

import gettext
import locale
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lmstudio import resources
from lmstudio.singulars import SINGULARS

LANGUAGES = {"zh_CN": "中文", "en": "English"}

INNER = "message"  # marks a value that is one itself, as plain data

_current = "en"
_catalogue: gettext.NullTranslations = gettext.NullTranslations()


def use(language: str) -> None:
    """Show everything from now on in `language`, a key of LANGUAGES; others mean English."""
    global _current, _catalogue
    _current = language if language in LANGUAGES else "en"
    _catalogue = _read(_current)


def language() -> str:
    """The language in use."""
    return _current


def system_language() -> str:
    """What the user's system asks for: LMSTUDIO_LANGUAGE, the locale's variables, the locale.

    The variables count also where the system has not made the locale that they name.
    """
    variables = ("LMSTUDIO_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((os.environ[name] for name in variables if os.environ.get(name)), "")
    wanted = wanted or locale.getlocale()[0] or ""
    return "zh_CN" if wanted.lower().startswith(("zh", "chinese")) else "en"


def tr(sentence: str, **values: object) -> str:
    """`sentence` in the language in use, with `{name}` places filled from `values`.

    In English a sentence of SINGULARS is said otherwise of one thing.
    """
    if _current == "en" and sentence in SINGULARS:
        counts, of_one = SINGULARS[sentence]
        sentence = of_one if str(values.get(counts)) == "1" else sentence
    text = _catalogue.gettext(sentence) if sentence else ""  # "" is the key of the file's header
    return text.format(**values) if values else text


def listed(names: Iterable[object], *, clauses: bool = False) -> str:
    """Names with the mark between them that the language in use has; `clauses` may hold marks."""
    if _current == "zh_CN":
        return ("，" if clauses else "、").join(map(str, names))
    return ", ".join(map(str, names))


def phrases(parts: Iterable[object]) -> str:
    """Parts that may hold any mark of `listed`, with one between them that parts more."""
    return ("；" if _current == "zh_CN" else "; ").join(map(str, parts))


def in_all_languages(sentence: str) -> str:
    """`sentence` in each of LANGUAGES, with spaces between: what somebody may search it by."""
    return " ".join(dict.fromkeys(_read(language).gettext(sentence) for language in LANGUAGES))


@cache
def _read(language: str) -> gettext.NullTranslations:
    return gettext.translation(
        "lmstudio", resources.path("locale"), languages=[language], fallback=True
    )


def shortened(text: str, most: int = 40) -> str:
    """A value of a sentence, cut to `most` characters where it would hide the sentence."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def msg(sentence: str) -> str:
    """Mark a sentence for the catalogue without translating it yet (tables, field help)."""
    return sentence


@dataclass(frozen=True)
class Message:
    """A sentence and its values; `str()` gives it in the language in use."""

    sentence: str
    values: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return tr(self.sentence, **self.values)

    def to_json(self) -> list[Any]:
        """The sentence and its values as plain data; a value may be a message itself."""
        values = {name: {INNER: value.to_json()} if isinstance(value, Message) else value
                  for name, value in self.values.items()}  # fmt: skip
        return [self.sentence, values]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> "Message":
        """What `to_json` wrote."""
        sentence, values = data
        return cls(sentence, {
            name: cls.from_json(value[INNER]) if isinstance(value, dict) and INNER in value
            else value for name, value in values.items()
        })  # fmt: skip
