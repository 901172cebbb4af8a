"""What tests of the panel Sentence do with it: train runs, type, wait, and read what is shown."""

from lmstudio.jobs import Job
from lmstudio.operations import training
from lmstudio.operations.changes import Changes
from tests.gui.panels import explore_workspace


def count(state, **config) -> int:
    return explore_workspace.count(state, state.segmentation.id, **config)


def trained(state, spec) -> int:
    made = training.train(state.workspace, state.segmentation.id, spec, job=Job()).new_id
    state.apply(Changes(runs=True))
    return made


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def ask(panel, qtbot, text, runs=()):
    if runs:
        panel.state.asked.show(list(runs))
    panel.field.setPlainText(text)
    answered(panel, qtbot)


def table(panel, key):
    panel.tables.view.segment(key).click()
    return panel.tables.table()


def bars(panel, lane=0):
    return panel.view.lanes()[lane].bars
