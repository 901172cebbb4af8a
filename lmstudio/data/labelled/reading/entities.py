"""JSON objects with tagged stretches to tagged examples.

    {"text", "label": {type: {entity: [[start, end]]}}}     CLUENER; the end is the last character
    {"text", "label" | "entities" | "spans": [[start, end, type] | {"start", "end", "type"}]}
    {"tokens": [...], "tags" | "ner_tags" | "labels": [...]}

Ends of the second are exclusive, as doccano and this program write them.
"""

from collections.abc import Iterator
from typing import Any

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.joined_tokens import joined
from lmstudio.data.labelled.reading.token_lines import ILLEGAL
from lmstudio.data.labelled.tags import illegal, spans_of
from lmstudio.messages import msg

LISTS = ("spans", "entities", "label", "labels")
TOKENS, TAGS = ("tokens", "words"), ("tags", "ner_tags", "labels", "label")
MOVED = msg("Entities that stood elsewhere than their file says, moved there: {count}.")
ABSENT = msg("Entities whose place is not in their text, left out: {count}.")
OVERLAPPING = msg("Entities that overlap with a longer one, left out: {count}.")


def is_tagged(value: object) -> bool:
    """An object in one of the three layouts."""
    if not isinstance(value, dict):
        return False
    if tags_in(value) is not None:
        return True
    if not isinstance(value.get("text"), str):
        return False
    return any(isinstance(value.get(name), list) for name in LISTS) or (
        isinstance(value.get("label"), dict)
    )


def tags_in(value: dict[str, Any]) -> tuple[list[str], list[str]] | None:
    """The tokens and tags of the third layout."""
    tokens = next((value[name] for name in TOKENS if isinstance(value.get(name), list)), None)
    tags = next((value[name] for name in TAGS if isinstance(value.get(name), list)), None)
    if tokens is None or tags is None or not tokens or len(tags) != len(tokens):
        return None
    if not all(isinstance(item, str) and item for item in [*tokens, *tags]):
        return None
    return tokens, tags


def example(value: dict[str, Any], scheme: str, place: str, problems: Problems) -> Example:
    """The example that an object is; what does not fit is listed."""
    pairs = tags_in(value)
    if pairs is not None:
        return _of_tokens(*pairs, scheme, place, problems)
    text = value["text"]
    spans = [span for span in _spans(value, place, problems) if _fits(span, text, place, problems)]
    kept = _apart(spans, text, place, problems)
    words = tuple((int(s), int(e)) for s, e in value.get("words", ()))
    labelled = any(name in value for name in LISTS)
    return Example(text, spans=tuple(kept), words=words, place=place, labelled=labelled)


def _of_tokens(
    tokens: list[str], tags: list[str], scheme: str, place: str, problems: Problems
) -> Example:
    for _, detail in illegal(tags, scheme):
        problems.add(ILLEGAL, "noticed", place, detail)
    characters = all(len(token) == 1 for token in tokens)
    text, words = joined(tokens, side_by_side=characters)
    spans = tuple(Span(words[s.start][0], words[s.end - 1][1], s.type)
                  for s in spans_of(tags, scheme))  # fmt: skip
    return Example(text, spans=spans, words=() if characters else words, place=place)


def _spans(value: dict[str, Any], place: str, problems: Problems) -> Iterator[Span]:
    if isinstance(value.get("label"), dict):
        for kind, entities in value["label"].items():
            for entity, places in entities.items() if isinstance(entities, dict) else ():
                for start, end in places:
                    yield _verified(value["text"], entity, int(start), int(end) + 1, kind, place,
                                    problems)  # fmt: skip
        return
    for span in next((value[name] for name in LISTS if isinstance(value.get(name), list)), ()):
        if isinstance(span, dict):
            start, end = span.get("start", span.get("start_offset")), span.get("end")
            end = span.get("end_offset") if end is None else end
            yield Span(int(start or 0), int(end or 0), str(span.get("type", span.get("label", ""))))
        else:
            yield Span(int(span[0]), int(span[1]), str(span[2]))


def _verified(
    text: str, entity: str, start: int, end: int, kind: str, place: str, problems: Problems
) -> Span:
    """Where `entity` is: as its file says, or at the place nearest to it; of no length if not."""
    if text[start:end] == entity:
        return Span(start, end, kind)
    found = nearest(text, entity, start)
    if found is None:
        return Span(start, start, f"{kind} {entity}")
    problems.add(MOVED, "repaired", place, f"{entity}: {start} → {found}")
    return Span(found, found + len(entity), kind)


def nearest(text: str, wanted: str, place: int) -> int | None:
    """Where `wanted` stands in `text`, the nearest to `place`; None if it does not."""
    best, at = None, text.find(wanted) if wanted else -1
    while at >= 0:
        if best is None or abs(at - place) < abs(best - place):
            best = at
        at = text.find(wanted, at + 1)
    return best


def _fits(span: Span, text: str, place: str, problems: Problems) -> bool:
    fits = 0 <= span.start < span.end <= len(text)
    if not fits:
        problems.add(ABSENT, "dropped", place, f"{span.type} {span.start}–{span.end}", examples=0)
    return fits


def _apart(spans: list[Span], text: str, place: str, problems: Problems) -> list[Span]:
    """In order, without those that overlap with a longer one; twice the same counts once."""
    kept = list[Span]()
    for span in sorted(set(spans), key=lambda s: (s.start - s.end, s)):
        if any(span.start < other.end and other.start < span.end for other in kept):
            problems.add(OVERLAPPING, "dropped", place,
                         f"{span.type} {text[span.start : span.end]}", examples=0)  # fmt: skip
        else:
            kept.append(span)
    return sorted(kept)
