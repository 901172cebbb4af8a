"""Sentences and a run in; how alike they are, each to each, beside what is usual, out.

Vectors of an untuned network lie close together, so that a cosine of 0.9 says little (Ethayarajh
2019, "How contextual are contextualized word representations?"). What it says is told by pairs of
sentences that are drawn from the corpus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.contextual import room
from lmstudio.analysis.last_used import LastUsed
from lmstudio.analysis.sentence_vectors import (
    Pooling,
    check_pooling,
    cosines,
    fit_whitening,
    pooled_all,
    random_cosines,
)
from lmstudio.data.layout import CorpusText, Tokens
from lmstudio.data.token_preview import pieces_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.models.base import NeuralModel

MOST = 64
"""Sentences that are compared with each other."""

_SEED = 1
_KEPT = 4  # drawn sets of corpus sentences that are kept


@dataclass(frozen=True)
class Nearest:
    """Sentences of the corpus, the most alike first."""

    texts: list[str]
    lines: np.ndarray  # (K,) their corpus lines, from 0
    cosines: np.ndarray  # (K,) float32


@dataclass(frozen=True)
class SentenceSimilarity:
    """N sentences as one run sees them."""

    run: str
    pooling: Pooling
    sentences: list[str]
    cosines: np.ndarray  # (N, N) float32
    cut: list[int]  # sentences that are longer than the run reads
    random: (
        np.ndarray
    )  # (P,) float32, rising: the cosines of pairs of corpus sentences; may be none
    drawn: int  # sentences of the corpus that were drawn, for all of the following
    whitened: int  # dimensions that whitening kept; 0 where it was not asked for
    nearest: list[Nearest]  # of each sentence; none without a corpus
    room: int = 0  # tokens of a sentence that the run reads at most

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a reader must know: of which sentences the end is not read."""
        if not self.cut:
            return ()
        numbers = listed(str(number + 1) for number in self.cut)
        values: dict[str, object] = {"name": self.run, "read": self.room, "numbers": numbers}
        return (
            Message(
                "{name}: only the first {read} tokens are read of the sentences {numbers}.", values
            ),
        )

    @property
    def baseline(self) -> float:
        """The mean cosine of two sentences that have nothing to do with each other; NaN if none."""
        return float(self.random.mean()) if len(self.random) else float("nan")

    @property
    def usual(self) -> tuple[float, float]:
        """What nine of ten random pairs lie between; NaN if none were drawn."""
        if not len(self.random):
            return float("nan"), float("nan")
        low, high = np.quantile(self.random, (0.05, 0.95)).tolist()
        return low, high

    def share_below(self, cosine: float) -> float:
        """The share of the random pairs that are less alike; NaN if none were drawn."""
        if not len(self.random):
            return float("nan")
        return float(np.searchsorted(self.random, cosine) / len(self.random))


def similarity(
    asked: Asked,
    corpus_folder: Path,
    sentences: Sequence[str],
    pooling: Pooling = "mean",
    drawn: int = 0,
    *,
    whiten: bool = False,
    nearest: int = 5,
    job: Job,
) -> SentenceSimilarity:
    """How alike `sentences` are to a run, each to each, and to `drawn` sentences of the corpus.

    AppError for more sentences than MOST or none, one that holds nothing the run reads, a pooling
    that its family does not have, or whitening without enough of the corpus.
    """
    model = answering(asked, job=job)
    check_pooling(asked.spec.model, pooling)
    if not 0 < len(sentences) <= MOST:
        raise AppError("Type 1 to {most} sentences, one a line.", most=MOST)
    ids = _ids(model, sentences, job)
    network = cast(NeuralModel, model.model)
    vectors = pooled_all(network, asked.spec.model, ids, job=job)[pooling]
    most = room(network)
    cut = [n for n, one in enumerate(ids) if len(one) > most]
    if not drawn:
        if whiten:
            raise AppError("Whitening is fitted on sentences of the corpus: let some be drawn.")
        found = cosines(vectors, vectors)
        return SentenceSimilarity(asked.name, pooling, list(sentences), found, cut,
                                  np.empty(0, np.float32), 0, 0, [], most)  # fmt: skip
    sample = _sample(model, drawn, job)
    known, kept = sample.vectors[pooling], 0
    if whiten:
        whitening = fit_whitening(known)
        vectors, known = whitening.apply(vectors), whitening.apply(known)
        kept = whitening.matrix.shape[1]
    job.check()
    return SentenceSimilarity(
        asked.name, pooling, list(sentences), cosines(vectors, vectors), cut,
        random_cosines(known), len(known), kept,
        _nearest(vectors, known, sample.sentences, asked, corpus_folder, sentences, nearest),
        most,
    )  # fmt: skip


