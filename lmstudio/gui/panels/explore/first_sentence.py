"""A corpus in; sentences that its models have not learned from out, to begin a panel with."""

import re
from itertools import islice

import numpy as np

from lmstudio.data.layout import PART_NAMES, SPECIALS, CorpusText, has_text
from lmstudio.data.vocab import Vocabulary
from lmstudio.gui.state import AppState

_SAMPLE = 40  # characters
_WORDS = 8  # of a vocabulary whose text is not here
_SEARCHED = 20  # lines that are looked through for a sentence that is short enough
_SENTENCE = re.compile(r".*?(?:[。！？!?…]+|\.(?=\s|$))[”’」』\"]*")


def first_sentence(state: AppState, corpus_id: int) -> str:
    """Of the test part, or else of valid, or train; cut if it is long. Empty without text."""
    folder = state.workspace.corpus_folder(corpus_id)
    if not has_text(folder):
        return _known_words(state, corpus_id)
    text = CorpusText(folder)
    lines = (text.line(number) for number in _unseen(text)[:_SEARCHED].tolist())
    return next((whole(line)[:_SAMPLE] for line in lines if line.strip()), "")


def sentences(state: AppState, corpus_id: int, number: int, longest: int) -> list[str]:
    """So many whole sentences of `longest` characters at most, from all over the same part."""
    folder = state.workspace.corpus_folder(corpus_id)
    if not has_text(folder):
        return []
    text = CorpusText(folder)
    found: list[str] = []
    for lines in np.array_split(_unseen(text), number):
        ends = (whole(text.line(line)) for line in lines[:_SEARCHED].tolist())
        fit = (one for one in ends if 1 < len(one) <= longest and one not in found)
        found += [one for one in [next(fit, "")] if one]
    return found


def _known_words(state: AppState, corpus_id: int) -> str:
    """Frequent words of a vocabulary that came without its text."""
    cut = next(iter(state.segmentations(corpus_id)), None)
    if cut is None:
        return ""
    known = Vocabulary.load(state.workspace.segmentation_folder(cut.id))
    order = np.argsort(-known.counts, kind="stable").tolist()
    words = (known.types[number] for number in order if number >= len(SPECIALS))
    found = list(islice((word for word in words if word.isalnum()), _WORDS))
    return (" " if "".join(found).isascii() else "").join(found)


def whole(line: str) -> str:
    """A line up to the end of its first sentence."""
    found = _SENTENCE.match(line)
    return (found.group() if found else line).strip()


def _unseen(text: CorpusText) -> np.ndarray:
    """The numbers of the lines of the test part, or else of valid, or train."""
    parts = np.asarray(text.lines["part"])
    held = (np.flatnonzero(parts == PART_NAMES.index(name)) for name in ("test", "valid", "train"))
    return next((lines for lines in held if len(lines)), np.arange(0))
