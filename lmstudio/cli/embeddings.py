"""The verbs neighbors, similarity, analogies and map: what a network's vectors say of words."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.analysis.analogies import Candidate, SectionScore
from lmstudio.analysis.film import Film
from lmstudio.analysis.similarity import SimilarityScore
from lmstudio.analysis.word_groups import Groups
from lmstudio.analysis.word_map import MapOptions, WordMap
from lmstudio.cli.shared import (
    add_csv,
    add_name,
    add_options,
    add_text,
    add_verb,
    config,
    do,
    joined,
    natural,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import tr
from lmstudio.operations import embeddings

SHOWN = 20  # words of a map that are printed


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "neighbors", tr("List the words nearest to a word by cosine"),
                    _neighbors)  # fmt: skip
    add_name(verb, "run")
    add_text(verb, "text", tr("A word; of what is no word, the mean of its pieces is taken"))
    verb.add_argument("--top", type=positive, default=20, metavar="N", help=tr("Words to list"))
    _add_layer(verb)
    add_csv(verb)

    verb = add_verb(verbs, "similarity",
                    tr("Print how alike words are, or how well that agrees with people"),
                    _similarity)  # fmt: skip
    add_name(verb, "run")
    add_text(verb, "text", tr("Words to compare, each with each"), needed=False)
    _add_file(verb, tr("A file of word pairs and scores, as wordsim-240, instead of words"))
    _add_layer(verb)
    add_csv(verb)

    verb = add_verb(verbs, "analogies", tr("Answer what is to c as b is to a, or score a file"),
                    _analogies)  # fmt: skip
    add_name(verb, "run")
    add_text(verb, "text", tr("Three words: a, b and c"), needed=False)
    _add_file(verb, tr("A file of questions, as CA8, instead of words"))
    _add_layer(verb)
    add_csv(verb)

    verb = add_verb(verbs, "map", tr("Lay words out on a flat map by their vectors"), _map)
    add_name(verb, "run")
    add_text(verb, "text", tr("Words to show instead of the most frequent"), needed=False)
    add_options(verb, MapOptions)
    verb.add_argument("--by", choices=embeddings.GROUPS, help=tr("Tell groups of words apart"))
    verb.add_argument("--film", action="store_true",
                      help=tr("The map at each validation of the training"))  # fmt: skip
    add_csv(verb)


def _add_layer(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--layer", type=natural, default=0, metavar="N",
                      help=tr("Layer of the vectors; 0 is the table"))  # fmt: skip


def _add_file(verb: argparse.ArgumentParser, about: str) -> None:
    verb.add_argument("--file", type=Path, metavar="FILE", help=about)


def _neighbors(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(embeddings.neighbors, ws, options.run, joined(options.text),
                   layer=options.layer, most=options.top)  # fmt: skip
    if options.csv:
        do(embeddings.save_neighbors, found, options.csv)
    if options.json:
        return say_json(asdict(found))
    rows = [(one.word, tr("undefined") if one.cosine is None else one.cosine, one.count,
             "" if one.same_class is None else tr("yes") if one.same_class else tr("no"), 0)
            for one in found.nearest]  # fmt: skip
    header = (tr("Word"), tr("Cosine"), tr("Count"), tr("Same class"), tr("One-hot"))
    say_table(header, rows, right=[1])
    if found.parts != [found.query]:
        say(tr("The mean of {words}.", words=" ".join(found.parts)))
    return None


def _similarity(options: argparse.Namespace) -> None:
    words = joined(options.text).split()
    if bool(words) == bool(options.file):
        raise AppError("Give words, or a file with --file.")
    with open_workspace(options, may_read=True) as ws:
        if options.file:
            scored = do(embeddings.similarity_set, ws, options.run, options.file,
                        layer=options.layer)  # fmt: skip
            return _tell_pairs(options, scored)
        found = do(embeddings.similarities, ws, options.run, words, layer=options.layer)
    if options.csv:
        do(embeddings.save_similarities, found, options.csv)
    if options.json:
        return say_json({"words": found.words, "unknown": found.unknown,
                         "values": found.values.tolist()})  # fmt: skip
    rows = [[word, *map(float, row)] for word, row in zip(found.words, found.values, strict=True)]
    say_table(["", *found.words], rows)
    if found.unknown:
        say(tr("Not in the vocabulary: {words}", words=" ".join(found.unknown)))
    return None


def _tell_pairs(options: argparse.Namespace, found: SimilarityScore) -> None:
    if options.csv:
        do(embeddings.save_pairs, found, options.csv)
    if options.json:
        return say_json(asdict(found) | {"coverage": found.coverage})
    rho = decimal(found.rho, 3) if np.isfinite(found.rho) else "–"
    print(tr("Spearman's rho {rho}, {covered} of {pairs} pairs covered ({share})",
             rho=rho, covered=count(found.covered), pairs=count(len(found.pairs)),
             share=percent(found.coverage)))  # fmt: skip
    return None


def _analogies(options: argparse.Namespace) -> None:
    words = joined(options.text).split()
    if bool(words) == bool(options.file):
        raise AppError("Give three words, or a file with --file.")
    with open_workspace(options, may_read=True) as ws:
        if options.file:
            scored = do(embeddings.analogy_set, ws, options.run, options.file,
                        layer=options.layer)  # fmt: skip
            return _tell_sections(options, scored)
        found = do(embeddings.analogy, ws, options.run, words, layer=options.layer)
    if options.csv:
        do(embeddings.save_analogy, found, options.csv)
    if options.json:
        return say_json(asdict(found))
    nothing = Candidate("", float("nan"))
    rows = [(number, one.word, one.score, other.word, other.score)
            for number, (one, other) in enumerate(
                zip(found.add or [nothing], found.mul or [nothing], strict=True), 1)]  # fmt: skip
    say_table(("#", "3CosAdd", "", "3CosMul", ""), rows)
    return None


def _tell_sections(options: argparse.Namespace, found: list[SectionScore]) -> None:
    if options.csv:
        do(embeddings.save_analogy_scores, found, options.csv)
    if options.json:
        return say_json([asdict(one) | {"coverage": one.coverage} for one in found])
    rows = [(one.name or tr("All"), one.questions, percent(one.coverage), _share(one, "add"),
             _share(one, "mul")) for one in found]  # fmt: skip
    header = (tr("Section"), tr("Questions"), tr("Covered"), "3CosAdd", "3CosMul")
    say_table(header, rows, right=[2, 3, 4])
    return None


def _share(one: SectionScore, formula: str) -> str:
    return percent(one.accuracy(formula)) if one.covered else "–"


def _map(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        if options.film:
            return _tell_film(options, do(embeddings.film, ws, options.run))
        asked = config(options, MapOptions)
        found = do(embeddings.map_words, ws, options.run, asked, joined(options.text).split())
        groups = None
        if options.by:
            groups = do(embeddings.groups, ws, options.run, found.words, options.by,
                        layer=asked.layer)  # fmt: skip
    if options.csv:
        do(embeddings.save_map, found, groups, options.csv)
    return _tell_map(options, found, groups)


def _tell_map(options: argparse.Namespace, found: WordMap, groups: Groups | None) -> None:
    names = groups.named() if groups else [""] * len(found.words)
    rows = [(word, int(times), float(x), float(y), name) for word, times, (x, y), name in zip(
        found.words, found.counts, found.places, names, strict=True)]  # fmt: skip
    if options.json:
        layout = asdict(found.layout) | {"places": found.places.tolist()}
        return say_json(layout | {"words": found.words, "groups": names,
                                  "undefined": found.undefined})  # fmt: skip
    header = (tr("Word"), tr("Count"), "x", "y", tr("Group"))
    say_table(header, rows[:SHOWN])
    if len(rows) > SHOWN:
        say(tr("The first {shown} of {count} words; --csv and --json have all.",
               shown=SHOWN, count=count(len(rows))))  # fmt: skip
    say(embeddings.said_of(found))
    return None


def _tell_film(options: argparse.Namespace, found: Film) -> None:
    if options.csv:
        do(embeddings.save_film, found, options.csv)
    if options.json:
        return say_json({"words": found.words, "steps": found.steps, "seconds": found.seconds,
                         "shares": found.shares, "places": found.places.tolist()})  # fmt: skip
    if not found.steps:
        say(tr("Nothing was kept of this training: networks keep it at each validation."))
    say_table((tr("Step"), tr("Spread")), [
        (step, float(places.std())) for step, places in zip(found.steps, found.places, strict=True)
    ])  # fmt: skip
    return None
