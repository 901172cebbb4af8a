"""A fine-tuned run is asked in Explore for the vectors and the attention of its encoder."""

import numpy as np
import pytest

from lmstudio.analysis.word_map import MapOptions
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.attention import AttentionPanel
from lmstudio.gui.panels.explore.embeddings import EmbeddingsPanel
from lmstudio.gui.panels.explore.layers import LayersPanel
from lmstudio.gui.panels.explore.polysemy import PolysemyPanel
from lmstudio.jobs import Job
from lmstudio.operations import attention, embeddings, inside, polysemy
from lmstudio.operations.changes import Changes
from tests.gui.panels import tuned_workspace

TEXT = "北京很好看"


@pytest.fixture
def tuned(app_state, jieba_home):
    """A small BERT that is fine-tuned, of the corpus that is selected; beside its encoder."""
    made = tuned_workspace.trained(app_state.workspace, "classify")
    ws = app_state.workspace
    cut = ws.segmentations(ws.corpora()[0].id)[0].id
    app_state.apply(Changes(runs=True, corpora=True, segmentations=True, new_id=cut))
    app_state.set_sentence(TEXT)
    return ws.run(made[0])


def choose(row: AskedRow, name: str) -> None:
    """Take a run from the menu of those that are not in the row."""
    row._menu.aboutToShow.emit()
    (action,) = [one for one in row._menu.actions() if one.text() == name]
    action.trigger()


def test_the_encoder_is_asked_where_nobody_chose(app_state, tuned, shown):
    row = shown(AskedRow(app_state, "context"))
    assert [run.name for run in row.runs()] == ["bert"]
    choose(row, tuned.name)
    assert [run.name for run in row.runs()] == ["bert", tuned.name]


def test_what_predicts_tokens_does_not_ask_it(app_state, tuned, shown):
    row = shown(AskedRow(app_state, "score"))
    app_state.asked.show([tuned.parent, tuned.id])
    assert [run.name for run in row.runs()] == ["bert"]
    assert "fine-tuned for a task" in row.chip(tuned.id).text()


@pytest.mark.slow
def test_embeddings_are_those_of_the_tuned_table(app_state, tuned, shown, qtbot):
    panel = shown(EmbeddingsPanel(app_state))
    qtbot.waitUntil(lambda: not app_state.jobs.busy and panel.map.found is not None)
    choose(panel.asked, tuned.name)
    panel.asked.chip(tuned.parent).click()
    qtbot.waitUntil(lambda: not app_state.jobs.busy and panel.map.run().id == tuned.id
                    and panel.map.found is not None)  # fmt: skip
    known = {run: embeddings.map_words(app_state.workspace, run, MapOptions(), job=Job()).places
             for run in (tuned.id, tuned.parent)}  # fmt: skip
    np.testing.assert_array_equal(panel.map.map.points().places, known[tuned.id])
    assert not np.array_equal(known[tuned.id], known[tuned.parent])


@pytest.mark.slow
def test_occurrences_lie_where_the_tuned_layers_put_them(app_state, tuned, shown, qtbot):
    panel = shown(PolysemyPanel(app_state))
    choose(panel.asked, tuned.name)
    panel.word.setText("好看")
    qtbot.waitUntil(lambda: panel.found is not None and panel.found.word == "好看"
                    and len(panel.answers) == 2)  # fmt: skip
    told = polysemy.polysemy(app_state.workspace, tuned.id, panel.found.occurrences, job=Job())
    own, before = panel.answers[tuned.id].layers, panel.answers[tuned.parent].layers
    assert [one.silhouette for one in own[1:]] == [
        pytest.approx(one.silhouette, nan_ok=True) for one in told.layers[1:]
    ]  # fmt: skip
    assert any(not np.allclose(mine.points, theirs.points)
               for mine, theirs in zip(own[1:], before[1:], strict=True))  # fmt: skip


@pytest.mark.slow
def test_attention_and_layers_are_those_of_the_tuned_encoder(app_state, tuned, shown, qtbot):
    ws = app_state.workspace
    looks = shown(AttentionPanel(app_state))
    choose(looks.models, tuned.name)
    qtbot.waitUntil(lambda: looks.found is not None and not looks.busy)
    assert looks.models.run().id == tuned.id
    known, before = (attention.attention(ws, run, TEXT, heads=["1.1"], words="auto", job=Job())
                     for run in (tuned.id, tuned.parent))  # fmt: skip
    np.testing.assert_array_equal(looks.asking.asked.head, (0, 0))
    np.testing.assert_allclose(looks.board.map.grid().values, known.weights, atol=1e-6)
    assert not np.allclose(known.weights, before.weights, atol=1e-3)
    layers = shown(LayersPanel(app_state))
    layers.asked._click(tuned.id, True)
    layers.view.segment("norms").click()
    qtbot.waitUntil(lambda: not layers.busy and layers.shown.found is not None)
    found = inside.inside(ws, tuned.id, TEXT, job=Job())
    name = next(iter(found.values))
    np.testing.assert_allclose(layers.shown.found.values[name], found.values[name], atol=1e-6)
