"""TOURS: the one table of the guided tours. A new one is a file beside this and a line here."""

from lmstudio.gui.tours.blanks import BLANKS
from lmstudio.gui.tours.counting import COUNTING
from lmstudio.gui.tours.meanings import MEANINGS
from lmstudio.gui.tours.step import Tour

TOURS: tuple[Tour, ...] = (COUNTING, BLANKS, MEANINGS)


def find(key: str) -> Tour:
    """The tour of that key."""
    return next(tour for tour in TOURS if tour.key == key)
