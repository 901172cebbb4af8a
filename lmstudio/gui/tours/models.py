"""The models that tours train, small enough for two cores, and the steps that lead to them."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.step import Act, Check, Step
from lmstudio.messages import msg
from lmstudio.models.config import BertConfig
from lmstudio.store.rows import Facts, RunRow

if TYPE_CHECKING:
    from lmstudio.gui.panels.train.new_run import NewRunPanel

NGRAM: Facts = {"model": "ngram", "config": {"order": 3}}
LSTM: Facts = {"model": "lstm", "preset": "small"}
BERT: Facts = {
    "model": "bert",
    "config": {"layers": 2, "width": 64, "heads": 4, "window": 32, "dropout": 0.0},
    "training": {"max_steps": 800, "epochs": 40, "batch": 32, "learning_rate": 0.01},
}
"""Steps, not minutes: below 600 of them it has not found out yet who eats what."""

COUNTED = msg("Waits until the n-grams are counted.")
BEGUN = msg("The training has begun. The next step waits for its end.")
SMALL = 64  # width of a BERT that is trained in less than a minute


def of_model(state: AppState, model: str, *states: str) -> list[RunRow]:
    """The runs of a model on the segmentation selected that are in one of `states`."""
    cut = state.segmentation
    found = state.runs(cut.id) if cut is not None else []
    return [run for run in found if run.model == model and run.state in states]


def trained(model: str) -> Check:
    """There is a finished run of the model."""

    def check(state: AppState, panel: "NewRunPanel") -> bool:
        return bool(of_model(state, model, "done"))

    return check


def begun(model: str) -> Check:
    """There is a run of it, finished or on its way."""

    def check(state: AppState, panel: "NewRunPanel") -> bool:
        return bool(of_model(state, model, "queued", "running", "done"))

    return check


def chosen(model: str) -> Check:
    """The form is about the model, or there is a run of it."""

    def check(state: AppState, panel: "NewRunPanel") -> bool:
        return begun(model)(state, panel) or panel.timeline.value() == model

    return check


def fill_form(draft: Facts) -> Act:
    """Have the form show these settings, as when those of a run are taken over."""

    def act(state: AppState, panel: "NewRunPanel") -> None:
        state.draft, state.draft_parent = draft, None
        state.draft_changed.emit()

    return act


def press_start(state: AppState, panel: "NewRunPanel") -> None:
    """Start the training."""
    panel.row.start.click()


def count_one(state: AppState, panel: "NewRunPanel") -> None:
    """Fill the form with a trigram and start it."""
    fill_form(NGRAM)(state, panel)
    press_start(state, panel)


def _choose_bert(state: AppState, panel: "NewRunPanel") -> None:
    panel.timeline.choose("bert")


def _is_small(state: AppState, panel: "NewRunPanel") -> bool:
    if begun("bert")(state, panel):
        return True
    config = panel.spec().config
    return isinstance(config, BertConfig) and config.width <= SMALL


TEACH_BERT: tuple[Step, ...] = (
    Step(
        "new_run", "#model-bert",
        msg("Choose BERT. It is the model that reads a sentence from both sides at once and "
            "guesses the words that are hidden in it."),
        done=chosen("bert"), act=_choose_bert, read=True,
    ),
    Step(
        "new_run", "settings",
        msg("Make it smaller still: two layers, 64 wide, windows of 32 tokens, 800 steps. “What "
            "it takes” says how long that trains here. As it stands it would do, too."),
        done=_is_small, act=fill_form(BERT), optional=True,
    ),
    Step(
        "new_run", "row.start",
        msg("Start the training. It runs in the background: the window can be used meanwhile."),
        done=begun("bert"), act=press_start, waits=msg("Waits for the start."), told=BEGUN,
    ),
    Step(
        "new_run", "jobs",
        msg("BERT learns now: every seventh word of a sentence is hidden, it guesses, and is "
            "told what stood there. Wait until it is done."),
        done=trained("bert"), waits=msg("Waits until BERT is trained."),
    ),
)  # fmt: skip
"""From the sample corpus to a trained BERT."""
