"""What Qt needs of a Linux system: found, installed, or told in one line."""

import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lacks it")


@pytest.fixture
def system(monkeypatch):
    """A Debian without libEGL and without a font, whose user may not use apt."""
    import system

    monkeypatch.setattr(system, "_loads", lambda name: name != "libEGL.so.1")
    monkeypatch.setattr(system, "has_chinese_font", lambda: False)
    monkeypatch.setattr(system.shutil, "which", lambda name: f"bin/{name}")
    monkeypatch.setattr(system, "_rights", lambda: None)
    return system


def test_the_line_to_type_is_told(system, capsys):
    assert not system.complete(screen=True)
    assert "sudo apt-get install --yes libegl1 fonts-wqy-microhei\n" in capsys.readouterr().err


def test_root_installs_and_updates_the_lists_if_need_be(system, monkeypatch):
    ran = []

    def quiet(command):
        ran.append(command[command.index("apt-get") + 1 :])
        return len(ran) > 1  # the first try finds no such package

    monkeypatch.setattr(system, "_rights", list)
    monkeypatch.setattr(system, "_quiet", quiet)
    system.complete(screen=False)
    assert [words[0] for words in ran] == ["install", "update", "install"]
    assert ran[0][-2:] == ["libegl1", "fonts-wqy-microhei"]


def test_elsewhere_the_libraries_are_named(system, monkeypatch, capsys):
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    assert not system.complete(screen=False)
    said = capsys.readouterr().err
    assert "libEGL.so.1" in said
    assert "Noto Sans CJK" in said


def test_a_missing_font_alone_does_not_stop_a_start(system, monkeypatch, capsys):
    monkeypatch.setattr(system, "_loads", lambda name: True)
    assert system.complete(screen=True)
    assert "fonts-wqy-microhei" in capsys.readouterr().err


def test_nothing_is_said_where_nothing_is_missing(system, monkeypatch, capsys):
    monkeypatch.setattr(system, "_loads", lambda name: True)
    monkeypatch.setattr(system, "has_chinese_font", lambda: True)
    assert system.complete(screen=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("name", "chinese"), [
    ("wqy-microhei.ttc", True), ("NotoSansCJK-Regular.ttc", True), ("DejaVuSans.ttf", False),
])  # fmt: skip
def test_a_font_is_told_by_its_file_where_fontconfig_is_absent(
    monkeypatch, tmp_path, name, chinese
):
    import system

    fonts = tmp_path / ".fonts" / "somewhere"
    fonts.mkdir(parents=True)
    (fonts / name).touch()
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    monkeypatch.setattr(system, "SYSTEM_FONTS", ())
    monkeypatch.setenv("HOME", str(tmp_path))
    assert system.has_chinese_font() is chinese


def test_a_display_is_what_the_session_says(monkeypatch):
    import system

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not system.has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert system.has_display()
