"""Neighbours, analogies and scores of test sets in; rows of their tables out."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from lmstudio import figures
from lmstudio.analysis.analogies import Analogy, SectionScore
from lmstudio.analysis.neighbours import Neighbour, Neighbours
from lmstudio.analysis.similarity import SimilarityScore
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow

MOST_RUNS = 8
"""Runs whose neighbours stand side by side."""
BRIEF_FROM = 2
"""Runs that leave room for figures beside their words; of more there are bars."""


def neighbour_columns() -> list[Column]:
    """Of one run its words with cosine and count; of several a column each."""
    return [
        Column("word", tr("Neighbour")),
        Column("cosine", tr("Cosine"), right=True, width=76),
        Column("count", tr("Count"), right=True, width=64, show=figures.count),
        Column("class", tr("Class"), right=True, width=52,
               note=tr("1: in the same word class as the word asked for, else 0")),
        Column("one_hot", tr("One-hot"), right=True, width=64,
               note=tr("The baseline: one-hot vectors of two words have cosine 0")),
        *(Column(run_key(number), "") for number in range(MOST_RUNS)),
    ]  # fmt: skip


def run_key(number: int) -> str:
    """The column of a run, by its place."""
    return f"run{number}"


def neighbour_rows(runs: Sequence[RunRow], found: Mapping[int, Neighbours]) -> list[Row]:
    """A row a rank; what a single run says in full, what several say side by side."""
    answers = [found[run.id].nearest for run in runs if run.id in found]
    families = [run.model for run in runs if run.id in found]
    rows, brief = [], len(answers) > BRIEF_FROM
    for rank, entries in enumerate(zip_longest(*answers)):
        cells: dict[str, Cell] = {}
        for number, (one, family) in enumerate(zip(entries, families, strict=True)):
            if one is not None:
                cells |= _cells(one, family) if number == 0 else {}
                cells[run_key(number)] = _side(one, family, brief=brief)
        rows.append(Row(rank, cells))
    return rows


def _cells(one: Neighbour, family: str) -> dict[str, Cell]:
    cosine = Cell(None, tr("undefined"))
    if one.cosine is not None:
        bar = ("bar", max(one.cosine, 0.0), family)
        cosine = Cell(one.cosine, figures.decimal(one.cosine, 2), bar)
    same = None if one.same_class is None else int(one.same_class)
    return {
        "word": Cell(one.word), "cosine": cosine, "count": Cell(one.count),
        "class": Cell(same), "one_hot": Cell(0, tone="muted"),
    }  # fmt: skip


def _side(one: Neighbour, family: str, *, brief: bool) -> Cell:
    if one.cosine is None:
        return Cell(one.word, f"{one.word}  {tr('undefined')}")
    text = f"{one.word}  {figures.decimal(one.cosine, 2)}"
    bar = ("bar", max(one.cosine, 0.0), family)
    return Cell(one.word, one.word if brief else text, bar, tip=text)


def analogy_columns() -> list[Column]:
    """The answers by each formula."""
    return [
        Column("add", "3CosAdd", note="cos(d, b) − cos(d, a) + cos(d, c)"),
        Column("add_score", "", right=True, width=64),
        Column("mul", "3CosMul", note="cos′(d, b) · cos′(d, c) / (cos′(d, a) + 0.001)"),
        Column("mul_score", "", right=True, width=64),
    ]


def analogy_rows(found: Analogy) -> list[Row]:
    """A row a rank."""
    return [
        Row(rank, {
            "add": Cell(one.word), "add_score": Cell(one.score, figures.decimal(one.score, 2)),
            "mul": Cell(two.word), "mul_score": Cell(two.score, figures.decimal(two.score, 2)),
        }) for rank, (one, two) in enumerate(zip(found.add, found.mul, strict=True))
    ]  # fmt: skip


def set_columns() -> list[Column]:
    """A test set: what was covered, and how well it was done."""
    return [
        Column("run", tr("Model")), Column("section", tr("Section"), width=88),
        Column("covered", tr("Covered"), right=True, width=72, show=figures.percent),
        Column("rho", "ρ", right=True, width=52, note=tr("Spearman's rank correlation")),
        Column("add", "Add", right=True, width=52, note="3CosAdd", show=figures.percent),
        Column("mul", "Mul", right=True, width=52, note="3CosMul", show=figures.percent),
    ]  # fmt: skip


def set_rows(
    runs: Sequence[RunRow], found: Mapping[int, SimilarityScore | list[SectionScore]]
) -> list[Row]:
    """A row for each run, or for each run and section; a figure that there is not stays empty."""
    rows = []
    for run in runs:
        scored = found.get(run.id)
        name = Cell(run.name, draw=("mark", run.model))
        if isinstance(scored, SimilarityScore):
            rho = Cell(None) if scored.rho != scored.rho else Cell(
                scored.rho, figures.decimal(scored.rho, 2))  # fmt: skip
            rows.append(Row(run.name, {"run": name, "covered": _covered(scored), "rho": rho}))
        for one in scored if isinstance(scored, list) else []:
            cells = {"run": name, "section": Cell(one.name or tr("All")), "covered": _covered(one)}
            if one.covered:
                cells |= {key: Cell(one.accuracy(key)) for key in ("add", "mul")}
            rows.append(Row(f"{run.name} {one.name}", cells, bold=not one.name))
    return rows


def _covered(one: SimilarityScore | SectionScore) -> Cell:
    total = len(one.pairs) if isinstance(one, SimilarityScore) else one.questions
    tip = tr("{covered} of {total}", covered=figures.count(one.covered), total=figures.count(total))
    return Cell(one.coverage, tip=tip)
