"""What stands at the head of a control begins with a capital in English; names and signs do not."""

import pytest

from lmstudio.gui.captions import inline, sentence_case
from lmstudio.gui.widgets import Segmented


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("valid", "Valid"),
        ("as found: {rule}", "As found: {rule}"),
        ("word/tag", "Word/tag"),
        ("byte BPE", "Byte BPE"),
        ("n-gram", "n-gram"),
        ("p of the guess", "p of the guess"),
        ("word2vec text", "word2vec text"),
        ("log10 of it", "log10 of it"),
        ("cos(a, b)", "cos(a, b)"),
        ("ln p of the text", "ln p of the text"),
        ("jieba · accurate", "jieba · accurate"),
        ("bf16", "bf16"),
        ("k", "k"),
        ("", ""),
        ("验证集", "验证集"),
    ],
)
def test_a_caption_begins_with_a_capital_but_for_names_and_signs(text, shown):
    assert sentence_case(text) == shown


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Parameters", "parameters"),
        ("Tokens read", "tokens read"),
        ("F1", "F1"),
        ("BERT", "BERT"),
        ("AdamW", "AdamW"),
        ("参数", "参数"),
    ],
)
def test_a_title_within_a_sentence_gives_up_its_capital(title, shown):
    assert inline(title) == shown


def test_segments_are_captions_for_the_eye_and_for_the_ear(qtbot):
    row = Segmented([("valid", "valid"), ("k", "k")], "Part")
    qtbot.addWidget(row)
    assert [row.segment(key).text() for key in ("valid", "k")] == ["Valid", "k"]
    assert row.segment("valid").accessibleName() == "Part: Valid"
