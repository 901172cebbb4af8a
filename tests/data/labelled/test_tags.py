"""Tags to spans and back, in every scheme; what breaks a scheme is found."""

import pytest

from lmstudio.data.labelled.example import Span
from lmstudio.data.labelled.tags import illegal, parted, scheme_of, spans_of, tag_names, tags_of

SPANS = [Span(0, 3, "PER"), Span(3, 4, "PER"), Span(5, 7, "LOC")]
WRITTEN = {
    "BIO": "B-PER I-PER I-PER B-PER O B-LOC I-LOC",
    "IOB1": "I-PER I-PER I-PER B-PER O I-LOC I-LOC",
    "BIOES": "B-PER I-PER E-PER S-PER O B-LOC E-LOC",
    "BMES": "B-PER M-PER E-PER S-PER O B-LOC E-LOC",
}


@pytest.mark.parametrize("scheme", WRITTEN)
def test_spans_are_written_and_read(scheme):
    tags = WRITTEN[scheme].split()
    assert tags_of(SPANS, 7, scheme) == tags
    assert spans_of(tags, scheme) == SPANS
    assert not list(illegal(tags, scheme))
    assert set(tags) <= set(tag_names(["PER", "LOC"], scheme))


@pytest.mark.parametrize("scheme", ["BIO", "BIOES", "BMES"])
def test_scheme_is_recognised(scheme):
    assert scheme_of([WRITTEN[scheme].split()]) == scheme


def test_iob1_is_recognised_by_its_beginnings():
    assert scheme_of([["I-PER", "O"]] * 11 + [["I-PER", "B-PER"]]) == "IOB1"


def test_words_without_types():
    assert spans_of(["B", "E", "S", "B", "M", "E"], "BMES") == [Span(0, 2), Span(2, 3), Span(3, 6)]


def test_parts_of_speech_are_plain():
    assert scheme_of([["n", "v"]]) == "plain"
    assert spans_of(["n", "v"], "plain") == [Span(0, 1, "n"), Span(1, 2, "v")]


def test_what_breaks_a_scheme():
    assert list(illegal(["I-PER", "I-PER", "O", "B-LOC", "I-ORG"], "BIO")) == [
        (0, "→ I-PER"), (4, "B-LOC → I-ORG"),
    ]  # fmt: skip
    assert list(illegal(["B-X", "O"], "BIOES")) == [(1, "B-X → O")]
    assert list(illegal(["B-X"], "BMES")) == [(1, "B-X →")]


@pytest.mark.parametrize("tag", ["B-", "I- ", "S_\u3000"], ids=ascii)
def test_a_place_with_a_type_of_nothing_is_no_tag(tag):
    assert parted(tag) == ("", tag)
