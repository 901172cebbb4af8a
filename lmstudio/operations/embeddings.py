"""What the vectors of a run say of words: who is near, how alike, what is to what, and a map."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lmstudio.analysis import analogies, neighbours, similarity, word_groups, word_map
from lmstudio.analysis import film as films
from lmstudio.analysis.analogies import Analogy, SectionScore
from lmstudio.analysis.film import Film
from lmstudio.analysis.neighbours import Neighbours
from lmstudio.analysis.similarity import Similarities, SimilarityScore
from lmstudio.analysis.word_groups import Groups
from lmstudio.analysis.word_map import MapOptions, WordMap
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import word_classes
from lmstudio.operations.asked import asked, refusal
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

TABLE, LAYERS = "table", "layers"  # questions of models.capabilities
GROUPS = ("clusters", "tags", "classes")
NO_CLASSES = msg(
    "No n-gram model of classes was trained on this segmentation. Train one to see its classes."
)


def neighbors(
    ws: Workspace, run: int | str, text: str, layer: int = 0, most: int = 20, *, job: Job
) -> Neighbours:
    """The words nearest to a word by cosine, marked by the classes of a class-based run if there
    is one on the same segmentation. AppError where the word is not known."""
    of = asked(ws, run, LAYERS if layer else TABLE)
    known = class_run(ws, run)
    folder = ws.run_folder(known.id) if known else None
    return job.call(neighbours.neighbours, of, text, layer, most, folder)


def similarities(
    ws: Workspace, run: int | str, words: Sequence[str], layer: int = 0, *, job: Job
) -> Similarities:
    """The cosines of a list of words, each with each. AppError where none is known."""
    of = asked(ws, run, LAYERS if layer else TABLE)
    return job.call(similarity.similarity, of, list(words), layer)


def class_similarities(
    ws: Workspace, run: int | str, words: Sequence[str], *, job: Job
) -> Similarities:
    """1 for two words of one class of the class-based run beside `run`, else 0.

    AppError where there is no such run.
    """
    job.check()
    known = class_run(ws, run)
    if known is None:
        raise AppError(NO_CLASSES)
    vocabulary = Vocabulary.load(ws.segmentation_folder(known.segmentation_id))
    ids = vocabulary.encode(words)
    inside = [word for word, number in zip(words, ids.tolist(), strict=True) if number]
    found = similarity.of_classes(ws.run_folder(known.id), inside, ids[ids > 0])
    return replace(found, unknown=[word for word in words if word not in inside])


def similarity_set(
    ws: Workspace, run: int | str, file: Path, layer: int = 0, *, job: Job
) -> SimilarityScore:
    """How well a run agrees with a file of word pairs and scores: Spearman's rho."""
    of = asked(ws, run, LAYERS if layer else TABLE)
    return job.call(similarity.similarity_set, of, file.absolute(), layer)


def analogy(
    ws: Workspace, run: int | str, words: Sequence[str], layer: int = 0, most: int = 10, *, job: Job
) -> Analogy:
    """What is to the third word as the second is to the first. AppError unless all are known."""
    if len(words) != 3:
        raise AppError("An analogy takes three words: a is to b as c is to …")
    of = asked(ws, run, LAYERS if layer else TABLE)
    return job.call(analogies.analogy, of, (words[0], words[1], words[2]), layer, most)


def analogy_set(
    ws: Workspace, run: int | str, file: Path, layer: int = 0, *, job: Job
) -> list[SectionScore]:
    """How many questions of a file a run answers right, by section, the sum last."""
    of = asked(ws, run, LAYERS if layer else TABLE)
    return job.call(analogies.analogy_set, of, file.absolute(), layer)


def score_set(
    ws: Workspace, run: int | str, file: Path, layer: int = 0, *, job: Job
) -> SimilarityScore | list[SectionScore]:
    """A file of either kind, told by its lines: pairs with scores, or questions of four words."""
    if analogies.holds_questions(file):
        return analogy_set(ws, run, file, layer, job=job)
    return similarity_set(ws, run, file, layer, job=job)


def map_words(
    ws: Workspace, run: int | str, options: MapOptions, chosen: Sequence[str] = (), *, job: Job
) -> WordMap:
    """A flat map of a run's frequent words, or of those chosen; shows t-SNE on its way."""
    of = asked(ws, run, LAYERS if options.layer else TABLE)
    return job.call(word_map.word_map, of, options, list(chosen))


def film(ws: Workspace, run: int | str, *, job: Job) -> Film:
    """How the map of the most frequent words came about in training; empty where nothing was
    kept. AppError for a run without vectors."""
    row = ws.run(run)
    if why := reason(row.model, "table"):
        raise refusal(ws, row, "table", why)
    return job.call(films.film, ws.segmentation_folder(row.segmentation_id), ws.run_folder(row.id))


