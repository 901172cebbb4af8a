"""The lottery of blanks on a typed sentence, and pairs of stretches: what BERT learns from."""

from collections import Counter

import pytest

from lmstudio.analysis.fill.lottery import lottery
from lmstudio.analysis.fill.sentence_pair import sentence_pair
from lmstudio.analysis.fill.words import units
from lmstudio.data.encode import encode, plan_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from tests.models.ngram.texts import write_corpus

LINES = ["我爱北京天安门。", "天安门上太阳升。", "他用帕子替他拭了。", "宝玉听了，不觉滴下泪来。"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    write_corpus(folder / "corpora" / "1", train=LINES * 30)
    options = SegmentOptions(by="characters", sentences="line")
    plan = plan_of(folder / "none", options, folder)
    encode(folder / "corpora" / "1", folder / "cut", plan, spelling=None, job=Job())
    return folder / "cut", plan


def test_case_h1_a_whole_word_can_be_chosen(made):
    found = units(*made, "我爱 北京", job=Job())
    assert [found.text[a:b] for a, b in found.tokens] == ["我", "爱", "北", "京"]
    assert [found.text[a:b] for a, b in found.words] == ["我", "爱", "北京"]


def test_fifteen_percent_are_chosen_of_which_most_are_hidden(made):
    text, fates = "我爱北京天安门，天安门上太阳升。", Counter()
    for seed in range(600):
        drawn = lottery(*made, text, seed, job=Job())
        assert "".join(token.text for token in drawn.tokens) == text
        assert drawn.chosen == 3  # of 16 and two marks
        for token in drawn.tokens:
            if token.fate in ("open", "kept"):
                assert token.shown == token.text
            if token.fate == "masked":
                assert token.shown == "[MASK]"
        fates.update(token.fate for token in drawn.tokens)
    chosen = fates["masked"] + fates["random"] + fates["kept"]
    assert fates["masked"] / chosen == pytest.approx(0.8, abs=0.04)
    assert fates["random"] / chosen == pytest.approx(0.1, abs=0.03)
    assert lottery(*made, text, 1, job=Job()) == lottery(*made, text, 1, job=Job())


def test_whole_words_are_chosen_together(made):
    for seed in range(40):
        drawn = lottery(*made, "我爱北京", seed, whole_words=True, share=0.3, job=Job())
        north, capital = drawn.tokens[2:]
        assert (north.fate == "open") == (capital.fate == "open")


def test_a_text_without_tokens_has_no_lot(made):
    with pytest.raises(AppError, match="no token"):
        lottery(*made, " ", 1, job=Job())


def test_half_of_the_pairs_follow_each_other(made):
    drawn = [sentence_pair(made[0], seed, job=Job()) for seed in range(60)]
    assert 0.3 < sum(pair.follows for pair in drawn) / 60 < 0.7
    whole = "".join(LINES * 30)
    for pair in drawn:
        first, second = pair.first.replace(" ", ""), pair.second.replace(" ", "")
        assert first in whole and second in whole  # noqa: PT018
        assert "only one document" in str(pair.notice)
