"""The verbs walk, export-arpa, score-arpa and write-words: n-gram models looked into."""

import argparse
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lmstudio.analysis.sentence_walk import Step, totals
from lmstudio.cli.shared import (
    WRITTEN,
    add_csv,
    add_name,
    add_text,
    add_verb,
    add_written,
    do,
    joined,
    open_workspace,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import decimal
from lmstudio.messages import msg, tr
from lmstudio.operations import arpa_files, exporting, laboratory
from lmstudio.store.rows import PARTS

_FIGURES = {
    "sentences": msg("Sentences"),
    "words": msg("Words"),
    "unknown": msg("Unknown"),
    "zero_probability": msg("Zero events"),
    "log10_probability": msg("log10 of the probability"),
    "perplexity": msg("Perplexity per event"),
    "perplexity_without_unknown": msg("Without unknown words (KenLM: excluding OOVs)"),
    "srilm_ppl": msg("Without unknown words and zero events (SRILM: ppl)"),
    "srilm_ppl1": msg("The same over words: ends in the sum, not in the count (SRILM: ppl1)"),
}
"""What the figures of an ARPA file are called."""


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    walk = add_verb(
        verbs, "walk", tr("Show word by word which n-gram answered and what it cost"), _walk
    )
    add_name(walk, "run")
    add_text(walk, "text", tr("Text to be cut"))
    add_csv(walk)
    export = add_verb(verbs, "export-arpa", tr("Write an n-gram run as an ARPA file"), _export)
    add_name(export, "run")
    add_written(export, "file", tr(WRITTEN))
    score = add_verb(
        verbs, "score-arpa", tr("Work out the figures of an ARPA file on a file of words"), _score
    )
    score.add_argument("file", type=Path, metavar="ARPA",
                       help=tr("ARPA file, also as .gz, of this or another program"))  # fmt: skip
    score.add_argument("text", type=Path, metavar="FILE",
                       help=tr("UTF-8 text, a sentence a line, words between spaces; "
                               "write-words writes such a file"))  # fmt: skip
    words = add_verb(
        verbs, "write-words", tr("Write a part of a segmentation as words between spaces"),
        _write_words,
    )  # fmt: skip
    add_name(words, "segmentation")
    add_written(words, "file", tr(WRITTEN))
    words.add_argument("--part", default="test", choices=PARTS, help=tr("Part of the corpus"))


def _walk(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        walk = do(laboratory.walk, ws, options.run, joined(options.text))
    steps, types = walk.steps, walk.types
    if options.csv:
        do(laboratory.save_walk, walk, options.csv)
    if options.json:
        say_json([_told(step, types) for step in steps])
        return
    rows = [(types[step.token], " ".join(types[i] for i in step.context), step.order,
             step.formula, step.bits) for step in steps]  # fmt: skip
    say_table((tr("Word"), tr("Context"), tr("Answered by"), "p", tr("Bits")), rows)
    found = totals(steps)
    perplexity = found.perplexity if walk.proper else None  # of scores it would say nothing
    say(tr("Together: log10 p = {log}, {events} events (the words and the end of the sentence), "
           "perplexity {perplexity}.", log=decimal(-found.bits * math.log10(2), 3),
           events=found.events, perplexity=decimal(perplexity, 3)))  # fmt: skip
    for note in walk.notes:
        say(str(note))


def _told(step: Step, types: list[str]) -> dict[str, Any]:
    """A step as JSON, words instead of ids."""
    context = [types[token] for token in step.context]
    return asdict(step) | {"token": types[step.token], "context": context, "bits": step.bits}


def _export(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        do(exporting.export, ws, options.run, "arpa", options.file)


def _score(options: argparse.Namespace) -> None:
    found = do(arpa_files.score, options.file, options.text)
    for note in found.notes:
        say(str(note))
    figures = {name: value for name, value in asdict(found).items() if name != "notes"}
    if options.json:
        say_json(figures)
    else:
        rows = [(tr(title), figures[name]) for name, title in _FIGURES.items()]
        say_table((tr("Figure"), tr("Value")), rows, right=[1])


def _write_words(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        lines = do(arpa_files.write_words, ws, options.segmentation, options.part, options.file)
    if options.json:
        say_json({"file": str(options.file), "sentences": lines})
