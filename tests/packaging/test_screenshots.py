"""The pictures of the README are those that the script draws, at one size, and small together."""

import re
import struct
from pathlib import Path

import pytest

from tests.packaging.conftest import PACKAGING

FOLDER = PACKAGING.parent / "resources" / "screenshots"
MOST_BYTES = 1_500_000


def test_the_script_draws_each_picture_that_is_there():
    import screenshots

    assert {path.stem for path in FOLDER.iterdir()} == set(screenshots.SHOTS)
    assert screenshots.PLACE == FOLDER


def test_the_readme_shows_only_pictures_that_are_there():
    text = (PACKAGING.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"\(resources/screenshots/([^)]+)\)", text)
    assert shown
    assert all((FOLDER / name).is_file() for name in shown)


def test_they_have_the_size_of_a_small_screen_and_weigh_little():
    import screenshots

    files = list(FOLDER.iterdir())
    sizes = {struct.unpack(">II", path.read_bytes()[16:24]) for path in files}
    assert sizes == {screenshots.SIZE}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_it_says_what_may_be_given_and_takes_no_option_for_a_folder(capsys):
    import screenshots

    with pytest.raises(SystemExit) as ended:
        screenshots.asked(["--help"])
    assert ended.value.code == 0
    assert "workspace" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        screenshots.asked(["somewhere", "no-such-picture"])
    given = screenshots.asked(["somewhere", "segment"])
    assert (given.workspace, given.picture) == (Path("somewhere"), ["segment"])
