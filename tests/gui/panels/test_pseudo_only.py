"""A corpus of nothing but BERT: why the plot of curves is empty, and the way to what it has."""

import pytest
from PySide6.QtGui import QFontMetricsF

from lmstudio import messages
from lmstudio.gui import theme
from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace


@pytest.fixture
def panel(app_state, cut, shown):
    run_workspace.network(app_state.workspace, cut, "bert", layers=1, heads=2)
    app_state.apply(Changes(runs=True))
    return shown(CurvesPanel(app_state))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_says_so_and_shows_the_loss_of_blanks(app_state, cut, shown, language, request):
    before = messages.language()
    messages.use(language)
    try:
        panel = request.getfixturevalue("panel")
        assert panel.pseudo.isVisible()
        assert not panel.plot.isVisible()
        assert_fits(panel)
        panel.pseudo.shown.click()
    finally:
        messages.use(before)
    assert panel.measure.value() == "masked_loss"
    assert not panel.pseudo.isVisible()
    assert len(panel.plot.series()) == 1
    panel.measure.set_value("perplexity")
    assert panel.pseudo.isVisible()


def test_what_can_be_drawn_takes_its_place(panel, app_state, cut):
    run_workspace.counted(app_state.workspace, cut, 2)
    app_state.apply(Changes(runs=True))
    assert panel.plot.isVisible()
    assert not panel.pseudo.isVisible()


def test_pseudo_figures_are_not_cut(panel):
    (row,) = panel.table.table.rows()
    metrics = QFontMetricsF(theme.font(13))
    header = panel.table.table.horizontalHeader()
    for key, text in (("valid", "11.02 pseudo"), ("test", "11.02 pseudo")):
        assert row.cells[key].text.endswith("pseudo")
        at = panel.table.table.column_keys().index(key)
        assert metrics.horizontalAdvance(text) + theme.px(16) < header.sectionSize(at)
