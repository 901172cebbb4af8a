"""The first step of every tour: the sample corpus, made by the button of the start page."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.step import Step
from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.gui.panels.start.welcome import WelcomePanel


def _is_there(state: AppState, panel: "WelcomePanel") -> bool:
    corpus = state.corpus
    return corpus is not None and "sample" in corpus.facts and state.segmentation is not None


def _press(state: AppState, panel: "WelcomePanel") -> None:
    panel.sample.click()


SAMPLE = Step(
    "welcome", "sample",
    msg("This button makes the sample corpus and cuts it into words. The program writes the text "
        "itself, by a grammar: nothing is downloaded."),
    done=_is_there, act=_press, waits=msg("Waits for the sample corpus and its words."),
)  # fmt: skip
