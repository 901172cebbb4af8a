"""DictionaryCard: the user dictionary beside the text: a word to add, its words, new ones found."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QWidget,
)

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.ask import NameDialog
from lmstudio.gui.panels.segment.dictionary_editor import DictionaryEditor
from lmstudio.gui.panels.segment.dictionary_words import DictionaryWords
from lmstudio.gui.panels.segment.suggestions import Suggestions
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Segmented, Strip, button, disable, enable, tool
from lmstudio.messages import tr
from lmstudio.text.userdict import UserWord, check_word

WIDTH = 384


class DictionaryCard(Card):
    """Stands where the list of corpora stood; Ctrl+Z undoes the last edit."""

    closed = Signal()
    used = Signal()  # the dictionary on screen is to be cut with

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("User dictionary"), parent=parent)
        self.setFixedWidth(theme.px(WIDTH))
        side = theme.px(12)
        self.body.setContentsMargins(side, theme.px(8), side, theme.px(12))
        self._state = state
        self.editor = DictionaryEditor(state, self)
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tr("User dictionary"))
        self.word = QLineEdit(self)
        self.frequency = QLineEdit(self)
        self.add = button(tr("Add"), parent=self)
        self.strip = Strip("warn", self)
        self.view = Segmented(
            [("words", tr("Words")), ("new", tr("New words"))], tr("What is shown"), self
        )  # fmt: skip
        self.words = DictionaryWords(state, self.editor, self)
        self.suggestions = Suggestions(state, self.editor, self)
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._check()
        self.refresh()

    def _lay_out(self) -> None:
        close = tool("close", tr("Close the dictionary"), parent=self)
        close.clicked.connect(self.closed)
        more = tool("more", tr("New dictionary, import, save"), parent=self)
        more.setPopupMode(more.ToolButtonPopupMode.InstantPopup)
        more.setMenu(self._menu())
        more.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.row.note.hide()
        self.choice.setMaximumWidth(theme.px(190))
        self.row.add_tool(self.choice)
        self.row.add_tool(more)
        self.row.add_tool(close)
        self.word.setPlaceholderText(tr("A word, or select it in the text"))
        self.word.setAccessibleName(tr("Word"))
        self.frequency.setPlaceholderText(tr("frequency"))
        self.frequency.setAccessibleName(tr("Frequency"))
        self.frequency.setToolTip(
            tr("Empty: high enough to keep the word whole. 0: jieba does not use the word.")
        )
        self.frequency.setFixedWidth(theme.px(84))
        entry = QHBoxLayout()
        entry.setSpacing(theme.px(6))
        for widget in (self.word, self.frequency, self.add):
            entry.addWidget(widget)
        self.body.addLayout(entry)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.view)
        for page in (self.words, self.suggestions):
            self._pages.addWidget(page)
        self.body.addWidget(self._pages, 1)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        ways = ((tr("New dictionary…"), self._ask_name),
                (tr("Import words from a file…"), self._ask_file),
                (tr("Save the words as CSV…"), self.words.export.ask))  # fmt: skip
        for title, way in ways:
            menu.addAction(title).triggered.connect(way)
        return menu

    def _connect(self) -> None:
        self.choice.currentTextChanged.connect(self._choose)
        self.word.textChanged.connect(self._check)
        self.frequency.textChanged.connect(self._check)
        for field in (self.word, self.frequency):
            field.returnPressed.connect(self.add_word)
        self.add.clicked.connect(self.add_word)
        self.view.chosen.connect(self._turn)
        self.editor.changed.connect(self.refresh)
        self.editor.noted.connect(self.strip.say)
        self.editor.failed.connect(self._failed)
        undo = QAction(self)
        undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        undo.triggered.connect(self.editor.undo)
        self.undo = undo

    @Slot()
    def refresh(self) -> None:
        """Show the dictionary that is edited."""
        names = self.editor.names()
        if self.editor.name and self.editor.name not in names:
            names.append(self.editor.name)  # it is made with its first word
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems(names)
            self.choice.setCurrentText(self.editor.name)

    @Slot(str)
    def _turn(self, view: str) -> None:
        self._pages.setCurrentIndex(("words", "new").index(view))

    # which dictionary

    @Slot(str)
    def _choose(self, name: str) -> None:
        try:
            self.editor.show_dictionary(name)
        except AppError as error:
            self._failed(error)
        else:
            self.used.emit()

    @Slot()
    def _ask_name(self) -> None:
        dialog = NameDialog(tr("New dictionary"), "", self.window())
        dialog.named.connect(self._choose)
        dialog.open()

    @Slot()
    def _ask_file(self) -> None:
        kinds = tr("Text (*.txt *.dict);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, tr("Import words from a file"), "", kinds)
        if name:
            self.editor.import_file(Path(name))

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self.strip.say(str(error))

    # a word

    def propose(self, word: str) -> None:
        """Put a word that was selected in the text into the field."""
        if word:
            self.word.setText(word)

    @Slot()
    def _check(self) -> None:
        word, frequency = self.word.text().strip(), self.frequency.text().strip()
        if not word:
            self.strip.say("")
            disable(self.add, tr("Type a word, or select it in the text."))
            return
        wrong = check_word(word)
        if not wrong and frequency and not frequency.isdecimal():
            disable(self.add, tr("The frequency is a whole number, or empty."))
            self.strip.say(self.add.toolTip())
        elif wrong:
            disable(self.add, str(wrong))
            self.strip.say(str(wrong))
        else:
            enable(self.add)
            self.strip.say("")

    @Slot()
    def add_word(self) -> None:
        """Add the word in the field."""
        word, frequency = self.word.text().strip(), self.frequency.text().strip()
        if not self.add.isEnabled():
            return
        self.editor.add([UserWord(word, int(frequency) if frequency else None)])
        self.word.clear()
        self.frequency.clear()
        self.view.set_value("words")
        self._pages.setCurrentIndex(0)
