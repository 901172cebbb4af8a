"""Sentences scored by runs: token by token, by the user's words, and a whole file at once."""

import os
from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path

from lmstudio.analysis import surprisal, surprisal_file
from lmstudio.analysis.surprisal import PSEUDO, Kind, Surprisals, Words
from lmstudio.analysis.surprisal_figures import Figures, events, figures, ranks, word_bits
from lmstudio.analysis.surprisal_file import FileQuestion, FileScores
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.token_preview import MOST
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.operations import segmentations
from lmstudio.operations.asked import asked
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.store.rows import Facts, SegmentationRow
from lmstudio.store.settings import cache_folder
from lmstudio.store.workspace import Workspace
from lmstudio.text.encoding import utf8
from lmstudio.text.segment import cut_all
from lmstudio.text.segment_options import OF_WORDS, SegmentOptions
from lmstudio.text.word_orders import Variant, word_orders

Key = int | str
MOST_SENTENCES = 1000
"""Of a typed text; more belong into a file."""
KIND_NAMES: dict[Kind, str] = {
    "chain": msg("log-likelihood"), "scores": msg("scores, no probabilities"),
    "original": msg("pseudo, original"), "within-word": msg("pseudo, within words"),
}  # fmt: skip
FORMULAS: dict[Kind, str] = {
    "chain": msg("p(w₁ … w_T </s>) = Π p(w_t | <s> w₁ … w_t₋₁); surprisal = −log₂ p"),
    "scores": msg("Scores of stupid back-off: they do not sum to one"),
    "original": msg("Pseudo: Σ ln p(w_t | all other tokens), Salazar et al. 2020"),
    "within-word": msg(
        "Pseudo: Σ ln p(w_t | all but it and those behind it in its word), Kauf & Ivanova 2023"
    ),
}
"""What the figures are, in a line each."""


def score(
    ws: Workspace, run: Key, text: str, *, words: str = "auto", job: Job
) -> Surprisals:  # fmt: skip
    """What each line of a text costs a run, as a sentence of its own; blank ones are left out.

    `words` that surprisal is summed over: "tokens", "spaces" (the user's own), "jieba", or the name
    of a segmentation, whose words they are; "auto": see `common_words`. AppError for an empty text
    or one that is too long, and for a run without a model.
    """
    one = asked(ws, run, "score")
    return job.call(surprisal.surprisals, one, sentences_of(text), words_of(ws, words, [run]))


def sentences_of(text: str) -> list[str]:
    """The lines of a text that hold something. AppError if none does, or they are too many."""
    utf8(text)
    found = lines_of(text)
    if not found:
        raise AppError("There is no token in this text. Type some words.")
    if len(found) > MOST_SENTENCES or sum(map(len, found)) > MOST:
        raise AppError("At most {sentences} sentences and {characters} characters are scored at "
                       "once. Put them into a file and score that.",
                       sentences=MOST_SENTENCES, characters=MOST)  # fmt: skip
    return found


