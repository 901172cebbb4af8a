"""Linear probes find in each layer what is there, and nothing that is not."""

import csv
import json

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.tasks.probe_vectors import vectors
from lmstudio.cli import main
from lmstudio.data.labelled.encoding import Cutting, encode
from lmstudio.data.labelled.example import Example, Span
from lmstudio.errors import AppError, Cancelled
from lmstudio.formats.vectors.vector_file import write_vectors
from lmstudio.jobs import Job
from lmstudio.operations import finetuning, task_probing, tasks, training, vector_files
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.operations.families import NETWORKS
from tests.operations.layered_workspace import CITIES, SAID, examples, fill


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    with Workspace(tmp_path_factory.mktemp("layered") / "workspace") as opened:
        fill(opened, *NETWORKS, "ngram")
        yield opened


def rows(ws, run, kind):
    """The network of a run, its layers, and the rows of examples of a kind."""
    found = answering(asked(ws, run), job=Job())
    labels = {"tag": ("O", "B-地", "I-地"), "pair": ("同", "异")}.get(kind, ("坏", "好"))
    cutting = Cutting(kind, labels, 16)
    encoded = encode(examples(kind), cutting, found.asked.plan, found.vocabulary, job=Job())
    return found.model, encoded.rows


@pytest.mark.parametrize("model", NETWORKS)
def test_vectors_are_the_means_of_layers(ws, model):
    network, found = rows(ws, model, "classify")
    read = vectors(network.module, found, "classify", job=Job())
    for number, row in enumerate(found):
        layers = network.layers(row.ids[1:-1].astype(np.int32))  # a model that reads </s> shows it
        shown = network.layers(row.ids[1:].astype(np.int32)) if layers.shape[1] < len(row.ids) \
            else layers  # fmt: skip
        np.testing.assert_allclose(read[:, number], shown.mean(1), atol=1e-5)


def test_tokens_have_vectors_of_their_own(ws):
    network, found = rows(ws, "lstm", "tag")
    read = vectors(network.module, found, "tag", job=Job())
    first = 0
    for row in found:
        layers = network.layers(row.ids[1:-1].astype(np.int32))[:, 1:]
        np.testing.assert_allclose(read[:, first : first + len(row.spans)], layers, atol=1e-5)
        first += len(row.spans)
    assert first == read.shape[1]


def test_pairs_have_both_texts_and_what_sets_them_apart(ws):
    network, found = rows(ws, "gpt", "pair")
    read = vectors(network.module, found, "pair", job=Job())
    row = found[0]
    layers = network.layers(row.ids[1:].astype(np.int32))
    u, v = layers[:, row.types == 0].mean(1), layers[:, row.types == 1].mean(1)
    wanted = np.concatenate([u, v, np.abs(u - v), u * v], 1)
    np.testing.assert_allclose(read[:, 0], wanted, atol=1e-5)


@pytest.mark.parametrize(("kind", "figure"), [("classify", "accuracy"), ("tag", "f1")])
def test_what_stands_in_the_words_is_found_in_the_table(ws, kind, figure):
    found = task_probing.probe(ws, "lstm", kind, control=True, job=Job())
    assert (found.figure, found.part, found.kind) == (figure, "test", kind)
    assert [one.name for one in found.layers] == ["table", "layer 1"]
    assert found.layers[0].mean == 1
    assert found.layers[0].spread == 0
    assert found.best == found.layers[0]
    assert found.control[0].mean > 0.9  # words are told apart by random vectors too
    assert found.majority == (0.5 if kind == "classify" else 0)
    assert (found.train, found.held_out) == (24, 24)


def test_an_order_of_words_is_no_matter_of_the_table(ws):
    """Texts of the same words in another order have the same mean; what reads them has not."""
    one, other = CITIES[:2]
    made = [Example(f"{a}{b}{place}{said}", label=a) for place in CITIES for said in SAID.values()
            for a, b in ((one, other), (other, one))]  # fmt: skip
    tasks.add_examples(ws, "order", "classify", {"train": made, "test": made}, job=Job())
    found = task_probing.probe(ws, "lstm", "order", job=Job())
    table, layer = found.layers
    assert abs(table.mean - 0.5) < 0.15  # by chance
    assert min(layer.scores) > max(table.scores)


