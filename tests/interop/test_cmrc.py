"""The rule of CMRC cuts what is not Chinese as the tokenizer of NLTK does: the same scores."""

import random
import re

import pytest

from lmstudio.analysis.tasks.scores.answers import CMRC_PUNCTUATION, cmrc_rule, longest_run

words = pytest.importorskip("nltk.tokenize.destructive")

PIECES = ["北", "京", "，", "-", "a", "B", "12", " ", "《", "ab ", "é", "カ", "😀", "...", "%", "(",
          ")", "1,000", "3.5", "U.S.", ". ", ", ", "?", "—", "°", "«", "&", ";", "["]  # fmt: skip


def units(text):
    """Chinese characters, and the words of NLTK between them."""
    kept = "".join(one for one in text.lower().strip() if one not in CMRC_PUNCTUATION)
    cut = words.NLTKWordTokenizer().tokenize
    return [unit for part in re.split("([\u4e00-\u9fa5])", kept)
            for unit in (cut(part) if part.strip() else [])]  # fmt: skip


def f1(right, answer):
    one, other = units(right), units(answer)
    return 2 * longest_run(one, other) / (len(one) + len(other)) if one or other else 0


def test_answers_of_all_kinds_score_the_same():
    draw = random.Random(7)
    for _ in range(1500):
        right, answer = ("".join(draw.choices(PIECES, k=draw.randint(1, 8))) for _ in "ab")
        if draw.random() < 0.5:
            answer = right[draw.randint(0, 2) :]
        if right.strip() and answer.strip():
            assert cmrc_rule(right, answer)[1] == pytest.approx(f1(right, answer)), (right, answer)


@pytest.mark.parametrize(
    "text", ["Henry A. Walsh", "28至32℃（82至90°F）", "C♯、Visual Basic .NET与C++。"]
)
def test_real_answers_are_cut_the_same(text):
    for at in range(1, len(text)):
        assert cmrc_rule(text, text[at:])[1] == pytest.approx(f1(text, text[at:]))
