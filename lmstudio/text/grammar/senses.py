"""Words that have two meanings in the sample corpora -> which one is meant, by the document.

The grammar was written with them (resources/samples/grammar): a document about birds means the bird
when it says 杜鹃, one about plants the flower. So there are words whose meanings are known, to hold
against what a model makes of them.
"""

from dataclasses import dataclass

from lmstudio.messages import msg


@dataclass(frozen=True)
class Sense:
    """One meaning of a word."""

    name: str  # a catalogue sentence
    topics: tuple[str, ...]  # what documents with it are about
    beside: str = ""  # text of the same sentence that tells it, whatever the topic is


_BIRD = Sense(msg("bird"), ("鸟",))
_FLOWER = Sense(msg("flower"), ("植物",))

SENSES: dict[str, tuple[Sense, ...]] = {
    "黄牛": (Sense(msg("tout"), ("体育",), "票"), Sense(msg("ox"), ("动物", "乡村"))),
    "杜鹃": (_BIRD, _FLOWER),
    "白头翁": (_BIRD, _FLOWER),
    "苹果": (Sense(msg("company"), ("电脑",), "苹果公司"), Sense(msg("fruit"), ("水果",))),
    "病毒": (Sense(msg("germ"), ("健康", "科学")), Sense(msg("malware"), ("电脑",))),
}
"""By word its meanings, those that a sentence tells first."""


def sense_of(word: str, topic: str, sentence: str) -> str:
    """The name of what a word means in a sentence of a document; "" where that is not known."""
    senses = SENSES.get(word, ())
    told = [sense for sense in senses if sense.beside and sense.beside in sentence]
    told += [sense for sense in senses if topic in sense.topics]
    return told[0].name if told else ""
