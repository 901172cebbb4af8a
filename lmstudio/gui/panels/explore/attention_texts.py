"""What was found of attention in; the sentences, lines and rows that cards show of it, out."""

import math
from collections.abc import Sequence

import numpy as np

from lmstudio import figures
from lmstudio.analysis.attending.attention import Attention
from lmstudio.analysis.attending.cell import CellArithmetic
from lmstudio.analysis.attending.switches import ALL, Effect, HeadChange, HeadChanges
from lmstudio.analysis.attending.text import Head
from lmstudio.data.layout import SPECIALS
from lmstudio.gui.panels.explore.attention_asking import Choice
from lmstudio.gui.tables import Cell, Row
from lmstudio.gui.widgets.cell_picture import CellLine
from lmstudio.messages import listed, tr

_LEAST, _LARGEST = 1e-3, 1e6  # what is not is written with a power of ten


def title(asked: Choice, name: str) -> str:
    """What the arcs show."""
    if asked.mode == "rollout":
        return tr("Rollout through layer {layer}: what is in “{name}”",
                  layer=asked.head[0] + 1, name=name)  # fmt: skip
    if asked.mode == "mean":
        return tr("Mean of {number} heads: whom “{name}” looks at",
                  number=len(asked.members), name=name)  # fmt: skip
    return tr("Layer {layer}, head {head}: whom “{name}” looks at",
              layer=asked.head[0] + 1, head=asked.head[1] + 1, name=name)  # fmt: skip


def told(found: Attention, asked: Choice) -> str:
    """What the matrix is; what was cut, what is hidden, what is unknown."""
    said = [formula(asked), tr("Rows look, columns are looked at.")]
    if len(found.names) < found.spans[-1, 1] - found.spans[0, 0]:
        said.append(tr("Words: the sum over their columns, the mean over their rows."))
    if found.cut:
        said.append(tr("Only the first {read} tokens are read; {cut} do not fit into the window.",
                       read=figures.count(found.read), cut=figures.count(found.cut)))  # fmt: skip
    if found.unknown:
        said.append(tr("{unknown} of {read} tokens are unknown.",
                       unknown=figures.count(found.unknown),
                       read=figures.count(found.read)))  # fmt: skip
    if found.barred.any():
        said.append(tr("Grey: later words, which cannot be seen."))
    if not asked.marks:
        share = figures.percent(found.to_marks)
        said.append(
            tr("<s> and </s> are hidden; the {share} that went to them is shared out.", share=share)
            if asked.renormalise else
            tr("<s> and </s> are hidden; {share} of a row goes to them on average.", share=share)
        )  # fmt: skip
    return " ".join(said)


def formula(asked: Choice) -> str:
    """What was computed, in a line."""
    if asked.mode == "rollout":
        return tr("Â{layer} ⋯ Â1 with Â = 1/2 mean of heads + 1/2 I (Abnar & Zuidema 2020).",
                  layer=asked.head[0] + 1)  # fmt: skip
    if asked.mode == "mean":
        return tr("Mean of softmax(q·kᵀ ÷ √d) of {number} heads.", number=len(asked.members))
    return "softmax(q·kᵀ ÷ √d)."


def number(value: float) -> str:
    """A number of the arithmetic, however large or small."""
    if value and math.isfinite(value) and not _LEAST <= abs(value) < _LARGEST:
        power = math.floor(math.log10(abs(value)))
        return f"{value / 10**power:.2f} × 10^{power}"
    return figures.decimal(value, 3)


def cell_lines(found: CellArithmetic) -> list[CellLine]:
    """A cell as one works it out."""
    lines = [
        CellLine("q", vector=found.query), CellLine("k", vector=found.key),
        CellLine("q · k", number(found.product)),
        CellLine(f"÷ √{found.dimensions}", number(found.scaled)),
    ]  # fmt: skip
    if not found.seen:
        return [*lines, CellLine(tr("later: cannot be seen"), "0", strong=True)]
    return [
        *lines, CellLine("exp", number(found.exponential)),
        CellLine(tr("÷ sum of the row {sum}", sum=number(found.row_sum)), number(found.weight),
                 strong=True),
        CellLine("v", vector=found.value),
        CellLine(f"{found.weight:.2f} · v", vector=found.given),
    ]  # fmt: skip


def heads_named(heads: Sequence[Head]) -> str:
    """Heads as people count them."""
    few = listed(f"{layer + 1}·{head + 1}" for layer, head in heads[:4])
    more = len(heads) - 4
    return tr("{heads} and {more} more", heads=few, more=more) if more > 0 else few


def effect_lines(found: Effect, asked: Choice) -> list[CellLine]:
    """What heads do to a prediction and to the loss."""
    named = heads_named(asked.tried)
    first = tr("Without {heads}, switched off", heads=named) if asked.off else tr(
        "If {heads} were switched off", heads=named)  # fmt: skip
    lines = [CellLine(first, rule=True)]
    if not math.isnan(found.p[0]):
        before, after = (figures.decimal(p, 3) for p in found.p)
        lines.append(CellLine(f"p({found.token})", f"{before} → {after}", strong=True))
    if found.guess[0]:
        shown = [f"{guess} {figures.decimal(p, 2)}"
                 for guess, p in zip(found.guess, found.guess_p, strict=True)]  # fmt: skip
        lines.append(CellLine(tr("Best guess there"), " → ".join(shown)))
    before, after = (figures.decimal(loss, 3) for loss in found.loss)
    lines.append(CellLine(tr("Loss, nats a token"), f"{before} → {after}"))
    lines.append(CellLine(tr("Change of the loss"), figures.signed(found.change), strong=True))
    return lines


def change_key(one: HeadChange) -> str:
    """What a row of the list of heads is known by."""
    return f"{one.layer}.{one.head}"


def change_rows(changes: Sequence[HeadChange]) -> list[Row]:
    """Heads and whole layers, the one that is missed most at the top."""
    most = max((abs(one.change) for one in changes), default=1.0) or 1.0
    return [
        Row(change_key(one), {
            "head": Cell(one.layer * 1000 + one.head + 1, named(one)),
            "change": Cell(one.change, figures.signed(one.change),
                           ("bar", abs(one.change) / most,
                            "accent" if one.change > 0 else "muted")),
        })
        for one in sorted(changes, key=lambda one: -one.change)
    ]  # fmt: skip


def named(one: HeadChange) -> str:
    """A head, or a whole layer."""
    if one.head == ALL:
        return tr("layer {layer}, all heads", layer=one.layer + 1)
    return f"{one.layer + 1} · {one.head + 1}"


def change_note(base: HeadChanges | None, waiting: int) -> str:
    """What the list is a list of."""
    if base is None:
        return tr("each switched off in turn; change of the loss")
    if waiting:
        return tr("each switched off in turn; {number} layers to go", number=waiting)
    if base.scored < base.guessed:
        return tr("each switched off in turn; loss of {scored} of {all} tokens",
                  scored=figures.count(base.scored), all=figures.count(base.guessed))  # fmt: skip
    return tr("each switched off in turn; loss {loss} nats a token with all",
              loss=figures.decimal(base.loss, 3))  # fmt: skip


def strongest(found: Attention, row: int) -> int:
    """The column that a row looks at most."""
    return int(np.argmax(found.weights[row]))


def first_row(found: Attention) -> int:
    """The row that asks at first: the last word that is no mark and no punctuation."""
    words = [number for number, name in enumerate(found.names)
             if name not in SPECIALS and any(map(str.isalnum, name))]  # fmt: skip
    return words[-1] if words else len(found.names) - 1