def lines_of(text: str) -> list[str]:
    """The lines of a text that hold something."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line for line in lines if line.strip()]


def words_of(ws: Workspace, words: str, runs: Sequence[Key]) -> Words:
    """What `score` calls words, as analysis takes it. AppError where there is no such thing."""
    if words == "auto":
        words = common_words(ws, runs)
    if words == "tokens" or words == "spaces":
        return "tokens" if words == "tokens" else "spaces"
    return jieba_plan() if words == "jieba" else _plan(ws, ws.segmentation(words))


def common_words(ws: Workspace, runs: Sequence[Key]) -> str:
    """Words for all of some runs: the segmentation of the first whose tokens are words, or jieba.

    Where several runs are to be set side by side, ask each for these.
    """
    for run in runs:
        cut = ws.segmentation(ws.run(run).segmentation_id)
        if cut.facts["options"]["by"] in OF_WORDS and not segmentations.axis(cut):
            return cut.name
    return "jieba"


def jieba_plan() -> CutPlan:
    """jieba as it is, without a user dictionary."""
    return CutPlan(SegmentOptions(by="jieba", sentences="line"), None, cache_folder() / "jieba")


def _plan(ws: Workspace, cut: SegmentationRow) -> CutPlan:
    plan = segmentations.cut_plan(ws, cut)
    if plan.options.overlapping:
        raise AppError("The words of {name} overlap, so nothing can be summed over them.",
                       name=cut.name)  # fmt: skip
    return plan


def orders(
    ws: Workspace, sentence: str, *, words: str = "jieba", runs: Sequence[Key] = (), seed: int = 1,
    job: Job,
) -> list[Variant]:  # fmt: skip
    """The words of a sentence in other orders, to be ranked by how likely they are."""
    utf8(sentence)
    chosen = words_of(ws, "jieba" if words == "tokens" else words, runs)
    return job.call(_orders, sentence, chosen, seed)


def _orders(sentence: str, words: Words, seed: int, *, job: Job) -> list[Variant]:
    if isinstance(words, CutPlan):
        spans = cut_all(words.segmenter(), [sentence], job.check)[0][0]
    else:
        spans = surprisal.Whitespace().cut(sentence)
    return word_orders(sentence, spans, seed)


def score_file(
    ws: Workspace, runs: Sequence[Key], path: Path, out: Path, *, words: str = "auto",
    pseudo: Kind = "within-word", spelled: bool = True, ends: bool = False, job: Job,
) -> FileScores:  # fmt: skip
    """The surprisal of every word of a file, a sentence a line, as CSV: a column for each run.

    Rows hold the line, the word, and where it starts and ends in the line, in code points.
    """
    every = [asked(ws, run, "score") for run in runs]
    if not every:
        raise AppError("Choose a run to score the file with.")
    if os.path.realpath(path) == os.path.realpath(out):
        raise AppError("The table would replace the text itself. Choose another name.")
    names = [
        f"{one.name} ({tr(KIND_NAMES[pseudo_of(ws, run, pseudo)])})"
        if sees_both_sides(one.spec.to_json()) else one.name
        for one, run in zip(every, runs, strict=True)
    ]  # fmt: skip
    header = [tr("Line"), tr("Word"), tr("Start"), tr("End"), *names]
    question = FileQuestion(words_of(ws, words, runs), pseudo, spelled, ends)
    return job.call(surprisal_file.score_file, every, path, out, header, question)


def pseudo_of(ws: Workspace, run: Key, wanted: Kind) -> Kind:
    """The pseudo kind that a run which sees both sides has: ELMo only the original one."""
    return wanted if ws.run(run).model == "bert" else PSEUDO[0]


def summary(ws: Workspace, run: Key, *, text: str, words: str = "auto", job: Job) -> Facts:
    """The figures of each sentence of a text, as plain data: what a finding keeps."""
    return summary_of(score(ws, run, text, words=words, job=job))


def summary_of(found: Surprisals) -> Facts:
    """The same of an answer that is there."""
    return {
        kind: [{"text": one.text, **told(figures([one], kind))} for one in found.sentences]
        for kind in found.kinds
    }


def told(one: Figures) -> Facts:
    """Figures with those that are worked out of others, as plain data."""
    return asdict(one) | {"bits": one.bits, "text_bits": one.text_bits,
                          "bits_per_character": one.bits_per_character}  # fmt: skip


def save_tokens(answers: Sequence[Surprisals], path: Path, *, job: Job) -> None:
    """Write every token of every run as CSV, the ends of sentences among them."""
    rows = [
        (found.name, tr(KIND_NAMES[kind]), number, *astuple(event))
        for found in answers for kind in found.kinds
        for number, sentence in enumerate(found.sentences, 1) for event in events(sentence, kind)
    ]  # fmt: skip
    header = (tr("Run"), tr("Kind"), tr("Sentence"), tr("Token"), tr("Piece"), tr("Start"),
              tr("End"), "p", "ln p", tr("Bits"), tr("Spelling, bits"), tr("Unknown"),
              tr("Answered by"), tr("Back-off weights"))  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def save_totals(answers: Sequence[Surprisals], path: Path, *, job: Job) -> None:
    """Write the figures of each sentence and its rank as CSV, a line for each run and kind."""
    rows: list[tuple[object, ...]] = []
    for found in answers:
        for kind in found.kinds:
            every = [figures([one], kind) for one in found.sentences]
            order = ranks([one.text_bits for one in every])
            rows += [
                (found.name, tr(KIND_NAMES[kind]), sentence.text, rank, one.events, -one.nats,
                 one.bits, one.text_bits, one.perplexity, one.without_end, one.without_unknown,
                 one.without_both, one.bits_per_character, one.unknown, one.zero)
                for sentence, one, rank in zip(found.sentences, every, order, strict=True)
            ]  # fmt: skip
    header = (tr("Run"), tr("Kind"), tr("Sentence"), tr("Rank"), tr("Events"), "ln p", tr("Bits"),
              tr("Bits, spelled"), tr("Perplexity"), tr("Without </s>"), tr("Without <unk>"),
              tr("Without both"), tr("Bits per character"), tr("Unknown"),
              tr("Zero events"))  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def save_words(answers: Sequence[Surprisals], path: Path, *, job: Job) -> None:
    """Write the surprisal of each word as CSV, a column for each run and kind."""
    columns = [(found, kind) for found in answers for kind in found.kinds]
    header = [tr("Sentence"), tr("Word"), tr("Start"), tr("End"),
              *(f"{found.name} ({tr(KIND_NAMES[kind])})" for found, kind in columns)]  # fmt: skip
    bits = [[word_bits(one, kind) for one in found.sentences] for found, kind in columns]
    rows = [
        (number + 1, one.text[start:end], start, end, *(float(own[number][place]) for own in bits))
        for number, one in enumerate(answers[0].sentences)
        for place, (start, end) in enumerate(one.words)
    ]
    save_table(path, header, rows, total=len(rows), job=job)
