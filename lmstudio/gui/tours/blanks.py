"""The tour "teach a small BERT": a word is hidden whose only hint stands to the right of it."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.models import COUNTED, TEACH_BERT, count_one, of_model, trained
from lmstudio.gui.tours.sample import SAMPLE
from lmstudio.gui.tours.step import Step, Tour
from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.gui.panels.explore.masks import MasksPanel

SENTENCE, HIDDEN = "熊猫爱吃竹子。", "熊猫"  # in the sample corpus only pandas eat bamboo


def _is_typed(state: AppState, panel: "MasksPanel") -> bool:
    return bool(panel.blanks.text == SENTENCE)


def _type(state: AppState, panel: "MasksPanel") -> None:
    card = panel.sentence
    card.start_editing()
    card.line.setText(SENTENCE)
    card.edit.click()  # which ends the typing again


def _is_filled(state: AppState, panel: "MasksPanel") -> bool:
    blanks, board = panel.blanks, panel.board
    hidden = blanks.blank is not None and (blanks.blank.start, blanks.blank.end) == (0, len(HIDDEN))
    answered = {column.run.name for column in board.columns.values() if column.answer is not None}
    return hidden and any(run.name in answered for run in of_model(state, "bert", "done"))


def _hide(state: AppState, panel: "MasksPanel") -> None:
    panel.sentence.view.hidden.emit(0, len(HIDDEN), False)


BLANKS = Tour(
    "blanks",
    msg("Teach a small BERT to fill blanks"),
    msg("Train a BERT of two layers, hide a word, and see whom it guesses from what stands behind "
        "the blank."),
    2,
    (
        SAMPLE,
        *TEACH_BERT,
        Step(
            "masks", "sentence",
            msg("Type a sentence: 熊猫爱吃竹子。 (“The panda likes to eat bamboo.”) In the corpus "
                "every animal has its own food."),
            done=_is_typed, act=_type,
        ),
        Step(
            "masks", "sentence.view",
            msg("Click 熊猫 (“panda”) to hide it. Nothing stands before the blank: what tells the "
                "animal is the food at the end."),
            done=_is_filled, act=_hide, waits=msg("Waits for BERT's guesses at the word."),
        ),
        Step(
            "masks", "board",
            msg("These are BERT's guesses; the longer the bar, the likelier. The true word is the "
                "tinted row: it was guessed from the right."),
        ),
        Step(
            "new_run", "row.start",
            msg("For comparison, if you like: count a trigram. It sees two words to each side, and "
                "the bamboo is three words away."),
            done=trained("ngram"), act=count_one, optional=True, waits=COUNTED,
        ),
        Step(
            "masks", "sentence",
            msg("Every model has a column of its own here. Click other words to hide them, or type "
                "sentences of your own with the pencil."),
        ),
    ),
)  # fmt: skip
