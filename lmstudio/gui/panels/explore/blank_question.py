"""BlankQuestion: clicks, keys and words that are put in, in; a sentence with blanks in it, out."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from lmstudio.analysis.fill.question import Blank, Question, Span

_KEPT = 100  # steps back


@dataclass(frozen=True)
class ShownUnit:
    """What is drawn and clicked as one: a token or word, or a whole blank."""

    start: int
    end: int
    blank: int  # its number; -1: none

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.start, self.end


class BlankQuestion(QObject):
    """The question of the panel. Marks such as [MASK] in the text are always blanks."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.question = Question("")
        self.current = 0  # the number of the blank whose answers are shown
        self._units: tuple[Span, ...] = ()
        self._before: list[tuple[Question, int]] = []

    @property
    def text(self) -> str:
        """The sentence."""
        return self.question.text

    @property
    def blank(self) -> Blank | None:
        """The blank whose answers are shown."""
        blanks = self.question.blanks
        return blanks[self.current] if self.current < len(blanks) else None

    def units(self) -> list[ShownUnit]:
        """What the sentence is drawn of, from the left."""
        blanks = self.question.blanks
        shown = [ShownUnit(blank.start, blank.end, n) for n, blank in enumerate(blanks)]
        for start, end in self._units:
            if all(end <= blank.start or blank.end <= start for blank in blanks):
                shown.append(ShownUnit(start, end, -1))
        return sorted(shown, key=lambda unit: unit.start)

    # what is asked

    def set_text(self, text: str) -> None:
        """Another sentence; its marks are its blanks."""
        if text != self.text:
            self._units = ()
            self._set(Question.of(text), 0)

    def set_units(self, units: tuple[Span, ...]) -> None:
        """What a click hides; where nothing is blank, one of them becomes it."""
        self._units = units
        if not self.question.blanks and (proposed := self._proposed()):
            self.question = Question.of(self.text, [proposed])
        self.changed.emit()

    def _proposed(self) -> Span | None:
        """A unit in the later half that is no punctuation, a long one rather."""
        words = [u for u in self._units if any(map(str.isalnum, self.text[u[0] : u[1]]))]
        later = words[len(words) // 2 :] or words
        return max(later, key=lambda unit: unit[1] - unit[0], default=None)

    def hide(self, start: int, end: int, *, more: bool = False) -> None:
        """Make a span the blank, instead of the one shown or, with `more`, besides."""
        others = [b for n, b in enumerate(self.question.blanks) if more or n != self.current]
        spans = [(b.start, b.end) for b in others if not b.marked]
        self._ask([*spans, (start, end)], start)

    def drop(self, number: int) -> None:
        """Show what stands in a blank; the only one stays, and so do marks."""
        blanks = self.question.blanks
        if len(blanks) > 1 and not blanks[number].marked:
            spans = [(b.start, b.end) for n, b in enumerate(blanks) if n != number and not b.marked]
            self._ask(spans, blanks[number].start)

    def go(self, number: int) -> None:
        """Show the answers of another blank."""
        if number != self.current:
            self.current = number
            self.changed.emit()

    def step(self, by: int) -> None:
        """Move the blank to the next unit, or go to the blank that is there."""
        unit = self._beside(by)
        if unit is None:
            return
        if unit.blank >= 0:
            self.go(unit.blank)
        else:
            self.hide(*unit.span, more=self.blank is not None and self.blank.marked)

    def extend(self, by: int) -> None:
        """Let the blank reach over the next unit (1) or leave the last one free again (-1)."""
        blank = self.blank
        if blank is None or blank.marked:
            return
        if by > 0:
            unit = self._beside(1)
            if unit is not None and unit.blank < 0:
                self.hide(blank.start, unit.end)
            return
        inside = [end for _, end in self._units if blank.start < end < blank.end]
        if inside:
            self.hide(blank.start, inside[-1])

    def hide_one_more(self) -> None:
        """The next unit that is no blank, punctuation last."""
        free = [unit for unit in self.units() if unit.blank < 0]
        at = self.blank.end if self.blank else 0
        words = [u for u in free if any(map(str.isalnum, self.text[u.start : u.end]))]
        after = [unit for unit in words if unit.start >= at]
        if chosen := (after or words or free)[:1]:
            self.hide(*chosen[0].span, more=True)

    def _beside(self, by: int) -> ShownUnit | None:
        units = self.units()
        own = [n for n, unit in enumerate(units) if unit.blank == self.current]
        at = own[0] + by if own else 0
        return units[at] if units and 0 <= at < len(units) else None

    # what is put in

    def fill(self, word: str) -> None:
        """Put a word into the blank shown. Where there are others, it is no blank any longer."""
        blank = self.blank
        if blank is None:
            return
        put = self.question.put(self.current, word)
        if len(put.blanks) == 1:
            self._set(put, 0)
            return
        left = tuple(b for n, b in enumerate(put.blanks) if n != self.current)
        self._set(Question(put.text, left), min(self.current, len(left) - 1))

    def undo(self) -> None:
        """What was asked before."""
        if self._before:
            question, self.current = self._before.pop()
            self._units = self._units if question.text == self.text else ()
            self.question = question
            self.changed.emit()

    def _ask(self, spans: list[Span], start: int) -> None:
        made = Question.of(self.text, spans)
        own = [n for n, b in enumerate(made.blanks) if b.start <= start < b.end]
        self._set(made, own[0] if own else 0)

    def _set(self, question: Question, current: int) -> None:
        if (question, current) == (self.question, self.current):
            return
        if self.text:
            self._before = [*self._before[-_KEPT:], (self.question, self.current)]
        if question.text != self.text:
            self._units = ()  # they are of the text before
        self.question, self.current = question, current
        self.changed.emit()
