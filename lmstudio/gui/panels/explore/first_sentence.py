"""A corpus in; sentences that its models have not learned from out, to begin a panel with."""

import re

import numpy as np

from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.gui.state import AppState

_SAMPLE = 40  # characters
_SEARCHED = 20  # lines that are looked through for a sentence that is short enough
_SENTENCE = re.compile(r".*?(?:[。！？!?…]+|\.(?=\s|$))[”’」』\"]*")


def first_sentence(state: AppState, corpus_id: int) -> str:
    """Of the test part, or else of valid, or train; cut if it is long. Empty without text."""
    text = CorpusText(state.workspace.corpus_folder(corpus_id))
    lines = (text.line(number) for number in _unseen(text)[:_SEARCHED].tolist())
    return next((whole(line)[:_SAMPLE] for line in lines if line.strip()), "")


def sentences(state: AppState, corpus_id: int, number: int, longest: int) -> list[str]:
    """So many whole sentences of `longest` characters at most, from all over the same part."""
    text = CorpusText(state.workspace.corpus_folder(corpus_id))
    found: list[str] = []
    for lines in np.array_split(_unseen(text), number):
        ends = (whole(text.line(line)) for line in lines[:_SEARCHED].tolist())
        fit = (one for one in ends if 1 < len(one) <= longest and one not in found)
        found += [one for one in [next(fit, "")] if one]
    return found


def whole(line: str) -> str:
    """A line up to the end of its first sentence."""
    found = _SENTENCE.match(line)
    return (found.group() if found else line).strip()


def _unseen(text: CorpusText) -> np.ndarray:
    """The numbers of the lines of the test part, or else of valid, or train."""
    parts = np.asarray(text.lines["part"])
    held = (np.flatnonzero(parts == PART_NAMES.index(name)) for name in ("test", "valid", "train"))
    return next((lines for lines in held if len(lines)), np.arange(0))
