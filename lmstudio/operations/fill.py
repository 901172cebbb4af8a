"""Blanks of a text, asked of runs and told in tables; and what BERT's training hides of it."""

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lmstudio import figures
from lmstudio.analysis.fill import fill as filling
from lmstudio.analysis.fill import lottery as drawing
from lmstudio.analysis.fill import sentence_pair as pairing
from lmstudio.analysis.fill import similarity as comparing
from lmstudio.analysis.fill import words
from lmstudio.analysis.fill.answer import Answer, BlankAnswer
from lmstudio.analysis.fill.lottery import Lottery
from lmstudio.analysis.fill.question import Question, words_in
from lmstudio.analysis.fill.sentence_pair import SentencePair
from lmstudio.analysis.fill.similarity import FillerSimilarity
from lmstudio.analysis.fill.words import Units
from lmstudio.data.layout import CorpusText
from lmstudio.errors import AppError
from lmstudio.figures import percent
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.operations import segmentations
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.sentences import sentence_spans

TOP = 8
"""Candidates that are shown where nobody asked for more."""
_SHORTEST, _LONGEST = 8, 40  # characters of a sentence that is proposed
_TRIES = 60

_HOW = {
    "exact": msg("Every word scored, exact"),
    "rescored": msg("Named from the left, {count} rescored"),
    "masked": msg("Filled as it was trained to"),
    "joint": msg("Both directions in one head"),
    "directions": msg("Product of both directions"),
}
_BEGUN = msg("Likeliest beginnings scored, exact")
_PRODUCT = msg("p(w | left) · Π p(right | … w …)")
_FORMULAS = {
    "exact": _PRODUCT, "rescored": _PRODUCT, "masked": msg("p(w | left [MASK] right)"),
    "joint": msg("softmax(W [→ left; ← right])"),
    "directions": msg("p(w | left) · p(w | right) / p(w)"),
}  # fmt: skip
"""What each word's probability is in proportion to."""
FATES = {"open": msg("not asked for"), "masked": msg("hidden"), "random": msg("exchanged"),
          "kept": msg("left as it is")}  # fmt: skip
_PIECES = msg("p(word) = Π p(token | the tokens before it, left, right)")
INDEPENDENT = msg("Each blank is filled as if the others stayed open: the lists are independent.")
IN_ORDER = msg("From left to right: each blank knows what the model itself put into those before.")


def question(text: str, hidden: Sequence[str] = ()) -> Question:
    """A text whose marks, such as [MASK], are blanks, and so are the words `hidden` in it.

    AppError where such a word does not stand there, and without any blank.
    """
    made = Question.of(text, words_in(text, hidden))
    made.check()
    return made


def fill(
    ws: Workspace, run: int | str, asked_for: Question, *, top: int = TOP, in_order: bool = False,
    job: Job,
) -> Answer:  # fmt: skip
    """What a run puts into the blanks; see analysis.fill.fill."""
    return job.call(filling.fill, asked(ws, run, "fill"), asked_for, top=top, in_order=in_order)


def fill_blanks(
    ws: Workspace, run: int | str, text: str, blanks: Sequence[Sequence[int]] = (), *,
    in_order: bool = False, job: Job,
) -> Answer:  # fmt: skip
    """The same of a question as plain data: a text, and (start, end) of what is hidden in it.

    Marks such as [MASK] in the text are blanks too.
    """
    asked_for = Question.from_json({"text": text, "blanks": blanks})
    return fill(ws, run, asked_for, in_order=in_order, job=job)


def similarity(
    ws: Workspace, run: int | str, asked_for: Question, number: int, fillers: tuple[str, str], *,
    job: Job,
) -> FillerSimilarity:  # fmt: skip
    """How alike two words are in blank `number` (from 0); see analysis.fill.similarity."""
    return job.call(comparing.similarity, asked(ws, run, "layers"), asked_for, number, fillers)


def how(answer: Answer, blank: BlankAnswer) -> str:
    """How a blank was filled, in a few words."""
    return way(answer.method, blank.scored, blank.pieces, blank.unscored)


def way(method: str, scored: int, pieces: int, unscored: float) -> str:
    """The same, by the names of the fields."""
    begun = method == "exact" and unscored > 0  # of words of several tokens not all are tried
    told = tr(_BEGUN if begun else _HOW[method], count=figures.count(scored))
    return tr("{how} · {count} tokens", how=told, count=pieces) if pieces > 1 else told


