"""The window's fixtures serve here too."""

from tests.gui.conftest import _nothing_left, app_state, qapp, window

__all__ = ["_nothing_left", "app_state", "qapp", "window"]
