"""ELMo in the layout of AllenNLP: the fixture's vectors, out and in again, broken files."""

import json
import shutil

import numpy as np
import pytest
import torch

from lmstudio.analysis.asked import Answering
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.config import ElmoConfig, LstmConfig
from lmstudio.operations import (
    corpora,
    evaluation,
    exporting,
    fill,
    generation,
    layers,
    model_files,
    segmentations,
    training,
)
from lmstudio.operations.asked import asked
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig

h5py = pytest.importorskip("h5py")

TEXT = "\n".join(["我爱北京。", "我爱上海。", "他爱我。", "她也爱北京。"] * 20)
SMALL = {"layers": 2, "width": 6, "cell": 8, "characters": True, "filters": 3}


@pytest.fixture
def files(shared):
    folder = shared / "data" / "pretrained" / "elmo_fixture"
    if not folder.is_dir():
        pytest.skip("the fixture is not here")
    return folder


@pytest.fixture
def ws(workspace):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(), name="s", job=Job())
    return workspace


def trained(ws, name="elmo", **config):
    spec = RunSpec("elmo", ElmoConfig(**SMALL | config), TrainingConfig(max_steps=3))
    training.train(ws, "s", spec, name=name, job=Job())
    return ws.run(name)


def bring(ws, path, **how):
    changes = model_files.import_model(ws, path, job=Job(), **how)
    return ws.run(changes.new_id), [str(note) for note in changes.notes]


@torch.no_grad()
def test_the_vectors_of_the_fixture(workspace, files):
    """As AllenNLP's own test expects them: the state carried on, the first of three rows."""
    sentences = json.loads((files / "sentences.json").read_text())[0]
    whole = ImportOptions(split=SplitRule(valid=0, test=0))
    corpora.import_text(workspace, "\n".join(sentences), name="c", options=whole, job=Job())
    options = SegmentOptions(by="whitespace", sentences="line")
    segmentations.create(workspace, "c", options, name="s", job=Job())
    run, notes = bring(workspace, files, segmentation="s")
    assert (run.name, run.model) == ("elmo_fixture", "elmo")
    assert any("nothing is predicted" in note for note in notes)
    model = Answering(asked(workspace, run.id))
    carried = None
    with h5py.File(files / "lm_embeddings_0.hdf5") as expected:
        for number, sentence in enumerate(sentences):
            ids = model.model.shown(model.vocabulary.encode(sentence.split()))
            found, carried = model.model.module.embed(
                torch.from_numpy(ids)[None].long(), torch.tensor([len(ids)]), carried
            )
            theirs = np.concatenate(list(expected[str(number)][...]), -1)
            assert found[-1, 0, 1:-1].numpy() == pytest.approx(theirs, abs=1e-4)
    for question in (
        lambda: evaluation.evaluate(workspace, run.id, "valid", job=Job()),
        lambda: fill.fill(workspace, run.id, fill.question("good [MASK]"), job=Job()),
        lambda: generation.next_table(workspace, run.id, "good", job=Job()),
        lambda: layers.lens(workspace, run.id, "good", job=Job()),
        lambda: layers.two_directions(workspace, run.id, "good", job=Job()),
    ):
        with pytest.raises(AppError, match="was not in the files"):
            question()


def test_by_itself_it_knows_the_words_of_its_file(workspace, files):
    run, notes = bring(workspace, files / "lm_weights.hdf5", name="own")
    cut = workspace.segmentation(run.segmentation_id)
    lines = (files / "vocab_test.txt").read_text().split("\n")
    assert cut.vocabulary - 2 == len(set(lines) - {"<S>", "</S>", "<UNK>", ""})
    assert any("on a corpus of its own words" in note for note in notes)


@pytest.mark.parametrize("config", [{}, {"highways": 0, "cell_clip": 0.0, "layers": 1}])
def test_out_and_in_again(ws, tmp_path, config):
    run = trained(ws, **config)
    exporting.export(ws, "elmo", "elmo", tmp_path / "out", job=Job())
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "options.json", "weights.hdf5", "vocab.txt",
    }  # fmt: skip
    with pytest.raises(AppError, match="is there already"):
        exporting.export(ws, "elmo", "elmo", tmp_path / "out", job=Job())
    back, notes = bring(ws, tmp_path / "out", segmentation="s", name="back")
    assert back.segmentation_id == run.segmentation_id
    assert back.parameters == run.parameters
    ours, theirs = (Answering(asked(ws, name)) for name in ("elmo", "back"))
    ids = ours.vocabulary.encode(list("我爱北京"))
    assert theirs.model.layers(ids) == pytest.approx(ours.model.layers(ids), abs=1e-6)
    scores = [evaluation.evaluate(ws, name, "test", job=Job()) for name in ("elmo", "back")]
    assert scores[1]["perplexity"] == pytest.approx(scores[0]["perplexity"], rel=1e-6)
    guesses = [fill.fill(ws, name, fill.question("我爱[MASK]京"), job=Job()).blanks[0].guesses[0]
               for name in ("elmo", "back")]  # fmt: skip
    assert guesses[0].text == guesses[1].text
    assert not any("untrained" in note for note in notes)
    own, _ = bring(ws, tmp_path / "out", name="own")
    assert ws.segmentation(own.segmentation_id).vocabulary == ws.segmentation("s").vocabulary


