"""A look at files before they are imported: quick, and it never fails."""

import gzip
import time

from lmstudio.text.document import ReadOptions
from lmstudio.text.preview import preview

TEXT = "统计语言模型需要很多语料。今天天气很好，我们去北京看书！\n第二行文字\n"


def test_first_lines_encoding_and_candidates(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode("gb18030"))
    seen = preview([tmp_path])
    assert (seen.encoding, seen.lines_rule) == ("gb18030", "paragraph")
    assert seen.lines == TEXT.splitlines()
    assert seen.confidence > 0.7
    assert seen.candidates[0].lines == seen.lines
    assert seen.unended == 0.5
    assert [(f.name, f.encoding) for f in seen.files] == [("a.txt", "gb18030")]


def test_what_else_it_may_be_is_shown(tmp_path):
    (tmp_path / "a.txt").write_bytes("我愛北京".encode("big5"))
    candidates = preview([tmp_path]).candidates
    assert [c.encoding for c in candidates][:2] == ["big5", "gb18030"]
    assert candidates[0].lines == ["我愛北京"] != candidates[1].lines
    assert len(candidates) <= 3


def test_a_chosen_encoding_is_shown_or_refused(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode("gb18030"))
    assert preview([tmp_path / "a.txt"], ReadOptions("gb18030")).lines == TEXT.splitlines()
    seen = preview([tmp_path / "a.txt"], ReadOptions("utf-8"))
    assert not seen.files
    assert "Byte 2 is not utf-8" in str(seen.refused[0].reason)


def test_damaged_utf8_is_refused_with_the_byte(tmp_path):
    for codec, position in {"utf-8": 85, "utf-8-sig": 88}.items():
        (tmp_path / "a.txt").write_bytes(TEXT.encode(codec)[: position + 2])
        (refusal,) = preview([tmp_path]).refused
        assert f"Byte {position} is not utf-8" in str(refusal.reason)


def test_refused_files_stand_beside_the_others(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "b.gz").write_bytes(b"no gzip")
    (tmp_path / "c.png").write_bytes(b"png")
    (tmp_path / "d.txt").write_text(TEXT, encoding="utf-8")
    seen = preview([tmp_path])
    assert [file.name for file in seen.files] == ["d.txt"]
    assert {refusal.name for refusal in seen.refused} == {"a.txt", "b.gz", "c.png"}


def test_nothing_there_is_an_empty_preview(tmp_path):
    seen = preview([tmp_path, tmp_path / "gone.txt"])
    assert (seen.files, seen.encoding, seen.lines) == ([], "", [])


def test_long_lines_are_cut_and_size_costs_no_time(tmp_path):
    (tmp_path / "a.txt").write_text("字" * 2_000_000, encoding="utf-8")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"word " * 4_000_000, 1))
    start = time.perf_counter()
    seen = preview([tmp_path])
    assert time.perf_counter() - start < 1  # 0.02 s here; only far too much is a fault
    assert [len(line) for line in seen.lines] == [300]
    assert len(seen.files) == 2
