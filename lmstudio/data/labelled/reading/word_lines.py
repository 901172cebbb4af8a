"""Lines of words, word/tag and CoNLL-U to tagged examples: each word is a span of its tag.

Words without tags are what the task is about, so they are the spans and nothing else; words with
tags are given to the model.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from lmstudio.data.labelled.example import Example, Span
from lmstudio.text.document import MarkedLine
from lmstudio.text.lines import Lines
from lmstudio.text.marked import conllu_documents, tagged_lines, word_lines


def examples(text: str, layout: str, name: str) -> Iterator[Example]:
    """An example a line; `layout`: "words", "tagged" or "conllu"."""
    lines = Lines([text])
    found: Iterable[MarkedLine]
    if layout == "conllu":
        found = chain.from_iterable(marked for _, marked in conllu_documents(lines))
    else:
        found = (tagged_lines if layout == "tagged" else word_lines)(lines)
    for number, line in enumerate(found, 1):
        tags = line.tags or ("",) * len(line.words)
        spans = tuple(Span(start, end, tag)
                      for (start, end), tag in zip(line.words, tags, strict=True))  # fmt: skip
        yield Example(line.text, spans=spans, words=line.words if line.tags else (),
                      place=f"{name}:{number}")  # fmt: skip
