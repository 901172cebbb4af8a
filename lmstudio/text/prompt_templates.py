"""A template such as "{text} TL;DR:" and what belongs into its places in; a prompt for models out.

A language model that only ever learnt to go on with texts answers, sums up and translates where
the beginning asks for it: without a single example ("zero-shot") or with some in the template.
The forms are those of Radford et al. 2019, "Language models are unsupervised multitask learners",
sections 3.6 to 3.8.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lmstudio.messages import msg

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt with places to fill."""

    name: str
    text: str
    title: str  # a catalogue sentence of those that are built in, else the name
    own: bool = False  # a user wrote or changed it

    @property
    def places(self) -> tuple[str, ...]:
        """The names of its places, each once."""
        return places(self.text)


BUILT_IN = (
    PromptTemplate(
        "answer", "{text}\n问：{question}\n答：", msg("Answer a question (Chinese)")
    ),
    PromptTemplate("summary", "{text}\n总之，", msg("Sum up (Chinese)")),
    PromptTemplate(
        "translation", "谢谢 = thank you\n早上好 = good morning\n{text} =",
        msg("Translate (Chinese to English)"),
    ),
    PromptTemplate("answer-en", "{text}\nQ: {question}\nA:", msg("Answer a question (English)")),
    PromptTemplate("summary-en", "{text}\nTL;DR:", msg("Sum up (English)")),
    PromptTemplate(
        "translation-en", "thank you = 谢谢\ngood morning = 早上好\n{text} =",
        msg("Translate (English to Chinese)"),
    ),
)  # fmt: skip


def places(template: str) -> tuple[str, ...]:
    """The names of the places of a template, each once; other braces are text."""
    return tuple(dict.fromkeys(_PLACE.findall(template)))


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with `values` in its places; "" where there is none of that name."""
    return _PLACE.sub(lambda match: values.get(match[1], ""), template)
