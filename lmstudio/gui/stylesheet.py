"""The little that a palette cannot say: tokens in, a Qt style sheet out."""

import re

from lmstudio import resources

_RULES = """
QToolTip { background: $surface; color: $text; border: 1px solid $line; padding: 4px; }
QMainWindow, QDialog, #room { background: $bg; }
#rail { background: $surface; border: 0; border-right: 1px solid $line; }
#topbar { background: $surface; border: 0; border-bottom: 1px solid $line; }
#undobar { background: $tint; border: 0; border-top: 1px solid $line; }
#jobbar { background: $surface; border: 0; border-top: 1px solid $line; }
QFrame[kind="card"] { background: $surface; border: 1px solid $line; border-radius: 8px; }
QFrame[kind="tour"] { background: $surface; border: 1px solid $accent; border-radius: 8px; }
QFrame[kind="drop"] { background: $surface; border: 2px dashed $edge; border-radius: 8px; }
QFrame[kind="drop"][hover="true"] { background: $tint; border-color: $accent; }
QFrame[kind="row"] { border: 1px solid transparent; border-radius: 6px; }
QFrame[kind="row"][chosen="true"] { background: $tint; }
QFrame[kind="row"]:focus { border-color: $accent; }
QFrame[kind="hairline"] { background: $line; border: 0; }
QFrame[kind="warn"] { background: $warn_bg; border: 0; border-radius: 6px; }
QFrame[kind="bad"] { background: $bad_bg; border: 0; border-radius: 6px; }
QFrame[kind="segmented"] { background: $sunken; border: 0; border-radius: 6px; }
QLabel[tone="muted"] { color: $muted; } QLabel[tone="off"] { color: $off; }
QLabel[tone="ok"] { color: $ok; } QLabel[tone="accent"] { color: $accent; }
QLabel[tone="warn"] { color: $warn; } QLabel[tone="bad"] { color: $bad; }
QPushButton { background: $surface; border: 1px solid $line; border-radius: 6px;
  padding: 0 #12px; min-height: #30px; }
QPushButton:hover { border-color: $edge; } QPushButton:pressed { background: $sunken; }
QPushButton:focus, QToolButton:focus { border: 1px solid $accent; }
QPushButton:disabled { background: $sunken; color: $off; border-color: $sunken; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border: 1px solid $accent;
  font-weight: bold; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; }
QPushButton[kind="primary"]:disabled { background: $sunken; color: $off; border-color: $sunken; }
QPushButton[kind="link"] { background: transparent; border: 1px solid transparent; color: $accent;
  padding: 0 #4px; min-height: #26px; text-align: left; }
QPushButton[kind="link"]:disabled { color: $off; }
QPushButton[kind="link"]:focus { border-color: $accent; }
QPushButton[kind="segment"] { background: transparent; border: 1px solid transparent;
  color: $muted; min-height: #22px; border-radius: 5px; padding: 0 #10px; }
QPushButton[kind="segment"]:checked { background: $surface; color: $text; border-color: $line;
  font-weight: bold; }
QPushButton[kind="segment"]:focus { border-color: $accent; }
QPushButton[kind="segment"]:disabled { color: $off; }
QPushButton[kind="chip"] { border-radius: #14px; min-height: #26px; padding: 0 #10px; }
QPushButton[kind="chip"]:checked { background: $tint; border-color: $accent; }
QPushButton[kind="chip"]:disabled { border: 1px dashed $edge; background: transparent; }
QPushButton[kind="field"] { background: $sunken; border-color: $sunken; color: $muted;
  text-align: left; }
QPushButton[kind="field"]:hover, QPushButton[kind="field"]:focus { border-color: $edge; }
QPushButton[kind="chooser"] { border-color: $edge; padding: 0 #12px; text-align: left; }
QPushButton::menu-indicator, QToolButton::menu-indicator { image: none; width: 0; }
QPushButton[kind="rail"] { background: transparent; border: 1px solid transparent; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px;
  min-width: #28px; min-height: #28px; }
QToolButton:hover { background: $sunken; }
QToolButton[kind="rail"] { color: $muted; border-radius: 8px; padding: #4px 0; }
QToolButton[kind="rail"]:checked { background: $tint; color: $accent; font-weight: bold; }
QTabBar#tabs { background: transparent; border: 0; qproperty-drawBase: 0; }
QTabBar#tabs::tab { background: transparent; border: 0; border-bottom: 3px solid transparent;
  color: $muted; padding: 0; margin-right: #20px; min-height: #42px; }
QTabBar#tabs::tab:selected { color: $text; border-bottom-color: $accent; font-weight: bold; }
QTabBar#tabs::tab:hover { color: $text; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
  background: $surface; border: 1px solid $edge; border-radius: 6px; padding: 0 #8px;
  selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: #30px; }
QSpinBox, QDoubleSpinBox { max-height: #30px; padding: 0; }
QPlainTextEdit, QTextEdit { padding: #6px; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus,
QTextEdit:focus { border-color: $accent; }
QPlainTextEdit[kind="bare"] { border: 1px solid transparent; padding: 0; }
QPlainTextEdit[kind="bare"]:focus { border-color: $accent; }
QLineEdit[bad="true"], QSpinBox[bad="true"], QDoubleSpinBox[bad="true"], QComboBox[bad="true"] {
  border-color: $bad; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
  background: $sunken; color: $off; border-color: $line; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button { width: 0; border: 0; }
QComboBox::drop-down { border: 0; width: #24px; }
QComboBox::down-arrow { image: url($icons/down-$mode.svg); width: #14px; height: #14px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $line; outline: 0;
  selection-background-color: $tint; selection-color: $text; }
QCheckBox, QRadioButton { spacing: #8px; }
QCheckBox::indicator { width: #14px; height: #14px; border: 1px solid $edge; border-radius: 4px;
  background: $surface; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent;
  image: url($icons/checked-$mode.svg); }
QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:disabled { background: $sunken; border-color: $line; }
QTableView, QListView, QTreeView { background: $surface; border: 0; outline: 0;
  gridline-color: transparent; selection-background-color: $tint; selection-color: $text; }
QTableView::item { padding: 0 #6px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }
QListWidget#found::item { min-height: #28px; padding: 0 #8px; border-radius: 6px;
  color: $text; }
QListWidget#found::item:selected { background: $tint; }
QHeaderView { background: $surface; border: 0; }
QHeaderView::section { background: $surface; color: $muted; border: 0;
  border-bottom: 1px solid $line; padding: 0 #8px; min-height: #28px; }
QTableCornerButton::section { background: $surface; border: 0; }
QScrollArea, QScrollArea > QWidget > QWidget[kind="scrolled"] { background: transparent;
  border: 0; }
QScrollBar { background: transparent; border: 0; margin: 0; }
QScrollBar:vertical { width: #10px; } QScrollBar:horizontal { height: #10px; }
QScrollBar::handle { background: $line; border-radius: #4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: #24px; }
QScrollBar::handle:horizontal { min-width: #24px; }
QScrollBar::handle:hover { background: $edge; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: $sunken; border: 0; border-radius: 3px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QProgressBar[tone="muted"]::chunk { background: $muted; }
QProgressBar[tone="warn"]::chunk { background: $warn; }
QProgressBar[tone="bad"]::chunk { background: $bad; }
QSlider { min-height: #22px; }
QSlider::groove:horizontal { height: #4px; background: $line; border-radius: 2px; }
QSlider::sub-page:horizontal { height: #4px; background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $surface; border: 2px solid $accent; width: #12px;
  margin: -#6px 0; border-radius: #8px; }
QSlider::handle:horizontal:focus { background: $tint; }
QMenuBar { background: $surface; border-bottom: 1px solid $line; }
QMenuBar::item { background: transparent; padding: #4px #10px; border-radius: 4px; }
QMenuBar::item:selected { background: $tint; color: $text; }
QMenu { background: $surface; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: #6px #24px #6px #12px; border-radius: 4px; }
QMenu::item:selected { background: $tint; color: $text; }
QMenu::item:disabled { color: $off; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QSplitter::handle { background: transparent; }
"""


def stylesheet(tokens: dict[str, str], scale: float) -> str:
    """The rules with `$token` filled in and `#12px` multiplied by `scale`."""
    mode = "dark" if tokens["bg"] < "#8" else "light"
    values = tokens | {"icons": resources.path("icons").as_posix(), "mode": mode}
    rules = re.sub(r"\$(\w+)", lambda found: values[found[1]], _RULES)
    return re.sub(r"#(\d+)px", lambda found: f"{round(int(found[1]) * scale)}px", rules)
