"""The verb score: sentences, or a file of them, through any number of runs."""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lmstudio.analysis.surprisal import PSEUDO, Kind, Scored, Surprisals
from lmstudio.analysis.surprisal_figures import (
    Figures,
    character_bits,
    events,
    figures,
    ranks,
    word_bits,
)
from lmstudio.cli.shared import add_csv, add_verb, do, do_each, open_workspace
from lmstudio.cli.terminal import clipped, say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, duration
from lmstudio.messages import tr
from lmstudio.operations import surprisal
from lmstudio.store.workspace import Workspace

_BY = ("sentence", "token", "word", "character")
_SAVES = {"sentence": surprisal.save_totals, "word": surprisal.save_words}
_SHOWN = 24  # columns of a terminal that a sentence takes
Reading = tuple[Surprisals, Kind]
Rows = Iterator[tuple[object, ...]]


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "score", tr("Score sentences: surprisal by token and by word"), _score)
    verb.add_argument(
        "runs", nargs="+", metavar="RUN... TEXT",
        help=tr("Names of runs, then the text, a sentence a line"),
    )  # fmt: skip
    verb.add_argument(
        "--file", type=Path, metavar="FILE",
        help=tr("Score the lines of a file instead of a text; needs --csv"),
    )  # fmt: skip
    verb.add_argument(
        "--words", default="auto", metavar="WORDS",
        help=tr("What surprisal is summed over: tokens, spaces (your own words), jieba, or the "
                "name of a segmentation; auto: tokens that are words, or jieba's"),
    )  # fmt: skip
    verb.add_argument("--by", choices=_BY, default="token", help=tr("What a row of the table is"))
    verb.add_argument(
        "--variants", action="store_true",
        help=tr("Score each sentence with its words in other orders too"),
    )  # fmt: skip
    verb.add_argument(
        "--pseudo", choices=PSEUDO, default="within-word",
        help=tr("For --file: what is hidden from a model that sees both sides"),
    )  # fmt: skip
    verb.add_argument(
        "--ends", action="store_true",
        help=tr("For --file: a row for the end of each sentence too"),
    )  # fmt: skip
    verb.add_argument(
        "--unspelled",
        action="store_true",
        help=tr("For --file: leave out what spelling unknown words costs"),
    )
    add_csv(verb)


def _score(options: argparse.Namespace) -> int:
    if options.file:
        _score_file(options)
        return 0
    *named, text = options.runs
    runs = list(dict.fromkeys(named))  # each once
    if not runs:
        raise AppError("Name at least one run and a text, or a file with --file.")
    with open_workspace(options, may_read=True) as ws:
        if options.variants:
            text = _with_variants(ws, runs, text, options.words)
        words = options.words if options.words != "auto" else surprisal.common_words(ws, runs)
        found: list[Surprisals]
        found, code = do_each(runs, lambda run: do(surprisal.score, ws, run, text, words=words))
    if options.csv:
        do(_SAVES.get(options.by, surprisal.save_tokens), found, options.csv)
    if options.json:
        say_json([_json(one) for one in found])
    else:
        _print(found, options.by)
    return code


def _with_variants(ws: Workspace, runs: Sequence[str], text: str, words: str) -> str:
    lines = []
    for sentence in surprisal.sentences_of(text):
        made = do(surprisal.orders, ws, sentence, words=words, runs=runs)
        lines += [sentence, *(variant.text for variant in made)]
    return "\n".join(lines)


def _score_file(options: argparse.Namespace) -> None:
    if not options.csv:
        raise AppError("Name the table to write with --csv.")
    with open_workspace(options, may_read=True) as ws:
        found = do(
            surprisal.score_file, ws, list(dict.fromkeys(options.runs)), options.file, options.csv,
            words=options.words, pseudo=options.pseudo, spelled=not options.unspelled,
            ends=options.ends,
        )  # fmt: skip
    if options.json:
        say_json(asdict(found))
        return
    say(tr("{words} words of {sentences} sentences in {time}.",
           words=count(found.words), sentences=count(found.sentences),
           time=duration(found.seconds)))  # fmt: skip


# --- as JSON ------------------------------------------------------------------------------------


def _json(found: Surprisals) -> dict[str, Any]:
    readings = [
        {"kind": kind, "figures": surprisal.told(figures(found.sentences, kind)),
         "sentences": [_sentence(one, kind, rank) for one, rank in _ranked(found, kind)]}
        for kind in found.kinds
    ]  # fmt: skip
    return {"run": found.name, "model": found.model, "comparable": found.comparable,
            "readings": readings, "notes": [str(note) for note in found.notes]}  # fmt: skip


