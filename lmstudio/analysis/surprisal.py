"""Sentences and a run in; the log p of every token, and the words they are part of, out.

The chain rule takes a sentence apart: ln p(w1 ... wT </s>) is the sum of ln p(wt | w1 ... wt-1),
and the end is an event too. A model that sees both sides of a token has no such sum. Its pseudo
log-likelihoods, in which the end is no event, come in two kinds:

    original     each token is guessed from all others (Salazar, Liang, Nguyen & Kirchhoff 2020,
                 "Masked language model scoring")
    within-word  those behind it in its word are hidden too, or a rare word is given away by its
                 own pieces (Kauf & Ivanova 2023, "A better way to do masked language model
                 scoring")
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.corpus_speller import corpus_speller
from lmstudio.analysis.instalments import PIECES
from lmstudio.analysis.ngram_origin import Origin, origin
from lmstudio.data.cut_from import corpus_of
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK, SegmentationMeta
from lmstudio.data.pieces import pieces
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import BlankingModel, DocumentModel, LanguageModel
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.registry import MODELS
from lmstudio.text.marks import characters_of, unmarked
from lmstudio.text.segment import PieceSegmenter, Span, Whitespace, cut_all

Kind = Literal["chain", "scores", "original", "within-word"]
"""What the figures of tokens are; "scores" are those of a model that does not sum to one."""
Words = Literal["tokens", "spaces"] | CutPlan
"""What surprisal is summed over: each token, what stands between white space, or a cut's words."""
PSEUDO: tuple[Kind, ...] = ("original", "within-word")


@dataclass(frozen=True)
class Scored:
    """A sentence as a run scored it: T tokens in W words."""

    text: str
    pieces: tuple[Piece, ...]
    words: tuple[Span, ...]  # in code points of `text`
    word_of: np.ndarray  # (T,) the word in which each token begins
    logprobs: dict[Kind, np.ndarray]  # natural; (T + 1,) with the end, (T,) where it is no event
    spelling: np.ndarray  # (T,) bits that spelling an unknown token costs besides; 0 elsewhere
    spaces: int = 0  # code points of white space that are part of what is predicted
    origin: Origin | None = None  # of an n-gram model's figures

    @property
    def crossing(self) -> int:
        """Tokens that reach beyond the word in which they begin, and count there as a whole."""
        words = [self.words[number] for number in self.word_of.tolist()]
        return sum(p.end > end for p, (_, end) in zip(self.pieces, words, strict=True))

    @property
    def characters(self) -> int:
        """What bits are divided by: code points without white space, unless it is predicted."""
        return characters_of(self.text) + self.spaces


@dataclass(frozen=True)
class Surprisals:
    """Sentences as a run scored them, each by itself."""

    name: str  # of the run
    model: str  # its family
    kinds: tuple[Kind, ...]
    sentences: tuple[Scored, ...]
    comparable: bool  # with other runs on the corpus, by bits per character
    notes: tuple[Message, ...] = ()


def surprisals(asked: Asked, texts: Sequence[str], words: Words, *, job: Job) -> Surprisals:
    """What each of some sentences (one at least) costs a run, in every kind that it has."""
    found = answering(asked, job=job)
    scored = score(found, texts, words, kinds_of(found.model), job=job)
    kinds = tuple(scored[0].logprobs)
    axis = SegmentationMeta.load(asked.segmentation_folder).axis
    notes = []
    if found.model.context == "document":
        notes.append(Message("{name} reads on from sentence to sentence in its corpus; here each "
                             "is read by itself.", {"name": asked.name}))  # fmt: skip
    if any(np.isnan(sentence.spelling).any() for sentence in scored):
        notes.append(Message("The corpus of {name} is gone, so nobody knows what spelling an "
                             "unknown word costs.", {"name": asked.name}))  # fmt: skip
    return Surprisals(
        asked.name, asked.spec.model, kinds, tuple(scored),
        found.model.proper and not axis, tuple(notes),
    )  # fmt: skip


def kinds_of(model: LanguageModel) -> tuple[Kind, ...]:
    """The kinds of figures that a model has; what reads words from both ends cannot hide a few."""
    if model.proper:
        return ("chain",)
    if isinstance(model, NgramModel):
        return ("scores",)
    return PSEUDO if hasattr(model, "logprobs_hiding") else ("original",)


def score(
    found: Answering, texts: Sequence[str], words: Words, kinds: Sequence[Kind], *,
    origins: bool = True, job: Job,
) -> list[Scored]:  # fmt: skip
    """Each text as one sentence; those of a file may come in portions of some hundred.

    `origins`: n-gram models tell which order answered as well. Where no word has two tokens, both
    pseudo kinds are the same, and of the two only the first is told.
    """
    asked = found.asked
    cut = pieces_of(texts, asked.plan, found.vocabulary, job=job)
    spans = _words_of(texts, cut, words, job)
    word_of = [_word_of(tokens, own, words)
               for tokens, own in zip(cut, spans, strict=True)]  # fmt: skip
    streams = [np.array([BOS, *(piece.id for piece in tokens), EOS], np.int32) for tokens in cut]
    if "original" in kinds and all(len(set(own.tolist())) == len(own) for own in word_of):
        kinds = ["original"]
    logprobs = [_logprobs(found, streams, kind, word_of, job) for kind in kinds]
    spelling = _spelling(asked, cut, job)
    counted, cutter = found.model if origins else None, asked.plan.segmenter()
    keeps_spaces = isinstance(cutter, PieceSegmenter) and cutter.keeps_spaces
    made = []
    for number, (text, tokens) in enumerate(zip(texts, cut, strict=True)):
        own = {kind: logs[number] for kind, logs in zip(kinds, logprobs, strict=True)}
        told = origin(counted, streams[number]) if isinstance(counted, NgramModel) else None
        made.append(Scored(
            text, tuple(tokens), tuple(spans[number]), word_of[number], own, spelling[number],
            _spaces(text, asked.plan.options.special_tokens) if keeps_spaces else 0, told,
        ))  # fmt: skip
    return made


