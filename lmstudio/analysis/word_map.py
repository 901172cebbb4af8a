"""The vectors of words in; a flat map on which words that are alike stand near each other out.

Directions of length 1 are laid out, so that near means a large cosine. PCA keeps distances that are
large, t-SNE and UMAP (McInnes, Healy & Melville 2018) who is next to whom.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.pca import pca
from lmstudio.analysis.tsne import tsne
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.options import option

METHODS = ("pca", "tsne", "umap")
FEWEST = 3  # points that have a place of their own on a plane
MOST_TSNE = 5000  # all pairs of these take 100 MB
SEED = 1  # of UMAP
NO_UMAP = msg("UMAP needs the package umap-learn: install it with pip install umap-learn")


@dataclass(frozen=True)
class MapOptions:
    """How a map is drawn."""

    method: str = option("pca", msg("Method"), msg("How words are laid out"), choices=METHODS)
    words: int = option(
        2000, msg("Words"), msg("How many words to show, the most frequent"), low=FEWEST,
        high=200_000,
    )  # fmt: skip
    min_count: int = option(
        1, msg("Least count"), msg("Show words that occur so often at least"), low=0
    )
    perplexity: float = option(
        30.0, msg("Perplexity"), msg("Neighbours of a word that t-SNE looks at"), low=1, high=1000
    )
    layer: int = option(0, msg("Layer"), msg("Layer of the vectors; 0 is the table"), low=0)


@dataclass(frozen=True)
class Layout:
    """N places, and what the method says of them."""

    places: np.ndarray  # (N, 2) float32
    shares: tuple[float, float] = (0.0, 0.0)  # of the variance along each axis, of PCA
    perplexity: float = 0.0  # the one that t-SNE used
    divergence: float = 0.0  # of t-SNE, in nats


@dataclass(frozen=True)
class WordMap:
    """N words and where they stand, the most frequent first."""

    words: list[str]
    ids: np.ndarray  # (N,)
    counts: np.ndarray  # (N,)
    layout: Layout
    options: MapOptions
    undefined: list[str]  # left out: their vectors are zero

    @property
    def places(self) -> np.ndarray:
        """(N, 2) float32."""
        return self.layout.places


def umap_missing() -> Message | None:
    """Why UMAP cannot be used, None where it can."""
    return None if importlib.util.find_spec("umap") else Message(NO_UMAP)


def word_map(asked: Asked, options: MapOptions, chosen: Sequence[str] = (), *, job: Job) -> WordMap:
    """The map of the most frequent words of a run, or of those `chosen`.

    AppError for fewer than three words, and for more than t-SNE can take.
    """
    vectors = word_vectors(asked, options.layer, chosen, job=job)
    return map_of(vectors, options, chosen, job=job)


def map_of(
    vectors: WordVectors, options: MapOptions, chosen: Sequence[str] = (), *, job: Job
) -> WordMap:
    """The same of vectors."""
    places = _chosen(vectors, options, chosen)
    undefined = [vectors.words[place] for place in places if not vectors.lengths[place]]
    places = places[vectors.defined[places]]
    if len(places) < FEWEST:
        raise AppError("A map needs {fewest} words at least, and there are {count}.",
                       fewest=FEWEST, count=len(places))  # fmt: skip
    if options.method == "tsne" and len(places) > MOST_TSNE:
        raise AppError("t-SNE takes {most} words at most: choose fewer, or PCA.", most=MOST_TSNE)
    layout = _LAID[options.method](vectors.units[places], options, job)
    words = [vectors.words[place] for place in places.tolist()]
    return WordMap(
        words, vectors.ids[places], vectors.counts[places], layout, options, undefined
    )  # fmt: skip


def _chosen(vectors: WordVectors, options: MapOptions, chosen: Sequence[str]) -> np.ndarray:
    """Where the words stand: those chosen, or the most frequent first."""
    if chosen:
        known = [vectors.places[word] for word in dict.fromkeys(chosen) if word in vectors.places]
        return np.array(known, np.int64)
    order = np.argsort(-vectors.counts, kind="stable")
    return order[vectors.counts[order] >= options.min_count][: options.words]


def _by_pca(units: np.ndarray, options: MapOptions, job: Job) -> Layout:
    found = pca(units)
    return Layout(found.places, shares=found.shares)


def _by_tsne(units: np.ndarray, options: MapOptions, job: Job) -> Layout:
    found = tsne(units, options.perplexity, job=job)
    return Layout(found.places, perplexity=found.perplexity, divergence=found.divergence)


def _by_umap(units: np.ndarray, options: MapOptions, job: Job) -> Layout:
    if missing := umap_missing():
        raise AppError(missing.sentence)
    job.tick(0, 0, Message("UMAP"))
    made = importlib.import_module("umap").UMAP(
        n_neighbors=max(2, min(round(options.perplexity / 2), len(units) - 1)), metric="cosine",
        init="random" if len(units) < 10 else "spectral", random_state=SEED,
    )  # fmt: skip
    return Layout(np.asarray(made.fit_transform(units), np.float32))


_LAID = {"pca": _by_pca, "tsne": _by_tsne, "umap": _by_umap}
