"""The tour "n-gram to LSTM": counting against learning, on one axis in bits per character."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.models import (
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


def _compared(state: AppState, panel: "HeadToHeadPanel") -> bool:
    return panel.found is not None


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
            msg("These are sentences of the corpus, cut in two ways. A language model guesses one "
                "such token after the other; here they are words."),
        ),
        Step(
            "new_run", "#model-ngram",
            msg("Choose the n-gram model, of order 3. It counts which word followed which two "
                "words, and remembers nothing else."),
            done=chosen("ngram"), act=fill_form(NGRAM),
        ),
        Step(
            "new_run", "row.start",
            msg("Start it. Counting takes less than a second."),
            done=trained("ngram"), act=press_start,
        ),
        Step(
            "new_run", "#model-lstm",
            msg("Now the LSTM, a network that carries a memory from word to word through the whole "
                "sentence. A small one is enough."),
            done=chosen("lstm"), act=fill_form(LSTM),
        ),
        Step(
            "new_run", "row.start",
            msg("Start the training. It takes about half a minute."),
            done=begun("lstm"), act=press_start,
        ),
        Step(
            "curves", "plot",
            msg("The square is the n-gram model: it was done at once. Watch the LSTM's curve fall, "
                "towards it and below. The dashed line is the limit of the language itself."),
            done=trained("lstm"), seen=True,
        ),
        Step(
            "head_to_head", "differences",
            msg("Both models on the same text that neither has seen: how many bits per character "
                "they differ by, and how sure that is."),
            done=_compared, seen=True,
        ),
        Step(
            "sentence", "view",
            msg("Each bar is the surprise at one word, in bits. Where the LSTM is less surprised "
                "it remembered something that stood further back than two words."),
        ),
    ),
)  # fmt: skip
