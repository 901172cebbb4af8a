"""A widget whose content is out of date in; the same at half opacity out, until it is not."""

from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

_FADED = 0.5


def fade(widget: QWidget, faded: bool) -> None:
    """Show an old answer as such. While it is not faded, painting costs nothing more."""
    if not faded:
        widget.setGraphicsEffect(None)  # type: ignore[arg-type]
    elif widget.graphicsEffect() is None:
        effect = QGraphicsOpacityEffect(widget)
        effect.setOpacity(_FADED)
        widget.setGraphicsEffect(effect)
