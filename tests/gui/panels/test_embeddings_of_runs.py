"""Neighbours from several networks, one of which is damaged."""

import pytest

from lmstudio.gui.panels.explore.embeddings_words import WordCard
from lmstudio.jobs import Job
from lmstudio.operations import training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec


@pytest.fixture
def runs(app_state, cut):
    """Two small networks; the weights of the first are damaged."""
    spec = RunSpec.from_json({"model": "lstm", "config": {"width": 8, "layers": 1},
                              "training": {"max_steps": 2}})  # fmt: skip
    made = [training.train(app_state.workspace, cut, spec, job=Job()).new_id for _ in range(2)]
    app_state.apply(Changes(runs=True))
    for path in app_state.workspace.run_folder(made[0]).rglob("*.safetensors"):
        path.write_bytes(b"damaged")
    return [app_state.workspace.run(number) for number in made]


def test_who_cannot_answer_is_named_beside_the_answers(app_state, runs, shown, qtbot):
    card = shown(WordCard(app_state))
    card.ask_of(runs, {}, None)
    card.ask("水")
    qtbot.waitUntil(lambda: not card._asker.busy)
    assert list(card.found) == [runs[1].id]
    said = card._said.full_text()
    assert said.startswith(f"{runs[0].name}: ")
    assert "cos(a, b)" in said
