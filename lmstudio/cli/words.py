"""The verbs dictionary, suggest and segment-score."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import (
    DICTIONARY,
    add_csv,
    add_name,
    add_options,
    add_verb,
    config,
    do,
    given,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal
from lmstudio.messages import msg, tr
from lmstudio.operations import dictionaries, scoring
from lmstudio.store.rows import PARTS
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.userdict import read_dictionary

_SHARES = 7  # first columns of a table of scores: the name, and shares as the bakeoff tells them
_LINE_OF_FILE = msg("{name}, line {line}:")
_LINE_OF_CORPUS = msg("{name}, corpus line {line}:")
_CHUNKS = 12  # of a line that was cut otherwise


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_dictionary(verbs)
    suggest = add_verb(verbs, "suggest", tr("Suggest words that no dictionary has"), _suggest)
    add_name(suggest, "corpus")
    suggest.add_argument("--dictionary", metavar="NAME", help=tr(DICTIONARY))
    suggest.add_argument(
        "--limit", type=positive, default=50, metavar="N", help=tr("At most so many")
    )
    suggest.add_argument("--accept", nargs="+", default=[], metavar="WORD",
                         help=tr("Add these words to the dictionary instead"))  # fmt: skip
    add_csv(suggest)
    _add_score(verbs)


def _add_dictionary(verbs: Any) -> None:
    verb = add_verb(verbs, "dictionary", tr("List or change the user dictionaries"), _dictionary)
    verb.add_argument("name", nargs="?", metavar="NAME",
                      help=tr("User dictionary of this workspace"))  # fmt: skip
    verb.add_argument("--add", metavar="WORD", help=tr("Add a word, or change it"))
    verb.add_argument(
        "--frequency", type=int, metavar="N",
        help=tr("Frequency of the word; without it one that keeps the word whole"),
    )  # fmt: skip
    verb.add_argument("--tag", default="", metavar="TAG", help=tr("Part of speech of the word"))
    verb.add_argument("--remove", metavar="WORD", help=tr("Take a word out"))
    verb.add_argument("--import", dest="file", type=Path, metavar="FILE",
                      help=tr("Add the words of a file"))  # fmt: skip
    verb.add_argument("--undo", action="store_true", help=tr("Take back the last change"))
    verb.add_argument("--delete", action="store_true", help=tr("Delete the dictionary"))


def _dictionary(options: argparse.Namespace) -> None:
    changing = any((options.add, options.remove, options.file, options.undo, options.delete))
    if not options.name:
        if changing:
            raise AppError("Name the dictionary that is to be changed.")
        with open_workspace(options, may_read=True) as ws:
            found = dictionaries.names(ws)
        if options.json:
            say_json(found)
        else:
            say_table([tr("Dictionary")], [[name] for name in found])
        return
    with open_workspace(options, may_read=not changing) as ws:
        if changing:
            _change(ws, options)
            rows = [] if options.delete else dictionaries.words(ws, options.name)
        else:
            rows = list(read_dictionary(dictionaries.chosen(ws, options.name)).words)
    if options.json:
        say_json([asdict(row) for row in rows])
    elif not options.delete:
        cells = [
            [row.word, tr("automatic") if row.frequency is None else row.frequency, row.tag]
            for row in rows
        ]
        say_table([tr("Word"), tr("Frequency"), tr("Tag")], cells, right=[1])


def _change(ws: Workspace, options: argparse.Namespace) -> None:
    name = options.name
    made = []
    if options.file:
        made.append(dictionaries.import_file(ws, name, options.file))
    if options.add:
        made.append(dictionaries.add(ws, name, options.add, options.frequency, options.tag))
    if options.remove:
        made.append(dictionaries.remove(ws, name, options.remove))
    if options.undo:
        made.append(dictionaries.undo(ws, name))
    if options.delete:
        made.append(dictionaries.delete(ws, name))
    notes = [note for changes in made for note in changes.notes]
    if options.add:
        notes += do(dictionaries.effect, ws, name, options.add.strip())
    for note in notes:
        say(str(note))


def _suggest(options: argparse.Namespace) -> None:
    if options.accept and not options.dictionary:
        raise AppError("Name the dictionary that is to be changed.")
    with open_workspace(options, may_read=not options.accept) as ws:
        if options.accept:
            for word in options.accept:
                dictionaries.add(ws, options.dictionary, word)
            say(tr("{count} words were added.", count=count(len(options.accept))))
            return
        known = dictionaries.chosen(ws, options.dictionary) if options.dictionary else None
        found = do(dictionaries.suggest, ws, options.corpus, dictionary=known,
                   limit=options.limit)  # fmt: skip
        if options.csv:
            do(dictionaries.save_suggestions, found, options.csv)
    if options.json:
        say_json([asdict(one) for one in found])
        return
    say_table(dictionaries.suggestion_header(), [
        [s.word, s.count, *(decimal(x, 1) for x in (s.pmi, s.left_entropy, s.right_entropy))]
        for s in found
    ], right=[2, 3, 4])  # fmt: skip


def _add_score(verbs: Any) -> None:
    verb = add_verb(
        verbs, "segment-score", tr("Score segmenters on text that is cut into words already"),
        _score,
    )  # fmt: skip
    verb.add_argument("gold", type=Path, nargs="?", metavar="GOLD",
                      help=tr("File of words that white space divides"))  # fmt: skip
    verb.add_argument("--corpus", metavar="CORPUS",
                      help=tr("Corpus whose files gave the words, instead of a file"))  # fmt: skip
    verb.add_argument("--reference", metavar="SEGMENTATION",
                      help=tr("Segmentation of the corpus that is taken for right"))  # fmt: skip
    verb.add_argument("--part", choices=PARTS, default="test", help=tr("Part of the corpus"))
    verb.add_argument("--segmentation", nargs="+", default=[], metavar="SEGMENTATION",
                      help=tr("Score these segmentations of the corpus"))  # fmt: skip
    verb.add_argument("--segmented", nargs="+", type=Path, default=[], metavar="FILE",
                      help=tr("Score these files, cut by another program"))  # fmt: skip
    verb.add_argument("--words", type=Path, metavar="FILE",
                      help=tr("Training words: others are out of vocabulary"))  # fmt: skip
    verb.add_argument("--dictionary", metavar="NAME", help=tr(DICTIONARY))
    verb.add_argument("--differences", type=int, default=0, metavar="N",
                      help=tr("Show the first lines that were cut otherwise"))  # fmt: skip
    add_csv(verb)
    add_options(verb, SegmentOptions)


def _score(options: argparse.Namespace) -> None:
    if bool(options.gold) == bool(options.corpus):
        raise AppError("Give either a file of words, or --corpus.")
    dictionary = None
    if options.dictionary:
        with open_workspace(options, may_read=True) as ws:
            dictionary = dictionaries.chosen(ws, options.dictionary)
    candidates = _candidates(options, dictionary)
    if options.gold:
        rows = do(scoring.score_files, options.gold, candidates, segmented=options.segmented,
                  words=options.words)  # fmt: skip
    else:
        with open_workspace(options, may_read=True) as ws:
            rows = do(scoring.score_corpus, ws, options.corpus, candidates, options.part,
                      segmentations=options.segmentation, reference=options.reference)  # fmt: skip
    if options.csv:
        do(scoring.save_csv, rows, options.csv)
    if options.json:
        say_json([_json(row, options.differences) for row in rows])
        return
    say_table(scoring.header(), [
        [*scoring.cells(row)[:_SHARES], row.score.gold, row.score.test, row.score.correct]
        for row in rows
    ], right=range(1, _SHARES))  # fmt: skip
    for row in rows:
        for one in row.differences[: options.differences]:
            sentence = _LINE_OF_CORPUS if options.corpus else _LINE_OF_FILE
            print(tr(sentence, name=row.name, line=count(one.line)))
            for gold, test in [c for c in one.chunks if c[0] != c[1]][:_CHUNKS]:
                print(f"  {' | '.join(gold)}  →  {' | '.join(test)}")


def _candidates(options: argparse.Namespace, dictionary: Path | None) -> list[scoring.Candidate]:
    """The segmenter that was asked for; if nothing was, jieba in every mode."""
    if given(options, SegmentOptions):
        how = config(options, SegmentOptions)
        return [(scoring.candidate_name(how), how, dictionary)]
    if options.segmented or options.segmentation:
        return []
    return scoring.jieba_modes(dictionary)


def _json(row: scoring.ScoreRow, shown: int) -> dict[str, Any]:
    one = row.score
    shares = {name: getattr(one, name) for name in
              ("precision", "recall", "f1", "oov_rate", "oov_recall", "iv_recall")}  # fmt: skip
    differing = [asdict(difference) for difference in row.differences[:shown]]
    return {"name": row.name, **shares, **asdict(one), "differences": differing}
