"""SQuAD and CMRC files to questions, each with its passage and the answers that stand in it.

    SQuAD 1.1, 2.0, CMRC in that layout: data -> paragraphs -> context, qas -> question, answers
    CMRC 2018 as published: [{"context_text", "qas": [{"query_text", "answers": [text, ...]}]}]
    one question an object: {"context", "question", "answers": {"text": [...], "answer_start": ...}}
                            empty lists: there is no answer (Hugging Face)

An answer, without white space around it, must stand where its file says. If it does not, it is
moved to the nearest place where the text has it, letter by letter; if there is none, it cannot be
used. Both are listed.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.json_values import whole
from lmstudio.data.labelled.reading.places import nearest
from lmstudio.messages import msg

MOVED = msg("Answers that stood elsewhere than their file says, moved there: {count}.")
FOUND = msg("Answers without a position, found in their passage: {count}.")
SEVERAL = msg(
    "Answers without a position that stand there several times, the first taken: {count}."
)
ABSENT = msg("Questions left out, as their answer is not in the passage: {count}.")
NO_ANSWER = msg("Questions left out, as they have no answer and are not marked as such: {count}.")
EMPTY = msg("Questions left out, as they or their passage are empty: {count}.")
CONTRADICTED = msg(
    "Questions marked as without an answer that give one, taken as without: {count}."
)
SOME_ABSENT = msg("Answers left out of questions that have others: {count}.")
_SHOWN = 20  # characters of an answer


@dataclass(frozen=True)
class Asked:
    """A question as its file has it. `answers`: text and start, -1 where the file has none."""

    id: str
    passage: str
    question: str
    answers: Sequence[tuple[str, int]] | None  # None: not told
    impossible: bool = False


def is_questions(value: object) -> bool:
    """An object in one of the layouts."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("data"), list):
        return any(is_questions(item) for item in value["data"][:1])
    names = value.keys()
    return "paragraphs" in names or "qas" in names or {"context", "question"} <= names


def asked(value: object) -> Iterator[Asked | None]:
    """The questions in an object, in their order; None for one that is not written as one."""
    if not isinstance(value, dict):
        yield None
        return
    for name in ("data", "paragraphs"):
        for inner in _listed(value.get(name)):
            yield from asked(inner)
    passage = value.get("context") or value.get("context_text") or ""
    for question in _listed(value.get("qas")):
        yield _asked(passage, question)
    if "qas" not in value and "question" in value:
        yield _asked(passage, value)


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _asked(passage: object, data: object) -> Asked | None:
    if not isinstance(data, dict) or not isinstance(passage, str):
        return None
    given = data.get("answers")
    try:
        found = _columns(given) if isinstance(given, dict) else list(map(_answer, _listed(given)))
    except (TypeError, ValueError):
        return None
    impossible = str(data.get("is_impossible")).lower() == "true"
    impossible |= isinstance(given, dict) and not found
    return Asked(
        str(data.get("id") or data.get("query_id") or ""), passage,
        str(data.get("question") or data.get("query_text") or ""),
        found if given is not None or impossible else None, impossible,
    )  # fmt: skip


def _columns(answers: dict[str, Any]) -> list[tuple[str, int]]:
    """Answers as columns instead of rows. Raises TypeError or ValueError if they are not."""
    texts = list(map(str, _listed(answers.get("text"))))
    starts = _listed(answers.get("answer_start")) or [None] * len(texts)
    return [_stripped(text, start) for text, start in zip(texts, starts, strict=True)]


def _answer(answer: object) -> tuple[str, int]:
    if isinstance(answer, dict):
        return _stripped(str(answer.get("text") or ""), answer.get("answer_start"))
    return _stripped(str(answer), None)


def told(asked: Sequence[Asked | None]) -> list[Asked | None]:
    """The questions of a file; where none has an answer, it is not known of any."""
    if any(each and (each.impossible or any(text for text, _ in each.answers or ()))
           for each in asked):  # fmt: skip
        return list(asked)
    return [replace(each, answers=None) if each else None for each in asked]


def _stripped(text: str, start: object) -> tuple[str, int]:
    """An answer without white space around it, and where it begins; -1 where that is not told."""
    place = whole(start)
    if place is None or place < 0:
        return text.strip(), -1
    return text.strip(), place + len(text) - len(text.lstrip())


def example(
    question: Asked, place: str, problems: Problems, *, told: bool = True
) -> Example | None:
    """The example that a question is; None if it cannot be used. `told`: answers have starts."""
    if question.answers is None:
        return Example(question.passage, question.question, place=place, labelled=False)
    given = list(dict.fromkeys(answer for answer in question.answers if answer[0]))
    if question.impossible:
        if given:
            problems.add(CONTRADICTED, "noticed", place, given[0][0][:_SHOWN])
        return Example(question.passage, question.question, place=place)
    if not given:
        problems.add(NO_ANSWER, "dropped", place)
        return None
    found = [(answer, nearest(question.passage, *answer)) for answer in given]
    lost = [answer for (answer, _), at in found if at is None]
    if len(lost) == len(given):
        problems.add(ABSENT, "dropped", place, _hint(question.passage, lost[0]))
        return None
    for answer in lost:
        problems.add(SOME_ABSENT, "noticed", place, answer[:_SHOWN])
    spans = set[Span]()
    moves = list[str]()
    for (answer, start), at in found:
        if at is None:
            continue
        spans.add(Span(at, at + len(answer)))
        if start != at and told:
            moves.append(f"{answer[:_SHOWN]}: {start} → {at}")
        elif not told:
            again = question.passage.find(answer, at + 1) >= 0
            problems.add(SEVERAL if again else FOUND, "noticed", place, answer[:_SHOWN])
    if moves:
        problems.add(MOVED, "repaired", place, "; ".join(moves))
    return Example(question.passage, question.question, spans=tuple(sorted(spans)), place=place)


def _hint(passage: str, answer: str) -> str:
    """The answer, and what stands in the passage if it is written in another width."""
    folded = "".join(_narrow(character) for character in passage)
    at = folded.find("".join(map(_narrow, answer)))
    if at < 0:
        return answer[:_SHOWN]
    return f"{answer[:_SHOWN]} ({passage[at : at + len(answer)]}: {at})"


def _narrow(character: str) -> str:
    """In half width, if that is one character too."""
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character
