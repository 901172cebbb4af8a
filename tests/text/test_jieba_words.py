"""That our jieba is jieba, word for word, in every mode and with any user dictionary."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.text import jieba_tokenizer
from lmstudio.text.dictionary_pass import can_hold, latin_words
from lmstudio.text.jieba_tokenizer import base_dictionary, jieba, tokenizer
from lmstudio.text.jieba_words import JiebaWords
from lmstudio.text.joined_text import COMMA, JoinedText, shown_words
from lmstudio.text.userdict import UserWord
from tests.bench.bench_segment import MODES, differs, jieba_cut, sentences, user_words

USER = [
    UserWord("打底裤"), UserWord("人民大学生", 5000), UserWord("T恤衫", 3), UserWord("C++17"),
    UserWord("生活", 0), UserWord("云计算", 7, "n"), UserWord("1998年"), UserWord("北京", 9),
    UserWord("京天", 40_000),
]  # fmt: skip
TEXT = st.text(
    "中国人民大学生活在北京天安门打底裤云计算龘㐀𠮷〇々鿯あー한①Ａ１aZbCT恤衫卡拉OK+017年98"
    " \u3000\t\r\n，。！…“”·、：;,.-#&_%/()<>¥é—😀",
    max_size=40,
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("jieba")


@pytest.fixture(scope="module")
def cutters(cache):
    """(jieba's own way, ours) for each mode, without and with user words."""
    made = []
    for words in ([], USER):
        stock = tokenizer(words, cache)[0]
        made += [(jieba_cut(stock, *mode), JiebaWords(*mode, words, cache)) for mode in MODES]
    return made


@pytest.fixture
def forgotten():
    """jieba is told, as `del_word` tells it, not to make up a word again."""
    split = jieba().finalseg.Force_Split_Words
    split.add("生活")
    yield
    split.discard("生活")


@settings(max_examples=60)
@given(texts=st.lists(TEXT, max_size=4))
def test_any_texts_are_cut_as_jieba_cuts_them(texts, cutters):
    for theirs, ours in cutters[: len(MODES)]:
        spans = ours.cut_many(texts)
        assert not [t for t, s in zip(texts, spans, strict=True) if differs(t, theirs(t), s)]
        assert [ours.cut(text) for text in texts] == spans


def test_any_texts_are_cut_as_jieba_cuts_them_with_user_words(cutters, forgotten):
    @settings(max_examples=60)
    @given(text=TEXT)
    def check(text):
        for theirs, ours in cutters[len(MODES) :]:
            assert not differs(text, theirs(text), ours.cut(text))

    check()


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_without_rjieba_all_is_as_before(mode, cache, monkeypatch, cutters):
    texts = ["我在北京天安门买T恤，卡拉OK 3.5%。", "", "他来到了网易杭研大厦"]
    with_it = JiebaWords(*mode, [], cache).cut_many(texts)
    monkeypatch.setattr(jieba_tokenizer, "_stock_pass", lambda cache, kind: None)
    assert JiebaWords(*mode, [], cache).cut_many(texts) == with_it


def test_words_that_rjieba_would_treat_otherwise_are_left_to_jieba(cache):
    base, _ = base_dictionary(cache)
    assert can_hold({"云计算": 5, "生活": 0}, base)
    assert not can_hold({"生": 0}, base)
    assert not can_hold({"云计算": 2**60}, base)
    words = [UserWord("生", 0), UserWord("活", 2**60)]
    stock, none = tokenizer(words, cache)
    assert none is None
    ours = JiebaWords("accurate", False, words, cache)
    text = "他的生活"
    assert [text[a:b] for a, b in ours.cut(text)] == stock.lcut(text, HMM=False)


def test_a_word_taken_away_is_not_made_up_again(cache):
    """As jieba's `del_word`: 天安 is in no dictionary, and the model would make it of 天 and 安."""
    text = "罗玉凤"
    plain = JiebaWords("accurate", True, [], cache)
    assert plain.cut(text) == [(0, 3)]
    assert JiebaWords("accurate", True, [UserWord(text, 0)], cache).cut(text) == [
        (0, 1), (1, 2), (2, 3),
    ]  # fmt: skip


def test_stand_ins_are_in_no_word(cache):
    base, _ = base_dictionary(cache)
    stand_ins = shown_words(["".join(chr(c) for c in range(33, 127) if chr(c).isalnum())])[0]
    assert not set(stand_ins) & set("".join(base))
    assert "T恤" in latin_words(base)


def test_what_rjieba_sees_has_the_length_of_the_text():
    text = "我用GPT-4和C++写了v2.0版，花费¥3.50！\ud800𠮷あ\r\n"
    shown = JoinedText([text]).shown()
    assert len(shown) == len(text)
    assert shown.count(COMMA) == sum(c in "，¥！\ud800𠮷あ\r\n" for c in text)


def test_the_dictionary_has_the_same_sum_in_both(cache):
    """Near ties hang on the sum of all frequencies, which add_word counts otherwise."""
    stock, made = tokenizer([UserWord("北京", 9), UserWord("云计算", 7)], cache)
    text = "北京的云计算"
    assert made.cut(JoinedText([text])).tolist() == list(map(len, stock.cut(text, HMM=False)))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("count", [0, 300])
def test_real_sentences_are_cut_as_jieba_cuts_them(mode, count, shared, cache):
    texts = sentences(shared / "data" / "lm", 3000)
    words = user_words(texts, count)
    theirs = jieba_cut(tokenizer(words, cache)[0], *mode)
    spans = JiebaWords(*mode, words, cache).cut_many(texts)
    assert not [t for t, s in zip(texts, spans, strict=True) if differs(t, theirs(t), s)]
