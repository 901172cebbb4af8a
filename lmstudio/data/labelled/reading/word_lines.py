"""Lines of words, word/tag and CoNLL-U to tagged examples: each word is a span of its tag.

Words without tags are what the task is about, so they are the spans and nothing else; words with
tags are given to the model, and those of them that have none are no spans.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.token_lines import NO_TAG
from lmstudio.text.document import MarkedLine
from lmstudio.text.lines import Lines
from lmstudio.text.marked import conllu_documents, tagged_lines, word_lines


def examples(text: str, layout: str, name: str, problems: Problems) -> Iterator[Example]:
    """An example a line; `layout`: "words", "tagged" or "conllu". Missing tags are listed."""
    lines = Lines([text])
    found: Iterable[MarkedLine]
    if layout == "conllu":
        found = chain.from_iterable(marked for _, marked in conllu_documents(lines))
    else:
        found = (tagged_lines if layout == "tagged" else word_lines)(lines)
    for number, line in enumerate(found, 1):
        tags = line.tags or ("",) * len(line.words)
        spans = [Span(*word, tag) for word, tag in zip(line.words, tags, strict=True)]
        place = f"{name}:{number}"
        for span in spans if line.tags else ():
            if not span.type:
                problems.add(NO_TAG, "noticed", place, line.text[span.start : span.end])
        kept = tuple(span for span in spans if span.type or not line.tags)
        yield Example(line.text, spans=kept, words=line.words if line.tags else (), place=place)
