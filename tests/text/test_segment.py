"""Cases A-1 (user dictionary) and B-1 to B-5, and that our jieba is jieba."""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.errors import AppError
from lmstudio.text import jieba_tokenizer
from lmstudio.text.jieba_words import JiebaWords
from lmstudio.text.marks import characters_of
from lmstudio.text.segment import SegmentOptions, cut_sentence, segmenter
from lmstudio.text.userdict import UserWord, parse_dictionary, read_dictionary

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
B3_LINES = [
    "如何才能在下载和安装google app",
    "今天 天气  很好\u3000吧",
    "我用GPT-4和C++写了v2.0.1版，花费¥3,000.50！",
]
EVERY = [
    SegmentOptions(by=by, mode=mode, hmm=hmm)
    for by, mode, hmm in [
        ("characters", "accurate", True), ("whitespace", "accurate", True),
        ("jieba", "accurate", True), ("jieba", "accurate", False),
        ("jieba", "full", True), ("jieba", "search", True), ("jieba", "search", False),
    ]
]  # fmt: skip
TRICKY = st.text(
    "中国人民大学生活在北京天安门龘㐀𠮷〇々鿯あアー한①Ａ１aZbT恤卡拉OK019"
    " \u3000\t，。！…“”·、：;,.-+#&_%/()<>¥€é—😀",
    max_size=60,
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("jieba")


@pytest.fixture(scope="module")
def stock(cache):
    """jieba as shipped."""
    JiebaWords("accurate", True, [], cache)
    tokenizer = jieba_tokenizer.jieba().Tokenizer()
    tokenizer.tmp_dir = str(cache)
    return tokenizer


def words(cutter, text):
    return [text[start:end] for start, end in cutter.cut(text)]


def joined(options, dictionary, cache, text):
    return "|".join(words(segmenter(options, dictionary, cache=cache), text))


def visible(pieces):
    return [piece for piece in pieces if not piece.isspace()]


@pytest.mark.parametrize("options", EVERY, ids=str)
@pytest.mark.parametrize("text", [*B3_LINES, "😀我爱北京", "我爱💩💩💩👨\u200d👩\u200d👧"])
def test_case_b3_tokens_and_gaps_give_back_the_text(options, text, cache):
    spans = segmenter(options, cache=cache).cut(text)
    covered = set()
    for start, end in spans:
        assert text[start:end].strip() == text[start:end] != ""
        covered.update(range(start, end))
    assert {i for i in range(len(text)) if i not in covered} == {
        i for i, character in enumerate(text) if character.isspace()
    }
    if not options.overlapping:
        ends = [0, *(end for _, end in spans)]
        gaps = [text[a:b] for a, (b, _) in zip(ends, spans, strict=False)]
        assert all(not gap.strip() for gap in gaps)
        tokens = (text[start:end] for start, end in spans)
        rest = text[ends[-1] :]
        assert "".join(g + t for g, t in zip(gaps, tokens, strict=True)) + rest == text


def test_case_b4_characters_are_code_points(cache):
    text = "我爱💩💩💩👨\u200d👩\u200d👧"
    found = words(segmenter(SegmentOptions(), cache=cache), text)
    assert len(found) == 10 == characters_of(text)
    assert not any("\ud800" <= character <= "\udfff" for word in found for character in word)
    jieba = segmenter(SegmentOptions(by="jieba"), cache=cache)
    assert (3, 5) in jieba.cut("😀我爱北京")


def test_case_a1_user_dictionary_with_mark_and_crlf(cache):
    path = CASES / "a01_userdict_bom_crlf.txt"
    assert read_dictionary(path).words == (
        UserWord("打底裤", 10000), UserWord("打底衫", 10000, "n"),
        UserWord("Edu Trust认证", 2000), UserWord("云计算"),
    )  # fmt: skip
    options = SegmentOptions(by="jieba")
    assert joined(options, path, cache, "打底裤和打底衫") == "打底裤|和|打底衫"
    assert joined(options, None, cache, "打底裤和打底衫") == "打|底裤|和|打底|衫"


def test_case_b1_b2_words_across_marks_are_found(cache):
    path, options = CASES / "b_userdict_hard.txt", SegmentOptions(by="jieba")
    cut = joined(options, path, cache, "这个外国人叫弗里德里克·泰勒")
    assert cut == "这个|外国人|叫|弗里德里克·泰勒"
    cut = joined(options, path, cache, "我学C++17和CH125 Spacy")
    assert cut.split("|")[-3:] == ["C++17", "和", "CH125 Spacy"]
    assert "CH125 Spacy" not in joined(options, path, cache, "CH125 Spacyfoo").split("|")


def test_case_b2_a_bad_line_says_its_number(tmp_path):
    text = "甲乙 5\n丙丁 -3 n\n\n戊己 2.5\nNew York 7 nr\nice cream\n庚辛 0\n壬癸 nz\n"
    found = parse_dictionary(text)
    assert found.words == (
        UserWord("甲乙", 5), UserWord("New York", 7, "nr"), UserWord("ice cream"),
        UserWord("庚辛", 0), UserWord("壬癸", None, "nz"),
    )  # fmt: skip
    assert [warning.values["number"] for warning in found.warnings] == [2, 4]
    path = tmp_path / "gbk.txt"
    path.write_bytes("打底裤 3\r\n".encode("gb18030"))
    assert read_dictionary(path).words == (UserWord("打底裤", 3),)


def test_an_unreadable_dictionary_is_told(tmp_path, cache):
    with pytest.raises(AppError, match=r"none\.txt"):
        segmenter(SegmentOptions(by="jieba"), tmp_path / "none.txt", cache=cache)
    (tmp_path / "bad.txt").write_bytes(b"\xff\xff\xff")
    with pytest.raises(AppError, match="neither"):
        segmenter(SegmentOptions(by="jieba"), tmp_path / "bad.txt", cache=cache)


def test_a_word_of_frequency_zero_is_taken_away(cache):
    without = JiebaWords("accurate", False, [UserWord("天安门", 0), UserWord("a·b", 0)], cache)
    assert "天安门" not in words(without, "我爱北京天安门")
    assert words(without, "a·b") == ["a", "·", "b"]
    again = JiebaWords("accurate", False, [], cache)
    assert "天安门" in words(again, "我爱北京天安门")


def test_case_b5a_neither_cache_nor_temporary_folder_can_be_written(tmp_path, monkeypatch, capfd):
    (tmp_path / "file").touch()
    jieba_tokenizer.base_dictionary.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
        cutter = JiebaWords("accurate", True, [], tmp_path / "file" / "cache")
    jieba_tokenizer.base_dictionary.cache_clear()
    assert words(cutter, "我爱北京天安门") == ["我", "爱", "北京", "天安门"]
    assert capfd.readouterr() == ("", "")


def test_case_b5b_two_dictionaries_in_two_threads(cache):
    path, options, text = CASES / "a01_userdict_bom_crlf.txt", SegmentOptions(by="jieba"), "打底裤"

    def cut(dictionary):
        cutter = segmenter(options, dictionary, cache=cache)
        return {"|".join(words(cutter, text)) for _ in range(1000)}

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(cut, [path, None])) == [{"打底裤"}, {"打|底裤"}]


