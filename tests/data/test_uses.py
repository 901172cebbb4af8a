"""Hits become occurrences in their sentences."""

import pytest

from lmstudio.data.browse.uses import Occurrence, occurrences_of, typed
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.data.corpus_files import write_corpus


def test_a_hit_stands_in_its_sentence(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["他走了。杜鹃在叫！真好。", "杜鹃"])
    found = occurrences_of(corpus, [(0, 4, 6), (1, 0, 2)], job=Job())
    assert found == [Occurrence("杜鹃在叫！", 0, 2, line=0), Occurrence("杜鹃", 0, 2, line=1)]


def test_a_very_long_sentence_is_cut_around_the_hit(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["字" * 5000 + "杜鹃" + "字" * 5000])
    found = occurrences_of(corpus, [(0, 5000, 5002)], job=Job())[0]
    assert found.text[found.start : found.end] == "杜鹃"
    assert 400 < len(found.text) < 1000


def test_every_place_of_a_word_that_was_typed():
    found = typed("a.", ["xa.a.", "ab", "", "a."])
    assert [(one.text, one.start, one.end) for one in found] == [
        ("xa.a.", 1, 3), ("xa.a.", 3, 5), ("a.", 0, 2)
    ]  # fmt: skip
    with pytest.raises(AppError, match="Character 2 of the text is half a character"):
        typed("a", ["a\ud800"])
