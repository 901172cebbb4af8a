"""Measures of association against figures that were published, and against plain loops."""

import math

import numpy as np
import pytest

from lmstudio.data.browse.association import (
    dice,
    log_likelihood,
    log_ratio,
    mutual_information,
    t_score,
)
from lmstudio.data.browse.collocations import Window, collocations
from lmstudio.data.browse.keyness import keyness
from lmstudio.data.browse.search import Query
from lmstudio.data.browse.words import WordFilter
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.data.word_files import write_words

NEWSWIRE = np.float64(14_307_668)
"""Words in the text of Manning and Schütze, "Foundations of Statistical NLP" (1999), chapter 5."""


def counts(*numbers):
    return [np.array([float(number)]) for number in numbers]


def test_t_score_of_new_companies():
    o11, r, c = counts(8, 15828, 4675)
    assert t_score(o11, r, c, NEWSWIRE)[0] == pytest.approx(0.999932, abs=1e-6)


def test_mutual_information_of_ayatollah_ruhollah():
    o11, r, c = counts(20, 42, 20)
    assert mutual_information(o11, r, c, NEWSWIRE)[0] == pytest.approx(18.38, abs=0.005)


@pytest.mark.parametrize(("o11", "r", "c", "published"), [
    (150, 12593, 932, 1291.42), (13, 932, 3424, 80.39), (6, 932, 291, 57.27)
])  # fmt: skip
def test_log_likelihood_of_words_with_powerful(o11, r, c, published):
    """The book's figures to three digits; "most powerful" is 1291.319 by its own formula."""
    o11, r, c = counts(o11, r, c)
    assert log_likelihood(o11, r, c, NEWSWIRE)[0] == pytest.approx(published, rel=1e-3)


def test_log_likelihood_is_symmetric_and_has_a_sign():
    tables = [[0, 1, 5, 10], [10, 10, 10, 10], [20, 20, 20, 10], [40, 40, 40, 20]]
    o11, r, c, n = np.array(tables, float)
    values = log_likelihood(o11, r, c, n)
    assert values == pytest.approx(log_likelihood(o11, c, r, n))
    assert values[2] == pytest.approx(0)  # as expected
    assert (values[0] < values[1] < 0, values[3] > 0) == (True, True)
    assert values[3] == pytest.approx(2 * 20 * math.log(2))  # each tells the other: 20 bits


def test_dice_and_log_ratio():
    assert dice(*counts(3, 4, 8)) == pytest.approx(0.5)
    assert log_ratio(*counts(8, 1), 100, 100) == pytest.approx(3)
    assert log_ratio(*counts(4, 0), 100, 100) == pytest.approx(3)  # 0 is taken for a half
    assert log_ratio(*counts(0, 0), 100, 100) == pytest.approx(0)


@pytest.fixture
def text(tmp_path):
    rng = np.random.default_rng(7)
    lines = [list(rng.choice(list("甲乙丙丁戊己"), rng.integers(1, 12))) for _ in range(60)]
    return write_words(tmp_path / "text", train=lines[:40], valid=lines[40:50], test=lines[50:])


def lines_of(text):
    return [list(line) for line in (text.corpus / "text.utf8").read_text("utf-8").split()]


def collocates(text, node="甲", left=2, right=1, **how):
    query = Query(node, "word")
    return collocations(
        text.corpus, text.segmentation, query, Window(left, right), job=Job(), **how
    )


def test_collocates_are_those_of_a_plain_loop(text):
    near, sides, total = {}, {}, {}
    for line in lines_of(text):
        for place, word in enumerate(line):
            if word == "甲":
                continue
            total[word] = total.get(word, 0) + 1
            after = "甲" in line[max(0, place - 1) : place]  # the node is to its left
            before = "甲" in line[place + 1 : place + 3]
            near[word] = near.get(word, 0) + (before or after)
            side = sides.setdefault(word, [0, 0])
            side[0] += before
            side[1] += after
    found = collocates(text)
    assert (found.tokens, found.near_tokens) == (sum(total.values()), sum(near.values()))
    for row in found.records():
        word = row["word"]
        assert (row["near"], row["count"]) == (near[word], total[word])
        assert [row["left"], row["right"]] == sides[word]
        expected = found.near_tokens * total[word] / found.tokens
        assert row["mutual_information"] == pytest.approx(math.log2(near[word] / expected))
    assert list(found.log_likelihood) == sorted(found.log_likelihood, reverse=True)


def test_a_node_of_several_words_has_neighbours_outside(text):
    lines = lines_of(text)
    found = collocates(text, "甲 乙", left=0, right=1)
    pairs = ["".join(line)[i : i + 3] for line in lines for i in range(len(line))]
    following = [pair[2] for pair in pairs if pair.startswith("甲乙") and len(pair) == 3]
    assert found.nodes == sum(pair.startswith("甲乙") for pair in pairs)
    assert {row["word"]: row["right"] for row in found.records() if row["word"] != "甲"} == {
        word: following.count(word) for word in set(following) - {"甲"}
    }


def test_what_is_left_out_still_counts(text):
    everything = collocates(text)
    found = collocates(text, shown=WordFilter(frozenset("乙丙")), min_count=2)
    assert set(found.word) == set(everything.word) - set("乙丙")
    assert found.near_tokens == everything.near_tokens


@pytest.mark.parametrize(("how", "sentence"), [
    ({"node": "龙"}, "龙 is not in this text"), ({"left": 0, "right": 0}, "A window has"),
    ({"left": -1}, "A window has"), ({"right": 51}, "A window has"),
])  # fmt: skip
def test_collocations_that_cannot_be(text, how, sentence):
    with pytest.raises(AppError, match=sentence):
        collocates(text, **how)


def test_keyness_has_the_typical_first_and_the_untypical_last(tmp_path):
    a = write_words(tmp_path / "a", train=[["龙"] * 8 + ["的"] * 10 + ["一"] * 2])
    b = write_words(tmp_path / "b", train=[["虎"] * 6 + ["的"] * 10 + ["一"] * 4])
    found = keyness((a.corpus, a.segmentation), (b.corpus, b.segmentation), job=Job())
    assert found.word == ["龙", "的", "一", "虎"]
    assert (found.tokens, found.reference_tokens) == (20, 20)
    assert found.count.tolist() == [8, 10, 2, 0]
    assert found.reference.tolist() == [0, 10, 4, 6]
    wanted = 2 * (8 * math.log(8 / 4) + 12 * math.log(12 / 16) + 20 * math.log(20 / 16))
    assert found.log_likelihood[0] == pytest.approx(wanted)
    assert found.log_likelihood[1] == pytest.approx(0)
    assert found.log_likelihood[3] < found.log_likelihood[2] < 0
    assert found.log_ratio == pytest.approx([4, 0, -1, math.log2(0.5 / 6)])
    assert found.per_million[0] == pytest.approx(400_000)
    rare = keyness((a.corpus, a.segmentation), (b.corpus, b.segmentation), min_count=7, job=Job())
    assert rare.word == ["龙", "的"]
