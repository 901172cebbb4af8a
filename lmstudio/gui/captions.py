"""Words of the program in; the same at the head of a control, an entry or a column out, or inline.

Chinese has no capitals: there both are what they were.
"""

import re

_WORD = re.compile(r"[a-z]{2,}(?![\w(])")
_TITLE = re.compile(r"[A-Z][a-z]+(?!\w)")
_NAMES = ("jieba", "ln")  # which are written small everywhere


def sentence_case(text: str) -> str:
    """With a capital, but for names and signs: "n-gram", "p of the guess", "word2vec text"."""
    word = _WORD.match(text)
    return text if word is None or word[0] in _NAMES else text[0].upper() + text[1:]


def inline(title: str) -> str:
    """A title within a sentence: without its capital, but for short forms such as "F1", "BERT"."""
    return title[0].lower() + title[1:] if _TITLE.match(title) else title