def groups(
    ws: Workspace, run: int | str, words: Sequence[str], by: str, layer: int = 0, *, job: Job
) -> Groups:
    """The groups of words by one of GROUPS.

    AppError where the corpus has no tags, or no class-based run is on the same segmentation.
    """
    row, known = ws.run(run), class_run(ws, run)
    if by == "clusters":
        return job.call(word_groups.clusters, asked(ws, run, TABLE), list(words), layer)
    if by == "tags":
        corpus = ws.segmentation(row.segmentation_id).corpus_id
        return job.call(word_groups.tags, ws.corpus_folder(corpus), list(words))
    if known is None:
        raise AppError(NO_CLASSES)
    ids = Vocabulary.load(ws.segmentation_folder(row.segmentation_id)).encode(words)
    return job.call(word_groups.classes, ws.run_folder(known.id), list(words), ids)


def class_run(ws: Workspace, run: int | str) -> RunRow | None:
    """The newest finished run of word classes over the vocabulary of a run."""
    runs = ws.runs(ws.run(run).segmentation_id)
    found = [row for row in runs if row.model == word_classes.MODEL and row.state == "done"]
    return found[-1] if found else None


def said_of(found: WordMap) -> str:
    """What was computed, in a line: the method and the figures it was done with."""
    layout, words = found.layout, count(len(found.words))
    if found.options.method == "tsne":
        said = tr("t-SNE of {words} words by cosine, perplexity {perplexity}, divergence "
                  "{divergence} nats", words=words, perplexity=decimal(layout.perplexity, 1),
                  divergence=decimal(layout.divergence, 2))  # fmt: skip
    elif found.options.method == "pca":
        said = tr("PCA of {words} words, {first} + {second} of the variance", words=words,
                  first=percent(layout.shares[0]), second=percent(layout.shares[1]))  # fmt: skip
    else:
        said = tr("UMAP of {words} words by cosine", words=words)
    if layer := found.options.layer:
        said += tr(" · layer {layer}, the mean over the places of a word", layer=layer)
    if found.undefined:
        said += tr(" · {count} left out: their vectors are zero", count=len(found.undefined))
    return said


# --- files -----------------------------------------------------------------------------------


def save_neighbors(found: Neighbours, path: Path, *, job: Job) -> None:
    """Write neighbours as CSV, with the baseline of one-hot vectors. AppError if it cannot be."""
    header = [tr("Word"), tr("Cosine"), tr("Count"), tr("Same class"), tr("One-hot")]
    rows = ((one.word, tr("undefined") if one.cosine is None else one.cosine, one.count,
             "" if one.same_class is None else int(one.same_class), 0)
            for one in found.nearest)  # fmt: skip
    save_table(path, header, rows, total=len(found.nearest), job=job)


def save_similarities(found: Similarities, path: Path, *, job: Job) -> None:
    """Write a matrix as CSV: a row and a column a word."""
    rows = ([word, *("" if np.isnan(value) else float(value) for value in values)]
            for word, values in zip(found.words, found.values, strict=True))  # fmt: skip
    save_table(path, ["", *found.words], rows, total=len(found.words), job=job)


def save_pairs(found: SimilarityScore, path: Path, *, job: Job) -> None:
    """Write the pairs of a set as CSV, what people said beside the cosine."""
    header = [tr("Word"), tr("Second word"), tr("People"), tr("Cosine")]
    rows = ((one.first, one.second, one.score, "" if one.cosine is None else one.cosine)
            for one in found.pairs)  # fmt: skip
    save_table(path, header, rows, total=len(found.pairs), job=job)


def save_analogy(found: Analogy, path: Path, *, job: Job) -> None:
    """Write the answers to one question as CSV, by each formula."""
    rows = [(formula, number, one.word, one.score)
            for formula, answers in (("3CosAdd", found.add), ("3CosMul", found.mul))
            for number, one in enumerate(answers, 1)]  # fmt: skip
    save_table(
        path, [tr("Formula"), tr("Rank"), tr("Word"), tr("Score of the formula")], rows, job=job
    )


def save_analogy_scores(found: Iterable[SectionScore], path: Path, *, job: Job) -> None:
    """Write the score of each section as CSV."""
    header = [tr("Section"), tr("Questions"), tr("Covered"), "3CosAdd", "3CosMul"]
    rows = [(one.name or tr("All"), one.questions, one.covered, one.add, one.mul) for one in found]
    save_table(path, header, rows, total=len(rows), job=job)


def save_map(found: WordMap, groups: Groups | None, path: Path, *, job: Job) -> None:
    """Write where each word stands as CSV, with its group if there are groups."""
    header = [tr("Word"), tr("Count"), "x", "y", tr("Group")]
    names = groups.named() if groups else [""] * len(found.words)
    rows = ((word, int(times), float(x), float(y), name) for word, times, (x, y), name in zip(
        found.words, found.counts, found.places, names, strict=True))  # fmt: skip
    save_table(path, header, rows, total=len(found.words), job=job)


def save_film(found: Film, path: Path, *, job: Job) -> None:
    """Write where each word stood at each step as CSV."""
    header = [tr("Step"), tr("Word"), "x", "y"]
    rows = ((step, word, float(x), float(y))
            for step, places in zip(found.steps, found.places, strict=True)
            for word, (x, y) in zip(found.words, places, strict=True))  # fmt: skip
    save_table(path, header, rows, total=found.places[..., 0].size, job=job)
