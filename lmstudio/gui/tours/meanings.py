"""The tour "one word, two meanings": 黄牛 is an ox, or who sells tickets at a high price."""

from typing import TYPE_CHECKING

from lmstudio.gui.state import AppState
from lmstudio.gui.tours.models import TEACH_BERT, of_model
from lmstudio.gui.tours.sample import SAMPLE
from lmstudio.gui.tours.step import Step, Tour
from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.gui.panels.explore.polysemy import PolysemyPanel

WORD, GROUPS = "黄牛", 2


def _is_looked_up(state: AppState, panel: "PolysemyPanel") -> bool:
    found, answers = panel.found, panel.answers
    asked = found is not None and found.word == WORD
    return asked and any(run.id in answers for run in of_model(state, "bert", "done"))


def _look_up(state: AppState, panel: "PolysemyPanel") -> None:
    panel.word.setText(WORD)


def _is_grouped(state: AppState, panel: "PolysemyPanel") -> bool:
    if not _is_looked_up(state, panel) or panel.groups.currentData() != GROUPS:
        return False
    layers = [panel.answers[run.id].layers[-1] for run in of_model(state, "bert", "done")
              if run.id in panel.answers]  # fmt: skip
    return all(len(set(layer.labels.tolist())) == GROUPS for layer in layers)


def _group(state: AppState, panel: "PolysemyPanel") -> None:
    panel.groups.setCurrentIndex(panel.groups.findData(GROUPS))


def _cells_of_bert(state: AppState, panel: "PolysemyPanel") -> list[int]:
    """Where its layers stand on the board."""
    runs = {run.id for run in of_model(state, "bert", "done")}
    cells = enumerate(panel.answer.board.cells())
    return [number for number, cell in cells if cell.run in runs and not cell.single]


def _is_coloured(state: AppState, panel: "PolysemyPanel") -> bool:
    return panel.answer.board.cell() in _cells_of_bert(state, panel)


def _colour(state: AppState, panel: "PolysemyPanel") -> None:
    panel.answer.board.chosen.emit(_cells_of_bert(state, panel)[-1])


MEANINGS = Tour(
    "meanings",
    msg("One word, two meanings"),
    msg("黄牛 is an ox, or a ticket tout. See the layers of a BERT tell them apart by the "
        "sentence."),
    2,
    (
        SAMPLE,
        *TEACH_BERT,
        Step(
            "polysemy", "word",
            msg("Type 黄牛. In the corpus it is an ox in the field, and at the station one who "
                "sells tickets at a high price."),
            done=_is_looked_up, act=_look_up, waits=msg("Waits for what BERT makes of the word."),
        ),
        Step(
            "polysemy", "groups",
            msg("Ask for two groups. Each layer then sorts the occurrences by the vectors that it "
                "gives the word, without knowing what is meant."),
            done=_is_grouped, act=_group,
        ),
        Step(
            "polysemy", "answer.board",
            msg("In the look-up table the word is one point, whatever it means. In BERT's layers "
                "every sentence moves it. Click a layer of BERT: the marks follow its groups."),
            done=_is_coloured, act=_colour, read=True,
        ),
        Step(
            "polysemy", "uses",
            msg("Read the sentences beside the marks: one group sells tickets at the station. "
                "A joke like 这种黄牛可不会耕地 may stand with the oxen: the words around it "
                "decide."),
        ),
    ),
)  # fmt: skip
