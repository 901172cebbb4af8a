"""The LSTM: learns, sees only the left, scores exactly, is what its config says."""

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import lstm, softmax
from lmstudio.models.config import LstmConfig
from lmstudio.models.lstm import Lstm, LstmModel

ROWS = 11


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def module():
    torch.manual_seed(1)
    return Lstm(LstmConfig(width=8, layers=2, dropout=0.0), ROWS).eval()


def sentence(*words: int) -> np.ndarray:
    return np.array([BOS, *words, EOS], np.int32)


def batch_of(*sentences: np.ndarray, width: int = 0) -> dict[str, torch.Tensor]:
    """Sentences as rows, padded to `width` or the longest."""
    width = max(width, *(len(s) - 1 for s in sentences))
    ids = torch.full((len(sentences), width), 5)
    targets = torch.full((len(sentences), width), IGNORE)
    for row, s in enumerate(sentences):
        ids[row, : len(s) - 1] = torch.from_numpy(s[:-1]).long()
        targets[row, : len(s) - 1] = torch.from_numpy(s[1:]).long()
    return {"ids": ids, "targets": targets}


@pytest.mark.parametrize("config", [
    LstmConfig(), LstmConfig(layers=3, width=5), LstmConfig(layers=2, width=6, tied=False),
])  # fmt: skip
def test_parameters_are_what_the_config_says(config):
    counted = sum(p.numel() for p in Lstm(config, ROWS).parameters())
    assert counted == sum(count for _, _, count in config.parameters(ROWS))


@pytest.mark.parametrize("tied", [True, False])
def test_overfits_one_batch(tied):
    torch.manual_seed(1)
    module = Lstm(LstmConfig(width=16, dropout=0.0, tied=tied), ROWS)
    batch = batch_of(sentence(3, 4, 5, 6), sentence(7, 4, 8), sentence(9, 10))
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    for _ in range(60):
        optimizer.zero_grad()
        loss = module.losses(batch)["tokens"] / module.events(batch)["tokens"]
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.5  # the first token of a sentence stays open: ln 3 * 3 / 12 = 0.27


def test_sees_only_the_left(module):
    model = LstmModel(module)
    one, other = model.logprobs(sentence(3, 4, 5, 6)), model.logprobs(sentence(3, 4, 5, 9))
    assert np.array_equal(one[:3], other[:3])
    assert one[3] != other[3]


@pytest.mark.parametrize("width", [8, 16, 32])
def test_case_d2_padding_never_enters_the_loss(module, width):
    alone = module.losses(batch_of(sentence(3, 4, 5)))["tokens"]
    batch = batch_of(sentence(3, 4, 5), width=width)
    assert module.losses(batch)["tokens"].item() == pytest.approx(alone.item(), abs=1e-5)
    assert module.events(batch)["tokens"] == 4
    (evaluated,) = module.evaluate(batch)
    assert evaluated["tokens"].item() == pytest.approx(alone.item(), abs=1e-5)


def test_distributions_sum_to_one_without_the_sentence_start(module):
    model = LstmModel(module)
    for prefix in ([], [3], [3, 4, 0, 9]):
        probs = model.next_probs(np.array(prefix, np.int32))
        assert probs.shape == (ROWS,)
        assert probs.sum() == pytest.approx(1, abs=1e-6)
        assert probs[BOS] == 0


def test_logprobs_agree_with_next_probs(module):
    model, words = LstmModel(module), [3, 4, 0, 9]
    scored = model.logprobs(sentence(*words))
    for i, word in enumerate([*words, EOS]):
        expected = np.log(model.next_probs(np.array(words[:i], np.int32))[word])
        assert scored[i] == pytest.approx(expected, abs=1e-5)


def test_logits_and_mean_loss_agree_with_the_sums(module):
    batch = batch_of(sentence(3, 4, 5), sentence(6, 7))
    logits, loss = module(batch["ids"], batch["targets"])
    assert logits.shape == (2, 4, ROWS)
    mean = module.losses(batch)["tokens"] / module.events(batch)["tokens"]
    assert loss.item() == pytest.approx(mean.item(), abs=1e-6)
    assert module(batch["ids"])[1] is None


def test_scores_stand_in_the_order_of_the_stream(module):
    model = LstmModel(module)
    sentences = [sentence(3, 4, 5, 6), sentence(7), sentence(), sentence(8, 9, 10)]
    together = model.logprobs(np.concatenate(sentences))
    alone = np.concatenate([model.logprobs(s) for s in sentences])
    assert together == pytest.approx(alone, abs=1e-6)
    assert model.logprobs(np.empty(0, np.int32)).shape == (0,)


def test_case_c6e_the_batch_does_not_change_perplexity(module, monkeypatch):
    generator = np.random.default_rng(1)
    stream = np.concatenate(
        [sentence(*generator.integers(3, ROWS, size)) for size in generator.integers(0, 40, 30)]
    )
    perplexities = []
    for rows in (1, 8):
        monkeypatch.setattr(lstm, "EXACT_ROWS", rows)
        perplexities.append(np.exp(-LstmModel(module).logprobs(stream).mean()))
    assert perplexities[0] == pytest.approx(perplexities[1], rel=1e-5)


def test_long_sentences_are_read_in_pieces_with_the_state_carried(module, monkeypatch):
    words = np.random.default_rng(1).integers(3, ROWS, 50)
    whole = LstmModel(module).logprobs(sentence(*words))
    probs = LstmModel(module).next_probs(words)
    monkeypatch.setattr(lstm, "EXACT_LENGTH", 7)
    assert LstmModel(module).logprobs(sentence(*words)) == pytest.approx(whole, abs=1e-6)
    assert LstmModel(module).next_probs(words) == pytest.approx(probs, abs=1e-6)


def test_starts_as_the_unigrams():
    counts = np.array([5, 0, 20, 40, 10, 5])
    model = LstmModel(lstm.build(LstmConfig(width=4), counts))
    probs = model.next_probs(np.array([3], np.int32))
    assert probs[3] == pytest.approx(41 / 86, rel=0.3)
    assert probs[BOS] == 0


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


def test_every_gate_of_every_layer_learns(module):
    batch = batch_of(sentence(3, 4, 5), sentence(6, 7))
    module.losses(batch)["tokens"].backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name
    assert module.bias.grad[BOS] == 0
