"""The verbs fill and masking: what runs put into blanks, and how BERT's training draws them."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lmstudio.analysis.fill.answer import Answer, BlankAnswer
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.similarity import FillerSimilarity
from lmstudio.cli.shared import (
    add_csv,
    add_name,
    add_text,
    add_verb,
    do,
    do_each,
    joined,
    natural,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import tr
from lmstudio.operations import fill

_RUNS = "RUN... TEXT"
_PLACES = 3  # of a probability


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "fill", tr("Let runs fill the blanks of a text"), _fill)
    about = tr("Names of runs, then the text, where {mark} is a blank", mark="[MASK]")
    verb.add_argument("runs", nargs="+", metavar=_RUNS, help=about)
    about = tr("A word of the text to be hidden; the models are told how it ranks. May be repeated")
    verb.add_argument("--hide", action="append", default=[], metavar="WORD", help=about)
    verb.add_argument("--top", type=positive, default=fill.TOP, metavar="N",
                      help=tr("Candidates that are listed"))  # fmt: skip
    about = tr("Fill blanks from left to right, each knowing those before, not each for itself")
    verb.add_argument("--in-order", action="store_true", help=about)
    about = tr("Print too how alike the vectors of two words are in the first blank")
    verb.add_argument("--alike", nargs=2, metavar="WORD", help=about)
    add_csv(verb)
    about = tr(
        "Draw what BERT would be asked for in training: words of a text, and a pair of texts"
    )
    verb = add_verb(verbs, "masking", about, _masking)
    add_name(verb, "segmentation")
    add_text(verb, "text", tr("Text to be read as one sentence"))
    verb.add_argument("--seed", type=natural, default=1, metavar="N", help=tr("Another drawing"))
    verb.add_argument("--whole-words", action="store_true",
                      help=tr("Draw whole words of the segmentation, not tokens"))  # fmt: skip
    add_csv(verb)


def _fill(options: argparse.Namespace) -> int:
    *runs, text = options.runs
    if not runs:
        raise AppError("Name at least one run, then a text.")
    question = fill.question(text, options.hide)
    alike: dict[str, FillerSimilarity] = {}

    def ask(name: str) -> tuple[str, Answer]:
        answer = do(fill.fill, ws, name, question, top=options.top, in_order=options.in_order)
        if options.alike:
            alike[name] = do(fill.similarity, ws, name, question, 0, tuple(options.alike))
        return name, answer

    with open_workspace(options, may_read=True) as ws:
        found, code = do_each(runs, ask)
    answers = dict(found)
    if options.csv:
        do(fill.save_answers, question, answers, options.csv)
    if options.json:
        say_json([_as_json(name, answer, alike.get(name)) for name, answer in answers.items()])
        return code
    for number in range(len(question.blanks)):
        _print_blank(question, number, answers)
    _print_texts(answers)
    for name, likeness in alike.items():
        _say_alike(name, likeness)
    return code


def _say_alike(name: str, found: FillerSimilarity) -> None:
    first, second = found.fillers
    cosines = "  ".join(decimal(value, _PLACES) for value in found.cosines)
    say(tr("{run}: cosine of {first} and {second} by layer, the table first: {cosines}",
           run=name, first=first, second=second, cosines=cosines))  # fmt: skip
    if not any(found.known):
        say(tr("{first} and {second} are both unknown to {run}: the cosine is that of the unknown "
               "word with itself.", run=name, first=first, second=second))  # fmt: skip


def _as_json(name: str, answer: Answer, alike: FillerSimilarity | None) -> dict[str, Any]:
    told = {"run": name, **asdict(answer)}
    return told if alike is None else told | {"alike": asdict(alike)}


def _print_blank(question: Question, number: int, answers: Mapping[str, Answer]) -> None:
    """A column for each run, the true word in the last line."""
    blanks = {name: answer.blanks[number] for name, answer in answers.items()}
    if len(question.blanks) > 1:
        truth = question.truth(number) or "[MASK]"
        print(tr("Blank {number}: {word}", number=number + 1, word=truth))
    most = max(len(blank.guesses) for blank in blanks.values())
    lines = [[count(place + 1), *(_guess(blank, place) for blank in blanks.values())]
             for place in range(most)]  # fmt: skip
    if question.truth(number):
        lines.append([tr("True word"), *map(_truth, blanks.values())])
    lines.append([tr("Not scored"), *(percent(blank.unscored, 1) for blank in blanks.values())])
    say_table((tr("Rank"), *blanks), lines)
    for name, answer in answers.items():
        blank = blanks[name]
        say(tr("{run}: {how}. {formula}", run=name, how=fill.how(answer, blank),
               formula=fill.formula(answer, blank)))  # fmt: skip
    if any(fill.by_left_alone(answers[name], blank) for name, blank in blanks.items()):
        say(tr("The mass that was not scored is what the left context alone makes of it."))


def _guess(blank: BlankAnswer, place: int) -> str:
    if place >= len(blank.guesses):
        return ""
    guess = blank.guesses[place]
    return f"{guess.text} {decimal(guess.probability, _PLACES)}"


def _truth(blank: BlankAnswer) -> str:
    if blank.truth is None:
        return ""
    rank = f"{'≥ ' if blank.least else ''}{count(blank.rank)}"
    word = blank.truth.text if blank.truth.known else tr("unknown word")
    return f"{rank}: {word} {decimal(blank.truth.probability, _PLACES)}"


def _print_texts(answers: Mapping[str, Answer]) -> None:
    several = next(iter(answers.values()))
    if len(several.blanks) > 1:
        say(tr(fill.IN_ORDER) if several.in_order else tr(fill.INDEPENDENT))
    for name, answer in answers.items():
        print(tr("{name}: {value}", name=name, value=answer.text))


def _masking(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        drawn = do(fill.lottery, ws, options.segmentation, joined(options.text), options.seed,
                   whole_words=options.whole_words)  # fmt: skip
        pair = do(fill.sentence_pair, ws, options.segmentation, options.seed)
    if options.csv:
        do(fill.save_lottery, drawn, options.csv)
    if options.json:
        notice = str(pair.notice or "")
        say_json(asdict(drawn) | {"pair": asdict(pair) | {"notice": notice}})
        return
    lines = [(token.text, token.shown, tr(fill.FATES[token.fate])) for token in drawn.tokens]
    say_table((tr("Token"), tr("Shown"), tr("Fate")), lines)
    say(tr("It follows:") if pair.follows else tr("It does not follow:"))
    print(f"{pair.first}\n{pair.second}")
    if pair.notice:
        say(str(pair.notice))
