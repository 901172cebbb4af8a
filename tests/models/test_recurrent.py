"""RNN, GRU and LSTM: learn, see only the left, score exactly, are what their configs say."""

import dataclasses

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmstudio.data.lanes import whole_lanes
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import gru, lstm, recurrent, rnn
from lmstudio.models.config import GruConfig, LstmConfig, RnnConfig
from tests.models.networks import COUNTS, ROWS, batch_of, learn, mean_loss, sentence

KINDS = {"rnn": (rnn, RnnConfig), "gru": (gru, GruConfig), "lstm": (lstm, LstmConfig)}


def built(kind: str, **settings):
    """A module whose weights are not those of the unigrams alone."""
    torch.manual_seed(1)
    module, config = KINDS[kind]
    settings = {"width": 8, "layers": 2, "dropout": 0.0} | settings
    return module.build(config(**settings), COUNTS).eval()


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def module(kind):
    return built(kind)


@pytest.mark.parametrize("settings", [
    {}, {"layers": 3, "width": 5}, {"tied": False}, {"tied": False, "softmax": "adaptive"},
    {"softmax": "sampled"},
])  # fmt: skip
def test_parameters_are_what_the_config_says(kind, settings):
    module = built(kind, **settings)
    counted = sum(p.numel() for p in module.parameters())
    assert counted == sum(count for _, _, count in module.config.parameters(ROWS))


def test_an_adaptive_softmax_cannot_share_the_embedding():
    (fault,) = LstmConfig(softmax="adaptive").faults()
    assert fault.field == "tied"
    assert not LstmConfig(softmax="adaptive", tied=False).faults()


@pytest.mark.parametrize("softmax", ["full", "sampled", "adaptive"])
def test_overfits_one_batch(kind, softmax):
    module = built(kind, width=16, layers=1, softmax=softmax, tied=softmax == "full").train()
    batch = batch_of(sentence(3, 4, 5, 6), sentence(3, 4, 5, 6, 7, 8, 9, 10))
    batch["targets"][0, 4:] = batch["targets"][1, 4] = -1  # what is open: does it end here?
    assert learn(module, batch) < 0.1


def test_relu_learns_too():
    module = built("rnn", width=16, layers=1, activation="relu").train()
    assert learn(module, batch_of(sentence(3, 4, 5, 6, 4, 8))) < 0.1


def test_sees_only_the_left(module):
    model = module.model()
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


def test_case_d2_a_batch_of_eight_is_eight_sentences(module):
    sentences = [sentence(*range(3, 3 + size)) for size in range(1, 9)]
    together = module.losses(batch_of(*sentences, width=16))["tokens"].item()
    alone = sum(module.losses(batch_of(one))["tokens"].item() for one in sentences)
    assert together == pytest.approx(alone, abs=1e-4)


def test_distributions_sum_to_one_without_the_sentence_start(module):
    model = module.model()
    for prefix in ([], [3], [3, 4, 0, 9]):
        probs = model.next_probs(np.array(prefix, np.int32))
        assert probs.shape == (ROWS,)
        assert probs.sum() == pytest.approx(1, abs=1e-9)
        assert probs[BOS] == 0


@pytest.mark.parametrize("context", ["sentence", "document"])
@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_logprobs_agree_with_next_probs(kind, softmax, context):
    model = built(kind, softmax=softmax, tied=False, context=context).model()
    words = [3, 4, 0, 9, 28]
    scored = model.logprobs(sentence(*words))
    for i, word in enumerate([*words, EOS]):
        expected = np.log(model.next_probs(np.array(words[:i], np.int32))[word])
        assert scored[i] == pytest.approx(expected, abs=1e-5)


def test_ln_p_and_mean_loss_agree_with_the_sums(module):
    batch = batch_of(sentence(3, 4, 5), sentence(6, 7))
    logs, loss = module(batch["ids"], batch["targets"])
    assert logs.shape == (2, 4, ROWS)
    assert loss.item() == pytest.approx(mean_loss(module, batch).item(), abs=1e-6)
    assert module(batch["ids"])[1] is None


