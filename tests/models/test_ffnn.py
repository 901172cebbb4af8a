"""The feed-forward network: learns, sees n - 1 tokens, scores exactly, is what its config says."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmstudio.data.batches import IGNORE
from lmstudio.data.contexts import contexts
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import ffnn
from lmstudio.models.config import FfnnConfig
from tests.models.networks import COUNTS, ROWS, learn, mean_loss, sentence


def built(**settings) -> ffnn.Ffnn:
    torch.manual_seed(1)
    settings = {"order": 4, "width": 8, "hidden": 10, "dropout": 0.0} | settings
    return ffnn.build(FfnnConfig(**settings), COUNTS).eval()


def batch_of(*sentences: np.ndarray) -> dict[str, torch.Tensor]:
    stream = np.concatenate(sentences)
    targets = stream[stream != BOS].astype(np.int64)
    return {"ids": torch.from_numpy(contexts(stream, 3)), "targets": torch.from_numpy(targets)}


ALL_KINDS = pytest.mark.parametrize("settings", [
    {}, {"direct": True}, {"softmax": "adaptive"}, {"softmax": "adaptive", "direct": True},
    {"softmax": "sampled", "direct": True},
])  # fmt: skip


@ALL_KINDS
def test_parameters_are_what_the_config_says(settings):
    module = built(**settings)
    counted = sum(p.numel() for p in module.parameters())
    assert counted == sum(count for _, _, count in module.config.parameters(ROWS))


def test_parameters_of_the_paper():
    """|V| (1 + n m + h) + h (1 + (n - 1) m), n - 1 of the n m being the direct connections."""
    config = FfnnConfig(order=5, width=30, hidden=100, direct=True)
    expected = ROWS * (1 + 5 * 30 + 100) + 100 * (1 + 4 * 30)
    assert sum(count for _, _, count in config.parameters(ROWS)) == expected


@ALL_KINDS
def test_overfits_one_batch(settings):
    module = built(**settings).train()
    assert learn(module, batch_of(sentence(3, 4, 5, 6, 7, 8, 9, 10))) < 0.1


def test_sees_the_tokens_before_and_no_more():
    model = built().model()
    one, other = model.logprobs(sentence(3, 4, 5, 6)), model.logprobs(sentence(3, 4, 5, 9))
    assert np.array_equal(one[:3], other[:3])
    assert one[3] != other[3]
    far, near = model.next_probs(np.array([3, 4, 5, 6])), model.next_probs(np.array([9, 4, 5, 6]))
    assert np.array_equal(far, near)
    assert not np.array_equal(near, model.next_probs(np.array([9, 8, 5, 6])))


@pytest.mark.parametrize("rows", [8, 16, 32])
def test_case_d2_padding_never_enters_the_loss(rows):
    module, batch = built(), batch_of(sentence(3, 4, 5))
    padded = {
        "ids": torch.nn.functional.pad(batch["ids"], (0, 0, 0, rows - 4), value=7),
        "targets": torch.nn.functional.pad(batch["targets"], (0, rows - 4), value=IGNORE),
    }
    alone = module.losses(batch)["tokens"].item()
    assert module.losses(padded)["tokens"].item() == pytest.approx(alone, abs=1e-5)
    assert module.events(padded)["tokens"] == 4
    (evaluated,) = module.evaluate(padded)
    assert evaluated["tokens"].item() == pytest.approx(alone, abs=1e-5)


@ALL_KINDS
def test_logprobs_agree_with_next_probs(settings):
    model, words = built(**settings).model(), [3, 4, 0, 9, 28, 5]
    scored = model.logprobs(np.concatenate([sentence(7), sentence(*words)]))[2:]
    for i, word in enumerate([*words, EOS]):
        probs = model.next_probs(np.array(words[:i], np.int32))
        assert scored[i] == pytest.approx(np.log(probs[word]), abs=1e-5)
        assert probs.sum() == pytest.approx(1, abs=1e-9)
        assert probs[BOS] == 0


def test_case_c6e_the_batch_does_not_change_the_scores(monkeypatch):
    model = built().model()
    stream = np.concatenate([sentence(3, 4, 5, 6), sentence(7), sentence(), sentence(8, 9, 10)])
    whole = model.logprobs(stream)
    monkeypatch.setattr(ffnn, "EXACT_ROWS", 3)
    assert model.logprobs(stream) == pytest.approx(whole, abs=1e-6)
    assert model.logprobs(np.empty(0, np.int32)).shape == (0,)


def test_formula_of_the_paper():
    """y = b + W x + U tanh(d + H x)."""
    module = built(direct=True, softmax="full")
    logs, loss = module(torch.tensor([[3, 4, 5]]), torch.tensor([6]))
    x = module.embedding(torch.tensor([3, 4, 5])).flatten()
    u, w = module.head.weight[:, :10], module.head.weight[:, 10:]
    y = module.head.bias + w @ x + u @ torch.tanh(module.layer.bias + module.layer.weight @ x)
    y[BOS] = -torch.inf
    assert torch.allclose(logs[0], torch.log_softmax(y, 0), atol=1e-5)
    assert loss.item() == pytest.approx(-logs[0, 6].item())


def test_what_it_shows_is_its_table():
    module = built()
    model = module.model()
    assert model.shown(np.array([3, 4])).tolist() == [BOS, 3, 4]
    (table,) = model.layers(np.array([3, 4]))
    assert table == pytest.approx(module.embedding.weight[[BOS, 3, 4]].detach().numpy())


def test_mean_loss_begins_near_that_of_the_unigrams():
    shares = (COUNTS + 1) / (COUNTS + 1).sum()
    batch = batch_of(*(sentence(word) for word in range(3, ROWS)))
    expected = -np.log(shares[batch["targets"].numpy()]).mean()
    assert mean_loss(built(), batch).item() == pytest.approx(expected, rel=0.1)


def test_what_was_saved_is_what_is_loaded(tmp_path):
    module = built(direct=True, softmax="adaptive")
    folder = tmp_path / "checkpoints" / "best"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text("{}")
    save_file(module.state_dict(), folder / "weights.safetensors")
    loaded = ffnn.load(tmp_path, module.config, ROWS)
    stream = sentence(3, 4, 5, 28)
    assert np.array_equal(loaded.logprobs(stream), module.model().logprobs(stream))
