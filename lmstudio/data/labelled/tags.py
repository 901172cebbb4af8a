"""Tags of tokens and the spans that they write, in the schemes that circulate.

    scheme   a span of three tokens   of one   where it is known from
    BIO      B-X I-X I-X              B-X      IOB2; CoNLL-2002
    IOB1     I-X I-X I-X              I-X      CoNLL-2003; B-X only right after a span of the type
    BIOES    B-X I-X E-X              S-X      BILOU, with L and U, is the same
    BMES     B-X M-X E-X              S-X      Chinese; without types for words alone
    plain    X   X   X                X        each token has a tag of its own, as parts of speech

Spans here are over numbers of tokens. Sequences that a scheme does not allow are read as conlleval
reads them (Tjong Kim Sang and Buchholz 2000): a span begins wherever the type changes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lmstudio.data.labelled.example import Span

SCHEMES = ("BIO", "IOB1", "BIOES", "BMES", "plain")
OUTSIDE = "O"

_TAG = re.compile(r"(?P<place>[BIMESLU])(?:[-_](?P<type>.*\S.*))?")
_SAME = {"M": "I", "L": "E", "U": "S"}  # other letters for the same place in a span
_RARE = 10  # times: IOB1 has next to no B- where a span begins after another type; nor are faults
_ENDS = "ES"


def parted(tag: str) -> tuple[str, str]:
    """The place in a span, one of O B I E S, and the type: "M-PER" is ("I", "PER").

    What is no such tag is ("", tag).
    """
    if tag == OUTSIDE:
        return OUTSIDE, ""
    found = _TAG.fullmatch(tag)
    if not found:
        return "", tag
    place = found["place"]
    return _SAME.get(place, place), found["type"] or ""


def is_tag(tag: str) -> bool:
    """Written as in one of the schemes with places: O, B-PER, S."""
    return parted(tag)[0] != ""


def scheme_of(sequences: Iterable[Sequence[str]]) -> str:
    """The scheme that sequences of tags are written in, one of SCHEMES.

    Some tags may be none of it: it is "plain" where most are so, but for O.
    """
    letters, foreign, placed = set[str](), 0, 0
    begun = {"B": 0, "I": 0}
    for tags in sequences:
        before = (OUTSIDE, "")
        for tag in tags:
            place, kind = here = parted(tag)
            if place:
                letters.add(tag[0])
            foreign, placed = foreign + (not place), placed + (place not in ("", OUTSIDE))
            if place in begun and (before[0] == OUTSIDE or before[1] != kind):
                begun[place] += 1
            before = here
    if foreign > placed:
        return "plain"
    if "M" in letters:
        return "BMES"
    if letters & set("ESLU"):
        return "BIOES"
    return "IOB1" if begun["I"] > _RARE * begun["B"] else "BIO"


def are_of_tokens(tags: Sequence[str]) -> bool:
    """Tags of tokens one after the other, no classes that look like such: spans go on in them."""
    parts = [parted(tag) for tag in tags]
    going_on = sum(here[0] in ("I", "E") and before[0] in ("B", "I") and here[1] == before[1]
                   for before, here in pairwise(parts))  # fmt: skip
    return going_on > _RARE * sum(1 for _ in illegal(tags, scheme_of([tags])))


def spans_of(tags: Sequence[str], scheme: str) -> list[Span]:
    """The spans that tags write, over numbers of tokens, in order."""
    if scheme == "plain":
        return [Span(n, n + 1, tag) for n, tag in enumerate(tags) if tag != OUTSIDE]
    spans, start = list[Span](), 0
    before = (OUTSIDE, "")
    for number, tag in enumerate([*tags, OUTSIDE]):
        here = parted(tag)
        if before[0] != OUTSIDE and _begins_anew(before, here):
            spans.append(Span(start, number, before[1]))
            start = number
        elif before[0] == OUTSIDE:
            start = number
        before = here
    return spans


def _begins_anew(before: tuple[str, str], here: tuple[str, str]) -> bool:
    """Whether the span that `before` is in ends before `here`."""
    return here[0] in ("O", "B", "S") or before[0] in _ENDS or before[1] != here[1]


def strict_spans(tags: Sequence[str], scheme: str) -> list[Span]:
    """The spans that tags write as the scheme wants it, over numbers of tokens."""
    if scheme in ("plain", "IOB1"):  # neither has tags that write no span
        return spans_of(tags, scheme)
    parts = [*map(parted, tags), (OUTSIDE, "")]
    closed, found, start = scheme != "BIO", list[Span](), 0
    while start < len(tags):
        place, kind = parts[start]
        end = start + 1
        if place == "B":
            while parts[end] == ("I", kind):
                end += 1
            if closed and parts[end] == ("E", kind):
                end += 1
            if not closed or parts[end - 1] == ("E", kind):
                found.append(Span(start, end, kind))
        elif place == "S" and closed:
            found.append(Span(start, end, kind))
        start = end
    return found


def tags_of(spans: Iterable[Span], n: int, scheme: str) -> list[str]:
    """The tags of `n` tokens that write spans of them which do not overlap."""
    tags = [OUTSIDE] * n
    for span in spans:
        before = tags[span.start - 1] if span.start else OUTSIDE
        written = _written(span.end - span.start, scheme, before, span.type)
        tags[span.start : span.end] = [_joined(place, span.type) for place in written]
    return tags


def _written(size: int, scheme: str, before: str, kind: str) -> str:
    """The letters of a span of `kind` after the tag `before`."""
    if scheme == "plain":
        return " " * size
    if scheme in ("BIOES", "BMES"):
        middle = "I" if scheme == "BIOES" else "M"
        return "S" if size == 1 else "B" + middle * (size - 2) + "E"
    touches = before != OUTSIDE and parted(before)[1] == kind
    first = "B" if scheme == "BIO" or touches else "I"
    return first + "I" * (size - 1)


def _joined(place: str, kind: str) -> str:
    return f"{place}-{kind}" if place.strip() and kind else kind or place


def tag_names(types: Iterable[str], scheme: str) -> list[str]:
    """All tags that spans of these types can have, O first, then type by type."""
    letters = {"BIO": "BI", "IOB1": "IB", "BIOES": "BIES", "BMES": "BMES", "plain": " "}[scheme]
    return [OUTSIDE, *(_joined(letter, kind) for kind in types for letter in letters)]


def illegal(tags: Sequence[str], scheme: str) -> Iterator[tuple[int, str]]:
    """Places where tags break the scheme: the number of the token, and "B-LOC → I-ORG".

    An end that does not come is told at the token after it, or after the last.
    """
    if scheme == "plain":
        return
    before, last = (OUTSIDE, ""), ""
    for number, tag in enumerate([*tags, ""]):
        here = parted(tag) if tag else (OUTSIDE, "")
        if here[0] == "" or not _may_follow(before, here, scheme):
            yield number, f"{last} → {tag}".strip()
        before, last = here, tag


def _may_follow(before: tuple[str, str], here: tuple[str, str], scheme: str) -> bool:
    goes_on = here[0] in ("I", "E") and here[1] == before[1]
    if scheme == "IOB1":
        return here[0] != "B" or (before[0] != OUTSIDE and before[1] == here[1])
    inside = before[0] in ("B", "I")
    if scheme == "BIO":
        return here[0] != "I" or (inside and goes_on)
    return goes_on if inside else here[0] not in ("I", "E")
