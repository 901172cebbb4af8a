"""The tour "n-gram to LSTM": counting against learning, on one axis in bits per character."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.models import (
    BEGUN,
    COUNTED,
    LSTM,
    NGRAM,
    begun,
    chosen,
    fill_form,
    press_start,
    trained,
)
from lmstudio.gui.tours.sample import SAMPLE
from lmstudio.gui.tours.step import Step, Tour
from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.gui.panels.compare.head_to_head import HeadToHeadPanel
    from lmstudio.gui.panels.segment.segment import SegmentPanel


def _compared(state: AppState, panel: "HeadToHeadPanel") -> bool:
    return panel.found is not None


def _show_difference(state: AppState, panel: "SegmentPanel") -> bool:
    """Go to a sentence that the two sides cut differently, unless one is in sight."""
    if not panel.comparison.seen:
        return False
    if not panel.comparison.differs():
        panel.comparison.next_difference()
    return True


COUNTING = Tour(
    "counting",
    msg("n-gram to LSTM in two minutes"),
    msg("Count a trigram, train an LSTM, and see on one axis which of them guesses the text "
        "better, and where."),
    2,
    (
        SAMPLE,
        Step(
            "segment", "comparison",
            msg("Sentences of the corpus, cut into words in two ways. Words that the two cut "
                "differently are underlined. A language model guesses one such token after the "
                "other."),
            arrange=_show_difference,
        ),
        Step(
            "new_run", "#model-ngram",
            msg("Choose the n-gram model, of order 3. It counts which word followed which two "
                "words, and remembers nothing else."),
            done=chosen("ngram"), act=fill_form(NGRAM), read=True,
        ),
        Step(
            "new_run", "row.start",
            msg("Start it. Nothing is learned step by step: it is counted, once through the text."),
            done=trained("ngram"), act=press_start, waits=COUNTED,
        ),
        Step(
            "new_run", "#model-lstm",
            msg("Now the LSTM, a network that carries a memory from word to word through the whole "
                "sentence. The preset “small” is enough."),
            done=chosen("lstm"), act=fill_form(LSTM), read=True,
        ),
        Step(
            "new_run", "row.start",
            msg("Start the training. “What it takes” says how long it will take here."),
            done=begun("lstm"), act=press_start, waits=msg("Waits for the start."), told=BEGUN,
        ),
        Step(
            "curves", "plot",
            msg("The square is the n-gram model: it was done at once. Watch the LSTM's curve fall, "
                "towards it and below. The dashed line is the limit of the language itself."),
            done=trained("lstm"), read=True, waits=msg("Waits until the LSTM is trained."),
        ),
        Step(
            "head_to_head", "differences",
            msg("Both models on the same text that neither has seen: how many bits per character "
                "they differ by, and how sure that is."),
            done=_compared, read=True, waits=msg("Waits for the comparison of the two."),
        ),
        Step(
            "sentence", "view",
            msg("Each bar is the surprise at one word, in bits. Where the LSTM is less surprised "
                "it remembered something that stood further back than two words."),
        ),
    ),
)  # fmt: skip
