"""A record of probes in; rows of the tables of blanks and of neighbours out."""

from lmstudio import figures
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.messages import tr
from lmstudio.training.probes import GUESSES, NEIGHBOURS, Blank, ProbeRecord

GAP = "▁▁"


def blank_columns() -> list[Column]:
    """The text, the word that stands there, the guesses."""
    return [
        Column("text", tr("Text")), Column("truth", tr("True word"), width=96),
        *(Column(f"guess{n}", tr("Guess {number}", number=n), width=120)
          for n in range(1, GUESSES + 1)),
    ]  # fmt: skip


def blank_rows(record: ProbeRecord) -> list[Row]:
    """Bars of p under the guesses; the true word in the accent."""
    return [_blank(number, blank) for number, blank in enumerate(record.blanks)]


def _blank(number: int, blank: Blank) -> Row:
    text = " ".join([*blank.before, GAP, *blank.after])
    cells = {"text": Cell(text, tip=text), "truth": Cell(blank.truth, tone="accent")}
    for place, (word, p) in enumerate(blank.guesses, 1):
        right = word == blank.truth
        token = "accent" if right else "muted"
        cells[f"guess{place}"] = Cell(word, f"{word}  {figures.percent(p)}",
                                      ("bar", p, token), token if right else "")  # fmt: skip
    return Row(number, cells)


def neighbour_columns() -> list[Column]:
    """The word, and what is nearest to it."""
    nearest = (
        Column(f"near{n}", tr("Neighbour {number}", number=n)) for n in range(1, NEIGHBOURS + 1)
    )
    return [Column("word", tr("Word"), width=120), *nearest]


def neighbour_rows(record: ProbeRecord) -> list[Row]:
    """With the cosine after each."""
    made = []
    for number, one in enumerate(record.neighbours):
        cells = {"word": Cell(one.token)}
        for place, (word, cosine) in enumerate(one.nearest, 1):
            text = f"{word}  {figures.decimal(cosine, 2)}"
            cells[f"near{place}"] = Cell(word, text, tip=text)
        made.append(Row(number, cells))
    return made
