"""Words that are given stay what they are, and each character knows where it stood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.errors import AppError
from lmstudio.text.lines import Lines
from lmstudio.text.marked import conllu_documents, marked_format, tagged_lines, word_lines

WORDS = st.text("我爱北京，。/[]+aB1-'😀", min_size=1, max_size=4)
UNBRACKETED = st.text("我爱北京，。/+aB1-'😀", min_size=1, max_size=4)
TAGS = st.sampled_from(["n", "nr", "v", "w"])
SPACES = st.sampled_from([" ", "  ", "\t", "\u3000", " \u3000 "])


def lines_of(text):
    return list(Lines([text]))


def words_of(line):
    return [line.text[start:end] for start, end in line.words]


def original(line, index):
    """Where a character of the line stands in the file."""
    return index + [shift for start, shift in line.shifts if start <= index][-1]


def check_places(line, text):
    assert line.shifts[0][0] == 0
    for start, end in line.words:
        for index in range(start, end):
            assert text[original(line, index)] == line.text[index]


@given(st.lists(st.tuples(WORDS, SPACES), min_size=1, max_size=12))
def test_words_come_back_with_their_places(pairs):
    text = "".join(word + space for word, space in pairs)
    (line,) = word_lines(lines_of(text))
    assert words_of(line) == [word for word, _ in pairs]
    assert line.tags == ()
    check_places(line, text)


@given(st.lists(st.tuples(UNBRACKETED, SPACES, TAGS), min_size=1, max_size=12))
def test_tags_come_back_with_their_words(triples):
    text = "".join(f"{word}/{tag}{space}" for word, space, tag in triples)
    (line,) = tagged_lines(lines_of(text))
    assert words_of(line) == [word for word, _, _ in triples]
    assert line.tags == tuple(tag for *_, tag in triples)
    check_places(line, text)


def test_only_latin_words_keep_a_space():
    (line,) = word_lines(lines_of("我  用  GPT 4 和  hello , world  。"))
    assert line.text == "我用GPT 4和hello , world。"
    assert words_of(line) == ["我", "用", "GPT", "4", "和", "hello", ",", "world", "。"]


def test_brackets_and_slashes_of_the_peoples_daily():
    (line,) = tagged_lines(lines_of("[中国/ns  银行/n]nt  [/w  //w  １/m  bare  ]/w"))
    assert words_of(line) == ["中国", "银行", "[", "/", "１", "bare", "]"]
    assert line.tags == ("ns", "n", "w", "w", "m", "", "w")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("迈向/v  充满/v  希望/n\n中共中央/nt  总书记/n", "tagged"),
        ("我  爱  北京\n今天  天气  好", "words"),
        ("共同 创造 美好 的 新 世纪 —— 二○○一年 新年 贺词", "words"),
        ("# text = 我\n1\t我\t我\tX\t_\t_\t0\troot\t_\t_\n\n", "conllu"),
        ("统计语言模型需要很多语料。\n今天天气很好。", "text"),
        ("床前明月光 疑是地上霜\n举头望明月 低头思故乡", "text"),
        ("it is said and/or written", "text"),
        ("see a/b", "text"),
        ("李白\t诗\t9.2\n日本\t海\t8.9", "text"),
        ("第一章 开始\n他说：“好。”然后走了。\n", "text"),
        ("", "text"),
    ],
)
def test_what_stands_in_a_file_is_told_apart(text, kind):
    assert marked_format([line for _, line in lines_of(text)]) == kind


def conllu(*rows, comment=""):
    full = [
        f"{n}\t{form}\t_\t{tag}\t{xpos}\t_\t_\t_\t_\t{misc}" for n, form, tag, xpos, misc in rows
    ]
    return f"{comment}{chr(10).join(full)}\n\n"


def sentences(text):
    return [line for _, lines in conllu_documents(lines_of(text)) for line in lines]


def test_conllu_says_where_spaces_are():
    text = conllu(
        (1, "I", "PRON", "_", "_"), (2, "do", "AUX", "_", "SpaceAfter=No"),
        (3, "n't", "PART", "_", "X=y|SpaceAfter=No"), (4, ".", "PUNCT", "_", "_"),
    )  # fmt: skip
    (line,) = sentences(text)
    assert line.text == "I don't."
    assert line.tags == ("PRON", "AUX", "PART", "PUNCT")
    check_places(line, text)


def test_conllu_text_is_taken_where_it_fits():
    rows = [(1, "我", "PRON", "_", "_"), (2, "爱", "_", "VV", "_")]
    text = conllu(*rows, comment="# sent_id = 1\n# text = 我爱\n")
    (line,) = sentences(text)
    assert (line.text, words_of(line), line.tags) == ("我爱", ["我", "爱"], ("PRON", "VV"))
    assert line.shifts == ((0, text.index("我爱")),)
    (line,) = sentences(conllu(*rows, comment="# text = 你爱\n"))
    assert line.text == "我爱"


def test_conllu_ranges_are_one_word_and_empty_nodes_none():
    text = conllu(
        (1, "vue", "NOUN", "_", "_"), ("2-3", "du", "_", "_", "SpaceAfter=No"),
        (2, "de", "ADP", "_", "_"), (3, "le", "DET", "_", "_"), ("3.1", "x", "X", "_", "_"),
        (4, ".", "PUNCT", "_", "_"),
    )  # fmt: skip
    (line,) = sentences(text)
    assert (line.text, line.tags) == ("vue du.", ("NOUN", "ADP+DET", "PUNCT"))
    check_places(line, text)


def test_rows_that_are_none_are_named():
    with pytest.raises(AppError, match="This is no line of CoNLL-U: x"):
        sentences("x\ty\n")
