"""Encodings are told apart by mark, by zero bytes, and by how familiar the characters are."""

import gzip

import pytest

from lmstudio.errors import AppError
from lmstudio.text.encoding import guesses, known_encoding, utf8_fault

SIMPLIFIED = "统计语言模型需要很多语料。今天天气很好，我们去北京看书！"
TRADITIONAL = "統計語言模型需要很多語料。今天天氣很好，我們去臺北讀書！"
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
FRENCH = "Le café était très agréable, déjà vu. Où êtes-vous allé à Noël ? "


def found(data: bytes, *, whole: bool = True) -> str:
    best = guesses(data, whole=whole)
    return best[0].encoding if best else ""


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "gb18030"),
        (TRADITIONAL, "big5"),
        ("我爱北京", "gb18030"),
        ("我愛北京", "big5"),
        (SIMPLIFIED, "utf-16-le"),
        (SIMPLIFIED, "utf-16-be"),
        ("plain words\n", "utf-16-le"),
        ("plain words\n", "utf-16-be"),
        ("plain words\n", "utf-8"),
        (JAPANESE * 4, "cp932"),
        (JAPANESE * 4, "euc_jp"),
        (FRENCH * 4, "cp1252"),
    ],
)
def test_an_encoding_is_found(text, encoding):
    assert found(text.encode(encoding)) == encoding
    assert guesses(text.encode(encoding), whole=True)[0].text == text


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_a_byte_order_mark_decides(codec, encoding):
    best = guesses(SIMPLIFIED.encode(codec), whole=True)[0]
    assert (best.encoding, best.text) == (encoding, SIMPLIFIED)


def test_a_character_cut_at_the_end_of_a_sample_is_no_fault():
    data = SIMPLIFIED.encode()[:-1]
    assert found(data, whole=False) == "utf-8"
    assert found(data, whole=True) != "utf-8"


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (SIMPLIFIED.encode() * 40 + "\n书".encode()[:-1], len(SIMPLIFIED.encode()) * 40 + 1),
        ("统计\n语言".encode() + b"\xff" + "模型\n".encode(), 13),
        (FRENCH.encode() + b"\xe9.\n" + FRENCH.encode() * 3, len(FRENCH.encode())),
        (b"smile \xed\xa0\xbd\xed\xb8\x80!\n" * 9, 6),
    ],
)
def test_damaged_utf8_is_nothing_else(data, position):
    assert found(data) == ""
    assert utf8_fault(data) == position


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16-le", "utf-16-be"])
def test_other_text_is_no_damaged_utf8(encoding):
    assert utf8_fault("統計語言模型需要很多語料".encode(encoding)) is None


def test_windows_forms_of_big5_are_read():
    text = TRADITIONAL + "裏"  # which is in cp950 and not in plain Big5
    assert found(text.encode("cp950")) == "cp950"


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 50, b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"])
def test_binary_data_is_no_text(data):
    assert found(data) == ""


def test_other_readings_are_offered():
    names = [guess.encoding for guess in guesses(SIMPLIFIED.encode("gb18030"), whole=True)]
    assert names[0] == "gb18030"
    assert len(names) > 1


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("GBK", "gb18030"), ("gb2312", "gb18030"), ("UTF8", "utf-8"), ("Big5", "big5")],
)
def test_names_of_encodings(name, encoding):
    assert known_encoding(name) == encoding


@pytest.mark.parametrize(
    "name",
    [
        "klingon",
        "zip",
        "rot13",
        "",
        "a\0b",
        "\ud800",
        "undefined",
        "idna",
        "punycode",
        "unicode_escape",
        "raw-unicode-escape",
    ],
)
def test_an_unknown_encoding_is_refused(name):
    with pytest.raises(AppError, match="no encoding called"):
        known_encoding(name)


def poems(shared):
    with gzip.open(
        shared / "data" / "lm" / "tang_poems_trad.tsv.gz", "rt", encoding="utf-8"
    ) as file:
        return [line.rstrip("\n") for line in file]


def in_big5(lines):
    for line in lines:
        try:
            yield line, line.encode("big5")
        except UnicodeEncodeError:
            continue


def test_big5_poems_are_not_taken_for_gb18030(shared):
    chosen = list(in_big5(poems(shared)[::9]))
    assert len(chosen) >= 3000
    wrong = [text for text, data in chosen if guesses(data, whole=True)[0].text != text]
    assert len(wrong) <= 0.001 * len(chosen)
    bulk = b"\n".join(data for _, data in chosen)
    for size in (1000, 10_000, 100_000):
        assert found(bulk[:size], whole=False) == "big5"


def test_traditional_poems_in_gb18030_are_not_taken_for_big5(shared):
    chosen = poems(shared)[::19]
    assert len(chosen) >= 3000
    assert all(found(text.encode("gb18030")) == "gb18030" for text in chosen)


@pytest.mark.parametrize("name", ["luxun_dev.txt", "d2l_zh_prose.txt"])
def test_simplified_lines_in_gb18030(shared, name):
    text = (shared / "data" / "lm" / name).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if len(line) >= 8 and not line.isascii()]
    wrong = [line for line in lines if found(line.encode("gb18030")) != "gb18030"]
    assert len(wrong) <= 0.001 * len(lines)
