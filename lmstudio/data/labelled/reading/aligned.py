"""Three files line by line (words, tags, intents; the layout of ATIS) to examples."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.sources import LABELS, TAGS, WORDS, Source, opened
from lmstudio.data.labelled.reading.tables import EMPTY, NO_LABEL, NO_TEXT
from lmstudio.data.labelled.reading.token_lines import ILLEGAL
from lmstudio.data.labelled.tags import illegal, scheme_of, spans_of
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.text.document import ReadOptions

UNEQUAL = msg("Lines with another number of tags than words: {count}.")
NO_LINE = msg("Lines that one of the files has and the other has not: {count}.")
_WORD = re.compile(r"\S+")


def kind_of(source: Source) -> str:
    """What such files are for where nobody says."""
    return "tag" if source.beside(TAGS) else "classify"


def examples(
    source: Source, kind: str, encoding: str, problems: Problems, job: Job
) -> Iterator[Example]:
    """An example a line: with its spans for the kind "tag", with its intent for "classify"."""
    words = _lines(source, WORDS, encoding, job)
    labels = _lines(source, TAGS if kind == "tag" else LABELS, encoding, job)
    scheme = scheme_of(line.split() for line in labels) if kind == "tag" else ""
    labelled = bool(labels)
    for number, (text, label) in enumerate(zip_longest(words, labels), 1):
        place = f"{source.name}:{number}"
        if text is None or (labelled and label is None):
            problems.add(NO_LINE, "dropped", place)
        elif not text:
            problems.add(NO_TEXT if label else EMPTY, "dropped" if label else "noticed", place)
        elif kind == "classify" and labelled and not label:
            problems.add(NO_LABEL, "dropped", place, text)
        elif kind == "classify" or not labelled:
            yield Example(text, label=label or "", place=place, labelled=labelled)
        else:
            example = _tagged(text, label.split(), scheme, place, problems)
            if example:
                yield example


def _lines(source: Source, name: str, encoding: str, job: Job) -> list[str]:
    path = source.beside(name)
    if path is None:
        return []
    with opened(path, job) as file:
        text = "".join(file.text(ReadOptions(encoding=encoding))[1])
    return [line.strip() for line in text.removesuffix("\n").split("\n")]


def _tagged(
    text: str, tags: list[str], scheme: str, place: str, problems: Problems
) -> Example | None:
    words = tuple(found.span() for found in _WORD.finditer(text))
    if len(words) != len(tags):
        problems.add(UNEQUAL, "dropped", place, f"{len(words)} / {len(tags)}")
        return None
    for _, detail in illegal(tags, scheme):
        problems.add(ILLEGAL, "noticed", place, detail)
    spans = tuple(Span(words[s.start][0], words[s.end - 1][1], s.type)
                  for s in spans_of(tags, scheme))  # fmt: skip
    return Example(text, spans=spans, words=words, place=place)