def _ids(model: Answering, sentences: Sequence[str], job: Job) -> list[np.ndarray]:
    found = []
    cut = pieces_of(sentences, model.asked.plan, model.vocabulary, job=job)
    for number, pieces in enumerate(cut, 1):
        if not pieces:
            raise AppError("Line {number} holds nothing that {name} reads.",
                           number=number, name=model.asked.name)  # fmt: skip
        found.append(np.array([piece.id for piece in pieces], np.int64))
    return found


# --- sentences of the corpus ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Sample:
    """Sentences drawn from the training part, with their vectors."""

    sentences: np.ndarray  # (M,) their numbers in the segmentation, rising
    vectors: dict[Pooling, np.ndarray]


_samples = LastUsed[_Sample](_KEPT)


def _sample(model: Answering, size: int, job: Job) -> _Sample:
    """Made once for a model that stays open; AppError where there are not two sentences."""

    def drawn() -> _Sample:
        job.note = Message("Reading sentences of the corpus")
        tokens = Tokens(model.asked.segmentation_folder)
        chosen = drawn_sentences(tokens, size)
        starts = tokens.sentences["token"]
        ids = [np.asarray(tokens.ids[starts[n] : starts[n + 1]], np.int64) for n in chosen.tolist()]
        network = cast(NeuralModel, model.model)
        return _Sample(chosen, pooled_all(network, model.asked.spec.model, ids, job=job))

    return _samples.get((model.asked.run_folder, size), model, drawn)


def drawn_sentences(tokens: Tokens, size: int) -> np.ndarray:
    """Numbers of up to `size` sentences of the training part, at random, none of them empty."""
    sizes = np.diff(tokens.sentences["token"])
    known = np.flatnonzero((tokens.sentences["part"][:-1] == 0) & (sizes > 0))
    if len(known) < 2:
        raise AppError("The training part of this corpus has too few sentences to compare with.")
    if len(known) > size:
        known = np.random.default_rng(_SEED).choice(known, size, replace=False)
    return np.sort(known)


def _nearest(
    vectors: np.ndarray, known: np.ndarray, numbers: np.ndarray, asked: Asked,
    corpus_folder: Path, sentences: Sequence[str], count: int,
) -> list[Nearest]:  # fmt: skip
    """Of each vector, the sentences that are most alike, each text once, and not its own."""
    tokens, text = Tokens(asked.segmentation_folder), CorpusText(corpus_folder)
    found = []
    for row, own in zip(cosines(vectors, known), sentences, strict=True):
        texts: dict[str, tuple[int, float]] = {}
        for place in np.argsort(-row, kind="stable").tolist():
            if len(texts) == count:
                break
            line, sentence = sentence_text(tokens, text, int(numbers[place]))
            if sentence != own:
                texts.setdefault(sentence, (line, float(row[place])))
        lines, values = zip(*texts.values(), strict=True) if texts else ((), ())
        found.append(Nearest(list(texts), np.array(lines, np.int64), np.array(values, np.float32)))
    return found


def sentence_text(tokens: Tokens, text: CorpusText, number: int) -> tuple[int, str]:
    """The corpus line of a sentence, and what stands there from its first token to its last."""
    first, end = tokens.sentences["token"][number : number + 2].tolist()
    line = int(tokens.sentences["line"][number])
    start, stop = int(tokens.offsets["start"][first]), int(tokens.offsets["end"][end - 1])
    return line, text.line(line)[start:stop]
