"""Models come in and runs go out by the window: the dialogs, what they say, and what is made."""

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio import messages
from lmstudio.formats.vectors.vector_file import read_vectors, write_vectors
from lmstudio.gui.dialogs.export_run import ExportRunDialog
from lmstudio.gui.dialogs.import_model import KINDS, ImportModelDialog
from lmstudio.gui.panels.compare.run_actions import RunActions
from lmstudio.gui.panels.compare.run_board import RunBoard
from lmstudio.gui.panels.train.new_run import NewRunPanel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.operations import exporting, vector_files
from lmstudio.operations.changes import Changes
from lmstudio.operations.exporting import FORMATS
from lmstudio.operations.runs import notes
from lmstudio.operations.segmentations import tokens
from tests.gui.conftest import clipped
from tests.gui.panels import run_workspace
from tests.gui.test_window import drop


@pytest.fixture
def cut(app_state):
    made = run_workspace.segmented(app_state.workspace)
    app_state.apply(Changes(corpora=True, segmentations=True, new_id=made))
    return made


@pytest.fixture
def idle(app_state, qtbot):
    return lambda: qtbot.waitUntil(lambda: not app_state.jobs.busy)


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "some.vec"
    write_vectors(path, ["山", "水", "火星"], np.random.default_rng(1).normal(size=(3, 40)),
                  job=Job())  # fmt: skip
    return path


def test_a_window_opens_on_a_text_and_not_on_a_word_list(app_state, cut, vectors):
    ws = app_state.workspace
    folder = ws.folder
    vector_files.import_vectors(ws, vectors, job=Job())
    assert not ws.corpora()[-1].holds_text
    other = AppState(app_state.settings, app_state.queue)
    app_state.workspace.close()
    assert other.open_workspace(folder)
    assert other.segmentation.id == cut
    assert other.corpus.holds_text
    other.close()


def test_no_run_is_offered_on_a_word_list(app_state, cut, vectors, qtbot):
    panel = NewRunPanel(app_state)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.primary is panel.row.start
    made = vector_files.import_vectors(app_state.workspace, vectors, job=Job())
    app_state.apply(made)
    words = app_state.workspace.corpora()[-1]
    app_state.select_corpus(words.id)
    assert app_state.segmentation.corpus_id == words.id
    assert panel.primary.text() == "Go to Corpora"
    assert f"{words.name} is the list of the words" in panel._empty._detail.text()
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["corpora"]
    app_state.select_corpus(app_state.workspace.segmentation(cut).corpus_id)
    assert panel.primary is panel.row.start


def dialog_of(window, kind):
    return window.findChildren(kind)[-1]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_run_goes_out_in_the_layouts_that_it_can_have(window, app_state, cut, idle, tmp_path,
                                                        monkeypatch, language):  # fmt: skip
    messages.use(language)
    ws = app_state.workspace
    net = ws.run(run_workspace.network(ws, cut, "lstm"))
    dialog = ExportRunDialog(app_state, net, SaveAs(app_state, window), window)
    dialog.show()
    for number, name in enumerate(FORMATS):
        dialog.layouts.setCurrentRow(number)
        why = exporting.why_not(ws, net, name)
        assert dialog.choose.isEnabled() == (why is None)
        assert dialog.note.text() == str(why) or why is None
        assert not clipped(dialog)
    dialog.layouts.setCurrentRow(list(FORMATS).index("word2vec-binary"))
    dialog.forms.currentWidget().control("layer").setValue(1)
    monkeypatch.setattr(QFileDialog, "getSaveFileName",
                        lambda *_: (str(tmp_path / "out.bin"), "word2vec (*.bin)"))  # fmt: skip
    dialog.choose.click()
    idle()
    assert len(read_vectors(tmp_path / "out.bin", job=Job()).words) > 5


def test_a_folder_is_asked_for_by_its_name(window, app_state, cut, idle, tmp_path, monkeypatch):
    ws = app_state.workspace
    net = ws.run(run_workspace.network(ws, cut, "lstm"))
    dialog = ExportRunDialog(app_state, net, SaveAs(app_state, window), window)
    dialog.layouts.setCurrentRow(list(FORMATS).index("projector"))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "p"), ""))
    dialog.choose.click()
    idle()
    assert (tmp_path / "p" / "metadata.tsv").exists()


