"""Every panel has a page of the help in both languages, and every formula its picture."""

import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lmstudio import cli, help_pages, messages, resources
from lmstudio.errors import AppError
from lmstudio.gui.rooms import ROOMS

PANELS = [entry.key for room in ROOMS for entry in room.panels if entry.key != "help"]
FORMULAS = Path(__file__).parents[1] / "packaging" / "formulas.toml"


def test_every_panel_has_a_page_and_no_other():
    assert help_pages.names() == sorted(PANELS)
    found = sorted(path.stem for path in resources.path("help", "zh_CN").glob("*.md"))
    assert found == sorted(PANELS)


@pytest.mark.parametrize("key", PANELS)
def test_both_languages_tell_the_same_of_a_panel(key):
    pages = [help_pages.page(key, language) for language in messages.LANGUAGES]
    for count in (r"^#+ ", r"^- ", r"formula:"):
        assert len({len(re.findall(count, page, re.MULTILINE)) for page in pages}) == 1, count
    shown = [[name for _, name in help_pages.FORMULA.findall(page)] for page in pages]
    assert shown[0] == shown[1]
    for page in pages:
        assert len(re.findall("^## ", page, re.MULTILINE)) == 2  # what it has, what to try
        assert page.index("\n- ") < page.rindex("\n## ")


@pytest.mark.parametrize("key", PANELS)
def test_the_title_is_that_of_the_tab(key):
    title = next(entry.title for room in ROOMS for entry in room.panels if entry.key == key)
    for language in messages.LANGUAGES:
        messages.use(language)
        assert help_pages.title(key) == messages.tr(title)


def test_formulas_are_drawn_from_what_is_written_down():
    written = tomllib.loads(FORMULAS.read_text(encoding="utf-8"))
    drawn = {}
    for path in resources.path("help", "formulas").glob("*.svg"):
        drawn[path.stem] = ElementTree.parse(path).findtext("{http://www.w3.org/2000/svg}desc")
    assert drawn == written
    used = {name for key in PANELS for _, name in help_pages.FORMULA.findall(help_pages.page(key))}
    assert used == set(written)


def test_a_formula_takes_on_the_colour_of_the_text():
    assert b'fill="#123456"' in help_pages.formula("chain", "#123456")
    assert b"#000000" not in help_pages.formula("chain", "#123456")


def test_chinese_lines_are_joined_without_a_space():
    assert "着 " not in help_pages.page("attention", "zh_CN")
    assert "\n" in help_pages.page("attention", "en").split("\n\n")[1]


def test_a_page_reads_well_in_a_terminal():
    messages.use("en")
    text = help_pages.plain("attention")
    assert text.startswith("Attention\n")
    assert "softmax(QKᵀ / √d) V" in text
    assert not re.search(r"\*\*|`|^#|formula:", text, re.MULTILINE)


def test_the_verb_prints_pages_and_what_there_are(capsys):
    messages.use("en")
    assert cli.main(["help", "masks"]) == 0
    assert capsys.readouterr().out.strip() == help_pages.plain("masks").strip()
    assert cli.main(["help", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == help_pages.names()


def test_what_has_no_page_is_said():
    with pytest.raises(AppError, match="nothing"):
        help_pages.page("nothing", "en")
