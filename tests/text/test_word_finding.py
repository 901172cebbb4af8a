"""Strings that hold together and are free outside are suggested, with figures worked by hand."""

import math
import random

import pytest

from lmstudio.text.word_finding import LONGEST, find_words

OTHERS = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"


def found(text, known=(), limit=100):
    return {word.word: word for word in find_words(text, known, limit, lambda length: None)}


def made_text(word: str, times: int) -> str:
    rng = random.Random(1)
    around = ("".join(rng.choices(OTHERS, k=12)) for _ in range(times))
    return "".join(f"{some[:6]}{word}{some[6:]}\n" for some in around)


def test_a_word_between_anything_is_found_and_its_parts_are_not():
    words = found(made_text("贾宝玉", 60))
    assert "贾宝玉" in words
    assert "贾宝" not in words  # always before 玉
    assert "宝玉" not in words


def test_figures_by_hand():
    """东西 stands 8 times among 80 characters, 东 and 西 nowhere else, each neighbour another."""
    others = [chr(ord("人") + i) for i in range(64)]
    text = "".join("".join(others[i : i + 8]) + "东西" for i in range(0, 64, 8)) + "\n"
    (only,) = found(text).values()
    assert (only.word, only.count) == ("东西", 8)
    assert only.pmi == pytest.approx(math.log2(8 * 80 / (8 * 8)))
    assert only.left_entropy == only.right_entropy == pytest.approx(3)


def test_known_words_and_marks_are_left_out():
    text = made_text("贾宝玉", 60)
    assert "贾宝玉" not in found(text, known={"贾宝玉"})
    assert "贾宝玉" not in found(text.replace("宝", "，"))
    assert not [word for word in found(text.replace("宝", "，")) if "，" in word]


def test_the_best_come_first_and_no_more_than_asked():
    text = made_text("贾宝玉", 60) + made_text("林黛玉", 60)
    steps = []
    words = find_words(text, (), 1, steps.append)
    assert len(words) == 1
    assert steps == list(range(2, LONGEST + 1))
    every = find_words(text, (), 100, lambda length: None)
    assert [word.score for word in every] == sorted((w.score for w in every), reverse=True)


@pytest.mark.parametrize("text", ["", "，。", "abc", "好", "\n\n"])
def test_texts_without_words(text):
    assert found(text) == {}
