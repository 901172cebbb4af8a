"""What ends a line, and where lines stand, however the text comes in."""

from hypothesis import given
from hypothesis import strategies as st

from lmstudio.text import lines as module
from lmstudio.text.lines import Lines, is_blank


def test_only_newline_carriage_return_and_both_end_a_line():
    text = "甲\r\n乙\n丙\u2028丙二\n丁\u0085丁二\r戊\f戊二\n\n己"
    assert [line for _, line in Lines([text])] == [
        "甲", "乙", "丙\u2028丙二", "丁\u0085丁二", "戊\f戊二", "", "己",
    ]  # fmt: skip


def test_positions_count_both_characters_of_a_windows_line_end():
    assert list(Lines(["甲\r", "\n乙\r", "丙\n"])) == [(0, "甲"), (3, "乙"), (5, "丙")]


@given(st.lists(st.text(alphabet="ab\r\n", max_size=5), max_size=8))
def test_chunks_do_not_matter(chunks):
    text = "".join(chunks)
    assert list(Lines(chunks)) == list(Lines([text]))
    assert all(text[start:].startswith(line) for start, line in Lines(chunks))


def test_a_line_that_is_too_long_is_cut_at_a_sentence_end(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 100)
    monkeypatch.setattr(module, "_NEAR", 50)
    lines = Lines(["一二三四五六七。" * 10] * 4)
    cut = list(lines)
    assert "".join(line for _, line in cut) == "一二三四五六七。" * 40
    assert all(len(line) == 96 for _, line in cut[:-1])
    assert lines.cut == len(cut) - 1
    assert [start for start, _ in cut] == [96 * i for i in range(len(cut))]


def test_a_line_without_sentences_is_cut_at_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 100)
    monkeypatch.setattr(module, "_NEAR", 50)
    assert [len(line) for _, line in Lines(["字" * 250])] == [100, 100, 50]


def test_blank_lines():
    assert all(is_blank(line) for line in ("", " \t", "\u3000\u3000", "\xa0", "\u200b", "\f"))
    assert not is_blank("\u3000字")
