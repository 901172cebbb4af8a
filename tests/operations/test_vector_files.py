"""Word vectors out of any layer, in as runs of their own, and as the beginning of a network."""

import numpy as np
import pytest

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.word_map import MapOptions
from lmstudio.errors import AppError
from lmstudio.formats.vectors.vector_file import read_vectors, write_vectors
from lmstudio.jobs import Job
from lmstudio.models.config import ElmoConfig, FfnnConfig, LstmConfig, NgramConfig
from lmstudio.operations import (
    corpora,
    embeddings,
    evaluation,
    exporting,
    model_files,
    runs,
    segmentations,
    training,
    vector_files,
)
from lmstudio.operations.asked import asked
from lmstudio.operations.export_format import ExportOptions
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig

TEXT = "\n".join(["我爱北京。", "我爱上海。", "他爱我。", "她也爱北京。"] * 20)
SHORT = TrainingConfig(max_steps=3)


@pytest.fixture
def ws(workspace):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(), name="s", job=Job())
    spec = RunSpec("lstm", LstmConfig(layers=1, width=8), SHORT)
    training.train(workspace, "s", spec, name="net", job=Job())
    return workspace


@pytest.fixture
def file(tmp_path):
    """Ten numbers for some words of the corpus and for others."""
    words = ["我", "爱", "北", "京", "上", "海", "火星", "土星"]
    vectors = np.random.default_rng(1).normal(size=(8, 10)).astype(np.float32)
    vectors[7] = vectors[6] + 0.01
    write_vectors(tmp_path / "some.txt", words, vectors, job=Job())
    return tmp_path / "some.txt"


def out(ws, path, layout="word2vec", layer=0, run="net"):
    changes = exporting.export(ws, run, layout, path, ExportOptions(layer=layer), job=Job())
    return [str(note) for note in changes.notes]


def table_of(ws, run):
    return Answering(asked(ws, run)).model.module.embedding.weight.detach().numpy()


@pytest.mark.parametrize("layout", ["word2vec", "word2vec-binary", "glove"])
def test_the_table_of_a_network_goes_out_and_comes_back(ws, tmp_path, layout):
    told = out(ws, tmp_path / "table", layout)
    found = read_vectors(tmp_path / "table", job=Job())
    types = Answering(asked(ws, "net")).types
    assert found.words == types[3:]
    assert told == [f"{len(types) - 3} words of the look-up table."]
    assert found.vectors == pytest.approx(table_of(ws, "net")[3:], abs=1e-6)
    run = vector_files.import_vectors(ws, tmp_path / "table", segmentation="s", job=Job()).new_id
    assert table_of(ws, run)[3:] == pytest.approx(table_of(ws, "net")[3:], abs=1e-6)
    assert not table_of(ws, run)[:3].any()


def test_a_second_file_of_the_same_words_says_whose_corpus_it_shares(ws, tmp_path):
    out(ws, tmp_path / "table", "glove")
    first, second = (vector_files.import_vectors(ws, tmp_path / "table", name=name, job=Job())
                     for name in ("a", "b"))  # fmt: skip
    assert ws.run(first.new_id).segmentation_id == ws.run(second.new_id).segmentation_id
    assert not any("the same words" in str(note) for note in first.notes)
    assert any("same words as a and shares the corpus table" in str(note) for note in second.notes)


def test_a_deeper_layer_is_the_mean_over_all_places(ws, tmp_path):
    [told] = out(ws, tmp_path / "layer", layer=1)
    assert "of layer 1 over the places of a word in the train part" in told
    found = read_vectors(tmp_path / "layer", job=Job())
    known = embeddings.neighbors(ws, "net", "爱", layer=1, job=Job())
    model = Answering(asked(ws, "net"))
    ids = model.vocabulary.encode(list("我爱北京。"))
    assert found.words == [word for word in model.types[3:] if word in TEXT]
    mean = found.vectors[found.words.index("她")]  # it only stands at the beginning
    line = model.model.layers(model.vocabulary.encode(list("她也爱北京。")))[1, 1]
    assert mean == pytest.approx(line, abs=1e-5)
    assert known.nearest[0].word in found.words
    assert len(ids) == 5
    with pytest.raises(AppError, match="has layers 0 to 1"):
        out(ws, tmp_path / "none", layer=2)
    assert not (tmp_path / "none").exists()


def test_a_folder_for_the_projector(ws, tmp_path):
    out(ws, tmp_path / "p", "projector")
    labels = (tmp_path / "p" / "metadata.tsv").read_text("utf-8").splitlines()
    rows = (tmp_path / "p" / "vectors.tsv").read_text("utf-8").splitlines()
    counts = Answering(asked(ws, "net")).vocabulary.counts
    assert labels[:2] == ["word\tcount", f"。\t{counts[3]}"]
    assert len(rows) == len(labels) - 1 == len(counts) - 3
    with pytest.raises(AppError, match="is there already"):
        out(ws, tmp_path / "p", "projector")


def test_what_has_no_vectors_says_so(ws, tmp_path):
    training.train(ws, "s", RunSpec("ngram", NgramConfig(2)), name="two", job=Job())
    with pytest.raises(AppError, match="it has no vectors"):
        out(ws, tmp_path / "x", run="two")
    assert exporting.why_not(ws, ws.run("net"), "glove") is None


