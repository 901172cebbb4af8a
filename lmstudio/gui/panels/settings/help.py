"""HelpPanel: the way through the program, what figures tell, a page a panel, every shortcut."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.actions import ACTIONS
from lmstudio.gui.help_window import HelpPages
from lmstudio.gui.panels.explore.likelihood_page import LikelihoodPage
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ContextStrip, Segmented, label, scrolled
from lmstudio.messages import msg, tr

STEPS = (
    (msg("1. Text"), msg("Drop files on the window. The encoding is found and shown; lines that "
                         "were wrapped are joined; a part is held out for measuring.")),
    (msg("2. Words"), msg("Segment the corpus into characters or words. What was cut can be seen, "
                          "two ways side by side.")),
    (msg("3. Models"), msg("Choose a model and train it. Counting takes seconds, a network minutes "
                           "to hours: it is said before. Several can wait in the queue; the one "
                           "that runs can be paused, or stopped and gone on with later.")),
    (msg("4. Compare"), msg("Runs stand on one axis: bits per character on the same held-out text, "
                            "lower is better. What scores something else is grey and says why.")),
)  # fmt: skip

FIGURES = (
    (msg("Bits per character"), msg("How many yes-or-no questions a model needs for each "
                                    "character. The same for every segmentation, so models may be "
                                    "compared.")),
    (msg("Perplexity"), msg("Among how many equally likely tokens the model wavers. Comparable "
                            "only between runs on one segmentation.")),
    (msg("Unknown words"), msg("Words that training has not seen are spelled by a small character "
                               "model, so that a small vocabulary wins nothing.")),
    (msg("Pseudo figures"), msg("BERT, and ELMo where both directions predict together, guess a "
                                "word from both sides. That is no probability of the text: the "
                                "figures are grey and not on the axis.")),
    (msg("The language's own limit"), msg("For the sample corpus the true entropy is known: no "
                                          "model can get below that line.")),
)  # fmt: skip

MODELS = (
    ("ngram", msg("n-gram: counts the last words")),
    ("class-ngram", msg("Class n-gram: counts which kinds of words follow one another")),
    ("ffnn", msg("FFNN: the vectors of the last words, side by side")),
    ("rnn", msg("RNN: reads from the left, with a state that fades")),
    ("lstm", msg("LSTM: reads from the left and remembers, with gates")),
    ("gru", msg("GRU: the same with fewer gates")),
    ("elmo", msg("ELMo: reads from both ends, each direction by itself")),
    ("gpt", msg("GPT: looks back at every word before")),
    ("bert", msg("BERT: looks at both sides of a blank")),
)

KEYS = (
    ("Space", msg("Run table: show or hide in the plot")),
    ("D", msg("Run table: change and train again")),
    ("F2", msg("Run table: rename")),
    ("M", msg("Curves: the next figure")),
    ("[ ] { }", msg("Attention: another head, another layer")),
    ("0", msg("Attention: switch the head off or on")),
)
"""Keys that only some panels know."""

PAGES = {"program": msg("The program"), "panels": msg("Panels"),
         "likelihood": msg("Maximum likelihood, derived")}  # fmt: skip


class HelpPanel(Panel):
    """Pages for the program, for each panel, and for the counts that it is asked to explain."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.pages = Segmented([(key, tr(title)) for key, title in PAGES.items()], tr("Page"), self)
        self.panels, self.likelihood = HelpPages(self), LikelihoodPage(state, self)
        self.panels.show_page("welcome")
        self._stack = QStackedWidget(self)
        for page in (_program(self), self.panels, self.likelihood):
            self._stack.addWidget(page)
        self.pages.chosen.connect(self.show_page)
        state.worked_changed.connect(self._explain)
        layout = self.page()
        layout.addWidget(self.pages)
        layout.addWidget(self._stack, 1)
        if state.worked is not None:
            self._explain()

    @Slot(str)
    def show_page(self, key: str) -> None:
        """Show a page of PAGES."""
        self.pages.set_value(key)
        self._stack.setCurrentIndex(list(PAGES).index(key))

    @Slot()
    def _explain(self) -> None:
        self.show_page("likelihood")


def _program(parent: QWidget) -> QWidget:
    """The way, the figures, the models and the keys."""
    content = QWidget(parent)
    columns = QHBoxLayout(content)
    columns.setContentsMargins(0, 0, 0, 0)
    columns.setSpacing(theme.px(12))
    left, right = QVBoxLayout(), QVBoxLayout()
    for column in (left, right):
        column.setSpacing(theme.px(12))
        columns.addLayout(column, 1)
    left.addWidget(_texts(tr("The way through"), STEPS, parent))
    left.addWidget(_texts(tr("What the figures mean"), FIGURES, parent))
    left.addStretch()
    right.addWidget(_sights(parent))
    right.addWidget(_shortcuts(parent))
    right.addStretch()
    return scrolled(content, parent)


def _texts(title: str, entries: tuple[tuple[str, str], ...], parent: QWidget) -> Card:
    card = Card(title, parent=parent)
    for name, text in entries:
        card.body.addWidget(label(tr(name), bold=True))
        card.body.addWidget(label(tr(text), tone="muted", wrap=True))
    return card


def _sights(parent: QWidget) -> Card:
    title = tr("What a model may look at")
    card = Card(title, tr("the hollow cell is the word to guess"), parent)
    for family, sentence in MODELS:
        row = QHBoxLayout()
        row.setSpacing(theme.px(16))
        strip = QVBoxLayout()
        strip.setContentsMargins(0, theme.px(4), 0, 0)  # the cells are in line with the words
        strip.addWidget(ContextStrip(family, tr(sentence)))
        row.addLayout(strip)
        row.addWidget(label(tr(sentence), wrap=True), 1, Qt.AlignmentFlag.AlignTop)
        card.body.addLayout(row)
    return card


def _shortcuts(parent: QWidget) -> Card:
    card, grid = Card(tr("Shortcuts"), parent=parent), QGridLayout()
    rooms = [(f"Alt+{number}", tr(room.title)) for number, room in enumerate(ROOMS, 1)]
    panels = [("Ctrl+1 … 9", tr("A panel of the room"))]
    actions = [(entry.shortcut, tr(entry.title)) for entry in ACTIONS if entry.shortcut]
    others = [(keys, tr(title)) for keys, title in KEYS]
    for row, (keys, title) in enumerate([*rooms, *panels, *actions, *others]):
        grid.addWidget(label(keys.replace("Return", "Enter"), tone="muted"), row, 0)
        grid.addWidget(label(title), row, 1)
    grid.setColumnStretch(1, 1)
    grid.setHorizontalSpacing(theme.px(24))
    card.body.addLayout(grid)
    return card
