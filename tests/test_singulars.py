"""English sentences with a count are said otherwise of one thing."""

import re
import string
from pathlib import Path

import polib
import pytest

from lmstudio import messages
from lmstudio.messages import Message, tr
from lmstudio.singulars import SINGULARS

FRAGMENTS = (Path(__file__).resolve().parents[1] / "resources/locale/zh_CN").glob("*.po")
SENTENCES = {entry.msgid for file in FRAGMENTS
             for entry in polib.pofile(str(file), encoding="utf-8")}  # fmt: skip
COUNTED = re.compile(r"\{count\} (?!of )(?:[a-z-]+ ){0,2}[a-z]+s\b")
NEVER_ONE = {
    "One name is given for {count} curves. Choose one of the columns.",
    "Only the first {count} tokens of the train part are counted here.",
    "The first line of {name} says {count} vectors of {size} numbers, which cannot be.",
    "The first {shown} of {count} columns are shown.",
    "The first {shown} of {count} words; --csv and --json have all.",
    "The name has {count} characters. At most {most} are allowed.",
    "The note has {count} characters. At most {most} are allowed.",
    "The vocabulary of this run has {count} words, and should have {known}. Get the file of the "
    "run again.",
    "There are {count} tags. At most {most} are allowed.",
    "While it was trained it was looked at by {count} tokens of the valid part. That is in the "
    "file, not in the settings.",
    "cos(a, b) = a·b / |a||b| with {count} words; one-hot: always 0",
    "{count} curves are too many at a time. Name columns, {most} at most.",
    "{count} pixels an inch",
    "{count} tokens/s",
    "{pages} of {count} pages hold no text that can be read, perhaps pictures of it.",
    "{path} holds {count} files of weights (.hdf5): choose the one that is meant.",
    "… and {count} more of this kind.",
}
"""Of a limit, of what is several, or of a rate; the last one has no plural."""


def places(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_one_is_said_without_a_plural():
    assert tr("{count} empty lines were skipped.", count=1) == "1 empty line was skipped."
    assert tr("{count} empty lines were skipped.", count="1") == "1 empty line was skipped."
    assert tr("{count} empty lines were skipped.", count=21) == "21 empty lines were skipped."
    assert str(Message("{count} words", {"count": 1})) == "1 word"


def test_chinese_has_one_form():
    messages.use("zh_CN")
    assert "1" in tr("{count} documents", count=1)
    assert "document" not in tr("{count} documents", count=1)


@pytest.mark.parametrize("sentence", SINGULARS)
def test_the_sentence_is_in_the_catalogue_and_fills_the_same_places(sentence):
    counts, of_one = SINGULARS[sentence]
    assert sentence in SENTENCES
    assert counts in places(sentence)
    assert places(of_one) <= places(sentence)


def test_every_count_of_things_is_said_of_one():
    missing = {s for s in SENTENCES if COUNTED.search(s)} - SINGULARS.keys() - NEVER_ONE
    assert not missing, "\n".join(sorted(missing))
