"""Colours, fonts, scale, and the contrasts that the design promises."""

import pytest
from PySide6.QtGui import QColor, QPalette

from lmstudio import messages, resources
from lmstudio.gui import icons, theme


@pytest.fixture(autouse=True)
def _light_again(qapp):
    yield
    theme.apply(qapp, "light", 1.0)


def luminance(colour: QColor) -> float:
    parts = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
             for v in colour.getRgbF()[:3]]  # fmt: skip
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, two: QColor) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read(mode):
    surface = theme.colour("surface", mode)
    for token in ("text", "muted", "off", "accent", "ok", "warn", "bad"):
        assert contrast(theme.colour(token, mode), surface) >= 4.5, token
    assert contrast(theme.colour("edge", mode), theme.colour("bg", mode)) >= 3
    assert contrast(theme.colour("on_accent", mode), theme.colour("accent", mode)) >= 4.5


@pytest.mark.parametrize("family", theme.FAMILIES)
def test_families_can_be_told_from_the_ground(family):
    tint = theme.colour("tint", "light")
    assert contrast(theme.family_colour(family, text=True, theme="light"), tint) >= 4.45
    line = theme.family_colour(family, theme="light")
    assert contrast(line, theme.colour("surface", "light")) >= 2.95
    assert (
        contrast(theme.family_colour(family, theme="dark"), theme.colour("surface", "dark")) > 4.4
    )


def test_a_change_of_theme_reaches_palette_and_listeners(qapp, qtbot):
    with qtbot.waitSignal(theme.signals.changed):
        theme.apply(qapp, "dark")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor("#14161A")
    assert theme.mode() == "dark"


def test_scale_multiplies_sizes(qapp):
    theme.apply(qapp, "light", 1.5)
    assert theme.px(10) == 15
    assert theme.font(12).pixelSize() == 18


def test_chinese_fonts_come_first_in_chinese_only(qapp):
    messages.use("zh_CN")
    assert theme.font().families()[0] == "Noto Sans CJK SC"
    messages.use("en")
    assert theme.font().families()[0] != "Noto Sans CJK SC"
    assert "WenQuanYi Micro Hei" in theme.font().families()


def test_every_icon_can_be_drawn():
    for file in resources.path("icons").glob("*.svg"):
        image = icons.pixmap(file.stem, "text", 24).toImage()
        drawn = any(image.pixelColor(x, y).alpha() for x in range(24) for y in range(24))
        assert drawn, file.stem


def test_icons_follow_the_theme(qapp):
    icon = icons.icon("home", "text")
    light = icon.pixmap(24, 24).toImage()
    theme.apply(qapp, "dark")
    assert icon.pixmap(24, 24).toImage() != light
