"""What jobs say of a run in training: of each kind what it is trained to do."""

import pytest

from lmstudio.gui.run_figures import BestFigure
from lmstudio.operations import evaluation
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.panels import run_workspace


@pytest.fixture
def cut(app_state):
    made = run_workspace.segmented(app_state.workspace)
    app_state.apply(Changes(corpora=True, segmentations=True, new_id=made))
    return made


def run(app_state, cut, model, **config):
    spec = RunSpec.from_json({"model": model, "config": config})
    return app_state.workspace.add_run(cut, model, model, spec.to_json()).id


def test_bits_of_the_best_validation_speed_and_memory(app_state, cut):
    made = run_workspace.made_up(app_state.workspace, cut, "LSTM", losses=[3.0, 2.0, 2.5])
    best = BestFigure(app_state, made)
    _, bits = evaluation.curve(app_state.workspace, made)
    assert best.text() == f"valid {bits[1]:.2f} bits/character"
    assert best.losses == [3.0, 2.0, 2.5]
    assert best.speed() == ""
    best.add([(40, {"valid_loss": 1.0}), (41, {"tokens_per_second": 51_000, "memory": 8e8})])
    assert best.losses[-1] == 1.0
    assert best.speed() == "51 k tokens/s · 800.0 MB"


def test_bert_tells_how_many_blanks_are_right(app_state, cut):
    best = BestFigure(app_state, run(app_state, cut, "bert"))
    assert best.text() == ""
    best.add([(1, {"valid_loss": 5.0, "valid_masked_accuracy": 0.21})])
    best.add([(2, {"valid_loss": 5.5, "valid_masked_accuracy": 0.2})])
    assert best.text() == "valid 21.0 % of the blanks right"


def test_both_sides_at_once_have_a_loss_and_no_bits(app_state, cut):
    best = BestFigure(app_state, run(app_state, cut, "elmo", head="joint"))
    best.add([(1, {"valid_loss": 4.25})])
    assert best.text() == "valid loss 4.250"
