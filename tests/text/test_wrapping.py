"""Hard-wrapped files are told from others, and joined; every character keeps its origin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmstudio.text.lines import Lines
from lmstudio.text.read import detected, sample, sample_lines
from lmstudio.text.wrapping import Layout, Pieces, layout

PARAGRAPHS = [
    "春天来了，河边的柳树长出了新叶，孩子们在草地上跑来跑去，老人坐在长椅上慢慢地说话，远处有人在唱歌。天气一天比一天暖和。",
    "到了夏天，大家都到树下乘凉，听蝉在枝头叫个不停，偶尔有一阵风从湖上吹来，带着荷花的香气，让人忘记了炎热。",
    "秋天是收获的时候，田里的稻子黄了，果园里的苹果红了，农人从早忙到晚，脸上却总是带着笑，因为这一年的辛苦有了回报。",
]
ENGLISH = (
    "It was the kind of morning on which nothing seemed to happen, and the old man at the "
    "harbour was glad of it. He had mended his nets, he had drunk his tea, and now he watched "
    "the boats go out one after another into the pale light."
)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    text = indent + text
    return [text[i : i + width] for i in range(0, len(text), width)]


def english(width: int) -> list[str]:
    lines = [""]
    for word in ENGLISH.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def pieces(text: str, judged: Layout) -> list[str]:
    return [piece for piece, _ in Pieces(Lines([text]), judged)]


def test_a_wrapped_novel_is_proposed_as_wrapped():
    lines = [line for text in PARAGRAPHS * 3 for line in [*wrapped(text, 20, "\u3000\u3000"), ""]]
    judged = layout(lines)
    assert judged.rule == "wrapped"
    assert judged.unended > 0.5
    assert judged.indented


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        (PARAGRAPHS * 5, "paragraph"),
        (["今天天气很好。", "我去学校", "他说要来。你呢"], "paragraph"),
        (["我 爱 北京", "他 爱 上海", "我 爱 我"], "sentence"),
        (["春眠不觉晓，", "处处闻啼鸟。", "夜来风雨声，", "花落知多少。"] * 5, "sentence"),
        (english(60) * 3, "wrapped"),
        ([], "sentence"),
    ],
)
def test_proposed_rules(lines, rule):
    assert layout(lines).rule == rule


def test_wrapped_paragraphs_are_put_together():
    text = "\n".join(line for text in PARAGRAPHS for line in wrapped(text, 20, "\u3000\u3000"))
    judged = layout(text.split("\n") * 3)
    found = Pieces(Lines([text]), judged)
    assert [piece for piece, _ in found] == ["\u3000\u3000" + text for text in PARAGRAPHS]
    assert found.joined == text.count("\n") - 2


def test_blank_lines_headings_and_short_last_lines_end_a_paragraph():
    judged = Layout("wrapped", 0.8, width=40)
    text = "第一回 春天\n长" + "字" * 19 + "\n短短的一行。\n新" + "段" * 19 + "\n\n另一段\n"
    assert pieces(text, judged) == [
        "第一回 春天",
        "长" + "字" * 19 + "短短的一行。",
        "新" + "段" * 19,
        "另一段",
    ]


def test_latin_words_keep_one_space_and_indentation_goes():
    judged = Layout("wrapped", 0.8, width=60)
    text = "the first line \r\n    goes on and the well-\nknown end 中文\n接着 then\n"
    assert pieces(text, judged) == ["the first line goes on and the well-known end 中文接着 then"]


@given(
    st.text(alphabet="字a。 \u3000\r\n", max_size=60),
    st.sampled_from(["wrapped", "paragraph"]),
    st.booleans(),
)
def test_every_character_is_where_its_shift_says(text, rule, indented):
    for piece, shifts in Pieces(Lines([text]), Layout(rule, 0.5, width=6, indented=indented)):
        assert [start for start, _ in shifts] == sorted({start for start, _ in shifts})
        for position, character in enumerate(piece):
            shift = [shift for start, shift in shifts if start <= position][-1]
            original = text[position + shift]
            assert original == character or (character == " " and original.isspace())
        assert "\n" not in piece
        assert "\r" not in piece


def test_no_character_but_white_space_is_lost(shared):
    text = (shared / "data/lm/sanguo_gb18030.txt").read_text(encoding="gb18030")
    joined = pieces(text, layout(text[:60_000].split("\n")))
    assert "".join("".join(joined).split()) == "".join(text.split())
    assert 1000 < len(joined) < 3000


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("lm/sanguo_gb18030.txt", "wrapped"),
        ("lm/hongloumeng_utf8_crlf.txt", "paragraph"),
        ("lm/xiyouji_utf8_crlf.txt", "paragraph"),
        ("lm/luxun_dev.txt", "paragraph"),
        ("lm/d2l_zh_prose.txt", "paragraph"),
        ("lm/laws_national.txt.gz", "paragraph"),
        ("lm/laws_shandong_henan.txt.gz", "paragraph"),
        ("lm/rmrb199801_plain.txt.gz", "paragraph"),
        ("lm/debian_handbook_zh_CN.txt.gz", "paragraph"),
        ("lm/debian_reference_zh_CN.txt.gz", "paragraph"),
        ("lm/tang_poems_trad.tsv.gz", "paragraph"),
        ("lm/song_poems_trad_60k.tsv.gz", "paragraph"),
        ("lm_en/ptb.train.txt.gz", "sentence"),
        ("lm_en/ptb.valid.txt", "sentence"),
        ("lm_en/ptb.test.txt", "sentence"),
    ],
)
def test_rules_of_real_corpora(shared, name, rule):
    data, whole = sample(shared / "data" / name)
    encoding = detected(data, whole=whole)[0].encoding
    judged = layout(sample_lines(data, encoding, whole=whole))
    assert judged.rule == rule
    if rule == "wrapped":
        assert judged.unended == pytest.approx(0.84, abs=0.03)


def test_the_share_of_lines_that_end_inside_a_sentence(shared):
    text = (shared / "data/lm/sanguo_gb18030.txt").read_text(encoding="gb18030")
    assert layout(text.split("\n")).unended == pytest.approx(0.84, abs=0.03)
