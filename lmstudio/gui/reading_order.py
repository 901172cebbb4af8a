"""A widget in; the widgets in it that Tab stops at out, in the order in which they are read.

Qt's own order is that in which widgets were made; this is that of the layouts they stand in, from
the top left on, and it holds for rows that come and go.
"""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QWidget,
)


def stops(root: QWidget) -> list[QWidget]:
    """What can be reached in `root`, itself included."""
    return list(_stops(root))


def step(root: QWidget, *, forward: bool) -> bool:
    """Move the focus to the next stop in `root`, or the one before, and round again.

    False where there is none: what `focusNextPrevChild` is to return.
    """
    found = stops(root)
    at: QWidget | None = root.focusWidget()
    while at is not None and at not in found:
        at = at.parentWidget() if at is not root else None
    if not found:
        return False
    place = found.index(at) + (1 if forward else -1) if at else 0 if forward else -1
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    found[place % len(found)].setFocus(reason)
    return True


def next_region(regions: Sequence[QWidget], focus: QWidget | None) -> None:
    """Move the focus to the first stop of the region behind the one that has it, and round."""
    inside = [focus is not None and region.isAncestorOf(focus) for region in regions]
    start = inside.index(True) if True in inside else -1
    for away in range(1, len(regions) + 1):
        if found := stops(regions[(start + away) % len(regions)]):
            found[0].setFocus(Qt.FocusReason.TabFocusReason)
            return


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if not widget.isVisible() or not widget.isEnabled():
        return
    takes = _takes_focus(widget)
    if takes:
        yield widget
    if not takes or isinstance(widget, QScrollArea):  # what else takes it sees to its own parts
        for child in _children(widget):
            yield from _stops(child)


def _takes_focus(widget: QWidget) -> bool:
    if isinstance(widget, QAbstractButton) and (group := widget.group()) and group.exclusive():
        checked = group.checkedButton()  # arrows lead to the others; Qt sets policies late
        return widget is checked if checked else group.buttons()[0] is widget
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def _children(widget: QWidget) -> Iterator[QWidget]:
    """The widgets that stand directly in another, from the top on."""
    inside: list[QWidget | None]
    if isinstance(widget, QScrollArea):
        inside = [widget.widget()]
    elif isinstance(widget, QStackedWidget):
        inside = [widget.currentWidget()]
    elif isinstance(widget, QSplitter):
        inside = [widget.widget(number) for number in range(widget.count())]
    elif (layout := widget.layout()) is not None:
        inside = list(_laid_out(layout))
    else:
        children = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        inside = [*sorted((child for child in children if not child.isWindow()),
                          key=lambda child: (child.y(), child.x()))]  # fmt: skip
    yield from filter(None, inside)


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    numbers = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        places = [layout.getItemPosition(number) for number in numbers]
        numbers.sort(key=lambda number: tuple(places[number])[:2])  # type: ignore[arg-type]
    for number in numbers:
        item = layout.itemAt(number)
        if item is not None and (inner := item.layout()) is not None:
            yield from _laid_out(inner)
        elif item is not None and (widget := item.widget()) is not None:
            yield widget
