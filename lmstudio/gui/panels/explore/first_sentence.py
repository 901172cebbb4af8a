"""A corpus in; the beginning of its first line out, so that a field for a sentence is not empty."""

from lmstudio.data.layout import CorpusText
from lmstudio.gui.state import AppState

_SAMPLE = 40  # characters


def first_sentence(state: AppState, corpus_id: int) -> str:
    """Empty for a corpus without text."""
    text = CorpusText(state.workspace.corpus_folder(corpus_id))
    return text.line(0)[:_SAMPLE] if len(text) else ""
