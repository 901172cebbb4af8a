"""The verbs polysemy and sentences: what networks make of a word in sentences, and of sentences."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmstudio.analysis.clusters import FEWEST, MOST
from lmstudio.analysis.polysemy import Polysemy
from lmstudio.analysis.sentence_similarity import SentenceSimilarity
from lmstudio.analysis.sentence_vectors import POOLINGS
from lmstudio.cli.shared import (
    add_csv,
    add_verb,
    do,
    do_each,
    natural,
    open_workspace,
    positive,
    say_empty,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.files import refuse_special
from lmstudio.messages import tr
from lmstudio.operations import polysemy, sentences
from lmstudio.operations.polysemy import Found
from lmstudio.store.workspace import Workspace

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    about = tr("Group the occurrences of a word by what each layer of networks makes of them")
    verb = add_verb(verbs, "polysemy", about, _polysemy)
    verb.add_argument("word", metavar="WORD", help=tr("The word"))
    _add_runs(verb)
    verb.add_argument("--groups", type=int, default=0, metavar="N",
                      help=tr("Number of groups, {low} to {high}; 0 leaves it to the silhouette",
                              low=FEWEST, high=MOST))  # fmt: skip
    about = tr("Occurrences that are drawn at most, from the corpus or the file")
    verb.add_argument("--limit", type=positive, default=polysemy.MOST, metavar="N", help=about)
    _add_lines(verb, tr("Text file with sentences to read instead of the corpus, one a line"))
    add_csv(verb)
    verb = add_verb(
        verbs, "sentences", tr("Tell how alike sentences are to networks, each to each"), _sentences
    )
    _add_runs(verb)
    verb.add_argument("--text", action="append", default=[], metavar="TEXT",
                      help=tr("A sentence; give the option again for the next"))  # fmt: skip
    _add_lines(verb, tr("Text file with sentences, one a line"))
    verb.add_argument("--pooling", choices=POOLINGS, default="mean",
                      help=tr("How the vectors of words become one"))  # fmt: skip
    about = tr("Whiten the vectors with those of sentences of the corpus")
    verb.add_argument("--whiten", action="store_true", help=about)
    verb.add_argument("--drawn", type=natural, default=sentences.DRAWN, metavar="N",
                      help=tr("Sentences of the corpus to compare with; 0 for none"))  # fmt: skip
    verb.add_argument("--nearest", type=natural, default=3, metavar="N",
                      help=tr("The nearest of them that are shown of each sentence"))  # fmt: skip
    add_csv(verb)


def _add_runs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("runs", metavar="RUN", nargs="+", help=tr("Names of the runs that are asked"))


def _add_lines(verb: argparse.ArgumentParser, about: str) -> None:
    verb.add_argument("--lines", type=Path, metavar="FILE", help=about)


def _read_lines(path: Path) -> list[str]:
    refuse_special(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise AppError("{path} cannot be read ({error}).", path=path, error=error) from error
    lines = text.splitlines()
    found = [line.strip() for line in lines if line.strip()]
    say_empty(len(lines) - len(found))
    return found


# --- polysemy ------------------------------------------------------------------------------------


def _polysemy(options: argparse.Namespace) -> int:
    with open_workspace(options, may_read=True) as ws:
        found = _occurrences(ws, options)
        answers: list[Polysemy]
        answers, code = do_each(
            options.runs,
            lambda run: do(polysemy.polysemy, ws, run, found.occurrences, options.groups),
        )
    if options.csv:
        do(polysemy.save, found.occurrences, answers, options.csv)
    if options.json:
        say_json(polysemy.as_json(found, answers))
        return code
    _print_layers(answers)
    say(tr("{shown} of {total} occurrences of {word}.", shown=count(len(found.occurrences)),
           total=count(found.total), word=found.word))  # fmt: skip
    for one in answers:
        _print_groups(found, one)
    return code


def _occurrences(ws: Workspace, options: argparse.Namespace) -> Found:
    if options.lines:
        return polysemy.typed(options.word, _read_lines(options.lines), options.limit)
    cut = ws.segmentation(ws.run(options.runs[0]).segmentation_id)
    where = polysemy.searched(ws, cut.id)
    found: Found = do(polysemy.occurrences, ws, cut.corpus_id, options.word, segmentation=where,
                      limit=options.limit)  # fmt: skip
    return found


def _print_layers(answers: Sequence[Polysemy]) -> None:
    header = (tr("Run"), tr("Layer"), tr("Groups"), tr("Silhouette"), tr("Agreement"),
              tr("Silhouette of the senses"), tr("Mean cosine"))  # fmt: skip
    say_table(header, [
        (one.run, number, layer.groups, layer.silhouette, layer.agreement, layer.sense_silhouette,
         layer.likeness)
        for one in answers for number, layer in enumerate(one.layers)
    ])  # fmt: skip


def _print_groups(found: Found, one: Polysemy) -> None:
    """The occurrences as the layer groups them that parts them best."""
    labels = one.layers[one.best].labels.tolist()
    say(tr("{run}, layer {layer}:", run=one.run, layer=one.best))
    order = sorted(range(len(labels)), key=lambda n: labels[n])
    header = (tr("Group"), tr("Sense"), tr("Sentence"))
    rows = [(labels[n] + 1, tr(found.occurrences[n].sense), found.occurrences[n].text)
            for n in order]  # fmt: skip
    say_table(header, rows)


# --- sentences -----------------------------------------------------------------------------------


def _sentences(options: argparse.Namespace) -> None:
    texts = [*options.text, *(_read_lines(options.lines) if options.lines else [])]
    if not texts:
        raise AppError("Give the sentences with --text, or a file of them with --lines.")
    with open_workspace(options, may_read=True) as ws:
        answers = [
            do(sentences.similarity, ws, run, texts, options.pooling, options.drawn,
               whiten=options.whiten, nearest=options.nearest)
            for run in options.runs
        ]  # fmt: skip
    if options.csv:
        do(sentences.save, answers, options.csv)
    if options.json:
        say_json(sentences.as_json(answers))
        return
    for one in answers:
        _print_similarity(one)


def _print_similarity(one: SentenceSimilarity) -> None:
    names = [_name(n) for n in range(len(one.sentences))]
    print(one.run)
    say_table(("", *names, ""), [
        (names[n], *(float(value) for value in row), one.sentences[n])
        for n, row in enumerate(one.cosines)
    ])  # fmt: skip
    if len(one.random):
        low, high = one.usual
        say(tr("Random pairs of {drawn} sentences of the corpus: {mean} on average, nine of ten "
               "between {low} and {high}.", drawn=count(one.drawn), mean=decimal(one.baseline, 3),
               low=decimal(low, 3), high=decimal(high, 3)))  # fmt: skip
    if one.whitened:
        say(tr("Whitened; {kept} dimensions were kept.", kept=count(one.whitened)))
    for note in one.notes:
        say(str(note))
    for name, near in zip(names, one.nearest, strict=False):
        for text, cosine in zip(near.texts, near.cosines.tolist(), strict=True):
            print(f"{name}  {decimal(cosine, 3)}  {percent(one.share_below(cosine))}  {text}")


def _name(number: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    more, letter = divmod(number, len(_LETTERS))
    return (_name(more - 1) if more else "") + _LETTERS[letter]