def test_long_texts_are_tagged_to_their_end(ws):
    """They are read in windows of 16 tokens; what stands in two is answered once."""
    filler = "很好看" * 9
    made = [Example(f"{filler[:n]}{city}{filler}", spans=(Span(n, n + 2, "地"),))
            for city in CITIES for n in (0, 7, 14, 15, 21, 27)]  # fmt: skip
    tasks.add_examples(ws, "long", "tag", {"train": made, "test": made}, job=Job())
    found = task_probing.probe(ws, "bert", "long", job=Job())
    assert found.layers[0].mean == 1
    assert (found.train, found.held_out, found.notes) == (24, 24, ())


def test_pairs_are_probed_too(ws):
    found = task_probing.probe(ws, "bert", "pair", seeds=2, job=Job())
    assert len(found.layers[0].scores) == 2
    assert found.layers[0].mean > found.majority


def test_an_elmo_has_both_directions_and_an_ffnn_only_a_table(ws):
    assert len(task_probing.probe(ws, "elmo", "classify", seeds=1, job=Job()).layers) == 2
    found = task_probing.probe(ws, "ffnn", "classify", seeds=1, job=Job())
    assert [one.spread for one in found.layers] == [None]


def test_vectors_from_a_file_are_a_table(ws, tmp_path):
    characters = sorted({char for one in examples("classify") for char in one.text})
    vectors = np.random.default_rng(1).normal(size=(len(characters), 6)).astype(np.float32)
    write_vectors(tmp_path / "some.txt", characters, vectors, job=Job())
    cut = ws.run("lstm").segmentation_id
    vector_files.import_vectors(ws, tmp_path / "some.txt", name="some", segmentation=cut, job=Job())
    found = task_probing.probe(ws, "some", "classify", control=True, job=Job())
    assert [one.mean for one in found.layers] == [1]
    assert found.control == ()


def test_the_same_is_found_again(ws):
    assert task_probing.probe(ws, "gpt", "classify", job=Job()) == task_probing.probe(
        ws, "gpt", "classify", job=Job()
    )


def test_a_limit_is_kept(ws):
    found = task_probing.probe(ws, "gpt", "classify", limit=10, job=Job())
    assert (found.train, found.held_out) == (10, 10)


def test_only_what_fits_into_memory_is_read(ws, monkeypatch):
    monkeypatch.setattr("lmstudio.analysis.tasks.probe_vectors.MOST", 2 * 8 * 5 * 6)
    found = task_probing.probe(ws, "lstm", "tag", seeds=1, job=Job())
    assert found.held_out == 6  # of 5 tokens, in two layers 8 wide
    assert "do not fit into memory" in str(found.notes[-1])


def test_a_tuned_network_is_probed_as_it_is_now(ws):
    how = TrainingConfig(epochs=30, batch=12, learning_rate=0.02, warmup=2, patience=0)
    (row,) = finetuning.queue_tuning(ws, "classify", "bert", TaskConfig(), how, name="tuned")
    training.start(ws, row.id, job=Job())
    found = task_probing.probe(ws, "tuned", "classify", job=Job())
    before = task_probing.probe(ws, "bert", "classify", job=Job())
    assert found.run == "tuned"
    assert found.layers != before.layers or found.layers[-1].mean == 1


def test_what_cannot_be_probed_is_refused(ws):
    with pytest.raises(AppError, match="stretches of passages"):
        task_probing.probe(ws, "lstm", "qa", job=Job())
    with pytest.raises(AppError, match="no vectors"):
        task_probing.probe(ws, "ngram", "classify", job=Job())
    tasks.add_examples(ws, "alone", "classify", {"train": examples("classify")}, job=Job())
    with pytest.raises(AppError, match="others to be scored on"):
        task_probing.probe(ws, "lstm", "alone", job=Job())


def test_it_can_be_stopped(ws):
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        task_probing.probe(ws, "lstm", "classify", job=job)


def test_the_command_line_says_the_same(ws, tmp_path, capsys):
    say = ["--workspace", str(ws.folder), "probe", "lstm", "--on", "classify"]
    table = tmp_path / "probe.csv"
    assert main([*say, "--control", "--json", "--csv", str(table)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in told["layers"]] == ["table", "layer 1"]
    assert told["layers"][0]["mean"] == 1
    with table.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["Run", "Task", "Weights", "Layer", "Seed", "accuracy"]
    assert len(lines) == 1 + 2 * 2 * 5
    assert main([*say, "--control"]) == 0
    told = capsys.readouterr().out
    assert "1.000 ± 0.000" in told
    assert "0.500" in told
