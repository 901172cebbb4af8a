"""Steps of a walk in; what the window says of them: the accounting, rows, and details, out."""

import math
from collections.abc import Sequence

from lmstudio import figures
from lmstudio.analysis.sentence_walk import Step, perplexity_without_unknown, totals
from lmstudio.data.layout import EOS, UNK
from lmstudio.gui.tables import Cell, Row
from lmstudio.gui.widgets.surprisal_view import Surprise
from lmstudio.messages import tr

Types = Sequence[str]
_NAMED = 20  # events of zero probability


def surprises(steps: Sequence[Step], types: Types, texts: Sequence[str]) -> list[Surprise]:
    """The tokens as they are drawn; `texts` are what stands in the sentence."""
    return [
        Surprise(texts[n] if n < len(texts) else types[step.token], bits_of(step),
                 unknown=step.token == UNK, end=step.token == EOS)
        for n, step in enumerate(steps)
    ]  # fmt: skip


def bits_of(step: Step) -> float:
    """Surprisal; NaN where no probability is defined."""
    return math.nan if math.isnan(step.probability) else step.bits


def accounting(steps: Sequence[Step]) -> str:
    """Which events make the perplexity, and what was done with unknown words (cases C-1 to C-3)."""
    found = totals(steps)
    said = [
        tr("Perplexity {value} over {events} events: {words} words and the end </s>. The beginning "
           "<s> is given, not scored.", value=_three(found.perplexity), events=found.events,
           words=found.words),
    ]  # fmt: skip
    if found.unknown:
        said.append(tr("{unknown} unknown of {words} words, scored as <unk>; without them: "
                       "{value}.", unknown=found.unknown, words=found.words,
                       value=_three(perplexity_without_unknown(steps))))  # fmt: skip
    if found.zero:
        said.append(tr("{zero} events of zero probability: {words}.", zero=found.zero,
                       words=_named(steps)))  # fmt: skip
    if found.undefined:
        said.append(tr("{count} events have no probability at all: their context was never "
                       "seen.", count=found.undefined))  # fmt: skip
    return " ".join(said)


def _named(steps: Sequence[Step]) -> str:
    places = [str(n) for n, step in enumerate(steps, 1) if step.probability == 0]
    more = ["…"] if len(places) > _NAMED else []
    return ", ".join([*(tr("no. {place}", place=place) for place in places[:_NAMED]), *more])


def exactly(steps: Sequence[Step]) -> str:
    """The perplexity with six decimals, to be compared with other programs."""
    return tr("Perplexity {value}", value=figures.decimal(totals(steps).perplexity, 6))


def _three(value: float) -> str:
    return figures.decimal(value, 3)


def rows(steps: Sequence[Step], types: Types) -> list[Row]:
    """The table's rows, by number."""
    made = []
    for number, step in enumerate(steps):
        bits = bits_of(step)
        tone = "bad" if step.probability == 0 else ""
        value = bits if math.isfinite(bits) else None
        made.append(Row(number, {
            "number": Cell(number + 1),
            "token": Cell(types[step.token], tone="warn" if step.token == UNK else ""),
            "context": Cell(words(step.context, types)),
            "order": Cell(step.order),
            "p": Cell(step.probability, text=_probability(step.probability), tone=tone),
            "bits": Cell(value, text=figures.decimal(bits, 3), tone=tone),
            "formula": Cell(step.formula, tip=step.formula),
        }))  # fmt: skip
    return made


def details(step: Step, types: Types) -> list[tuple[str, str]]:
    """(what, how much) of one step."""
    order = tr("{order}-gram", order=step.order)
    gram = words([*step.context[len(step.context) - step.order + 1 :], step.token], types)
    found = [
        (tr("Context"), words(step.context, types) or "—"),
        (tr("Answered by"), f"{order}: {gram}"),
        (tr("Back-off weights paid"), " × ".join(map(_four, step.weights)) or tr("none")),
    ]
    if step.own is not None and step.weight is not None and step.shorter is not None:
        found.append((tr("Own share, after the discount"), _four(step.own)))
        mixed = (
            f"{_four(step.weight)} × {_four(step.shorter)} = {_four(step.weight * step.shorter)}"
        )
        found.append((tr("From the shorter n-gram"), mixed))
    found.append((tr("Probability"), _probability(step.probability)))
    found.append((tr("Surprisal, bits"), figures.decimal(bits_of(step), 4)))
    return found


def words(ids: Sequence[int], types: Types) -> str:
    """Tokens as they are called."""
    return " ".join(types[number] for number in ids)


def _probability(value: float) -> str:
    return figures.DASH if math.isnan(value) else f"{value:.6g}"


def _four(value: float) -> str:
    return f"{value:.4g}"