def test_scores_stand_in_the_order_of_the_stream(module):
    model = module.model()
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
        monkeypatch.setattr(recurrent, "EXACT_ROWS", rows)
        perplexities.append(np.exp(-module.model().logprobs(stream).mean()))
    assert perplexities[0] == pytest.approx(perplexities[1], rel=1e-5)


def test_long_sentences_are_read_in_pieces_with_the_state_carried(module, monkeypatch):
    words = np.random.default_rng(1).integers(3, ROWS, 50)
    whole = module.model().logprobs(sentence(*words))
    probs = module.model().next_probs(words)
    monkeypatch.setattr(recurrent, "EXACT_LENGTH", 7)
    assert module.model().logprobs(sentence(*words)) == pytest.approx(whole, abs=1e-6)
    assert module.model().next_probs(words) == pytest.approx(probs, abs=1e-6)


# --- the context "document" -----------------------------------------------------------------------


def text(sentences: int = 20) -> list[np.ndarray]:
    generator = np.random.default_rng(2)
    return [generator.integers(3, ROWS, size) for size in generator.integers(0, 30, sentences)]


def stored(sentences) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([len(s) for s in sentences])
    bounds = np.stack([ends - [len(s) for s in sentences], ends], 1)
    return np.concatenate(sentences).astype(np.int32), bounds


def test_a_document_is_read_on_over_its_sentences(kind):
    module = built(kind, context="document")
    one, two = sentence(3, 4), sentence(5, 6)
    scored = module.model().logprobs(np.concatenate([one, two]))
    ids = torch.tensor([[BOS, 3, 4, EOS, 5, 6]])
    targets = torch.tensor([[3, 4, EOS, 5, 6, EOS]])
    logs, _ = module(ids)
    expected = logs[0].gather(1, targets[0, :, None]).squeeze(1).detach().numpy()
    assert scored == pytest.approx(expected, abs=1e-6)
    assert module.model().context == "document"
    assert built(kind).model().context == "sentence"


