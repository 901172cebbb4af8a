"""How alike sentences are to a network, beside what is usual in its corpus."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lmstudio.analysis import sentence_similarity as comparing
from lmstudio.analysis.sentence_similarity import SentenceSimilarity
from lmstudio.analysis.sentence_vectors import Pooling
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations.asked import asked
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace

DRAWN = 1000
"""Sentences of the corpus that are drawn where nobody says how many."""


def similarity(
    ws: Workspace, run: int | str, sentences: Sequence[str], pooling: Pooling = "mean",
    drawn: int = DRAWN, whiten: bool = False, nearest: int = 5, *, job: Job,
) -> SentenceSimilarity:  # fmt: skip
    """The cosines of sentences, and of pairs out of `drawn` sentences of the training part.

    Of each, the `nearest` of those drawn. With `drawn` 0 only the sentences themselves are read.
    AppError for a model without vectors, a pooling it does not have, or a sentence of nothing.
    """
    row = ws.segmentation(ws.run(run).segmentation_id)
    return job.call(
        comparing.similarity, asked(ws, run, "layers"), ws.corpus_folder(row.corpus_id),
        list(sentences), pooling, drawn, whiten=whiten, nearest=nearest,
    )  # fmt: skip


def as_json(found: Sequence[SentenceSimilarity]) -> Facts:
    """All of it as JSON has it; of the random pairs their mean and the middle nine tenths."""
    return {"sentences": found[0].sentences if found else [], "runs": [_as_json(n) for n in found]}


def _as_json(one: SentenceSimilarity) -> Facts:
    low, high = one.usual
    return {
        "run": one.run, "pooling": one.pooling, "cosines": one.cosines.tolist(), "cut": one.cut,
        "notes": list(map(str, one.notes)),
        "drawn": one.drawn, "whitened": one.whitened, "baseline": one.baseline,
        "baseline_low": low, "baseline_high": high, "random_pairs": len(one.random),
        "nearest": [
            {"texts": near.texts, "lines": near.lines.tolist(), "cosines": near.cosines.tolist()}
            for near in one.nearest
        ],
    }  # fmt: skip


def save(found: Sequence[SentenceSimilarity], path: Path, *, job: Job) -> None:
    """Write the cosine of every two sentences as CSV. AppError if it cannot be written."""
    header = [tr("Run"), tr("Pooling"), tr("Dimensions after whitening"), tr("Sentence"),
              tr("Other sentence"), tr("Cosine"), tr("Mean of random pairs"),
              tr("Share of random pairs below")]  # fmt: skip
    save_table(path, header, _rows(found), job=job)


def save_nearest(found: Sequence[SentenceSimilarity], path: Path, *, job: Job) -> None:
    """Write the sentences of the corpus that are most alike as CSV."""
    header = [tr("Run"), tr("Sentence"), tr("Rank"), tr("Cosine"), tr("Corpus line"),
              tr("Sentence of the corpus")]  # fmt: skip
    rows = (
        (one.run, sentence, rank, float(cosine), int(line) + 1, text)
        for one in found
        for sentence, near in zip(one.sentences, one.nearest, strict=True)
        for rank, (cosine, line, text) in enumerate(
            zip(near.cosines, near.lines, near.texts, strict=True), 1)
    )  # fmt: skip
    save_table(path, header, rows, job=job)


def _rows(found: Sequence[SentenceSimilarity]) -> Iterator[tuple[object, ...]]:
    for one in found:
        for i, sentence in enumerate(one.sentences):
            for j in range(i + 1, len(one.sentences)):
                cosine = float(one.cosines[i, j])
                yield (one.run, one.pooling, one.whitened, sentence, one.sentences[j], cosine,
                       one.baseline, one.share_below(cosine))  # fmt: skip
