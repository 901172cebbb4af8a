"""A typed text and a transformer in; what it reads of it, token by token and word by word, out."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.fill.question import MASK
from lmstudio.analysis.fill.question import Question as Blanks
from lmstudio.analysis.surprisal import Words
from lmstudio.analysis.typed_sentence import typed_tokens
from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import shortened
from lmstudio.models.base import AttendingModel
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.text.segment import Whitespace, cut_all

LONGEST = 1024
"""Tokens that are read where a window holds them."""
Head = tuple[int, int]
"""A layer, and a head in it, both from 0."""


@dataclass(frozen=True)
class Question:
    """A text, read as one sentence; `words` are what tokens are joined to, "tokens" for nothing."""

    text: str
    words: Words = "tokens"
    off: tuple[Head, ...] = ()  # heads that are switched off


@dataclass(frozen=True)
class ReadText:
    """T tokens as the model reads them, marks included; G groups of them, a word or a mark each."""

    answering: Answering
    ids: np.ndarray  # (N,) int64 of the whole text, without marks
    tokens: list[str]  # (T,) as they stand in the text
    names: list[str]  # (G,)
    starts: np.ndarray  # (G,) int64: the first token of each group
    cut: int  # tokens of the text that are not read

    @property
    def model(self) -> AttendingModel:
        """What reads."""
        return cast(AttendingModel, self.answering.model)

    @property
    def causal(self) -> bool:
        """Nothing looks at what is later."""
        return self.model.proper

    @property
    def ends(self) -> np.ndarray:
        """(G,) the token behind each group."""
        return np.append(self.starts[1:], len(self.tokens))

    @property
    def read_ids(self) -> np.ndarray:
        """(T - marks,) int64: what is read of the text."""
        return self.ids[: len(self.ids) - self.cut]

    @property
    def blank(self) -> np.ndarray:
        """(N,) bool: [MASK] was typed there, so nobody knows what belongs there."""
        return self.ids == self.answering.rows

    @property
    def unknown(self) -> int:
        """How many of the tokens that are read are unknown."""
        return int((self.read_ids == UNK).sum())

    def switches(self, off: tuple[Head, ...]) -> np.ndarray:
        """(L, H) bool: the heads that are not `off`. AppError if there is no such head."""
        config = cast(GptConfig | BertConfig, self.answering.asked.spec.config)
        on = np.ones((config.layers, config.heads), np.bool_)
        for layer, head in off:
            check_head(layer, head, *on.shape)
            on[layer, head] = False
        return on


def check_head(layer: int, head: int, layers: int, heads: int) -> None:
    """AppError where there is no such layer or head, both from 0."""
    if not 0 <= layer < layers:
        raise AppError("There is no layer {layer}: the model has {layers}.",
                       layer=shortened(str(layer + 1)), layers=layers)  # fmt: skip
    if not 0 <= head < heads:
        raise AppError("There is no head {head}: a layer has {heads}.",
                       head=shortened(str(head + 1)), heads=heads)  # fmt: skip


def read_text(asked: Asked, question: Question, *, job: Job) -> ReadText:
    """What the model of a run reads of a text.

    AppError for an empty text, and for [MASK], in any brackets, where the model never learned from
    blanks.
    """
    opened = answering(asked, job=job)
    spans, ids = typed_tokens(opened, question.text, job=job)
    model = cast(AttendingModel, opened.model)
    read = np.array(ids[:LONGEST], np.int64)
    shown = model.shown(read)
    last = [SPECIALS[EOS]] if shown[-1] == EOS and not model.proper else []
    number = len(shown) - 1 - len(last)
    texts = [MASK if ids[n] == opened.rows else question.text[slice(*spans[n])]
             for n in range(number)]  # fmt: skip
    tokens = [SPECIALS[BOS], *texts, *last]
    firsts = _word_starts(question, spans[:number], job)
    starts = np.array([0, *(first + 1 for first in firsts), *([len(tokens) - 1] if last else [])])
    ends = [*(firsts[1:]), number]
    names = [SPECIALS[BOS], *(_name(question.text, spans, texts, *pair)
                              for pair in zip(firsts, ends, strict=True)), *last]  # fmt: skip
    return ReadText(opened, np.array(ids, np.int64), tokens, names, starts, len(ids) - number)


def _word_starts(question: Question, spans: list[tuple[int, int]], job: Job) -> list[int]:
    """The numbers of the tokens that begin a word; a blank is a word of its own."""
    words = question.words
    if words == "tokens" or not spans:
        return list(range(len(spans)))
    cutter = Whitespace() if words == "spaces" else words.segmenter()
    text = question.text
    for blank in Blanks.of(text).blanks:
        text = text[: blank.start] + " " * (blank.end - blank.start) + text[blank.end :]
    cut, _ = cut_all(cutter, [text], job.check)[0]
    begins = {start for start, _ in cut}
    begins |= {at for blank in Blanks.of(question.text).blanks for at in (blank.start, blank.end)}
    word_of = np.searchsorted(np.array(sorted(begins)), [start for start, _ in spans], "right")
    return [0, *(np.flatnonzero(np.diff(word_of)) + 1).tolist()]


def _name(
    text: str, spans: list[tuple[int, int]], texts: list[str], first: int, end: int
) -> str:  # fmt: skip
    """What a word of tokens reads as."""
    return texts[first] if end - first == 1 else text[spans[first][0] : spans[end - 1][1]]
