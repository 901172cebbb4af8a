"""GPT: learns, sees only what was before, scores exactly in windows, is what its config says."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.packing import PackedBatches, whole_packed
from lmstudio.data.windows import bounds_of, whole_windows
from lmstudio.models import gpt
from lmstudio.models.config import GptConfig
from lmstudio.models.gpt import Gpt, GptModel
from tests.models.networks import COUNTS, ROWS, batch_of, learn, sentence


def built(**settings) -> Gpt:
    """A module whose layers already do something."""
    torch.manual_seed(1)
    settings = {"layers": 2, "width": 16, "heads": 2, "window": 16} | settings
    module = gpt.build(GptConfig(**settings), COUNTS)
    for p in module.parameters():
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=0.3)
    return module.eval()


def tensors(batch):
    return {name: torch.from_numpy(rows) for name, rows in batch.items()}


def text(count=30, longest=40, seed=1) -> np.ndarray:
    """A stream of sentences, short and long."""
    generator = np.random.default_rng(seed)
    sizes = generator.integers(0, longest, count)
    return np.concatenate([sentence(*generator.integers(3, ROWS, size)) for size in sizes])


@pytest.fixture(params=["document", "sentence"])
def context(request):
    return request.param


# --- what it consists of ----------------------------------------------------------------------


@pytest.mark.parametrize("settings", [
    {}, {"tied": False}, {"positions": "sinusoidal"}, {"positions": "none", "inner": 7},
    {"layers": 5, "width": 12, "heads": 3, "gelu": "tanh"},
])  # fmt: skip
def test_parameters_are_what_the_config_says(settings):
    module = built(**settings)
    counted = sum(p.numel() for p in module.parameters())
    assert counted == sum(count for _, _, count in module.config.parameters(ROWS))


PUBLISHED = [
    (12, 12, 768, 50257, 124_439_808),
    (24, 16, 1024, 50257, 354_823_168),
    (36, 20, 1280, 50257, 774_030_080),
    (48, 25, 1600, 50257, 1_557_611_200),
    (12, 12, 768, 21128, 102_068_736),
]
"""Layers, heads, width, vocabulary and parameters of GPT-2 in its sizes, and of a Chinese one."""


@pytest.mark.parametrize(("layers", "heads", "width", "rows", "expected"), PUBLISHED)
def test_the_published_sizes(layers, heads, width, rows, expected):
    config = GptConfig(layers=layers, heads=heads, width=width, window=1024)
    assert sum(count for _, _, count in config.parameters(rows)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "heads", "width", "rows", "expected"), PUBLISHED)
def test_modules_of_the_published_sizes(layers, heads, width, rows, expected):
    with torch.device("meta"):
        module = Gpt(GptConfig(layers=layers, heads=heads, width=width, window=1024), rows)
    assert sum(p.numel() for p in module.parameters()) == expected


def test_begins_as_its_embedding_alone():
    torch.manual_seed(1)
    module = gpt.build(GptConfig(layers=2, width=16, heads=2, window=16), COUNTS)
    ids = torch.tensor([[3, 4, 5]])
    assert torch.equal(module.hidden(ids), module.norm(module.embed(ids)))


# --- learning ---------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"tied": False}, {"positions": "sinusoidal"}])
def test_overfits_one_batch(settings):
    torch.manual_seed(1)
    module = gpt.build(GptConfig(layers=2, width=16, heads=2, window=16, **settings), COUNTS)
    stream = np.concatenate([sentence(3, 4, 5, 6), sentence(7, 4, 8), sentence(9, 10, 4, 4)])
    (batch,) = whole_windows(stream, bounds_of(stream), 8, 16)
    assert learn(module, tensors(batch), steps=120, rate=0.01) < 0.1


def test_overfits_a_packed_batch():
    torch.manual_seed(1)
    module = gpt.build(GptConfig(layers=2, width=16, heads=2, window=16), COUNTS)
    stream = np.concatenate([sentence(3, 4, 5, 6)] * 5)
    (batch,) = whole_packed(stream, bounds_of(stream), 8, 16)
    assert batch["segments"].max() > 0
    assert learn(module, tensors(batch), steps=120, rate=0.01) < 0.1


def test_case_d2c_the_end_is_a_target_although_padding_looks_like_it():
    torch.manual_seed(1)
    module = gpt.build(GptConfig(layers=1, width=16, heads=2, context="sentence"), COUNTS)
    stream = np.concatenate([sentence(3)] * 50)
    found = PackedBatches(stream, bounds_of(stream), rows=4, window=15, seed=1)
    assert any((found.at(step)["segments"] == -1).any() for step in range(len(found)))
    assert found.events == 100
    learn(module, tensors(found.at(0)), steps=80, rate=0.01)
    model = module.model()
    assert model.next_probs(np.array([3])).argmax() == EOS
    assert model.next_probs(np.array([], int)).argmax() == 3


# --- what reaches what ------------------------------------------------------------------------


def test_sees_only_what_was_before(context):
    model = built(context=context).model()
    one, other = model.logprobs(sentence(3, 4, 5, 6)), model.logprobs(sentence(3, 4, 5, 9))
    assert np.array_equal(one[:3], other[:3])
    assert one[3] != other[3]


def test_the_text_before_counts_in_a_document_only(context):
    model = built(context=context).model()
    one, other = (np.concatenate([sentence(3, n), sentence(7, 8)]) for n in (4, 5))
    same = np.array_equal(model.logprobs(one)[3:], model.logprobs(other)[3:])
    assert same == (context == "sentence")


def test_without_positions_order_means_nothing():
    for positions in ("none", "learned", "sinusoidal"):
        module = built(positions=positions, layers=1)
        one, other = (module(torch.tensor([ids]))[0][0, -1] for ids in ([3, 4, 5], [4, 3, 5]))
        assert torch.allclose(one, other, atol=1e-5) == (positions == "none")


@pytest.mark.parametrize("width", [8, 12, 16])
def test_case_d2_padding_never_enters_the_loss(width):
    module = built()
    alone = module.losses(batch_of(sentence(3, 4, 5)))["tokens"]
    batch = batch_of(sentence(3, 4, 5), width=width)
    assert module.losses(batch)["tokens"].item() == pytest.approx(alone.item(), abs=1e-5)
    assert module.events(batch)["tokens"] == 4
    (evaluated,) = module.evaluate(batch)
    assert evaluated["tokens"].item() == pytest.approx(alone.item(), abs=1e-5)


def test_packed_sentences_are_as_if_alone():
    module, stream = built(), text(longest=10)
    alone = 0.0
    for begin, end in bounds_of(stream):
        alone += module.losses(batch_of(stream[begin - 1 : end + 1]))["tokens"].item()
    together = sum(
        module.losses(tensors(batch))["tokens"].item()
        for batch in whole_packed(stream, bounds_of(stream), 4, 16)
    )
    assert together == pytest.approx(alone, rel=1e-5)


# --- scoring ----------------------------------------------------------------------------------


def test_logprobs_agree_with_next_probs(context):
    """Also where the window has moved on, and where sentences are longer than it."""
    model, stream = built(context=context, window=8).model(), text(count=6)
    expected, before = [], []
    for token in stream:
        if token == BOS:
            before = before if context == "document" else []
            continue
        expected.append(np.log(model.next_probs(np.array(before, int))[token]))
        before.append(token)
    assert model.logprobs(stream) == pytest.approx(np.array(expected), abs=1e-5)


def test_the_order_of_questions_changes_no_answer():
    model, fresh = built(window=8).model(), lambda: built(window=8).model()
    for prefix in ([3, 4], [3, 4, 5], [3, 4, 5], [3, 4], [], [7], [3, 4, 5, 6], range(3, 20)):
        ids = np.array(prefix, int)
        assert model.next_probs(ids) == pytest.approx(fresh().next_probs(ids), abs=1e-6)


def test_distributions_sum_to_one_without_the_sentence_start(context):
    model = built(context=context).model()
    for prefix in ([], [3], [3, 4, 0, 9]):
        probs = model.next_probs(np.array(prefix, np.int32))
        assert probs.shape == (ROWS,)
        assert probs.sum() == pytest.approx(1, abs=1e-9)
        assert probs[BOS] == 0


def test_case_c6e_the_batch_does_not_change_perplexity(context, monkeypatch):
    stream, perplexities = text(), []
    for tokens in (1, 16, 10_000):
        monkeypatch.setattr(gpt, "EXACT_TOKENS", tokens)
        perplexities.append(np.exp(-built(context=context).model().logprobs(stream).mean()))
    assert perplexities == pytest.approx([perplexities[0]] * 3, rel=1e-5)


@pytest.mark.parametrize("window", [2, 3, 4, 5])
def test_case_c6c_equal_logits_give_the_size_of_the_vocabulary(window, context):
    module = Gpt(GptConfig(layers=1, width=4, heads=1, window=window, context=context), 51)
    with torch.no_grad():
        module.embedding.weight.zero_()
    scored = GptModel(module).logprobs(sentence(*[3] * 9))
    assert len(scored) == 10
    assert np.exp(-scored.mean()) == pytest.approx(50, rel=1e-6)  # all but <s>


def test_a_document_is_read_in_instalments(monkeypatch):
    monkeypatch.setattr(gpt, "EXACT_TOKENS", 64)
    model, stream = built().model(), text()
    pieces = list(model.read(stream))
    assert len(pieces) > 5
    assert np.array_equal(np.concatenate(pieces), model.logprobs(stream))
    assert len(model.logprobs(stream)) == (stream != BOS).sum()
    assert model.logprobs(stream[:0]).shape == (0,)


def test_what_validation_sums_is_what_is_asked_later(context):
    module, stream = built(context=context), text()
    cut = whole_windows if context == "document" else whole_packed
    batches = map(tensors, cut(stream, bounds_of(stream), 4, 16))
    total = sum(sums["tokens"].item() for batch in batches for sums in module.evaluate(batch))
    assert total == pytest.approx(-module.model().logprobs(stream).sum(), rel=1e-5)


def test_logits_and_mean_loss_agree_with_the_sums():
    module, batch = built(), batch_of(sentence(3, 4, 5), sentence(6, 7))
    logits, loss = module(batch["ids"], batch["targets"])
    assert logits.shape == (2, 4, ROWS)
    mean = module.losses(batch)["tokens"] / module.events(batch)["tokens"]
    assert loss.item() == pytest.approx(mean.item(), abs=1e-6)
    assert (batch["targets"] == IGNORE).sum() == 1


# --- looking inside ---------------------------------------------------------------------------


def test_layers_attention_and_norms():
    model, ids = built().model(), np.array([3, 4, 5])
    assert model.shown(ids).tolist() == [BOS, 3, 4, 5]
    layers, attention, norms = model.layers(ids), model.attention(ids), model.norms(ids)
    assert layers.shape == (3, 4, 16)
    assert layers.dtype == np.float32
    assert np.array_equal(layers[0], model.module.embedding.weight.detach()[[BOS, 3, 4, 5]])
    hidden = model.module.hidden(torch.tensor([[BOS, 3, 4, 5]]))
    assert layers[-1] == pytest.approx(hidden[0].detach().numpy(), abs=1e-6)
    assert attention.shape == (2, 2, 4, 4)
    assert attention.sum(3) == pytest.approx(np.ones((2, 2, 4)), abs=1e-5)
    assert (np.triu(attention, 1) == 0).all()
    assert list(norms) == ["input", "attention", "middle", "mlp", "output"]
    assert norms["output"][0] == pytest.approx(np.linalg.norm(layers[1], axis=1), rel=1e-5)
    assert norms["input"][1] == pytest.approx(norms["output"][0])


def test_what_is_longer_than_the_window_is_cut_to_be_looked_at():
    model = built(window=4).model()
    assert len(model.shown(np.arange(3, 20))) == 4
    assert model.layers(np.arange(3, 20)).shape == (3, 4, 16)


def test_the_window_is_no_longer_than_the_text(tmp_path):
    """Places that are never trained would be read later as if they meant something."""
    config = GptConfig(layers=1, width=8, heads=2, window=64)
    module = gpt.build(config, np.array([0, 0, 1, 4, 5]))
    assert module.config.window == len(module.positions.weight) == 10
    folder = tmp_path / "checkpoints" / "best"
    folder.mkdir(parents=True)
    save_file(module.state_dict(), folder / "weights.safetensors")
    (folder / "meta.json").write_text("{}", encoding="utf-8")
    assert gpt.load(tmp_path, config, 5).module.config.window == 10
