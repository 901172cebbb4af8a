"""Where sentences end, in Chinese, Latin and mixed lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.text.sentences import sentence_spans


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("", []),
        (" \u3000", []),
        ("没有句号", ["没有句号"]),
        ("今天好。明天呢？后天！", ["今天好。", "明天呢？", "后天！"]),
        ("分号；不断句。好", ["分号；不断句。", "好"]),
        ("他说：“好！”她走了。", ["他说：“好！”", "她走了。"]),
        ("“真的？！”", ["“真的？！”"]),
        ("“好！”，他说。", ["“好！”，他说。"]),
        ("他想……还是走了。", ["他想……", "还是走了。"]),
        ("（见上。）《书！》完", ["（见上。）", "《书！》", "完"]),
        ('他说:"好。"她说:"不。"', ['他说:"好。"', '她说:"不。"']),
        ('好。"不"', ["好。", '"不"']),
        ("\u3000\u3000一。 二。", ["一。", "二。"]),
        ("It costs 3.50. Yes. no", ["It costs 3.50.", "Yes. no"]),
        ("Mr. Smith met J. Doe. They left.", ["Mr. Smith met J. Doe.", "They left."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("Wait... What? Go!", ["Wait...", "What?", "Go!"]),
        ("a?b=1 and x!=y 吗?是", ["a?b=1 and x!=y 吗?", "是"]),
        ("写了v2.0.1版，花费¥3,000.50！", ["写了v2.0.1版，花费¥3,000.50！"]),
    ],
)
def test_sentences(line, sentences):
    assert [line[start:end] for start, end in sentence_spans(line)] == sentences


def test_a_long_line_of_quoted_stops_takes_no_time():
    line = '{"a.","b."}' * 20_000
    assert sentence_spans(line) == [(0, len(line))]


@given(st.text(alphabet="我a A1.。！?…”\"' \u3000，", max_size=40))
def test_spans_cover_everything_but_white_space(line):
    spans = sentence_spans(line)
    covered = "".join(line[start:end] for start, end in spans)
    assert [c for c in covered if not c.isspace()] == [c for c in line if not c.isspace()]
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:], strict=False))
