"""How alike sentences are to runs -> squares of numbers, rows of the nearest sentences."""

from lmstudio import figures
from lmstudio.analysis.sentence_similarity import SentenceSimilarity
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.gui.widgets.similarity_matrices import Square
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow


def square(run: RunRow, found: SentenceSimilarity) -> Square:
    """One run's; heat is by rank among random pairs: 0 for what is usual, 1 for what is rare."""
    cosines = [[float(value) for value in row] for row in found.cosines]
    judged = len(found.random) > 0
    heat = [[2 * found.share_below(value) - 1 if judged else value for value in row]
            for row in cosines]  # fmt: skip
    told = [[_told(found, i, j) for j in range(len(row))] for i, row in enumerate(cosines)]
    return Square(run.id, run.model, run.name, note(found), _frozen(cosines), _frozen(heat),
                  tuple(map(tuple, told)))  # fmt: skip


def note(found: SentenceSimilarity) -> str:
    """What is usual."""
    if not len(found.random):
        return tr("reading the corpus…")
    low, high = found.usual
    said = tr("usual: {mean} ({low} to {high})",
              mean=figures.decimal(found.baseline), low=figures.decimal(low),
              high=figures.decimal(high))  # fmt: skip
    if found.whitened:
        said += " · " + tr("{kept} dimensions", kept=found.whitened)
    return said


def _told(found: SentenceSimilarity, one: int, other: int) -> str:
    value = float(found.cosines[one, other])
    lines = [f"{found.sentences[one]}\n{found.sentences[other]}", figures.decimal(value, 3)]
    if len(found.random):
        share = figures.percent(found.share_below(value))
        lines.append(tr("More alike than {share} of the random pairs", share=share))
    return "\n".join(lines)


def _frozen(rows: list[list[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in rows)


def columns() -> list[Column]:
    """Of the table of the nearest sentences."""
    return [
        Column("rank", "#", right=True, width=40),
        Column("cosine", tr("Cosine"), right=True, width=80,
               show=lambda value: figures.decimal(value, 3)),
        Column("share", tr("Share of random pairs below"), right=True, width=180,
               show=figures.percent),
        Column("text", tr("Sentence of the corpus")),
        Column("line", tr("Corpus line"), right=True, width=100, show=figures.count),
    ]  # fmt: skip


def rows(found: SentenceSimilarity | None, sentence: int) -> list[Row]:
    """The sentences of the corpus nearest to one of those typed."""
    if found is None or sentence >= len(found.nearest):
        return []
    near = found.nearest[sentence]
    entries = zip(near.texts, near.cosines.tolist(), near.lines.tolist(), strict=True)
    return [
        Row(rank, {"rank": Cell(rank), "cosine": Cell(cosine),
                   "share": Cell(found.share_below(cosine)), "text": Cell(text, tip=text),
                   "line": Cell(line + 1)})
        for rank, (text, cosine, line) in enumerate(entries, 1)
    ]  # fmt: skip
