"""What a workspace opens on: what was looked at last, else what the user made, no by-product."""

import pytest
from PySide6.QtWidgets import QApplication

from lmstudio.gui.opening import opening
from lmstudio.gui.panels.tasks.tuning_card import encoders
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job, JobQueue
from lmstudio.operations import corpora, runs, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from tests.gui.panels import tuned_workspace


def corpus(ws, name, **facts):
    """The id of a segmentation of a corpus of that name."""
    corpora.import_text(ws, f"{name}的话。\n" * 9, name=name, facts=facts, job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(ws, name, options, job=Job()).new_id


@pytest.fixture
def opened(qapp):
    """Open a folder in a state of its own, with the settings that were saved."""
    states = []

    def made(folder):
        states.append(AppState(Settings.load(), JobQueue()))
        assert states[-1].open_workspace(folder)
        return states[-1]

    yield made
    for state in states:
        state.close()
        state.deleteLater()
    QApplication.processEvents()


@pytest.mark.parametrize("fact", ["pieces_of", "texts_of", "absent"])
def test_it_opens_on_what_the_user_imported(opened, tmp_path, fact):
    with Workspace(tmp_path / "ws") as ws:
        corpus(ws, "旧")
        own = corpus(ws, "鲁迅")
        corpus(ws, "评论, texts", **{fact: True if fact == "absent" else "评论"})
    state = opened(tmp_path / "ws")
    assert (state.corpus.name, state.segmentation.id) == ("鲁迅", own)


def test_it_opens_on_what_was_looked_at_last(opened, tmp_path):
    with Workspace(tmp_path / "ws") as ws:
        old = corpus(ws, "旧")
        corpus(ws, "鲁迅")
    state = opened(tmp_path / "ws")
    state.select_segmentation(old)
    state.close()
    with Workspace(tmp_path / "ws") as ws:
        corpus(ws, "三国")
    assert opened(tmp_path / "ws").corpus.name == "旧"


def test_a_by_product_is_shown_where_there_is_nothing_else(app_state):
    ws = app_state.workspace
    cut = corpus(ws, "评论, texts", texts_of="评论")
    assert opening(ws.corpora(), ws.segmentations(), seen=99) == (1, cut)
    assert opening([], []) == (None, None)


@pytest.fixture
def cut(app_state):
    """A segmentation of what the user imported."""
    return corpus(app_state.workspace, "鲁迅")


@pytest.fixture
def tuned(app_state, cut, monkeypatch):
    """Runs of two tasks, that of the newest task scored 0.7 and 0.2."""
    monkeypatch.setattr(runs, "has_model", lambda *_: True)
    ws = app_state.workspace
    tuned_workspace.scored(ws, cut, tuned_workspace.task(ws), "BERT", {1: 0.9})
    made = tuned_workspace.scored(ws, cut, tuned_workspace.task(ws, "履历", "tag"), "f",
                                  {1: 0.7, 2: 0.2}, measure="f1")  # fmt: skip
    app_state.apply(Changes(runs=True))
    return made


def test_the_best_run_of_the_newest_task_is_asked(app_state, tuned):
    ws = app_state.workspace
    assert app_state.tuned.run(ws).id == tuned[0]
    app_state.tuned.choose_run(ws.run(tuned[1]))
    assert app_state.tuned.run(ws).id == tuned[1]


def test_the_encoder_that_was_tuned_last_is_proposed(app_state, cut, monkeypatch):
    monkeypatch.setattr(runs, "has_model", lambda *_: True)
    ws = app_state.workspace
    of = tuned_workspace.task(ws)
    texts = corpus(ws, "评论, texts", texts_of="评论")
    spec = {"model": "bert"}
    ids = {}
    for name, where in (("bert", cut), ("on", texts), ("copy", cut)):
        ids[name] = ws.add_run(where, name, "bert", spec).id
        ws.update_run(ids[name], state="done")
    for parent, where in (("bert", cut), ("on", texts)):
        ws.add_run(where, f"{parent}, tuned", "bert", spec, parent=ids[parent], task=of)
    app_state.apply(Changes(corpora=True, segmentations=True, runs=True))
    assert [run.name for run in encoders(app_state)] == ["bert", "copy", "on"]
