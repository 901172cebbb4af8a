"""A segmentation folder to the corpus it was cut from, and to the document of each sentence."""

import os
from pathlib import Path

import numpy as np

from lmstudio.data.layout import (
    SEGMENT_AGAIN,
    SENTENCE,
    CorpusText,
    SegmentationMeta,
    Tokens,
    mapped,
)
from lmstudio.errors import AppError
from lmstudio.text.marks import without_marks

_LOOKED_AT = 200  # sentences of an old segmentation that are compared with a corpus


def corpus_of(segmentation: Path) -> Path:
    """The folder of the corpus. AppError where it is gone.

    Segmentations of older versions do not name it: it is the corpus of the same workspace whose
    lines are of the same parts and end where their last tokens do.
    """
    if known := SegmentationMeta.load(segmentation).corpus:
        folder = Path(os.path.normpath(segmentation / known))
        if folder.is_dir():
            return folder
    else:
        for folder in sorted((segmentation.parent.parent / "corpora").glob("*")):
            if _fits(folder, Tokens(segmentation)):
                return folder
    raise AppError("The corpus that {path} was cut from is gone. Import the texts and segment "
                   "them again.", path=segmentation)  # fmt: skip


def document_numbers(segmentation: Path) -> np.ndarray:
    """(S,) int32: the document of every sentence of sentences.idx, in its order.

    AppError where the corpus is gone or damaged.
    """
    text = CorpusText(corpus_of(segmentation))
    lines = mapped(segmentation / "sentences.idx", SENTENCE, SEGMENT_AGAIN)["line"][:-1]
    return np.asarray(text.lines["document"])[lines]


def documents_at(segmentation: Path, starts: np.ndarray) -> np.ndarray:
    """(N,) int32: the document of the sentences whose first tokens have the indices `starts`."""
    sentences = mapped(segmentation / "sentences.idx", SENTENCE, SEGMENT_AGAIN)["token"][:-1]
    return document_numbers(segmentation)[np.searchsorted(sentences, starts, side="right") - 1]


def _fits(corpus: Path, tokens: Tokens) -> bool:
    """Whether a corpus may be the one: its parts are right, and nothing is left behind tokens."""
    try:
        text = CorpusText(corpus)
    except AppError:
        return False
    sentences = tokens.sentences[:-1]
    if not len(text) or not len(sentences) or int(sentences["line"].max()) >= len(text):
        return False
    if (text.lines["part"][sentences["line"]] != sentences["part"]).any():
        return False
    last = np.flatnonzero(np.diff(sentences["line"], append=-1))  # sentences that end a line
    for index in last[:: max(1, len(last) // _LOOKED_AT)].tolist():
        line = text.line(int(sentences["line"][index]))
        end = int(tokens.offsets["end"][tokens.sentences["token"][index + 1] - 1])
        if end > len(line) or without_marks(line[end:]).strip():
            return False
    return True
