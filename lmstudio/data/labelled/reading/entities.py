"""JSON objects with tagged stretches to tagged examples.

    {"text", "label": {type: {entity: [[start, end]]}}}     CLUENER; the end is the last character
    {"text", "label" | "entities" | "spans": [[start, end, type] | {"start", "end", "type"}]}
    {"tokens": [...], "tags" | "ner_tags" | "labels": [...]}

Ends of the second are exclusive, as doccano, Label Studio and this program write them. Tags that
are numbers, as in files of Hugging Face, need their names.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading.joined_tokens import joined
from lmstudio.data.labelled.reading.json_values import whole
from lmstudio.data.labelled.reading.places import nearest
from lmstudio.data.labelled.reading.token_lines import ILLEGAL
from lmstudio.data.labelled.tags import illegal, spans_of
from lmstudio.messages import msg
from lmstudio.text.lines import is_blank

LISTS = ("spans", "entities", "label", "labels")
TOKENS, TAGS = ("tokens", "words"), ("tags", "ner_tags", "labels", "label")
MOVED = msg("Entities that stood elsewhere than their file says, moved there: {count}.")
ABSENT = msg("Entities whose place is not in their text, left out: {count}.")
BROKEN = msg("Entities that are not written as start, end and type, left out: {count}.")
MISPLACED = msg("Lists of words whose places are not in their text, left out: {count}.")
UNEQUAL = msg("Lists of tokens and tags that do not fit together, left out: {count}.")
OVERLAPPING = msg("Entities that overlap with a longer one, left out: {count}.")
_SHOWN = 40  # characters of what is wrong


def is_tagged(value: object) -> bool:
    """An object in one of the three layouts."""
    if not isinstance(value, dict):
        return False
    if has_tokens(value):
        return True
    if not isinstance(value.get("text"), str):
        return False
    if has_classes(value):
        return False
    return any(isinstance(value.get(name), list) for name in LISTS) or (
        isinstance(value.get("label"), dict)
    )


def is_bare(value: dict[str, Any]) -> bool:
    """A text and nothing that is said of it."""
    return isinstance(value.get("text"), str) and all(value.get(name) is None for name in LISTS)


def has_classes(value: dict[str, Any]) -> bool:
    """Its labels are words in a list: classes of the text."""
    lists = (value[name] for name in LISTS if isinstance(value.get(name), list))
    return any(isinstance(item, str) for found in lists for item in found)


def has_tokens(value: dict[str, Any]) -> bool:
    """An object in the third layout, whether it is sound or not."""
    lists = [[name for name in known if isinstance(value.get(name), list)]
             for known in (TOKENS, TAGS)]  # fmt: skip
    return all(lists) and all(isinstance(item, str) for item in value[lists[0][0]])


def tags_in(
    value: dict[str, Any], names: Mapping[str, str] | None = None
) -> tuple[list[str], list[str]] | None:
    """The tokens and tags of the third layout; None where they are not one a token.

    `names`: what tags that are numbers stand for.
    """
    tokens = next((value[name] for name in TOKENS if isinstance(value.get(name), list)), None)
    tags = next((value[name] for name in TAGS if isinstance(value.get(name), list)), None)
    if tokens is None or tags is None or not tokens or len(tags) != len(tokens):
        return None
    if not all(isinstance(token, str) and token for token in tokens) or not all(
        map(_is_type, tags)
    ):
        return None
    return tokens, [(names or {}).get(tag, tag) for tag in tags]


def example(value: dict[str, Any], place: str, problems: Problems) -> Example:
    """The example that an object of the first two layouts is; what does not fit is listed."""
    text = value["text"]
    spans = [span for span in _spans(value, place, problems) if _fits(span, text, place, problems)]
    kept = _apart(spans, text, place, problems)
    words = _words(value.get("words"), text, place, problems)
    labelled = not is_bare(value)
    return Example(text, spans=tuple(kept), words=words, place=place, labelled=labelled)


def of_tokens(
    tokens: list[str], tags: list[str], scheme: str, place: str, problems: Problems
) -> Example:
    """The example that tokens and their tags are."""
    for _, detail in illegal(tags, scheme):
        problems.add(ILLEGAL, "noticed", place, detail)
    characters = all(len(token) == 1 for token in tokens)
    text, words = joined(tokens, side_by_side=characters)
    spans = tuple(Span(words[s.start][0], words[s.end - 1][1], s.type)
                  for s in spans_of(tags, scheme))  # fmt: skip
    return Example(text, spans=spans, words=() if characters else words, place=place)


def _spans(value: dict[str, Any], place: str, problems: Problems) -> Iterator[Span]:
    text = value["text"]
    if isinstance(value.get("label"), dict):
        for entity, kind, where in _by_type(value["label"]):
            for found in map(_place, where if isinstance(where, list) else [None]):
                if found is None or not _is_type(kind):
                    problems.add(BROKEN, "dropped", place, f"{kind} {entity}"[:_SHOWN], examples=0)
                else:
                    start, last = found
                    yield _verified(text, entity, start, last + 1, kind, place, problems)
        return
    for item in next((value[name] for name in LISTS if isinstance(value.get(name), list)), ()):
        span = _span(item)
        if span is None:
            problems.add(BROKEN, "dropped", place, str(item)[:_SHOWN], examples=0)
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            yield _verified(text, item["text"], span.start, span.end, span.type, place, problems)
        else:
            yield span


def _by_type(label: dict[str, Any]) -> Iterator[tuple[str, str, object]]:
    """Entity, type and places, as CLUENER has them."""
    for kind, entities in label.items():
        if isinstance(entities, dict):
            yield from ((entity, kind, where) for entity, where in entities.items())
        else:
            yield str(entities), kind, None


def _span(item: object) -> Span | None:
    """A stretch as it is written; None if it is not."""
    if isinstance(item, dict):
        kinds = item.get("labels")
        kind = item.get("type", item.get("label", kinds[0] if isinstance(kinds, list) and kinds
                                         else None))  # fmt: skip
        item = [item.get("start", item.get("start_offset")),
                item.get("end", item.get("end_offset")), kind]  # fmt: skip
    if not isinstance(item, list) or len(item) < 3 or not _is_type(item[2]):  # noqa: PLR2004
        return None
    place = _place(item[:2])
    return Span(*place, item[2]) if place else None


def _is_type(kind: object) -> bool:
    return isinstance(kind, str) and not is_blank(kind)


def _words(found: object, text: str, place: str, problems: Problems) -> tuple[tuple[int, int], ...]:
    """Where words stand, one after the other; () where nothing says so, or what cannot be."""
    if not isinstance(found, list) or all(isinstance(item, str) for item in found):
        return ()
    places, end = list[tuple[int, int]](), 0
    for item in found:
        word = _place(item)
        if word is None or not end <= word[0] < word[1] <= len(text):
            problems.add(MISPLACED, "dropped", place, str(item)[:_SHOWN], examples=0)
            return ()
        places.append(word)
        end = word[1]
    return tuple(places)


def _place(item: object) -> tuple[int, int] | None:
    """Two whole numbers; None where it is anything else."""
    if not isinstance(item, list) or len(item) != 2:  # noqa: PLR2004
        return None
    start, end = map(whole, item)
    return None if start is None or end is None or min(start, end) < 0 else (start, end)


def _verified(
    text: str, entity: str, start: int, end: int, kind: str, place: str, problems: Problems
) -> Span:
    """Where `entity` is: as its file says, or at the place nearest to it; of no length if not."""
    if text[start:end] == entity and end <= len(text):
        return Span(start, end, kind)
    found = nearest(text, entity, start)
    if found is None:
        return Span(start, start, f"{kind} {entity}")
    there = Span(found, found + len(entity), kind)
    problems.add(MOVED, "repaired", place,
                 f"{entity}: {start}–{end} → {there.start}–{there.end}")  # fmt: skip
    return there


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