def test_a_head_of_both_directions_has_no_place_there(ws, tmp_path):
    trained(ws, head="joint")
    changes = exporting.export(ws, "elmo", "elmo", tmp_path / "out", job=Job())
    assert "The output layer is left out" in str(changes.notes[0])
    run, notes = bring(ws, tmp_path / "out", segmentation="s")
    assert run.facts["imported"]["untrained"]
    assert any("nothing is predicted" in note for note in notes)


def test_what_is_no_elmo_of_characters_is_not_written(ws):
    trained(ws, characters=False)
    assert "looks its words up" in str(exporting.why_not(ws, ws.run("elmo"), "elmo"))
    spec = RunSpec("lstm", LstmConfig(layers=1, width=4), TrainingConfig(max_steps=1))
    training.train(ws, "s", spec, name="lstm", job=Job())
    assert "only an ELMo" in str(exporting.why_not(ws, ws.run("lstm"), "elmo"))


def _option(name, value):
    def change(folder):
        path = folder / "options.json"
        options = json.loads(path.read_text())
        part, _, key = name.rpartition(".")
        (options[part] if part else options)[key] = value
        path.write_text(json.dumps(options))

    return change


def _array(name, shape, **how):
    def change(folder):
        with h5py.File(folder / "lm_weights.hdf5", "a") as file:
            del file[name]
            if shape:
                file.create_dataset(name, shape, "f4", **how)

    return change


def _cut(folder):
    path = folder / "lm_weights.hdf5"
    path.write_bytes(path.read_bytes()[:200_000])


def _link(folder):
    with h5py.File(folder / "lm_weights.hdf5", "a") as file:
        del file["char_embed"]
        file["char_embed"] = h5py.ExternalLink("elsewhere.hdf5", "/x")


BROKEN = {
    "pointer": (lambda folder: (folder / "lm_weights.hdf5").write_bytes(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 450896\n"), "Git LFS"),
    "cut off": (_cut, "missing or damaged"),
    "no hdf5": (lambda folder: (folder / "lm_weights.hdf5").write_bytes(b"x" * 5000), "damaged"),
    "other size": (_option("lstm.dim", 63), "has the size 32 × 256 and not 32 × 252"),
    "an ocean": (_option("lstm.dim", 1 << 40), "must be at most 16384"),
    "odd sizes": (_option("char_cnn.filters", [[1, 1 << 40]]), "sizes that cannot be"),
    "text": (_option("char_cnn.filters", "many"), "missing or damaged"),
    "no part": (_option("lstm", 5), "missing or damaged"),
    "activation": (_option("char_cnn.activation", "tanh"), "activation = tanh"),
    "skip": (_option("lstm.use_skip_connections", False), "use_skip_connections = False"),
    "missing": (_array("CNN_proj/W_proj", None), "CNN_proj/W_proj has the size 0"),
    "nothing behind": (_array("CNN_proj/W_proj", (124, 16)), "missing or damaged"),
    "outside": (_link, "char_embed has the size 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_with_a_sentence(ws, files, tmp_path, name):
    change, said = BROKEN[name]
    folder = tmp_path / "elmo"
    shutil.copytree(files, folder)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    change(folder)
    before = (ws.corpora(), ws.segmentations(), ws.runs())
    with pytest.raises(AppError, match=said):
        bring(ws, folder, segmentation="s")
    assert (ws.corpora(), ws.segmentations(), ws.runs()) == before
    assert not list((ws.folder / "runs").glob("import.*"))


def test_without_words_or_h5py_it_says_what_to_do(ws, files, tmp_path, monkeypatch):
    folder = tmp_path / "elmo"
    shutil.copytree(files, folder)
    folder.chmod(0o755)
    (folder / "vocab_test.txt").unlink()
    with pytest.raises(AppError, match="say with --segmentation"):
        bring(ws, folder)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(AppError, match="pip install h5py"):
        bring(ws, folder, segmentation="s")
