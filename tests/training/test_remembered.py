"""What a frozen encoder says is worked out once, and nothing is learned differently by it."""

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.labelled.encoding import Row
from lmstudio.data.labelled.task_batches import TaskBatches, in_order
from lmstudio.jobs import Job
from lmstudio.models.tasks.task_model import TaskModel
from lmstudio.training import remembered
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.loop import Training
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.models.tasks.conftest import LABELS, encoder


def rows(kind: str) -> list[Row]:
    """Forty rows of several lengths."""
    draw, made = np.random.default_rng(1), []
    for number in range(40):
        ids = np.array([1, *draw.integers(3, 20, number % 9 + 1), 2])
        tags = np.array([IGNORE, *draw.integers(0, 5, len(ids) - 2), IGNORE])
        label = number % 2 if kind in ("classify", "pair") else IGNORE
        made.append(Row(number, ids, (ids > 9).astype(np.int64), 1, ids[1:-1], (), label, tags))
    return made


def training(tmp_path, family, kind, *, epochs=3, **settings) -> tuple[Training, list]:
    """A training of a head on a frozen network, and its valid part."""
    batches = TaskBatches(rows(kind), kind, batch=8, seed=1)
    torch.manual_seed(5)
    config = TaskConfig(kind=kind, dropout=0.2, **({"tuned": 0} | settings))
    model = TaskModel(encoder(family), config, LABELS[kind])
    how = TrainingConfig(epochs=epochs, batch=8, learning_rate=0.01, patience=0, device="cpu")
    valid = [batch for _, batch in in_order(rows(kind)[:12], kind, 8)]
    made = Training(model, batches, lambda: valid, how, Checkpoints(tmp_path, family),
                    torch.device("cpu"))  # fmt: skip
    return made, valid


@pytest.mark.parametrize(
    ("family", "kind", "settings"),
    [
        ("bert", "classify", {}), ("bert", "pair", {"layers": "mix"}),
        ("elmo", "tag", {"layers": "mix", "reader": "bilstm"}), ("lstm", "classify", {}),
        ("bert", "classify", {"pooling": "mean"}),
    ],
)  # fmt: skip
def test_the_same_is_learned_from_what_was_read_once(tmp_path, family, kind, settings):
    weights, scores = [], []
    for number in range(2):
        made, valid = training(tmp_path / str(number), family, kind, **settings)
        if number:
            assert remembered.can_remember(made, valid)
            remembered.remember(made, valid, job=Job())
            made.module.encoder.forward = None  # it is not asked any more
        torch.manual_seed(5)
        made.run(Job())
        weights.append(made.module.state_dict())
        scores.append(made.look(Job()))
    for name, value in weights[0].items():
        torch.testing.assert_close(weights[1][name], value, rtol=1e-4, atol=1e-5)
    assert scores[0] == pytest.approx(scores[1], rel=1e-4)


def test_a_run_that_is_gone_on_with_reads_the_same_numbers(tmp_path):
    read = []
    for number in range(2):
        made, valid = training(tmp_path, "elmo", "tag", layers="mix")
        made.progress.step = 7 * number  # where it was stopped
        remembered.remember(made, valid, job=Job())
        read.append([made.train.at(step)["read"] for step in range(15)])
    assert all((one == other).all() for one, other in zip(*read, strict=True))


@pytest.mark.parametrize(
    "settings", [{"tuned": -1}, {"tuned": 1}, {"layers": "table"}, {"epochs": 1}], ids=str
)
def test_what_moves_or_is_read_once_is_not_kept(tmp_path, settings):
    made, valid = training(tmp_path, "bert", "classify", **settings)
    assert not remembered.can_remember(made, valid)


def test_what_has_no_room_is_not_kept(tmp_path, monkeypatch):
    made, valid = training(tmp_path, "lstm", "classify")
    assert remembered.can_remember(made, valid)
    tokens = sum(len(row.ids) for row in made.train.rows)
    monkeypatch.setattr(remembered.machine, "memory", lambda: 8 * 4 * 8 * tokens)  # 8 wide
    assert not remembered.can_remember(made, valid)  # the valid part comes on top


def test_a_sample_of_the_rows_stands_for_all():
    whole = TaskBatches(rows("tag"), "tag", batch=8, seed=1)
    some, share = whole.some(16)
    assert (len(some.rows), share) == (14, 14 / 40)
    assert whole.some(100)[1] == 1
