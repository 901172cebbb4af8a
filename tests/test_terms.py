"""One Chinese term for each term of the field, in the catalogues and the pages of help."""

import re
from pathlib import Path

import polib
import pytest

RESOURCES = Path(__file__).parents[1] / "resources"
RETIRED = {
    "质量": "概率",  # the mass of a distribution reads as its quality
    "未打分": "未计分",
    "未登录词元": "未知词元",
    "读作": "识别为",
    "搜索训练": "搜索运行",
}
TERMS = {r"\bunknown (tokens?|pieces?)\b": "未知词元", r"\bunknown words?\b": "未登录词"}


@pytest.fixture(scope="module")
def chinese() -> dict[str, str]:
    """The translations by sentence."""
    files = sorted((RESOURCES / "locale" / "zh_CN").glob("*.po"))
    return {entry.msgid: entry.msgstr for file in files
            for entry in polib.pofile(str(file), encoding="utf-8")}  # fmt: skip


@pytest.mark.parametrize("term", RETIRED, ids=RETIRED.values())
def test_no_text_uses_another_term(chinese, term):
    pages = {page.name: page.read_text("utf-8") for page in (RESOURCES / "help/zh_CN").glob("*.md")}
    assert [name for name, text in (chinese | pages).items() if term in text] == []


@pytest.mark.parametrize("pattern", TERMS, ids=TERMS.values())
def test_what_is_not_in_the_vocabulary_has_one_name(chinese, pattern):
    assert {sentence: told for sentence, told in chinese.items()
            if re.search(pattern, sentence, re.IGNORECASE) and TERMS[pattern] not in told
            } == {}  # fmt: skip