def test_case_b5c_a_word_taken_out_of_the_file_is_forgotten(tmp_path, cache):
    path, options = tmp_path / "words.txt", SegmentOptions(by="jieba")
    shutil.copyfile(CASES / "a01_userdict_bom_crlf.txt", path)
    assert joined(options, path, cache, "打底裤") == "打底裤"
    path.write_text("云计算\n", encoding="utf-8")
    assert joined(options, path, cache, "打底裤") == "打|底裤"


def test_the_dictionary_is_kept_in_our_cache_alone(cache, tmp_path, monkeypatch):
    jieba_tokenizer.base_dictionary.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path))
        JiebaWords("accurate", True, [], cache)
    assert [path.name for path in cache.iterdir()] == ["jieba.cache"]
    assert not list(tmp_path.iterdir())


def test_jieba_is_quiet_and_imported_late(tmp_path):
    script = (
        "import sys, logging, pathlib, lmstudio.text.segment as s\n"
        "assert 'jieba' not in sys.modules\n"
        "logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)\n"
        "s.segmenter(s.SegmentOptions(by='jieba'), cache=pathlib.Path(sys.argv[1])).cut('北京')\n"
        "assert logging.getLogger('lmstudio').isEnabledFor(logging.DEBUG)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "default", "-c", script, str(tmp_path)],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("", "")


@given(text=TRICKY)
def test_equals_jieba_on_any_text(text, stock, cache):
    for hmm in (True, False):
        want = visible(stock.cut(text, HMM=hmm))
        assert words(JiebaWords("accurate", hmm, [], cache), text) == want
        want = visible(stock.cut_for_search(text, HMM=hmm))
        assert words(JiebaWords("search", hmm, [], cache), text) == want


def test_a_near_tie_is_decided_as_jieba_does(stock, cache):
    """rjieba rounds here and finds 常在."""
    assert words(JiebaWords("accurate", True, [], cache), "常在他") == ["常", "在", "他"]
    assert list(stock.cut("常在他")) == ["常", "在", "他"]


@given(text=st.text("中国人民大学生活在北京清华，。！ \u3000T恤", max_size=40))
def test_full_mode_equals_jieba(text, stock, cache):
    want = [word for word in stock.cut(text, cut_all=True) if word.strip()]
    assert words(JiebaWords("full", True, [], cache), text) == want


@given(text=TRICKY)
def test_full_mode_covers_everything_visible(text, cache):
    covered = set()
    for start, end in JiebaWords("full", True, [], cache).cut(text):
        assert text[start:end].strip()
        covered.update(range(start, end))
    assert covered == {i for i, character in enumerate(text) if not character.isspace()}


@pytest.mark.slow
def test_equals_jieba_on_real_text(shared, stock, cache):
    fast = JiebaWords("accurate", True, [], cache)
    for name in ("luxun_dev.txt", "d2l_zh_prose.txt"):
        text = (shared / "data" / "lm" / name).read_text("utf-8")
        for line in text.split("\n"):
            assert words(fast, line) == visible(stock.cut(line))


def test_case_c8_marks_in_the_text(cache):
    for options in (SegmentOptions(), SegmentOptions(by="whitespace"), SegmentOptions(by="jieba")):
        text = "<s> 我 爱 <unk> </s>"
        spans = cut_sentence(segmenter(options, cache=cache), text)
        assert [text[start:end] for start, end in spans] == ["我", "爱", "<unk>"]
        assert characters_of(text) == 7


def test_a_very_long_sentence_is_cut_in_pieces(cache):
    checks = []
    cutter = segmenter(SegmentOptions(by="jieba"), cache=cache)
    text = "我爱北京天安门，" * 4000
    spans = cut_sentence(cutter, text, lambda: checks.append(1))
    assert len(checks) == 4
    assert spans == cutter.cut(text)
    text = "好" * 25_000
    assert "".join(text[a:b] for a, b in cut_sentence(cutter, text)) == text
