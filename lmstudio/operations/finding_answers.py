"""Answers of language models as findings keep them -> tables: bits, guesses, texts, nearest words.

Each function takes the JSON of what the operation of its kind gave (operations.findings.KINDS).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lmstudio.figures import decimal, percent
from lmstudio.messages import Message, listed, tr
from lmstudio.operations.answer_tables import AnswerTable, Scalar
from lmstudio.operations.fill import way
from lmstudio.operations.generation import ENDS
from lmstudio.operations.surprisal import KIND_NAMES

LISTED = 5  # guesses in one cell

Answer = Mapping[str, Any]


def guesses(pairs: Iterable[tuple[str, float]], most: int = LISTED) -> str:
    """ "手 0.118, 袖子 0.093 …": words with a figure each."""
    told = [f"{word} {decimal(figure, 3)}" for word, figure in pairs]
    return listed(told[:most]) + (" …" if len(told) > most else "")


def pairs(names: Sequence[str], values: Sequence[Sequence[float]]) -> list[list[Scalar]]:
    """Each with each that follows it, and their figure, the highest first."""
    found: list[list[Scalar]] = [
        [one, other, values[i][j]] for i, one in enumerate(names)
        for j, other in enumerate(names) if i < j
    ]  # fmt: skip
    return sorted(found, key=lambda row: -float(row[2] or 0.0))


def _sentence(answer: Answer) -> AnswerTable:
    columns = [tr("Sentence"), tr("Bits per character"), tr("Perplexity"), tr("Bits"),
               tr("Spelling, bits"), tr("Unknown")]  # fmt: skip
    rows: list[list[Scalar]] = []
    for kind, sentences in answer.items():
        for one in sentences:
            rows.append([one["text"], one["bits_per_character"], one["perplexity"], one["bits"],
                         one["spelling_bits"], one["unknown"], tr(KIND_NAMES[kind])])  # type: ignore[index]  # fmt: skip
    if len(rows) == 1:  # the question tells the sentence
        *figures, way = rows[0][1:]
        facts = dict(zip(columns[1:], figures, strict=True))
        return AnswerTable(facts if set(answer) == {"chain"} else facts | {tr("Figures"): way},
                           [], [])  # fmt: skip
    if set(answer) == {"chain"}:  # there is only one way to read it
        return AnswerTable({}, columns, [row[:-1] for row in rows])
    return AnswerTable({}, [*columns, tr("Figures")], rows)


def _compare(answer: Answer) -> AnswerTable:
    facts = {
        tr("Base"): answer["from"], tr("Bits per character"): answer["bits per character"],
        tr("Difference"): answer["difference"], tr("Low"): answer["low"],
        tr("High"): answer["high"], tr("Standard error"): answer["standard error"],
        tr("Share of draws in which it is better"): percent(answer["better"], 1),
    }  # fmt: skip
    return AnswerTable(facts, [], [])


def _notes(answer: Answer) -> dict[str, Scalar]:
    """What a reader must know, without a name of its own."""
    told = [str(Message(note["sentence"], note["values"])) for note in answer.get("notes", ())]
    return {tr("Note"): " ".join(told)} if told else {}


def _next(answer: Answer) -> AnswerTable:
    facts = _notes(answer) | {tr("All others"): answer["rest"],
                              tr("Entropy, bits"): answer["entropy"]}  # fmt: skip
    if not answer["proper"]:
        facts[tr("Meaning of the figures")] = tr("scores, no probabilities")
    rows = [[rank, guess["piece"], guess["p"]] for rank, guess in enumerate(answer["guesses"], 1)]
    return AnswerTable(facts, [tr("Rank"), tr("Token"), tr("p")], rows)


def _generate(answer: Answer) -> AnswerTable:
    columns = [tr("Text"), tr("It stopped at"), tr("ln p of the text"), tr("Tokens written")]
    rows = [[text["text"].strip(), tr(ENDS[text["end"]]), text["log_p"], len(text["tokens"])]
            for text in answer["texts"]]  # fmt: skip
    if len(rows) == 1:  # a text in full reads better than one that a cell cuts
        return AnswerTable(_notes(answer) | dict(zip(columns, rows[0], strict=True)), [], [])
    return AnswerTable(_notes(answer), columns, rows)


def _fill(answer: Answer) -> AnswerTable:
    blanks = answer["blanks"]
    facts: dict[str, Scalar] = {tr("Text that was filled in"): answer["text"]}
    first = blanks[0]
    facts[tr("Method")] = way(answer["method"], first["scored"], first["pieces"], first["unscored"])
    rows: list[list[Scalar]] = []
    for number, blank in enumerate(blanks, 1):
        title = tr("True word") if len(blanks) == 1 else tr("True word {number}", number=number)
        if blank["truth"] is not None:
            facts[title] = _truth(blank)
        if blank["unscored"]:
            facts[tr("Mass not scored")] = percent(blank["unscored"], 1)
        rows += [[number, rank, guess["text"], guess["probability"]]
                 for rank, guess in enumerate(blank["guesses"], 1)]  # fmt: skip
    columns = [tr("Blank"), tr("Rank"), tr("Word"), tr("p")]
    if len(blanks) == 1:
        return AnswerTable(facts, columns[1:], [row[1:] for row in rows])
    return AnswerTable(facts, columns, rows)


def _truth(blank: Answer) -> str:
    truth = blank["truth"]
    word = truth["text"] if truth["known"] else tr("{word} (unknown)", word=truth["text"])
    return tr("{word}: rank {rank}, probability {p}", word=word, p=decimal(truth["probability"], 3),
              rank=f"{'≥ ' if blank['least'] else ''}{blank['rank']}")  # fmt: skip


def _neighbors(answer: Answer) -> AnswerTable:
    columns = [tr("Word"), tr("Cosine"), tr("Count"), tr("Same class")]
    rows = [[one["word"], one["cosine"], one["count"], one["same_class"]]
            for one in answer["nearest"]]  # fmt: skip
    facts: dict[str, Scalar] = {}
    if len(answer["parts"]) > 1:
        facts[tr("Mean of the vectors of")] = " ".join(answer["parts"])
    if all(row[3] is None for row in rows):  # nobody told it the classes
        return AnswerTable(facts, columns[:3], [row[:3] for row in rows])
    return AnswerTable(facts, columns, rows)


def _similarity(answer: Answer) -> AnswerTable:
    facts: dict[str, Scalar] = {}
    if answer["unknown"]:
        facts[tr("Words the vocabulary lacks")] = " ".join(answer["unknown"])
    columns = [tr("Word"), tr("Another word"), tr("Cosine")]
    return AnswerTable(facts, columns, pairs(answer["words"], answer["values"]))


def _sentences(answer: Answer) -> AnswerTable:
    usual = answer["random"]
    facts: dict[str, Scalar] = {}
    if usual:
        facts[tr("Mean of random pairs")] = sum(usual) / len(usual)
    if answer["whitened"]:
        facts[tr("Dimensions after whitening")] = answer["whitened"]
    typed = [[*row, ""] for row in pairs(answer["sentences"], answer["cosines"])]
    nearest = [[sentence, text, cosine, line]
               for sentence, found in zip(answer["sentences"], answer["nearest"], strict=False)
               for text, line, cosine in zip(found["texts"], found["lines"], found["cosines"],
                                             strict=True)]  # fmt: skip
    columns = [tr("Sentence"), tr("Other sentence"), tr("Cosine"), tr("Line of the corpus")]
    return AnswerTable(facts, columns, typed + nearest)


ANSWERS: dict[str, Callable[[Any], AnswerTable]] = {
    "sentence": _sentence, "compare": _compare, "next": _next, "generate": _generate,
    "fill": _fill, "neighbors": _neighbors, "similarity": _similarity, "sentences": _sentences,
}  # fmt: skip
"""By kind of question."""