# --- words --------------------------------------------------------------------------------------


def _words_of(
    texts: Sequence[str], cut: Sequence[Sequence[Piece]], words: Words, job: Job
) -> list[list[Span]]:
    if words == "tokens":
        return [[(piece.start, piece.end) for piece in pieces] for pieces in cut]
    cutter = Whitespace() if words == "spaces" else words.segmenter()
    return [spans for spans, _ in cut_all(cutter, texts, job.check)]


def _word_of(pieces: Sequence[Piece], words: Sequence[Span], by: Words) -> np.ndarray:
    """(T,) the number of each token's word: the first that ends behind the token's beginning."""
    if by == "tokens":
        return np.arange(len(pieces))
    starts = np.array([piece.start for piece in pieces], np.int64)
    ends = np.array([end for _, end in words], np.int64)
    return np.minimum(ends.searchsorted(starts, side="right"), max(len(words) - 1, 0))


# --- figures ------------------------------------------------------------------------------------


def _logprobs(
    found: Answering, streams: Sequence[np.ndarray], kind: Kind, word_of: Sequence[np.ndarray],
    job: Job,
) -> list[np.ndarray]:  # fmt: skip
    """(T + 1,) of each stream, or (T,) of the pseudo kinds."""
    if not streams:
        return []
    model, whole = found.model, np.concatenate(streams)
    if kind in PSEUDO and hasattr(model, "logprobs_hiding"):
        logs = _pseudo(model, streams, word_of if kind == "within-word" else None, job)
    elif isinstance(model, NgramModel):
        logs = _of_counts(model, whole)
    elif model.context == "document":
        size = PIECES[MODELS[found.asked.spec.model].kind]
        apart = cast(DocumentModel, model).logprobs_apart
        logs = np.concatenate([_checked(apart, piece, job) for piece in pieces(whole, size)])
    else:
        size = PIECES["pseudo" if kind == "original" else MODELS[found.asked.spec.model].kind]
        logs = np.concatenate([_checked(model.logprobs, piece, job)
                               for piece in pieces(whole, size)])  # fmt: skip
    sizes = [len(stream) - 1 for stream in streams]
    each = np.split(logs, np.cumsum(sizes)[:-1])
    return [one[:-1] for one in each] if kind in PSEUDO else each


def _checked(
    function: Callable[[np.ndarray], np.ndarray], stream: np.ndarray, job: Job
) -> np.ndarray:
    job.check()
    return function(stream)


def _of_counts(model: NgramModel, stream: np.ndarray) -> np.ndarray:
    """Unlike the model's `logprobs`, NaN where no probability is defined."""
    probs = model.smoothing.probs(model.lookup.events(stream))
    with np.errstate(divide="ignore"):
        return np.log(probs)


def _pseudo(
    model: LanguageModel, streams: Sequence[np.ndarray], word_of: Sequence[np.ndarray] | None,
    job: Job,
) -> np.ndarray:  # fmt: skip
    """With `word_of`, what is behind a token in its word is hidden too."""
    ends = None
    if word_of is not None:
        before = np.cumsum([0, *map(len, word_of)])
        last = [start + words.searchsorted(words, side="right")
                for start, words in zip(before, word_of, strict=False)]  # fmt: skip
        ends = np.concatenate(last)
    logs: np.ndarray = cast(BlankingModel, model).logprobs_hiding(
        np.concatenate(streams), ends, job.check
    )
    return logs


# --- what bits are divided by, and what an unknown word costs besides ----------------------------


def _spaces(text: str, special: tuple[str, ...]) -> int:
    return sum(end - start for start, end, _ in unmarked(text, special)) - characters_of(text)


def _spelling(asked: Asked, cut: Sequence[Sequence[Piece]], job: Job) -> list[np.ndarray]:
    """(T,) bits of each sentence; `<unk>` that is written so costs nothing, NaN: nobody knows."""
    sizes = [len(pieces) for pieces in cut]
    bits = np.zeros(sum(sizes))
    unknown = [(place, piece.text) for place, piece in enumerate(p for own in cut for p in own)
               if piece.unknown and piece.text != SPECIALS[UNK]]  # fmt: skip
    if unknown:
        places, texts = zip(*unknown, strict=True)
        bits[list(places)] = _spelled(asked, texts, job)
    return np.split(bits, np.cumsum(sizes)[:-1]) if sizes else []


def _spelled(asked: Asked, words: Sequence[str], job: Job) -> np.ndarray | float:
    try:
        speller = corpus_speller(corpus_of(asked.segmentation_folder), keep=asked.keep, job=job)
    except AppError:
        return np.nan
    return speller.bits_of(words)