def formula(answer: Answer, blank: BlankAnswer) -> str:
    """What was computed."""
    told = tr(_FORMULAS[answer.method])
    return f"{told};  {tr(_PIECES)}" if blank.pieces > 1 else told


def by_left_alone(answer: Answer, blank: BlankAnswer) -> bool:
    """Whether the mass that was not scored is only what stands before the blank makes of it."""
    return blank.unscored > 0 and answer.method in ("exact", "rescored")


def unscored(answer: Answer, blank: BlankAnswer) -> str:
    """The mass that was not scored, and by what."""
    share = percent(blank.unscored, 1)
    if by_left_alone(answer, blank):
        return tr("{share} by the left context alone", share=share)
    return share


# --- sentences -----------------------------------------------------------------------------------


def units(ws: Workspace, segmentation: int | str, text: str, *, job: Job) -> Units:
    """Where the tokens and the words of a text stand."""
    row = ws.segmentation(segmentation)
    plan = segmentations.cut_plan(ws, row)
    return job.call(words.units, ws.segmentation_folder(row.id), plan, text)


def another_sentence(ws: Workspace, corpus: int | str, seed: int, *, job: Job) -> str:
    """A sentence from anywhere in a corpus, of a length to look at; "" if it has none at all."""
    return job.call(_another, ws.corpus_folder(ws.corpus(corpus).id), seed)


def _another(corpus: Path, seed: int, *, job: Job) -> str:
    text, lot = CorpusText(corpus), random.Random(seed)
    found = ""
    for _ in range(_TRIES if len(text) else 0):
        job.check()
        line = text.line(lot.randrange(len(text)))[:5000]
        spans = sentence_spans(line)
        if spans:
            start, end = lot.choice(spans)
            found = line[start:end]
        if _SHORTEST <= len(found) <= _LONGEST:
            break
    return found[: 2 * _LONGEST]


# --- what training hides -------------------------------------------------------------------------


def lottery(
    ws: Workspace, segmentation: int | str, text: str, seed: int, *, whole_words: bool = False,
    job: Job,
) -> Lottery:  # fmt: skip
    """Which tokens of a text BERT would be asked for in training, drawn once."""
    row = ws.segmentation(segmentation)
    plan = segmentations.cut_plan(ws, row)
    return job.call(drawing.lottery, ws.segmentation_folder(row.id), plan, text, seed,
                    whole_words=whole_words)  # fmt: skip


def sentence_pair(ws: Workspace, segmentation: int | str, seed: int, *, job: Job) -> SentencePair:
    """Two stretches of the train part, and whether the second follows the first."""
    folder = ws.segmentation_folder(ws.segmentation(segmentation).id)
    return job.call(pairing.sentence_pair, folder, seed)


def save_lottery(drawn: Lottery, path: Path, *, job: Job) -> None:
    """Write the tokens of a drawing and what became of them as CSV. AppError as in save_table."""
    header = (tr("Token"), tr("Shown"), tr("Fate"))
    rows = [(token.text, token.shown, tr(FATES[token.fate])) for token in drawn.tokens]
    save_table(path, header, rows, total=len(rows), job=job)


# --- tables --------------------------------------------------------------------------------------


def save_answers(
    asked_for: Question, answers: Mapping[str, Answer], path: Path, *, job: Job
) -> None:
    """Write the candidates of runs, by their names, as CSV. AppError if it cannot be written."""
    header = (tr("Run"), tr("Method"), tr("Blank"), tr("Rank"), tr("Word"), tr("Probability"),
              tr("True word"), tr("Mass not scored"))  # fmt: skip
    save_table(path, header, list(rows(asked_for, answers)), job=job)


def rows(
    asked_for: Question, answers: Mapping[str, Answer]
) -> Iterator[tuple[str, str, int, int, str, float, str, float]]:
    """The lines of that table: the true word comes last where it is no candidate shown."""
    for name, answer in answers.items():
        for number, blank in enumerate(answer.blanks):
            shown = list(enumerate(blank.guesses, 1))
            if blank.truth is not None and blank.rank > len(shown):
                shown.append((blank.rank, blank.truth))
            for rank, guess in shown:
                true = guess is blank.truth or rank == blank.rank
                yield (name, how(answer, blank), number + 1, rank, guess.text, guess.probability,
                       tr("yes") if true else "", blank.unscored)  # fmt: skip
    if not answers:
        raise AppError("Nothing has been answered yet.")
