"""What holds of every neural model, whatever it is made of, with the batches that it trains on."""

import importlib

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS, LINE, SegmentationMeta, Tokens
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.models.registry import MODELS
from lmstudio.training.feeds import feed, train_counts
from lmstudio.training.spec import RunSpec, TrainingConfig
from tests.data.corpus_files import write_corpus
from tests.models.networks import sentence
from tests.segmentations import write_segmentation

TRANSFORMER = {"layers": 2, "width": 16, "heads": 2, "window": 32}
SETTINGS = {
    "ffnn": {"order": 4, "width": 8, "hidden": 16},
    "rnn": {"width": 16},
    "rnn, document": {"width": 16, "context": "document"},
    "gru": {"width": 16},
    "gru, document": {"width": 16, "context": "document"},
    "lstm": {"width": 16},
    "lstm, document": {"width": 16, "layers": 2, "context": "document"},
    "elmo": {"width": 8, "cell": 16, "layers": 2},
    "elmo, joint": {"width": 8, "cell": 16, "layers": 2, "head": "joint"},
    "elmo, characters": {"width": 8, "cell": 16, "characters": True, "filters": 2},
    "bert": TRANSFORMER,
    "bert, pairs": TRANSFORMER | {"next_sentence": True},
    "bert, albert": TRANSFORMER | {"layers": 2, "table_width": 6, "shared": True},
    "gpt": TRANSFORMER,
    "gpt, sentence": TRANSFORMER | {"context": "sentence"},
}
"""Small networks of each kind; the model's name stands before the comma."""

LEFT_TO_RIGHT = [name for name in SETTINGS if not name.startswith(("elmo", "bert"))]
PADDING = {"ids": EOS, "targets": IGNORE, "positions": 0, "segments": -1, "types": 0}
"""What padded cells of the arrays of a batch hold; all others have no column a token."""

LINES = ["a b c d e f g h"] * 4 + ["i j k l"] * 2
OTHERS = [sentence(*range(3, 3 + size)) for size in (1, 2, 12, 5, 7, 3, 4, 9)]


class Network:
    """One of SETTINGS over a small text."""

    def __init__(self, name: str, folder, lines=LINES) -> None:
        kind = name.split(",")[0]
        self.module_of = pytest.importorskip(MODELS[kind].module)
        config = MODELS[kind].config(**SETTINGS[name])
        if hasattr(config, "dropout"):
            config = type(config)(**SETTINGS[name], dropout=0.0)
        training = TrainingConfig(batch=8, length=16, device="cpu")
        self.spec, self.config = RunSpec(kind, config, training), config
        parts = {"train": lines, "valid": lines[-4:] if "pairs" in name else lines[-1:]}
        self.folder = write_segmentation(folder / "segmentation", **parts)
        _write_documents(folder, parts)
        self.counts = train_counts(self.folder)
        self.rows = len(self.counts)

    def build(self, *, stirred: bool = False):
        """A fresh module; `stirred`: with weights that are all of some size."""
        torch.manual_seed(1)
        module = self.module_of.build(self.config, self.counts, self.folder)
        if stirred:
            for p in module.parameters():
                torch.nn.init.normal_(p, std=0.2)
        return module

    def model(self):
        """A stirred one, to be asked."""
        return self.build(stirred=True).model()

    def batch(self) -> dict[str, torch.Tensor]:
        """The first one that is trained on."""
        rows = feed(self.spec, self.folder, self.counts, job=Job()).train.at(0)
        return {name: torch.from_numpy(array) for name, array in rows.items()}


def _write_documents(folder, parts: dict[str, list[str]]) -> None:
    """The corpus of the segmentation, two lines a document."""
    corpus = write_corpus(folder / "corpus", **parts)
    records = np.fromfile(corpus / "lines.idx", LINE)
    records["document"] = np.arange(len(records)) // 2
    records.tofile(corpus / "lines.idx")
    meta = SegmentationMeta.load(folder / "segmentation")
    meta.corpus = "../corpus"
    meta.save(folder / "segmentation")


@pytest.fixture(params=SETTINGS)
def network(request, tmp_path):
    return Network(request.param, tmp_path)


@pytest.fixture(params=LEFT_TO_RIGHT)
def reader(request, tmp_path):
    return Network(request.param, tmp_path)


def means(module, batch) -> torch.Tensor:
    """What is minimised: the sum of the mean losses."""
    events, losses = module.events(batch), module.losses(batch)
    return sum(losses[name] / events[name] for name in events)


def test_parameters_are_what_the_config_says(network):
    counted = sum(p.numel() for p in network.build().parameters())
    rows = network.rows + (network.spec.model == "bert")  # [MASK]
    assert counted == sum(count for _, _, count in network.config.parameters(rows))


@pytest.mark.parametrize("name", SETTINGS)
def test_overfits_one_batch(name, tmp_path):
    """Of one sentence, which goes on in one way only; pairs need several."""
    lines = ["a b c d e f g h i j k l m n o"]
    if "pairs" in name:
        lines = ["a b c", "d e f", "g h i", "j k l", "m n o", "p q r"]
    network = Network(name, tmp_path, lines)
    module, batch = network.build(), network.batch()
    optimizer = torch.optim.Adam(module.parameters(), lr=0.02)
    for _ in range(500):  # 100 to 300, by how a processor rounds
        optimizer.zero_grad()
        loss = means(module, batch)
        if loss < 0.1:
            break
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1


