"""Text files are read in whatever encoding they are, and as what they hold."""

import gzip

import pytest

from lmstudio.text.document import ReadOptions
from lmstudio.text.files import documents
from lmstudio.text.lines import Lines, is_blank
from lmstudio.text.read import DecodeError
from tests.text.files.reading import CASES, read, refusal, texts

CHINESE = "统计语言模型需要很多语料。\n" * 20


def lines_of(name):
    (text,) = texts(CASES / name)
    return [line for _, line in Lines([text])]


def test_a1_a_byte_order_mark_is_no_text():
    assert lines_of("a01_corpus_bom.txt") == ["我爱北京", "我爱上海"]


def test_a2_gbk_and_gb18030_are_found():
    assert lines_of("a02_gbk.txt") == ["统计语言模型需要语料。", "今天天气很好。"]
    first, second, _ = lines_of("a02_gb18030.txt")
    assert first == "朱镕基总理在𠮷林。"
    assert second.startswith("㐀㐁")
    assert "€" in second


@pytest.mark.parametrize("name", ["a03_utf16le_bom.txt", "a03_utf16be_bom.txt"])
def test_a3_notepads_unicode_is_utf16(name):
    assert lines_of(name) == ["记事本另存为“Unicode”。", "第二行，含😀。"]


def test_a4_lines_end_at_line_ends_only():
    lines = lines_of("a04_linebreaks.txt")
    assert lines == ["甲", "乙", "丙\u2028丙二", "丁\u0085丁二", "戊\x0c戊二", "", "己"]


@pytest.mark.parametrize("name", ["a05_empty.txt", "a05_bom_only.txt", "a05_blank.txt"])
def test_a5_nothing_usable_gives_no_line(name):
    assert all(is_blank(line) for line in lines_of(name))


def test_a8_a_name_with_spaces_and_marks_is_only_a_name(tmp_path):
    path = tmp_path / "语料 测试#1 100%25.txt"
    path.write_text("我爱北京", encoding="utf-8")
    (document,), _ = read(path)
    assert (document.name, document.chunks) == (path.name, "我爱北京")


def test_a_long_ascii_start_does_not_decide(tmp_path):
    for size in (1_000, 500_000):
        plain = "plain\n" * (size // 6)
        (tmp_path / "a.txt").write_bytes((plain + CHINESE).encode("gb18030"))
        assert texts(tmp_path / "a.txt") == [plain + CHINESE]
        (tmp_path / "a.txt.gz").write_bytes(gzip.compress((plain + CHINESE).encode("gb18030")))
        assert texts(tmp_path / "a.txt.gz") == [plain + CHINESE]


def test_rare_characters_widen_big5(tmp_path):
    text = "統計語言模型需要很多語料。\n" * 8000 + "碁銹裏墻恒粧嫺"  # the last are in cp950 alone
    (tmp_path / "a.txt").write_bytes(text.encode("cp950"))
    (document,), _ = read(tmp_path / "a.txt")
    assert (document.encoding, document.chunks) == ("cp950", text)


def test_a_wrong_byte_is_named_while_the_text_is_read(tmp_path):
    data = ("中" * 100_000).encode() + b"\xff"
    (tmp_path / "a.txt").write_bytes(data)
    for document in documents(tmp_path / "a.txt"):
        with pytest.raises(DecodeError, match="Byte 300000 is not utf-8"):
            list(document.chunks)


def test_a_chosen_encoding_is_kept_to(tmp_path):
    (tmp_path / "a.txt").write_bytes("我爱北京".encode("gb18030"))
    assert texts(tmp_path / "a.txt", encoding="gb18030") == ["我爱北京"]
    assert refusal(tmp_path / "a.txt", encoding="utf-8").startswith("Byte 0 is not utf-8")


def test_the_share_that_is_done_only_grows(tmp_path):
    (tmp_path / "a.txt").write_text(CHINESE * 500, encoding="utf-8")
    shares = []
    for document in documents(tmp_path / "a.txt", ReadOptions(), tick=shares.append):
        list(document.chunks)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 2


def test_words_with_spaces_are_known(tmp_path):
    (tmp_path / "a.txt").write_text("我  爱  北京  。\n\n今天  天气  好  。\n", encoding="utf-8")
    (document,), _ = read(tmp_path / "a.txt")
    assert document.format == "words"
    assert [line.text for line in document.marked] == ["我爱北京。", "今天天气好。"]
    (document,), _ = read(tmp_path / "a.txt", format="text")
    assert document.chunks.startswith("我  爱")


def test_each_newdoc_is_a_document(tmp_path):
    row = "{}\t{}\t_\tX\t_\t_\t0\troot\t_\t_\n"
    (tmp_path / "a.conllu").write_text(
        f"# newdoc id = 甲\n{row.format(1, '我')}\n{row.format(1, '你')}\n"
        f"# newdoc\n{row.format(1, '他')}\n",
        encoding="utf-8",
    )
    taken, _ = read(tmp_path / "a.conllu")
    assert [item.name for item in taken] == ["a.conllu 甲", "a.conllu #2"]
    assert [item.title for item in taken] == ["甲", ""]
    assert [[line.text for line in item.marked] for item in taken] == [["我", "你"], ["他"]]


def test_a_broken_row_refuses_its_document_alone(tmp_path):
    good = "1\t我\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 20
    (tmp_path / "a.conllu").write_text(
        f"# newdoc id = a\n{good}1 no row\n\n# newdoc id = b\n{good}", encoding="utf-8"
    )
    taken, refused = read(tmp_path / "a.conllu")
    assert [item.title for item in taken] == ["b"]
    assert refused == ["This is no line of CoNLL-U: 1 no row"]
