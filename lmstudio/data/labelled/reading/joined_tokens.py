"""Tokens to the text that they write, and where each stands in it."""

from collections.abc import Sequence

from lmstudio.text.wrapping import is_latin


def joined(
    tokens: Sequence[str], *, side_by_side: bool = False
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text and a span for each token; a space between Latin words unless `side_by_side`."""
    text, spans = "", list[tuple[int, int]]()
    for token in tokens:
        if text and not side_by_side and is_latin(text[-1]) and is_latin(token[0]):
            text += " "
        spans.append((len(text), len(text) + len(token)))
        text += token
    return text, tuple(spans)
