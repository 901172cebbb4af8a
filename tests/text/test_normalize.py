"""Every step changes what it says and nothing else, and every character keeps its place."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.options import faults, options_of
from lmstudio.text import unicode_form
from lmstudio.text.alignment import composed, edited, moved
from lmstudio.text.normalize import NormaliseOptions, Normalizer
from lmstudio.text.unicode_form import form_edits

TRICKY = (
    "aZ字漢語後裏 \t\u3000é\u0301e\u0327가각\u1100\u1161\u11a8ﾊﾞが\u3099㎞①ﬁ，！Ａ９İΣß😀"
    "\u200d\u200b\ufeff7"
)
LINES = st.text(
    alphabet=st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs"]))
)
OPTIONS = st.builds(
    NormaliseOptions,
    **{name: st.sampled_from(entry.choices or (False, True))
       for name, (_, entry) in options_of(NormaliseOptions).items()},
)  # fmt: skip


def origins(size, shifts):
    """For each of `size` characters its place in the old text."""
    found, shift, pairs = [], 0, dict(shifts)
    for character in range(size):
        shift = pairs.get(character, shift)
        found.append(character + shift)
    return found


def changed(text, **options):
    return Normalizer(NormaliseOptions(**options)).apply(text)[0]


@given(LINES, OPTIONS)
@settings(max_examples=300)
def test_places_are_in_the_text_and_never_go_back(text, options):
    new, shifts = Normalizer(options).apply(text)
    places = origins(len(new), shifts)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
    untouched = set(text) - {c for c in text if Normalizer(options).apply(c)[0] != c}
    for character, place in zip(new, places, strict=True):
        if text.isascii() and text[place] in untouched:
            assert text[place] == character


@given(LINES, st.sampled_from(["NFC", "NFKC"]))
@settings(max_examples=300)
def test_a_form_is_that_of_unicode(text, form):
    assert changed(text, form=form) == unicodedata.normalize(form, text)


def is_changed(code, form):
    return not unicodedata.is_normalized(form, chr(code)) or unicodedata.combining(chr(code))


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_every_character_and_every_pair_with_a_mark_is_normalised(form):
    step = form_edits(form)
    inside = {code for block in unicode_form._BLOCKS for code in block}
    others = set(range(0x110000)) - inside - set(range(0xD800, 0xE000))
    codes = sorted(inside | {code for code in others if is_changed(code, form)})
    assert set(codes) == inside  # all others stay as they are
    for start in range(0, len(codes), 1000):
        text = "".join(f"か{chr(code)}\u3099" for code in codes[start : start + 1000])
        assert edited(text, step(text))[0] == unicodedata.normalize(form, text)


@given(LINES)
def test_lower_case_is_that_of_python(text):
    assert changed(text, lower=True) == text.lower()


@given(st.data(), st.text(alphabet="abcd", max_size=12))
def test_two_steps_lead_back_like_one_after_the_other(data, text):
    def some_edits(size):
        cuts = sorted(data.draw(st.sets(st.integers(0, size), max_size=8)))
        new = st.text(alphabet="xyz", max_size=3)
        return [(*span, data.draw(new)) for span in zip(cuts[::2], cuts[1::2], strict=False)]

    middle, first = edited(text, some_edits(len(text)))
    last, second = edited(middle, some_edits(len(middle)))
    through = origins(len(middle), first)
    expected = [through[place] for place in origins(len(last), second)]
    assert origins(len(last), composed(first, second)) == expected


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        ({"form": "NFC"}, "e\u0301té ①", "été ①"),
        ({"form": "NFKC"}, "㎞①ﬁ，ｶﾞ", "km1fi,ガ"),
        ({"width": "half"}, "ＡＢ１２，％！\u3000。", "AB12，%！ 。"),
        ({"script": "simplified"}, "漢語與頭髮、乾燥之後", "汉语与头发、干燥之后"),
        ({"script": "traditional"}, "头发发展", "頭髮發展"),
        ({"digits": "class"}, "1998年３月", "0000年0月"),
        ({"lower": True}, "ABCé Ｄ", "abcé ｄ"),
        ({"spaces": "collapse"}, "\u3000 我 \t 你\u3000他 ", "我 你 他"),
        ({"spaces": "remove"}, "我 你\u3000a b", "我你ab"),
        (
            {"invisible": True},
            "\ufeff我\u200b你\x07\xad👨\u200d👩 a\u200db\t",
            "我你👨\u200d👩 ab\t",
        ),
    ],
)
def test_what_a_step_does(options, before, after):
    assert changed(before, **options) == after
    assert changed(before) == before


def test_it_counts_what_each_step_changed():
    normalizer = Normalizer(NormaliseOptions(lower=True, spaces="remove", script="simplified"))
    normalizer.apply("AbC 漢字")
    normalizer.apply("D")
    facts = normalizer.facts()
    assert {name: fact["changed"] for name, fact in facts.items()} == {
        "script": 1, "lower": 3, "spaces": 1,
    }  # fmt: skip
    assert facts["script"]["version"].startswith("OpenCC 1.")
    assert not Normalizer(NormaliseOptions())
    assert not faults(NormaliseOptions())


def test_words_are_carried_along():
    text = "Ａ 一㎞\u200b好"
    new, shifts = Normalizer(NormaliseOptions(form="NFKC", spaces="remove", invisible=True)).apply(
        text
    )
    assert new == "A一km好"
    spans = moved([(0, 1), (1, 2), (2, 4), (4, 5), (5, 6)], shifts, len(new)).tolist()
    assert spans == [[0, 1], [1, 1], [1, 4], [4, 4], [4, 5]]
