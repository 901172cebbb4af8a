"""Runs and corpora are tagged and found again where they are listed."""

import pytest

from lmstudio.gui.dialogs.tags import TagsDialog
from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.gui.panels.corpora.corpora import CorporaPanel
from lmstudio.gui.panels.corpora.corpus_card import FEW
from lmstudio.jobs import Job
from lmstudio.operations import corpora, tags
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.fixture
def runs(app_state, cut):
    ws = app_state.workspace
    made = [run_workspace.counted(ws, cut, 1), run_workspace.made_up(ws, cut, "LSTM 小")]
    app_state.apply(Changes(runs=True))
    return made


def keys(panel):
    return [row.key for row in panel.table.table.rows()]


def test_runs_are_tagged_and_searched(app_state, runs, shown):
    panel = shown(CurvesPanel(app_state))
    tag_column = next(n for n, c in enumerate(panel.table.table._rows.columns) if c.key == "tags")
    assert panel.table.table.isColumnHidden(tag_column)
    app_state.select_runs((runs[0],))
    panel.table.actions_.tags.trigger()
    dialog = panel.window().findChild(TagsDialog)
    dialog.field.setText("课堂 基线")
    dialog.accept()
    assert tags.tags(app_state.workspace, "run") == {runs[0]: ("基线", "课堂")}
    assert not panel.table.table.isColumnHidden(tag_column)
    panel.search()
    panel.table.search.setText("课堂")
    assert keys(panel) == [runs[0]]
    panel.table.search.setText("lstm done")
    assert keys(panel) == [runs[1]]
    panel.table.search.setText("lstm 课堂")
    assert keys(panel) == []
    panel.table.search.clear()
    assert sorted(keys(panel)) == sorted(runs)


def test_tags_that_are_too_long_are_reported(app_state, runs, shown, qtbot):
    panel = shown(CurvesPanel(app_state))
    dialog = TagsDialog(app_state, "run", runs[0], "x", panel)
    dialog.field.setText("长" * 50)
    with qtbot.waitSignal(app_state.problem):
        dialog.keep()


def test_corpora_are_tagged_and_searched(app_state, shown):
    for number in range(FEW + 1):
        corpora.import_text(app_state.workspace, "文。\n" * 30, name=f"文 {number}", job=Job())
    app_state.apply(Changes(corpora=True))
    app_state.select_corpus(app_state.corpora()[0].id)
    panel = shown(CorporaPanel(app_state))
    listed = panel.card.list
    assert panel.card.search.isVisibleTo(panel)
    panel.actions_.tag.click()
    dialog = panel.window().findChild(TagsDialog)
    dialog.field.setText("课堂")
    dialog.accept()
    panel.card.search.setText("课堂")
    assert [listed.item(n).text() for n in range(listed.count())] == ["文 0"]
    panel.card.search.setText("文 3")
    assert [listed.item(n).text() for n in range(listed.count())] == ["文 3"]
    panel.card.search.clear()
    assert listed.count() == FEW + 1
