"""The text around a hit: exact where it is short, bounded where it is not."""

import pytest

from lmstudio.data.browse.hit_context import AROUND, HitContext, hit_context
from lmstudio.jobs import Job
from tests.data.corpus_files import write_corpus


@pytest.fixture
def context(tmp_path):
    """A text in, the context of a span of one of its lines out."""

    def read(text, line, start, end):
        corpus = write_corpus(tmp_path / "corpus", train=text.splitlines())
        return hit_context(corpus, line, start, end, job=Job())

    return read


def test_a_short_line_is_whole(context):
    text = "我爱北京。\n他爱𠮷野家。\n春天来了。\n"
    assert context(text, 1, 2, 5) == HitContext(
        "我爱北京。", "他爱", "𠮷野家", "。", "春天来了。", begins=True, ends=True
    )


def test_the_first_and_the_last_line(context):
    assert context("春天。\n", 0, 0, 3) == HitContext("", "", "春天。", "", "", True, True)


@pytest.mark.parametrize("start", [0, AROUND, AROUND + 1, 700_000])
def test_a_giant_line_is_cut_on_both_sides(context, start):
    """Characters of one to four bytes, so that a cut may fall inside one."""
    line = "a山𠮷é" * 200_000
    found = context(f"前。\n{line}\n", 1, start, start + 2)
    assert found.left == line[max(start - AROUND, 0) : start]
    assert found.hit == line[start : start + 2]
    assert found.right == line[start + 2 : start + 2 + AROUND]
    assert found.begins == (start <= AROUND)
    assert not found.ends


def test_a_giant_hit_is_cut(context):
    found = context("山" * 5000 + "\n", 0, 10, 4990)
    assert (len(found.left), len(found.hit), found.ends) == (10, 1000, False)


def test_long_neighbours_are_cut(context):
    found = context("山" * 900 + "水\n中\n" + "江" * 900 + "\n", 1, 0, 1)
    assert found.before == "山" * 199 + "水"
    assert found.after == "江" * 200