def test_vectors_come_in_and_a_network_may_begin_with_them(window, app_state, cut, idle, vectors,
                                                           monkeypatch):  # fmt: skip
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(vectors), ""))
    window.actions_by_key["import_model"].trigger()
    dialog = dialog_of(window, ImportModelDialog)
    assert dialog.place.currentData() == 0
    dialog.place.setCurrentIndex(dialog.place.findData(cut))
    dialog.name.setText("v")
    dialog.go.click()
    idle()
    run = app_state.workspace.run("v")
    assert (run.model, run.segmentation_id) == ("vectors", cut)
    assert window.current_panel == "curves"
    panel = NewRunPanel(app_state, window)
    panel.form.show_model("lstm")
    panel.form.offer([run])
    box = panel.form.page().begins
    assert [box.itemText(n) for n in range(box.count())][1:] == ["v"]
    over = QWidget(window)
    actions = RunActions(app_state, RunBoard(app_state, over), over)
    app_state.select_runs((run.id,))
    actions.update()
    for action in (actions.again, actions.warm, actions.evaluate):
        assert not action.isEnabled()
        assert action.toolTip() != action.text()
    assert actions.export.isEnabled()


def test_a_dropped_arpa_file_stands_on_its_own_words(window, app_state, cut, idle, tmp_path):
    counted = run_workspace.counted(app_state.workspace, cut, 2, "kneser-ney")
    exporting.export(app_state.workspace, counted, "arpa", tmp_path / "two.arpa", job=Job())
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "two.arpa"))) == []
    dialog = dialog_of(window, ImportModelDialog)
    assert dialog.place.currentData() == cut  # measured on the text that is selected
    dialog.place.setCurrentIndex(0)
    dialog.go.click()
    idle()
    run = app_state.workspace.runs()[-1]
    app_state.draft_from(run)
    panel = NewRunPanel(app_state, window)
    assert panel.spec().config.smoothing == "modified-kneser-ney"
    assert app_state.segmentation.id == run.segmentation_id != cut
    assert app_state.workspace.corpus(app_state.corpus.id).facts["pieces_of"] == "two"


def test_a_dropped_folder_of_hugging_face_is_given_words(window, app_state, cut, idle, cases):
    corpus = app_state.workspace.segmentation(cut).corpus_id
    assert drop(window, QUrl.fromLocalFile(str(cases / "hf_ok"))) == []
    dialog = dialog_of(window, ImportModelDialog)
    dialog.name.setText("piece by piece")
    dialog.place.setCurrentIndex(dialog.place.findData(corpus))
    dialog.words.setText(" 北京  上海 ")
    dialog.go.click()
    idle()
    run = app_state.workspace.run("piece by piece")
    assert app_state.workspace.segmentation(run.segmentation_id).corpus_id == corpus
    found = tokens(app_state.workspace, run.segmentation_id, "我爱北京", job=Job())
    assert [piece.piece for piece in found.pieces] == ["我", "爱", "北京"]
    assert any("2 new words begin with" in str(note) for note in notes(run.facts))


def test_a_taken_name_and_a_bad_file_are_told(window, app_state, cut, idle, vectors, tmp_path):
    counted = app_state.workspace.run(run_workspace.counted(app_state.workspace, cut, 1))
    problems = []
    app_state.problem.connect(lambda sentence, _: problems.append(sentence))
    window.models.ask(vectors)
    dialog = dialog_of(window, ImportModelDialog)
    dialog.name.setText(counted.name)
    assert not dialog.go.isEnabled()
    assert dialog.note.text()
    dialog.reject()
    window.models.ask(tmp_path / "absent")
    assert "does not exist" in problems[0]
    (tmp_path / "bad.arpa").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    window.models.ask(tmp_path / "bad.arpa")
    dialog_of(window, ImportModelDialog).go.click()
    idle()
    assert "binary file of KenLM" in problems[1]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_dialog_fits(window, app_state, cut, vectors, language, kind):
    messages.use(language)
    dialog = ImportModelDialog(app_state, vectors, kind, window)
    dialog.show()
    assert not clipped(dialog)
    dialog.reject()