def test_every_weight_learns(network):
    module = network.build(stirred=True).train()
    means(module, network.batch()).backward()
    for name, p in module.named_parameters():
        assert p.grad is not None, name
        assert p.grad.abs().sum() > 0, name
        assert torch.isfinite(p.grad).all(), name


@pytest.mark.parametrize("width", [8, 16, 32])
def test_case_d2a_padding_changes_no_loss(network, width):
    module, batch = network.build(stirred=True).eval(), network.batch()
    if batch["ids"].dim() < 2 or "targets" in batch and batch["targets"].dim() < 2:
        pytest.skip("its batches hold no padding")
    length = batch["ids"].shape[1]
    padded = {
        name: torch.nn.functional.pad(array, (0, max(0, width - length)), value=PADDING[name])
        if name in PADDING else array
        for name, array in batch.items()
    }  # fmt: skip
    expected, found = module.losses(batch), module.losses(padded)
    assert {k: v.item() for k, v in module.events(padded).items()} == {
        k: v.item() for k, v in module.events(batch).items()
    }
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value.item(), rel=1e-5, abs=1e-5), name


def test_case_c6e_a_sentence_scores_alike_alone_and_among_others(network):
    model, words = network.model(), sentence(3, 4, 5, 6)
    alone = model.logprobs(words)
    before = [] if model.context == "document" else OTHERS[:4]
    together = model.logprobs(np.concatenate([*before, words, *OTHERS[4:]]))
    first = sum(len(other) - 1 for other in before)
    found = together[first : first + len(alone)]
    assert found == pytest.approx(alone, abs=1e-5, nan_ok=True)


def test_case_g4_the_vectors_of_a_sentence_depend_on_nothing_else(network):
    model, words = network.model(), np.array([3, 4, 5, 6])
    before = model.layers(words)
    for other in OTHERS:
        model.layers(other[1:-1])
        model.logprobs(other)
    assert model.layers(words) == pytest.approx(before, abs=1e-6)


def test_layers_are_a_vector_for_each_token_that_is_read(network):
    model, words = network.model(), np.array([3, 4, 5])
    shown, layers = model.shown(words), model.layers(words)
    assert shown[:4].tolist() == [BOS, 3, 4, 5]
    assert layers.dtype == np.float32
    assert layers.shape[1] == len(shown)
    assert np.isfinite(layers).all()


def test_case_g4_a_sentence_has_the_same_vectors_alone_and_in_a_padded_batch(network):
    model = network.model()
    shown = [model.shown(other[1:-1]) for other in OTHERS]
    sizes = np.array([len(row) for row in shown])
    rows = np.full((len(shown), sizes.max()), EOS)
    for row, ids in zip(rows, shown, strict=True):
        row[: len(ids)] = ids
    together = model.layers_of(rows, sizes)
    for number, ids in enumerate(shown):
        alone = model.layers_of(ids[None], sizes[number : number + 1])[:, 0]
        assert together[:, number, : len(ids)] == pytest.approx(alone, abs=2e-6)
    if not getattr(network.config, "carried", False):
        assert model.layers(OTHERS[0][1:-1]) == pytest.approx(together[:, 0, : sizes[0]], abs=2e-6)


def test_sees_only_the_left(reader):
    model = reader.model()
    one, other = model.logprobs(sentence(3, 4, 5, 6, 7)), model.logprobs(sentence(3, 4, 5, 9, 7))
    assert np.array_equal(one[:3], other[:3])
    assert one[3] != other[3]
    assert one[4] != other[4]


def test_logprobs_are_the_logs_of_next_probs(reader):
    model, words = reader.model(), [3, 4, 0, 9, 5, 5]
    scored = model.logprobs(sentence(*words))
    for place, word in enumerate([*words, EOS]):
        expected = np.log(model.next_probs(np.array(words[:place], np.int32))[word])
        assert scored[place] == pytest.approx(expected, abs=1e-5)


def test_distributions_sum_to_one_without_the_sentence_start(reader):
    model = reader.model()
    for prefix in ([], [3], [3, 4, 0, 9]):
        probs = model.next_probs(np.array(prefix, np.int32))
        assert probs.shape == (reader.rows,)
        assert probs.sum() == pytest.approx(1, abs=1e-6)
        assert (probs >= 0).all()
        assert probs[BOS] == 0


def test_what_validation_sums_is_what_is_asked_later(reader):
    module = reader.build(stirred=True).eval()
    batches = feed(reader.spec, reader.folder, reader.counts, job=Job()).valid()
    total = 0.0
    for batch in batches:
        arrays = {name: torch.from_numpy(array) for name, array in batch.items()}
        carried = {f"carried.{name}": rows for name, rows in module.carried.items()}
        for sums in module.evaluate(arrays | carried):
            total += sum(value.item() for name, value in sums.items() if name[-8:] != "_correct")
    words = Tokens(reader.folder).stream("valid")
    assert total == pytest.approx(-module.model().logprobs(words).sum(), abs=1e-4)


def test_saved_and_loaded_it_is_the_same(network, tmp_path):
    module, words = network.build(stirred=True), sentence(3, 4, 5, 6)
    folder = tmp_path / "run" / "checkpoints" / "best"
    folder.mkdir(parents=True)
    save_file(module.state_dict(), folder / "weights.safetensors")
    write_json(folder / "meta.json", {})
    loaded = importlib.import_module(MODELS[network.spec.model].module).load(
        tmp_path / "run", network.config, network.rows
    )
    assert np.array_equal(loaded.logprobs(words), module.model().logprobs(words), equal_nan=True)
    assert np.array_equal(loaded.layers(words[1:-1]), module.model().layers(words[1:-1]))
