"""Embeddings: map, neighbours and matrix of really trained networks, as operations find them."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSize, Qt

from lmstudio import messages
from lmstudio.analysis.word_map import MapOptions, umap_missing
from lmstudio.gui.panels.explore.embeddings import EmbeddingsPanel
from lmstudio.gui.plot_export import export
from lmstudio.jobs import Job
from lmstudio.operations import embeddings, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits


def train(state, cut, model, **config):
    data = {"model": model, "config": {"width": 8, "layers": 2} | config,
            "training": {"max_steps": 6, "validate_every": 2}}  # fmt: skip
    made = training.train(state.workspace, cut, RunSpec.from_json(data), job=Job())
    state.apply(Changes(runs=True))
    return state.workspace.run(made.new_id)


@pytest.fixture
def run(app_state, cut):
    return train(app_state, cut, "lstm")


@pytest.fixture
def panel(app_state, run, shown, qtbot):
    made = shown(EmbeddingsPanel(app_state))
    qtbot.waitUntil(lambda: made.matrix.found is not None and made.map.film.found is not None)
    return made


def idle(state):
    return not state.jobs.busy


def test_what_is_shown_is_what_the_operations_find(panel, app_state, run):
    ws = app_state.workspace
    known = embeddings.map_words(ws, run.id, MapOptions(), job=Job())
    np.testing.assert_array_equal(panel.map.map.points().places, known.places)
    assert panel.map.map.points().words == known.words
    assert panel.map.said() == embeddings.said_of(known)
    word = panel.words.word
    near = embeddings.neighbors(ws, run.id, word, job=Job())
    rows = panel.words.table.rows()
    assert [row.cells["word"].value for row in rows] == [one.word for one in near.nearest]
    assert [row.cells["cosine"].value for row in rows] == [one.cosine for one in near.nearest]
    assert {row.cells["one_hot"].value for row in rows} == {0}
    words = [word, *(one.word for one in near.nearest[:6])]
    assert panel.matrix.matrix.words() == words
    alike = embeddings.similarities(ws, run.id, words, job=Job())
    np.testing.assert_array_equal(panel.matrix.matrix.values(), alike.values)
    points = panel.map.map.points()
    assert points.words[points.chosen] == word
    assert [points.words[p] for p in points.near[:3]] == [one.word for one in near.nearest[:3]]


def test_a_click_on_the_map_asks_about_another_word(panel, app_state, qtbot):
    scatter = panel.map.map
    other = (scatter.points().chosen + 1) % len(scatter.points().words)
    place = scatter._pixels()[other]
    qtbot.mouseClick(scatter, Qt.MouseButton.LeftButton, pos=QPointF(*place).toPoint())
    word = panel.words.word
    qtbot.waitUntil(lambda: idle(app_state) and bool(panel.words.found))
    assert scatter.points().words[scatter.points().chosen] == word == panel.words.field.text()
    assert next(iter(panel.words.found.values())).query == word


def test_case_g1_tsne_is_shown_with_the_perplexity_used(panel, app_state, qtbot):
    panel.map.controls.method.segment("tsne").click()
    qtbot.waitUntil(lambda: panel.map.found.options.method == "tsne")
    count = len(panel.map.found.words)
    assert panel.map.found.layout.perplexity == pytest.approx((count - 1) / 3)
    assert f"perplexity {panel.map.found.layout.perplexity:.1f}" in panel.map.said()
    panel.map.map_only(panel.map.found.words[:2])
    qtbot.waitUntil(lambda: "A map needs 3 words" in panel.map.said())
    panel.map.map_only(panel.map.found.words[:3])
    qtbot.waitUntil(lambda: len(panel.map.found.words) == 3)
    assert np.isfinite(panel.map.map.points().places).all()


def test_tsne_is_shown_on_its_way_and_can_be_stopped(panel, app_state, qtbot):
    before, shown = panel.map.map.points().places, []

    def stop(_: object) -> None:
        points = panel.map.map.points()
        if not points.words and not shown:  # dots, no names yet
            shown.append(points.places.shape)
            panel.map.progress.cancel.click()

    panel.map._asking.advanced.connect(stop)  # the next event may bring the finished map
    panel.map.controls.method.segment("tsne").click()
    qtbot.waitUntil(lambda: bool(shown))
    assert shown == [before.shape]
    assert panel.map.map.points().places is before
    qtbot.waitUntil(lambda: idle(app_state))
    assert panel.map.found.options.method == "pca"


def test_umap_says_what_it_needs(panel):
    segment = panel.map.controls.method.segment("umap")
    assert segment.isEnabled() == (umap_missing() is None)
    assert segment.isEnabled() or "umap-learn" in segment.toolTip()


def test_the_slider_shows_the_map_as_it_was(panel, app_state, run, qtbot):
    film = embeddings.film(app_state.workspace, run.id, job=Job())
    slider = panel.map.film.slider
    assert slider.maximum() == len(film.steps) - 1 == slider.value()
    slider.setValue(0)
    np.testing.assert_array_equal(panel.map.map.points().places, film.places[0])
    view = panel.map.map.view()
    slider.setValue(1)
    np.testing.assert_array_equal(panel.map.map.points().places, film.places[1])
    assert panel.map.map.view() == view
    assert "PCA" in panel.map.said()
    panel.map.film._timer.setInterval(1)
    panel.map.film.play.click()
    qtbot.waitUntil(lambda: not panel.map.film._timer.isActive())
    np.testing.assert_array_equal(panel.map.map.points().places, panel.map.found.places)


def test_a_line_round_words_compares_and_maps_them(panel, qtbot):
    scatter = panel.map.map
    qtbot.keyClick(scatter, Qt.Key.Key_L)
    assert panel.map.lasso.isChecked()
    size = scatter.width(), scatter.height()
    scatter.take_inside(
        [(-9, -9), (size[0] + 9, -9), (size[0] + 9, size[1] + 9), (-9, size[1] + 9)]
    )
    words = panel.map.found.words
    assert panel.matrix.words() == words[:40]
    assert panel.map.alone.isVisible()
    panel.map.alone.click()
    qtbot.waitUntil(lambda: panel.map.every.isVisible() and panel.map.found.words == words)
    panel.map.every.click()
    assert panel.map.selection == []


def test_a_deeper_layer_is_asked_everywhere(panel, app_state, run, qtbot):
    panel.map.controls.layer.setCurrentIndex(2)
    qtbot.waitUntil(lambda: panel.map.found.options.layer == 2)
    qtbot.waitUntil(lambda: idle(app_state))
    known = embeddings.neighbors(app_state.workspace, run.id, panel.words.word, 2, job=Job())
    rows = panel.words.table.rows()
    assert [row.cells["cosine"].value for row in rows] == [one.cosine for one in known.nearest]
    assert "layer 2" in panel.map.said()


def test_words_are_found_and_zoomed(panel, qtbot):
    scatter = panel.map.map
    with qtbot.waitSignal(scatter.search_wanted):
        qtbot.keyClick(scatter, Qt.Key.Key_Slash)
    wanted = panel.map.found.words[5]
    panel.map.controls.finder.setText(wanted)
    assert scatter.points().marked[0] == 5
    qtbot.keyClick(panel.map.controls.finder, Qt.Key.Key_Return)
    assert panel.words.word == wanted
    before = scatter.view().scale
    qtbot.keyClick(scatter, Qt.Key.Key_Plus)
    assert scatter.view().scale == pytest.approx(before * 1.25)
    qtbot.keyClick(scatter, Qt.Key.Key_Minus)
    qtbot.keyClick(scatter, Qt.Key.Key_0)
    assert len(scatter.labelled()) <= 60


@pytest.mark.parametrize(("by", "said"), [("clusters", ""), ("tags", "without tags"),
                                          ("classes", "No n-gram model of classes")])  # fmt: skip
def test_words_are_coloured_by_group(panel, by, said, qtbot):
    controls = panel.map.controls
    controls.by.setCurrentIndex(controls.by.findData(by))
    if not said:
        qtbot.waitUntil(lambda: panel.map.groups is not None)
        assert panel.map.map.points().names == panel.map.groups.names
        panel.map.controls.words.setValue(5)  # other words, other groups
        qtbot.waitUntil(lambda: len(panel.map.found.words) == 5)
        qtbot.waitUntil(lambda: panel.map.groups is not None)
        assert set(panel.map.map.points().groups.tolist()) == set(
            range(len(panel.map.groups.names))
        )
    else:
        qtbot.waitUntil(lambda: panel.map.said() and "PCA" not in panel.map.said())


def test_classes_are_the_step_between(app_state, cut, shown, qtbot):
    spec = RunSpec.from_json({"model": "class-ngram", "config": {"classes": 4}})
    training.train(app_state.workspace, cut, spec, job=Job())
    run = train(app_state, cut, "gpt", heads=2)
    panel = shown(EmbeddingsPanel(app_state))
    qtbot.waitUntil(lambda: panel.matrix.found is not None)
    assert not panel.asked.chip(app_state.runs()[0].id).isEnabled()
    same = [row.cells["class"].value for row in panel.words.table.rows()]
    known = embeddings.neighbors(app_state.workspace, run.id, panel.words.word, job=Job())
    assert same == [int(one.same_class) for one in known.nearest]
    panel.matrix.by.setCurrentIndex(panel.matrix.by.findData("classes"))
    qtbot.waitUntil(lambda: idle(app_state))
    assert set(np.unique(panel.matrix.matrix.values())) <= {0, 1}
    panel.matrix.by.setCurrentIndex(panel.matrix.by.findData("one-hot"))
    np.testing.assert_array_equal(panel.matrix.matrix.values(), np.eye(7))


def test_del_takes_a_word_out_of_the_matrix(panel, qtbot, app_state):
    matrix = panel.matrix.matrix
    first = matrix.words()[0]
    qtbot.keyClick(matrix, Qt.Key.Key_Home)
    assert matrix.word() == first
    qtbot.keyClick(matrix, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: idle(app_state))
    assert first not in matrix.words()
    panel.matrix.plus.click()
    qtbot.waitUntil(lambda: first in matrix.words())


def test_analogies_and_test_sets_are_scored(panel, app_state, run, tmp_path, qtbot):
    words = panel.map.found.words
    panel.words.tabs.segment("analogy").click()
    analogy = panel.words.analogy
    analogy.words.setText(words[0])
    qtbot.keyClick(analogy.words, Qt.Key.Key_Return)
    assert analogy._said.full_text() == "Type three words, with spaces between them."
    panel.words.analogy.words.setText(" ".join(words[:3]))
    qtbot.waitUntil(lambda: panel.words.analogy.found is not None)
    known = embeddings.analogy(app_state.workspace, run.id, words[:3], job=Job())
    rows = panel.words.analogy.table.rows()
    assert [row.cells["add"].value for row in rows] == [one.word for one in known.add]
    file = tmp_path / "set.txt"
    file.write_text(f"{words[0]}\t{words[1]}\t3\n{words[1]}\t{words[2]}\t2\n", encoding="utf-8")
    panel.words.tests.score(file)
    qtbot.waitUntil(lambda: run.id in panel.words.tests.found)
    assert panel.words.tests.table.rows()[0].cells["covered"].value == 1
    file.write_text(f": s\n{' '.join(words[:4])}\n", encoding="utf-8")
    panel.words.tests.score(file)
    qtbot.waitUntil(lambda: bool(panel.words.tests.found))
    assert panel.words.tests.table.rows()[0].cells["section"].value == "s"
    hidden = [n for n in range(6) if panel.words.tests.table.isColumnHidden(n)]
    assert hidden == [3]  # rho is of pairs


def test_several_runs_stand_side_by_side(app_state, run, cut, shown, qtbot):
    other = train(app_state, cut, "gpt", heads=2)
    panel = shown(EmbeddingsPanel(app_state))
    qtbot.waitUntil(lambda: len(panel.words.found) == 2)
    rows = panel.words.table.rows()
    for number, one in enumerate(panel.asked.runs()):
        known = embeddings.neighbors(app_state.workspace, one.id, panel.words.word, job=Job())
        assert [row.cells[f"run{number}"].value for row in rows] == [n.word for n in known.nearest]
    assert {one.id for one in panel.asked.runs()} == {run.id, other.id}


def test_files_and_findings_are_kept(panel, app_state, tmp_path, qtbot):
    panel.map.save.save(tmp_path / "map.csv", embeddings.save_map, panel.map.found, None)
    qtbot.waitUntil(lambda: idle(app_state))
    with (tmp_path / "map.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(panel.map.found.words)
    panel.map.film.slider.setValue(0)
    panel.map.save.save(tmp_path / "film.csv", embeddings.save_film, panel.map.film.found)
    qtbot.waitUntil(lambda: idle(app_state))
    assert (tmp_path / "film.csv").exists()
    for kind in ("png", "svg", "pdf"):
        for name, drawing in (("map", panel.map.map), ("matrix", panel.matrix.matrix)):
            export(drawing, tmp_path / f"{name}.{kind}", QSize(640, 480), "caption")
            assert (tmp_path / f"{name}.{kind}").stat().st_size > 1000
    with qtbot.waitSignal(app_state.findings_changed):
        panel.words.keep()


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(EmbeddingsPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, run, language):
    messages.use(language)
    assert_fits(shown(EmbeddingsPanel(app_state)))