def test_imported_vectors_are_explored_like_a_table(ws, file):
    changes = vector_files.import_vectors(ws, file, name="v", job=Job())
    run = ws.run("v")
    assert (run.model, run.state, run.parameters) == ("vectors", "done", 11 * 10)
    assert any("8 of 8 words have a vector of 10 numbers" in str(note) for note in changes.notes)
    found = embeddings.neighbors(ws, "v", "火星", most=3, job=Job())
    assert found.nearest[0].word == "土星"
    assert found.nearest[0].cosine > 0.99
    matrix = embeddings.similarities(ws, "v", ["火星", "土星", "我"], job=Job())
    assert matrix.values[0, 1] > 0.99 > matrix.values[0, 2]
    assert embeddings.analogy(ws, "v", ["我", "爱", "火星"], job=Job()).add
    drawn = embeddings.map_words(ws, "v", MapOptions(words=5), job=Job())
    assert len(drawn.words) == 5
    for question, error in (
        (lambda: embeddings.neighbors(ws, "v", "我", layer=1, job=Job()), "has layers 0 to 0"),
        (lambda: evaluation.evaluate(ws, "v", "test", job=Job()), "predicts nothing"),
        (lambda: training.queue_run(ws, "s", RunSpec.from_json(run.spec)), "not trained"),
        (lambda: training.prolong(ws, "v", epochs=1), "was imported"),
    ):
        with pytest.raises(AppError, match=error):
            question()


def test_on_a_segmentation_words_without_a_vector_have_no_direction(ws, file):
    changes = vector_files.import_vectors(ws, file, segmentation="s", job=Job())
    run = ws.run(changes.new_id)
    assert (run.name, run.segmentation_id) == ("some", ws.segmentation("s").id)
    assert any("6 of 10 words have a vector" in str(note) for note in changes.notes)
    nearest = embeddings.neighbors(ws, run.id, "我", job=Job()).nearest
    assert [one.cosine is None for one in nearest] == [False] * 5 + [True] * 4
    with pytest.raises(AppError, match="is zero: it has no direction"):
        embeddings.neighbors(ws, run.id, "她", job=Job())


def test_a_network_begins_with_vectors(ws, file):
    run, _ = vector_files.beginning(ws, "s", str(file), job=Job())
    spec = RunSpec("ffnn", FfnnConfig(width=10, hidden=8), TrainingConfig(max_steps=1,
                   learning_rate=1e-9))  # fmt: skip
    queued = training.queue_run(ws, "s", spec, warm_start=run)
    changes = training.start(ws, queued.id, job=Job())
    told = [str(note) for note in changes.notes]
    assert any("with vectors for 6 of 13 words; the others are random" in note for note in told)
    ours, theirs = table_of(ws, queued.id), table_of(ws, run)
    known = theirs.any(1)
    assert ours[known] == pytest.approx(theirs[known], abs=1e-5)
    assert ours[~known].any(1).all()
    assert ws.run(queued.id).parent == run
    assert vector_files.beginning(ws, "s", "some", job=Job())[0] == run


def test_no_model_is_trained_on_a_list_of_words(ws, file):
    vector_files.import_vectors(ws, file, name="v", job=Job())
    run = ws.run("v")
    spec = RunSpec("lstm", LstmConfig(layers=1, width=8), SHORT)
    before = len(ws.runs())
    with pytest.raises(AppError, match="no text to train on"):
        training.queue_run(ws, run.segmentation_id, spec)
    assert len(ws.runs()) == before


def test_longer_vectors_are_projected_and_shorter_ones_refused(ws, file):
    run, _ = vector_files.beginning(ws, "s", str(file), job=Job())
    narrow = RunSpec("lstm", LstmConfig(layers=1, width=5), TrainingConfig(max_steps=1))
    queued = training.queue_run(ws, "s", narrow, warm_start=run)
    told = [str(note) for note in training.start(ws, queued.id, job=Job()).notes]
    assert "Their 10 numbers were projected on the first 5 principal components, which keep 100.0" \
           " % of the variance." in told  # fmt: skip
    wide = RunSpec("lstm", LstmConfig(layers=1, width=11), SHORT)
    with pytest.raises(AppError, match="have 10 numbers and the table 11: choose a width of at"):
        training.queue_run(ws, "s", wide, warm_start=run)
    spelled = RunSpec("elmo", ElmoConfig(width=8, characters=True), SHORT)
    for spec in (spelled, RunSpec("ngram", NgramConfig(2))):
        with pytest.raises(AppError, match="no table of words"):
            training.queue_run(ws, "s", spec, warm_start=run)
    with pytest.raises(AppError, match="is no run of vectors"):
        vector_files.beginning(ws, "s", "net", job=Job())


def test_nothing_is_left_of_what_cannot_be_read(ws, tmp_path, file):
    before = (ws.corpora(), ws.segmentations(), ws.runs())
    (tmp_path / "bad.bin").write_bytes(b"4 1099511627776\nx")
    write_vectors(tmp_path / "strange.vec", ["火星"], np.ones((1, 2)), job=Job())
    for path, said in (("bad.bin", "cannot be"), ("strange.vec", "None of the words"),
                       ("none", "cannot be read")):  # fmt: skip
        with pytest.raises(AppError, match=said):
            vector_files.import_vectors(ws, tmp_path / path, segmentation="s", job=Job())
    with pytest.raises(AppError, match="means nothing"):
        model_files.import_model(ws, file, corpus="c", job=Job())
    assert (ws.corpora(), ws.segmentations(), ws.runs()) == before
    assert not list((ws.folder / "runs").glob("import.*"))
    run = model_files.import_model(ws, file, job=Job()).new_id
    assert runs.spec_of(ws, run).model == "vectors"
