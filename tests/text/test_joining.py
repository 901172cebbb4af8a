"""Tokens written as a text: spaces in English, none in Chinese, pieces and bytes put together."""

import json

import pytest
from tokenizers.pre_tokenizers import ByteLevel

from lmstudio.text.joining import Joiner, joiner
from lmstudio.text.segment_options import SegmentOptions


def joined(kind, tokens, before=""):
    line = Joiner(kind, before)
    return "".join(line.add(token) for token in tokens)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["我们", "喜欢", "GPT-2", "和", "word", "embeddings", "。"],
         "我们喜欢GPT-2和word embeddings。"),
        (["The", "cat", ",", "a", "dog", "(", "black", ")", "sat", "."],
         "The cat, a dog (black) sat."),
        (["He", "said", '"', "no", '"', ".", "Yes", '"', "so", '"'], 'He said "no". Yes "so"'),
        (["it", "'s", "mine", ",", "is", "n't", "it", "?"], "it's mine, isn't it?"),
        (["他说", "：", "“", "好", "”", "，", "走", "了"], "他说：“好”，走了"),
        (["한국", "사람"], "한국 사람"),
        (["привет", ",", "мир"], "привет, мир"),
        (["ภาษา", "ไทย"], "ภาษาไทย"),
        (["的", "<unk>", "是"], "的<unk>是"),
    ],
)  # fmt: skip
def test_words(tokens, text):
    assert joined("words", tokens) == text


def test_a_text_goes_on_after_what_stands_before():
    assert joined("words", ["cat"], "the") == " cat"
    assert joined("words", ["cat"], "the ") == "cat"
    assert joined("words", ["cat"], 'say "') == "cat"
    assert joined("words", ["cat"], "") == "cat"
    assert joined("words", ["猫"], "the") == "猫"


def test_characters_stand_side_by_side():
    assert joined("characters", list("ab我")) == "ab我"


def test_pieces_of_words_come_together():
    tokens = ["the", "play", "##ing", "cat", "##s", "，", "北", "##京"]
    assert joined("pieces", tokens) == "the playing cats，北京"
    assert joined("spaced", ["▁the", "▁play", "ing", "▁cat"]) == "the playing cat"
    assert joined("ended", ["the</w>", "ca", "ts</w>", ",</w>", "too</w>"]) == "the cats, too"


def test_bytes_become_characters_when_the_last_is_there():
    text = "他说 hello 𠮷!"
    [(whole, _)] = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    line = Joiner("bytes")
    parts = [line.add(character) for character in whole]  # a byte each
    assert "".join(parts) == text
    assert parts[:3] == ["", "", "他"]
    assert Joiner("bytes").add("<unk> ") == "<unk> "


def test_a_copy_goes_on_by_itself():
    line = Joiner("bytes")
    line.add("ä")  # the first byte of 他
    other = line.copy()
    assert other.add("»ĸ") == "他"
    assert line.add("»ĸ") == "他"
    words = Joiner("words", "a")
    copy = words.copy()
    words.add("我")
    assert copy.add("b") == " b"


def test_the_kind_is_that_of_the_segmentation(tmp_path):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("[UNK]\na\n##b\n", encoding="utf-8")
    assert joiner(SegmentOptions(by="wordpiece"), vocabulary).add("##b") == "b"
    rules = {"model": {}, "pre_tokenizer": {"type": "ByteLevel"}}
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(rules), encoding="utf-8")
    assert joiner(SegmentOptions(by="byte-bpe"), file).add("Ġa") == " a"
    assert joiner(SegmentOptions(by="characters"), None, "a").add("b") == "b"
    assert joiner(SegmentOptions(by="jieba"), None, "a").add("b") == " b"


def test_a_new_line_wants_no_space():
    line = Joiner("words", "a")
    assert line.end_line() == "\n"
    assert line.add("b") == "b"
