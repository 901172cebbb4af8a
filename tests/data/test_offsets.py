"""Case B-4: Qt counts UTF-16 units."""

from lmstudio.data.offsets import utf16_offset


def test_case_b4_offsets_for_qt():
    text = "😀我爱北京"
    assert (utf16_offset(text, 3), utf16_offset(text, 5)) == (4, 6)
    assert text.encode("utf-16-le")[8:12].decode("utf-16-le") == "北京"
    family = "我爱💩💩💩👨\u200d👩\u200d👧"
    assert utf16_offset(family, 10) == 16
