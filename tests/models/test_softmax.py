"""Heads: chunks change nothing, samples are right in the mean, groups sum to one."""

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS
from lmstudio.models import softmax
from lmstudio.models.config.terms import SAMPLED_FROM, adaptive_groups
from lmstudio.models.softmax.sampled import Groups
from tests.models.networks import COUNTS, ROWS

WIDTH = 6


def made(kind: str, rows: int = ROWS, counts: np.ndarray | None = COUNTS):
    torch.manual_seed(1)
    head = softmax.head(kind, WIDTH, rows, counts)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return head


def hidden_and_targets(rows: int = ROWS) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    targets = torch.randint(2, rows, (9,), generator=generator)
    targets[[1, 7]] = IGNORE
    return torch.randn(9, WIDTH, generator=generator), targets


# --- chunked --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 20, 10_000])
def test_chunked_cross_entropy_equals_the_plain_one(monkeypatch, cells):
    monkeypatch.setitem(softmax.CELLS, "cpu", cells)
    torch.manual_seed(1)
    inputs = [torch.randn(5, 4), torch.randn(7, 4), torch.randn(7)]
    targets = torch.tensor([0, IGNORE, 3, 6, 2])
    hidden, weight, bias = (x.clone().requires_grad_() for x in inputs)
    ours = softmax.cross_entropy(hidden, weight, bias, targets)
    (2 * ours).backward()
    h, w, b = (x.clone().requires_grad_() for x in inputs)
    plain = torch.nn.functional.cross_entropy(
        h @ w.t() + b, targets, ignore_index=IGNORE, reduction="sum"
    )
    (2 * plain).backward()
    assert ours.item() == pytest.approx(plain.item(), abs=1e-5)
    for mine, theirs in zip((hidden, weight, bias), (h, w, b), strict=True):
        assert torch.allclose(mine.grad, theirs.grad, atol=1e-5)
    scored = softmax.log_probs(*inputs, targets)
    assert -scored.sum().item() == pytest.approx(plain.item(), abs=1e-5)
    assert scored[1] == 0


def test_extreme_logits_have_finite_losses():
    hidden, weight = torch.tensor([[200.0]]), torch.tensor([[1.0], [-1.0]])
    loss = softmax.cross_entropy(hidden, weight, torch.zeros(2), torch.tensor([1]))
    assert loss.item() == pytest.approx(400.0)


def test_autocast_multiplies_in_its_precision_and_sums_in_full():
    torch.manual_seed(1)
    inputs = [torch.randn(5, 4), torch.randn(7, 4), torch.randn(7)]
    targets = torch.tensor([0, IGNORE, 3, 6, 2])
    exact = softmax.cross_entropy(*inputs, targets)
    hidden, weight, bias = (x.clone().requires_grad_() for x in inputs)
    with torch.autocast("cpu", torch.bfloat16):
        low = softmax.cross_entropy(hidden, weight, bias, targets)
    low.backward()
    assert low.dtype == weight.grad.dtype == torch.float32
    assert low.item() == pytest.approx(exact.item(), rel=0.02)


# --- every head -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["full", "sampled", "adaptive"])
def test_answers_of_a_head_agree(kind):
    head = made(kind).eval()
    hidden, targets = hidden_and_targets()
    logs = head.log_distribution(hidden)
    assert logs.shape == (9, ROWS)
    assert logs.exp().sum(1).tolist() == pytest.approx([1.0] * 9, abs=1e-6)
    assert logs[:, BOS].isneginf().all()
    expected = logs.gather(1, targets.clamp(min=0)[:, None])[:, 0] * (targets >= 0)
    assert torch.allclose(head.log_probs(hidden, targets), expected, atol=1e-5)
    assert head.losses(hidden, targets).item() == pytest.approx(-expected.sum().item(), abs=1e-4)


@pytest.mark.parametrize("kind", ["full", "sampled", "adaptive"])
def test_no_targets_are_no_loss(kind):
    head = made(kind).train()
    hidden, targets = hidden_and_targets()
    loss = head.losses(hidden.requires_grad_(), torch.full_like(targets, IGNORE))
    loss.backward()
    assert loss.item() == 0
    assert not hidden.grad.any()


def test_auto_samples_from_large_vocabularies_only():
    for rows, kind in ((SAMPLED_FROM - 1, softmax.FullSoftmax), (6000, softmax.SampledSoftmax)):
        assert type(softmax.head("auto", 2, rows, np.ones(rows))) is kind
    assert isinstance(softmax.head("adaptive", 2, 6000, np.ones(6000)), softmax.AdaptiveSoftmax)