def test_a_document_in_pieces_scores_as_in_one_go(kind, monkeypatch):
    module = built(kind, context="document")
    stream = np.concatenate([sentence(*words) for words in text()])
    whole = module.model().logprobs(stream)
    assert len(whole) == np.count_nonzero(stream != BOS)
    monkeypatch.setattr(recurrent, "EXACT_LENGTH", 11)
    pieces = list(module.model().read(stream))
    assert len(pieces) == -(-len(whole) // 11)
    assert np.concatenate(pieces) == pytest.approx(whole, abs=1e-6)


def test_validation_in_lanes_scores_as_in_one_go(kind, monkeypatch):
    """One lane of pieces whose state is carried as the loop does it."""
    monkeypatch.setattr("lmstudio.data.lanes.EXACT_LENGTH", 13)
    module = built(kind, context="document")
    stream = np.concatenate([sentence(*words) for words in text()])
    total, carried = 0.0, {}
    for batch in whole_lanes(*stored(text()), 1):
        tensors = {name: torch.from_numpy(rows) for name, rows in batch.items()} | carried
        total += sum(sums["tokens"].item() for sums in module.evaluate(tensors))
        carried = {f"carried.{name}": rows for name, rows in module.carried.items()}
    assert total == pytest.approx(-module.model().logprobs(stream).sum(), rel=1e-6)


def test_fresh_rows_begin_anew_and_others_go_on(module):
    ids = torch.tensor([[3, 4, 5], [6, 7, 8]])
    batch = {"ids": ids, "targets": ids, "fresh": torch.tensor([True, True])}
    module.losses(batch)
    carried = {f"carried.{name}": rows for name, rows in module.carried.items()}
    assert all(rows.shape == (2, 2, 8) for rows in carried.values())
    assert not any(rows.requires_grad for rows in carried.values())
    going_on = batch | carried | {"fresh": torch.tensor([True, False])}
    x, _ = module.hidden(ids, module._state(going_on))
    fresh, _ = module.hidden(ids)
    both, _ = module.hidden(torch.cat([ids, ids], 1))
    assert torch.allclose(x[0], fresh[0], atol=1e-6)
    assert torch.allclose(x[1], both[1, 3:], atol=1e-6)


# --- looking inside -------------------------------------------------------------------------------


def test_layers_are_the_table_and_what_torch_computes(kind):
    module = built(kind, layers=1)
    model, ids = module.model(), np.array([3, 4, 5, 9])
    assert model.shown(ids).tolist() == [BOS, 3, 4, 5, 9]
    table, states = model.layers(ids)
    read = torch.from_numpy(model.shown(ids))[None].long()
    assert table == pytest.approx(module.embedding(read)[0].detach().numpy())
    assert states == pytest.approx(module.hidden(read)[0][0].detach().numpy(), abs=1e-6)


def test_the_last_of_three_layers_is_what_torch_computes(kind):
    module = built(kind, layers=3)
    vectors = module.model().layers(np.arange(3, 20))
    assert vectors.shape == (4, 18, 8)
    read = torch.tensor([[BOS, *range(3, 20)]])
    assert vectors[-1] == pytest.approx(module.hidden(read)[0][0].detach().numpy(), abs=1e-6)


def test_gates_are_those_of_torch():
    module = built("lstm")
    ids = np.arange(3, 15)
    gates = module.model().gates(ids)
    assert set(gates) == {"input", "forget", "output", "candidate", "cell"}
    assert all(values.shape == (2, 13, 8) for values in gates.values())
    before = np.concatenate([np.zeros((2, 1, 8)), gates["cell"][:, :-1]], 1)
    cell = gates["forget"] * before + gates["input"] * gates["candidate"]
    assert gates["cell"] == pytest.approx(cell, abs=1e-6)
    for length in (1, 5, 13):  # torch shows the cells of the last token only
        _, (h, c) = module.hidden(torch.tensor([[BOS, *ids.tolist()]])[:, :length])
        assert gates["cell"][:, length - 1] == pytest.approx(c[:, 0].detach().numpy(), abs=1e-6)
        state = gates["output"][:, length - 1] * np.tanh(gates["cell"][:, length - 1])
        assert state == pytest.approx(h[:, 0].detach().numpy(), abs=1e-6)


def test_gates_of_a_gru_make_its_states():
    module = built("gru")
    ids = np.arange(3, 15)
    gates = module.model().gates(ids)
    assert set(gates) == {"reset", "update", "candidate"}
    states = module.model().layers(ids)[1:]
    before = np.concatenate([np.zeros((2, 1, 8)), states[:, :-1]], 1)
    made = (1 - gates["update"]) * gates["candidate"] + gates["update"] * before
    assert states == pytest.approx(made, abs=1e-6)


def test_every_weight_of_every_layer_learns(module):
    module.losses(batch_of(sentence(3, 4, 5), sentence(6, 7)))["tokens"].backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name
    assert module.head.bias.grad[BOS] == 0


# --- beginning and files --------------------------------------------------------------------------


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_starts_near_the_unigrams(kind, softmax):
    model = built(kind, softmax=softmax, tied=False, layers=1).model()
    probs = model.next_probs(np.array([3], np.int32))
    shares = (COUNTS + 1) / (COUNTS + 1).sum()
    assert np.corrcoef(probs[2:], shares[2:])[0, 1] > 0.8
    assert probs[BOS] == 0


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_what_was_saved_is_what_is_loaded(kind, softmax, tmp_path):
    module = built(kind, softmax=softmax, tied=softmax == "full")
    module_name, _ = KINDS[kind]
    folder = tmp_path / "checkpoints" / "best"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text("{}")
    save_file(module.state_dict(), folder / "weights.safetensors")
    loaded = module_name.load(tmp_path, module.config, ROWS)
    stream = sentence(3, 4, 5, 28)
    assert np.array_equal(loaded.logprobs(stream), module.model().logprobs(stream))


@pytest.mark.parametrize("tied", [True, False])
def test_weights_from_before_the_common_base_are_read(tied):
    module = built("lstm", tied=tied)
    old = {
        name.replace("cells.", "lstm.").replace("head.bias", "bias").replace("head.", "output."): w
        for name, w in module.state_dict().items()
    }
    assert set(old) >= {"bias", "embedding.weight", "lstm.weight_ih_l0"}
    torch.manual_seed(2)
    other = lstm.Lstm(dataclasses.replace(module.config), ROWS).eval()
    other.load_state_dict(old)
    batch = batch_of(sentence(3, 4, 5))
    assert torch.equal(other.losses(batch)["tokens"], module.losses(batch)["tokens"])