def _sentence(one: Scored, kind: Kind, rank: int) -> dict[str, Any]:
    words = [
        {"word": one.text[start:end], "start": start, "end": end, "bits": float(bits)}
        for (start, end), bits in zip(one.words, word_bits(one, kind), strict=True)
    ]
    return {"text": one.text, "rank": rank, "figures": surprisal.told(figures([one], kind)),
            "events": [asdict(event) for event in events(one, kind)], "words": words}  # fmt: skip


def _ranked(found: Surprisals, kind: Kind) -> list[tuple[Scored, int]]:
    """Sentences with their rank: 1 is the likeliest text."""
    totals = [figures([one], kind).text_bits for one in found.sentences]
    return list(zip(found.sentences, ranks(totals), strict=True))


# --- as tables ----------------------------------------------------------------------------------


def _print(answers: Sequence[Surprisals], by: str) -> None:
    readings = [(found, kind) for found in answers for kind in found.kinds]
    if by == "token":
        _print_events(readings)
    elif by != "sentence":
        spans = _words(answers[0]) if by == "word" else _characters(answers[0])
        own = word_bits if by == "word" else character_bits
        columns = [[x for one in f.sentences for x in own(one, kind).tolist()]
                   for f, kind in readings]  # fmt: skip
        header = (tr("Sentence"), tr("Word") if by == "word" else tr("Character"), tr("Start"),
                  *(_name(*reading) for reading in readings))  # fmt: skip
        rows = zip(spans, *columns, strict=True)
        say_table(header, [(*span, *bits) for span, *bits in rows
                           if not (span[1].isspace() and all(map(math.isnan, bits)))])  # fmt: skip
    _print_totals(readings)
    for note in dict.fromkeys(str(note) for found in answers for note in found.notes):
        say(note)
    for kind in dict.fromkeys(kind for _, kind in readings):
        say(tr(surprisal.FORMULAS[kind]))


def _words(found: Surprisals) -> list[tuple[int, str, int]]:
    return [
        (number, one.text[start:end], start)
        for number, one in enumerate(found.sentences, 1) for start, end in one.words
    ]  # fmt: skip


def _characters(found: Surprisals) -> list[tuple[int, str, int]]:
    return [(number, character, place) for number, one in enumerate(found.sentences, 1)
            for place, character in enumerate(one.text)]  # fmt: skip


def _name(found: Surprisals, kind: Kind) -> str:
    return found.name if kind == "chain" else f"{found.name} ({tr(surprisal.KIND_NAMES[kind])})"


def _print_events(readings: Sequence[Reading]) -> None:
    counted = any(one.origin for found, _ in readings for one in found.sentences)
    header = [tr("Run"), tr("Sentence"), tr("Token"), tr("Start"), "p", "ln p", tr("Bits")]
    header += [tr("Answered by"), tr("Paid")] if counted else []
    say_table(header, [
        (_name(found, kind), number, event.token + (" <unk>" if event.unknown else ""),
         event.start, _probability(event.probability), event.logprob, event.bits,
         *((event.order, event.paid) if counted else ()))
        for found, kind in readings for number, one in enumerate(found.sentences, 1)
        for event in events(one, kind)
    ], right=[4])  # fmt: skip


def _probability(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.6g}"


def _print_totals(readings: Sequence[Reading]) -> None:
    header = (tr("Run"), tr("Sentence"), tr("Rank"), tr("Events"), "ln p", tr("Bits"),
              tr("Perplexity"), tr("Without </s>"), tr("Without <unk>"), tr("Without both"),
              tr("Bits per character"), tr("Unknown"), tr("Zero events"))  # fmt: skip
    rows: list[tuple[object, ...]] = []
    for found, kind in readings:
        for one, rank in _ranked(found, kind):
            rows.append((_name(found, kind), clipped(one.text, _SHOWN), rank,
                         *_totals(figures([one], kind))))  # fmt: skip
        if len(found.sentences) > 1:
            rows.append((_name(found, kind), tr("all"), None,
                         *_totals(figures(found.sentences, kind))))  # fmt: skip
    say_table(header, rows, right=[5, 6, 7, 8, 9, 10])


def _totals(one: Figures) -> tuple[object, ...]:
    values = (one.bits, one.perplexity, one.without_end, one.without_unknown, one.without_both,
              one.bits_per_character)  # fmt: skip
    shown = [None if value != value else decimal(value, 3) for value in values]
    return (one.events, -one.nats, *shown, one.unknown, one.zero)
