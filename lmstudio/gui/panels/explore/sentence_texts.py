"""A scored sentence in; what the window says of it: the accounting, the chain, one event, out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lmstudio import figures
from lmstudio.analysis.surprisal import PSEUDO, Kind, Scored, Surprisals
from lmstudio.analysis.surprisal_figures import (
    Event,
    Figures,
    character_bits,
    end_bits,
    event,
    events,
    token_bits,
    word_bits,
)
from lmstudio.analysis.surprisal_figures import figures as figures_of
from lmstudio.gui.widgets.lane_layout import Bar, Lane
from lmstudio.messages import listed, msg, tr

NAMED = 20  # events of zero probability
FACTORS = 8  # of a product that is written out
AROUND = 12  # characters of a context that are told
KINDS: dict[Kind, str] = {
    "chain": "", "scores": msg("scores"), "original": msg("pseudo, original"),
    "within-word": msg("pseudo, within words"),
}  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """What one run makes of some sentences, in one kind."""

    run_id: int
    found: Surprisals
    kind: Kind
    faded: bool = False  # of an older question

    @property
    def title(self) -> str:
        """The name of the run, and of the kind where it is no log-likelihood."""
        return (
            f"{self.found.name} · {tr(KINDS[self.kind])}" if KINDS[self.kind] else self.found.name
        )

    @property
    def group(self) -> str:
        """Only what is of one group stands on one axis."""
        return "pseudo" if self.kind in PSEUDO else self.kind

    def sentence(self, line: int) -> Scored | None:
        """One of the sentences."""
        return self.found.sentences[line] if line < len(self.found.sentences) else None


def readings(answers: Sequence[tuple[int, Surprisals, bool]]) -> list[Reading]:
    """(run, answer, faded) each: log-likelihoods first, then those with axes of their own."""
    every = [Reading(run, found, kind, faded) for run, found, faded in answers
             for kind in found.kinds]  # fmt: skip
    order = {"chain": 0, "scores": 1, "pseudo": 2}
    return sorted(every, key=lambda reading: order[reading.group])


# --- bars ---------------------------------------------------------------------------------------


def lane(reading: Reading, line: int, unit: str) -> Lane:
    """The bars of a sentence, by "token", "word" or "character"."""
    sentence, kind = reading.sentence(line), reading.kind
    bars = _bars(sentence, kind, unit) if sentence is not None else []
    note = tr(KINDS[kind]) if KINDS[kind] else ""
    if sentence is not None and kind == "chain":
        bits = figures_of([sentence], kind).bits_per_character
        note = tr("{bits} bits/char.", bits=figures.decimal(bits, 2))
    return Lane(reading.found.name, reading.found.model, tuple(bars), reading.group, note,
                reading.faded)  # fmt: skip


def failed(name: str, family: str, problem: str) -> Lane:
    """The lane of a model that could not answer; nothing is on its axis."""
    return Lane(name, family, group="failed", problem=problem)


def _bars(sentence: Scored, kind: Kind, unit: str) -> list[Bar]:
    text = sentence.text
    if unit == "word":
        unknown = {int(word) for word, piece in zip(sentence.word_of, sentence.pieces, strict=True)
                   if piece.unknown}  # fmt: skip
        found = [Bar(start, end, text[start:end], float(bits), number in unknown)
                 for number, ((start, end), bits) in enumerate(
                     zip(sentence.words, word_bits(sentence, kind), strict=True))]  # fmt: skip
    elif unit == "character":
        found = [Bar(place, place + 1, text[place], float(bits)) for place, bits in
                 enumerate(character_bits(sentence, kind)) if not math.isnan(bits)]  # fmt: skip
    else:
        found = [Bar(piece.start, piece.end, piece.text, float(bits), piece.unknown)
                 for piece, bits in zip(sentence.pieces, token_bits(sentence, kind).tolist(),
                                        strict=True)]  # fmt: skip
    end = end_bits(sentence, kind)
    return found if end is None else [*found, Bar(len(text), len(text) + 1, "</s>", end)]


# --- sentences ----------------------------------------------------------------------------------


def accounting(sentence: Scored, kind: Kind) -> str:
    """Which events make the perplexity, and what was done with unknown words (cases C-1 to C-3)."""
    one = figures_of([sentence], kind)
    said = [_perplexity(one)]
    if one.unknown:
        said.append(tr("{unknown} unknown of {words} words, scored as <unk>; without them: "
                       "{value}.", unknown=one.unknown, words=one.tokens,
                       value=_three(one.without_unknown)))  # fmt: skip
    if one.zero:
        said.append(tr("{zero} events of zero probability: {words}.", zero=one.zero,
                       words=_named(events(sentence, kind))))  # fmt: skip
    if one.undefined:
        said.append(tr("{count} events have no probability at all: their context was never "
                       "seen.", count=one.undefined))  # fmt: skip
    if sentence.crossing:
        said.append(tr("{count} tokens reach over several words and count whole where they begin.",
                       count=sentence.crossing))  # fmt: skip
    return " ".join(said)


def _perplexity(one: Figures) -> str:
    value = _three(one.perplexity)
    if one.pseudo:
        return tr("Pseudo-perplexity {value} over {events} tokens; the end is none, and the figure "
                  "is not comparable with the others.", value=value, events=one.events)  # fmt: skip
    said = tr("Perplexity {value} over {events} events: {words} words and the end </s>. The "
              "beginning <s> is given, not scored.", value=value, events=one.events,
              words=one.tokens)  # fmt: skip
    return f"{said} {tr('Without </s>: {value}.', value=_three(one.without_end))}"


def _named(told: Sequence[Event]) -> str:
    places = [str(n) for n, one in enumerate(told, 1) if one.probability == 0]
    more = ["…"] if len(places) > NAMED else []
    return listed([*(tr("no. {place}", place=place) for place in places[:NAMED]), *more])


def exactly(sentence: Scored, kind: Kind) -> str:
    """The perplexity with six decimals, to be compared with other programs."""
    value = figures.decimal(figures_of([sentence], kind).perplexity, 6)
    return tr("Perplexity {value}", value=value)


def chain(sentence: Scored, kind: Kind) -> str:
    """The product over the events, and what it comes to."""
    shown = [figures_of_p(one.probability) for one in events(sentence, kind, last=FACTORS)]
    more = ["…"] if len(sentence.logprobs[kind]) > FACTORS else []
    nats = figures_of([sentence], kind).nats
    total = f"{math.exp(-nats):.4g}" if nats < 700 else f"e^{-nats:.1f}"
    total = figures.DASH if math.isnan(nats) else "0" if math.isinf(nats) else total
    name = "Π p" if kind in PSEUDO else "p"
    return f"{name} = {' × '.join([*shown, *more])} = {total};  ln = {figures.decimal(-nats, 3)}"


# --- one event ----------------------------------------------------------------------------------


def details(sentence: Scored, kind: Kind, number: int) -> list[tuple[str, str]]:
    """(what, how much) of one event."""
    one = event(sentence, kind, number)
    found = [
        (tr("Context"), context(sentence, kind, one)),
        (tr("Probability"), figures_of_p(one.probability)),
        ("ln p", figures.decimal(one.logprob, 4)),
        (tr("Surprisal, bits"), figures.decimal(one.bits, 4)),
    ]
    if one.unknown:
        found.append((tr("Spelling, bits"), figures.decimal(one.spelling, 2)))
    if one.start < one.end:
        share = (one.bits + one.spelling) / max(len("".join(one.token.split())), 1)
        found.append((tr("Bits per character"), figures.decimal(share, 3)))
    return found


def title(sentence: Scored, kind: Kind, number: int) -> str:
    """The token of an event."""
    return event(sentence, kind, number).token


def sums(sentence: Scored, kind: Kind, bar: Bar) -> list[tuple[str, str]]:
    """(what, how much) of the tokens that a word or a character is part of."""
    found = []
    for one in events(sentence, kind):
        end = one.start == one.end and bar.start >= len(sentence.text)
        if end or (one.start < bar.end and one.end > bar.start):
            spelled = f" + {figures.decimal(one.spelling, 2)}" if one.unknown else ""
            found.append((one.token, f"{figures.decimal(one.bits, 3)}{spelled}"))
    return [*found, (tr("Surprisal, bits"), figures.decimal(bar.bits, 4))]


def context(sentence: Scored, kind: Kind, one: Event) -> str:
    """What the model was shown, as far as there is room for it."""
    text, start = sentence.text, one.start
    left = ("…" if start > AROUND else "<s> ") + text[max(0, start - AROUND) : start]
    if kind not in PSEUDO:
        return left
    end = hidden_end(sentence, kind, one)
    right = text[end : end + AROUND] + ("…" if len(text) > end + AROUND else "")
    return f"{left} ▢ {right}"


def hidden_end(sentence: Scored, kind: Kind, one: Event) -> int:
    """Up to where a model that sees both sides is not shown the text."""
    if kind != "within-word":
        return one.end
    here = _word_at(sentence, one)
    behind = [p.end for p, word in zip(sentence.pieces, sentence.word_of.tolist(), strict=True)
              if p.start >= one.start and word == here]  # fmt: skip
    return max([one.end, *behind])


def _word_at(sentence: Scored, one: Event) -> int:
    return next(int(word) for piece, word in zip(sentence.pieces, sentence.word_of, strict=True)
                if (piece.start, piece.end) == (one.start, one.end))  # fmt: skip


def formula(sentence: Scored, kind: Kind, number: int) -> str:
    """The one line of an event."""
    one = event(sentence, kind, number)
    value = figures_of_p(one.probability)
    return f"p({one.token} | {context(sentence, kind, one).strip()}) = {value}"


def figures_of_p(value: float) -> str:
    """A probability."""
    return figures.DASH if math.isnan(value) else f"{value:.4g}"


def _three(value: float) -> str:
    return figures.decimal(value, 3)
