"""Every kind of task on every network: losses, answers, what moves and what does not."""

import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.models.tasks.class_head import balanced, pool
from lmstudio.models.trainable import CORRECT
from tests.models.tasks.conftest import LABELS, batch, encoder, task_model


def loss_of(model, rows) -> torch.Tensor:
    sums, events = model.losses(rows), model.events(rows)
    return sum(total / events[name] for name, total in sums.items() if not name.endswith(CORRECT))


def test_every_kind_learns_on_every_network(family, kind):
    model, rows = task_model(family, kind).train(), batch(kind)
    moving = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(moving, 0.02)
    first = loss_of(model, rows)
    for _ in range(15):
        loss = loss_of(model, rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < first
    assert all(p.grad is not None for p in moving)


@pytest.mark.parametrize("settings", [{"layers": "mix"}, {"layers": "table"}, {"reader": "bilstm"}])
def test_padding_changes_nothing(family, kind, settings):
    model, rows = task_model(family, kind, **settings), batch(kind)
    alone = batch(kind)
    for name, values in alone.items():
        alone[name] = values[1:2, :5] if values.dim() == 2 else values[1:2]
    many, one = model.predict(rows), model.predict(alone)
    if kind == "tag":
        assert many[0][1] == one[0][0]
        many, one = many[1:], one[1:]
    for a, b in zip(*((x,) if torch.is_tensor(x) else x for x in (many, one)), strict=True):
        torch.testing.assert_close(a[1, : b.shape[1]], b[0], rtol=1e-4, atol=1e-5)


def test_class_probabilities_sum_to_one(family):
    found = task_model(family, "pair").predict(batch("pair"))
    torch.testing.assert_close(found.sum(1), torch.ones(3))


@pytest.mark.parametrize("crf", [False, True])
def test_tags_stand_where_the_batch_has_places(crf):
    model, rows = task_model("bert", "tag", crf=crf), batch("tag")
    rows["tags"][0, 3] = IGNORE  # a piece without a tag
    rows["tags"][1] = IGNORE  # a row without any
    found, probs = model.predict(rows)
    assert [len(row) for row in found] == [4, 0, 7]
    torch.testing.assert_close(probs[2, 1:8].sum(1), torch.ones(7))
    del rows["tags"]
    assert [len(row) for row in model.predict(rows)[0]] == [5, 3, 7]
    assert torch.isfinite(loss_of(model, batch("tag")))


def test_answers_stand_in_the_passage_or_at_the_first_mark():
    starts, ends = task_model("bert", "qa").predict(batch("qa"))
    assert starts.isfinite()[1].tolist() == [True, False, False, True] + [False] * 5
    assert ends.isfinite().sum(1).tolist() == [4, 2, 6]


@pytest.mark.parametrize("tuned", [0, 1, 2, -1])
def test_only_the_last_layers_move(family, tuned):
    model = task_model(family, "classify", tuned=tuned, pooling="mean").train()
    groups = model.view.groups()
    moving = len(groups) if tuned < 0 else min(tuned, len(groups))
    for depth, group in enumerate(groups):
        assert all(p.requires_grad == (depth >= len(groups) - moving) for p in group)
    loss_of(model, batch()).backward()
    frozen = [p for p in model.encoder.parameters() if not p.requires_grad]
    assert all(p.grad is None for p in frozen)
    assert all(p in model.rates() for p in model.parameters() if p.requires_grad)


def test_a_frozen_encoder_is_read_without_dropout_and_without_gradients():
    frozen, all_of_it = (task_model("bert", tuned=tuned).train() for tuned in (0, -1))
    assert not frozen.encoder.training
    assert all_of_it.encoder.training
    assert frozen.head.training
    assert not frozen.vectors(batch()).requires_grad


def test_deeper_layers_move_more_slowly():
    model = task_model("bert", layer_decay=0.5, head_rate=3.0)
    rates = model.rates()
    shares = [{rates[p] for p in group} for group in model.view.groups()]
    assert shares == [{0.25}, {0.5}, {1.0}]
    assert rates[model.head.output.weight] == 3.0


def test_what_only_pretraining_used_does_not_move():
    model = task_model("bert")
    assert not any(p.requires_grad for p in model.encoder.blank.parameters())
    names = set(model.state_dict())
    assert {f"encoder.{name}" for name in encoder("bert").state_dict()} <= names


def test_all_layers_are_those_of_the_network_itself(family):
    made, rows = encoder(family).eval(), batch()
    model = task_model(family)
    view = model.view(rows["ids"], rows["sizes"])
    asked = made.model().layers_of(rows["ids"].numpy(), rows["sizes"].numpy())
    for mine, known in zip(view, asked, strict=True):
        for row, size in enumerate(rows["sizes"]):
            torch.testing.assert_close(
                mine[row, :size].detach(), torch.from_numpy(known[row, :size]),
                rtol=1e-4, atol=1e-5,
            )  # fmt: skip
    last = model.view.last(rows["ids"], rows["sizes"])
    torch.testing.assert_close(last[1, :5], view[-1][1, :5])
    first = model.view.last(rows["ids"], rows["sizes"], first_only=True)
    torch.testing.assert_close(first[:, 0], view[-1][:, 0], rtol=1e-4, atol=1e-5)


def test_the_second_text_is_told_from_the_first():
    model, rows = task_model("bert", "pair"), batch("pair")
    before = model.predict(rows)
    rows["types"][:] = 0
    assert not torch.allclose(before, model.predict(rows))


@pytest.mark.parametrize(
    ("pooling", "expected"), [("first", 1.0), ("last", 2.0), ("mean", 1.5), ("max", 2.0)]
)
def test_padding_is_not_pooled(pooling, expected):
    x = torch.tensor([[[1.0], [2.0], [99.0]]])
    assert pool(x, torch.tensor([2]), pooling).item() == expected


@pytest.mark.parametrize(
    ("name", "layers", "pooling"),
    [("bert", "last", "first"), ("gpt", "last", "last"), ("lstm", "mix", "last"),
     ("elmo", "mix", "mean"), ("ffnn", "last", "mean"), ("bert", "table", "mean")],
)  # fmt: skip
def test_what_stands_for_a_text_depends_on_what_was_read(name, layers, pooling):
    assert task_model(name, layers=layers).pooling == pooling


def test_rare_classes_count_for_more():
    assert balanced([30, 10, 0]) == [40 / 60, 2.0, 0.0]
    weighed = task_model("bert", "pair")
    weighed.head.weights.copy_(torch.tensor([2.0, 1.0]))
    rows = batch("pair", (7,))  # of class 0
    plain = task_model("bert", "pair")
    plain.load_state_dict(weighed.state_dict())
    torch.testing.assert_close(weighed.losses(rows)["class"], 2 * plain.losses(rows)["class"])


@pytest.mark.parametrize("crf", [False, True])
def test_tags_are_right_as_they_are_read_in_the_end(crf):
    model, rows = task_model("bert", "tag", crf=crf), batch("tag")
    found, _ = model.predict(rows)
    for row, tags in enumerate(found):
        rows["tags"][row, 1 : 1 + len(tags)] = torch.tensor(tags)
    (sums,) = model.evaluate(rows)
    assert sums["tags_correct"] == model.events(rows)["tags"]


class Deaf:
    """Gives the same score whatever it hears."""

    heard = 0

    def hear(self, model, batch):
        assert "read" in batch
        self.heard += len(batch["ids"])

    def score(self):
        return 0.75


def test_the_best_is_chosen_by_the_score_of_the_judge_or_by_loss(kind):
    model, rows = task_model("bert", kind), batch(kind)
    assert model.figures({}, {"any": 1.0}) == {}  # nobody judges
    model.judge = Deaf()
    list(model.evaluate(rows))
    assert model.judge.heard == 3
    assert model.figures({}, {}) == {}
    figures = model.figures({}, {"any": 1.0})
    assert figures == {"score": 0.75}
    assert model.criterion(figures | {"loss": 3.0}) == -0.75
    assert task_model("bert", kind, choose_by="loss").criterion(figures | {"loss": 3.0}) == 3.0
    assert LABELS[kind] == model.labels