# --- sampled --------------------------------------------------------------------------------------


def test_sampling_all_words_is_the_full_softmax():
    sampled, full = made("sampled").train(), made("full")
    full.load_state_dict(sampled.state_dict())
    hidden, targets = hidden_and_targets()
    ours, theirs = hidden.clone().requires_grad_(), hidden.clone().requires_grad_()
    losses = [sampled.losses(ours, targets), full.losses(theirs, targets)]
    (3 * losses[0]).backward()
    (3 * losses[1]).backward()
    assert losses[0].item() == pytest.approx(losses[1].item(), abs=1e-4)
    assert torch.allclose(ours.grad, theirs.grad, atol=1e-5)
    assert torch.allclose(sampled.weight.grad, full.weight.grad, atol=1e-5)
    assert torch.allclose(sampled.bias.grad, full.bias.grad, atol=1e-5)


def test_words_are_drawn_once_and_as_often_as_is_said():
    counts = np.random.default_rng(1).zipf(1.5, 200)
    groups, seen = Groups(counts, 40), np.zeros(200)
    torch.manual_seed(1)
    for _ in range(4000):
        drawn, chances = groups.draw()
        assert len(set(drawn.tolist())) == len(drawn) <= 40
        seen[drawn] += 1 / chances.exp().numpy()
    assert seen[BOS] == 0
    assert np.delete(seen, BOS) / 4000 == pytest.approx(np.ones(199), abs=0.25)
    assert (seen == 4000).sum() >= 5  # always there
    assert seen.sum() / 4000 == pytest.approx(199, rel=0.01)


def test_the_estimate_is_near_and_repeats_with_the_random_state():
    rows = 3000
    counts = 1e6 // np.arange(1, rows + 1)
    head = made("sampled", rows, counts)
    hidden, targets = hidden_and_targets(rows)
    exact = head.eval().losses(hidden, targets).item()
    head.train()
    state = torch.get_rng_state()
    estimates = [head.losses(hidden, targets).item() for _ in range(30)]
    assert np.mean(estimates) == pytest.approx(exact, rel=0.01)
    assert len(set(estimates)) == 30
    torch.set_rng_state(state)
    assert head.losses(hidden, targets).item() == estimates[0]


def test_gradients_of_the_estimate_are_those_of_autograd():
    rows = 3000
    head = made("sampled", rows, 1e6 // np.arange(1, rows + 1)).train().double()
    hidden, targets = hidden_and_targets(rows)

    def loss(x, weight):
        torch.manual_seed(1)
        with torch.no_grad():
            head.weight[:4] = weight
        return head.losses(x, targets)

    x = hidden.double().requires_grad_()
    loss(x, head.weight[:4].clone()).backward()
    for i, j in ((0, 0), (3, 2), (7, 1)):
        moved = torch.zeros_like(hidden, dtype=torch.float64)
        moved[i, j] = 1e-6
        difference = loss(x.detach() + moved, head.weight[:4].detach().clone())
        difference -= loss(x.detach() - moved, head.weight[:4].detach().clone())
        assert x.grad[i, j].item() == pytest.approx(difference.item() / 2e-6, abs=1e-6)


# --- adaptive -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [3, 4, 11, 500, 10_000, 123_456])
def test_groups_hold_every_word_once(rows):
    frequent, groups = adaptive_groups(rows, 16)
    edges = [frequent, *(last for _, _, last in groups)]
    assert edges == [*(first for _, first, _ in groups), rows - 1]
    assert all(inner >= 1 for inner, _, _ in groups)


def test_frequent_words_are_in_no_group():
    counts = np.arange(ROWS)[::-1].copy()
    counts[BOS] = 0
    head = softmax.head("adaptive", WIDTH, ROWS, counts)
    assert head.rank[0] == 0
    assert head.rank[BOS] == ROWS - 1
    assert head.rank[2:].tolist() == list(range(1, ROWS - 1))
    shares = head.log_distribution(torch.zeros(1, WIDTH)).exp()[0]
    expected = (counts + 1) / (counts + 1).sum()
    assert shares[0] > shares[5] > shares[20]
    assert shares.detach().numpy()[2:] == pytest.approx(expected[2:], rel=0.5)


def test_a_head_remembers_the_ranks():
    head = made("adaptive")
    other = made("adaptive", counts=None)
    other.load_state_dict(head.state_dict())
    hidden, _ = hidden_and_targets()
    assert torch.equal(other.log_distribution(hidden), head.log_distribution(hidden))
