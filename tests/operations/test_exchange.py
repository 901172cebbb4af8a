"""Models of Hugging Face brought in: the cases E-1 to E-4, and files that must not be trusted."""

import json
import os
import pickle
import shutil
import struct
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from lmstudio.analysis.asked import Answering
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    attention,
    corpora,
    evaluation,
    exchange,
    exporting,
    fill,
    segmentations,
    training,
)
from lmstudio.operations.asked import asked
from lmstudio.training.task_config import TaskConfig

TOP = [("爱", 0.227623), ("。", 0.148478), ("海", 0.115852)]


def bring(ws, path, **how):
    return exchange.import_model(ws, path, job=Job(), **how)


def guesses(ws, run):
    question = fill.question("我爱[MASK]京")
    found = fill.fill(ws, run, question, job=Job()).blanks[0].guesses
    return [(guess.text, guess.probability) for guess in found]


@pytest.mark.parametrize("name", ["hf_ok", "hf_ok/model.safetensors"])
def test_case_e3_the_same_numbers(workspace, cases, name):
    """E-3: the folder, or a file in it."""
    changes = bring(workspace, cases / name)
    for (text, p), (expected, q) in zip(guesses(workspace, changes.new_id), TOP, strict=False):
        assert (text, p) == (expected, pytest.approx(q, abs=1e-5))
    answering = Answering(asked(workspace, changes.new_id))
    module, vocabulary = answering.model.module, answering.vocabulary
    ids = vocabulary.encode(["我", "爱", "[MASK]", "京"])
    last = answering.model.layers(ids)[-1]
    assert last.mean(0)[:3] == pytest.approx([2.20207, -0.18011, 1.10855], abs=1e-5)
    assert last[0, :3] == pytest.approx([2.03368, -0.20852, 0.96305], abs=1e-5)
    assert module.config.window == 32


def test_case_e3_out_and_in_again(workspace, cases, tmp_path):
    """E-3: the same files of pieces, the same numbers, on the same segmentation."""
    first = bring(workspace, cases / "hf_ok").new_id
    exporting.export(workspace, first, "huggingface", tmp_path / "out", job=Job())
    written = (tmp_path / "out" / "vocab.txt").read_text("utf-8")
    assert written == (cases / "hf_ok" / "vocab.txt").read_text("utf-8")
    again = bring(workspace, tmp_path / "out")
    assert again.new_id != first
    assert guesses(workspace, again.new_id) == guesses(workspace, first)
    assert len(workspace.segmentations()) == len(workspace.corpora()) == 1
    with pytest.raises(AppError, match="there already"):
        exporting.export(workspace, first, "huggingface", tmp_path / "out", job=Job())


def test_case_e2_an_encoder_without_its_head(workspace, cases):
    """E-2."""
    changes = bring(workspace, cases / "hf_no_mlm_head")
    assert any("5 tensors are missing" in str(note) for note in changes.notes)
    with pytest.raises(AppError, match="the head that fills blanks was not in the files"):
        guesses(workspace, changes.new_id)
    with pytest.raises(AppError, match="the head that fills blanks"):
        evaluation.evaluate(workspace, changes.new_id, "train", job=Job())
    assert attention.attention(workspace, changes.new_id, "我爱北京", job=Job())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("hf_truncated", "is cut off: it has 13696 of 27392 bytes"),
        ("hf_lfs_pointer", "is a Git LFS pointer, 134 bytes"),
        ("hf_bad_header", "its header would have 1099511627776 bytes"),
    ],
)
def test_case_e1_broken_files(workspace, cases, name, told):
    """E-1: a plain sentence, and nothing is left."""
    with pytest.raises(AppError, match=told):
        bring(workspace, cases / name)
    assert not workspace.corpora()
    assert not workspace.runs()
    assert not list((workspace.folder / "runs").glob("*"))


def test_case_e4_rare_characters(workspace, cases):
    """E-4: what is unknown keeps its text and its place."""
    changes = bring(workspace, cases / "hf_ok")
    cut = workspace.run(changes.new_id).segmentation_id
    preview = segmentations.tokens(workspace, cut, "我愛𠮷京b2", job=Job())
    assert [(p.start, p.end, p.text, p.unknown) for p in preview.pieces] == [
        (0, 1, "我", False), (1, 2, "愛", True), (2, 3, "𠮷", True), (3, 4, "京", False),
        (4, 6, "b2", True),
    ]  # fmt: skip
    preview = segmentations.tokens(workspace, cut, "Ab1", job=Job())
    assert [p.piece for p in preview.pieces] == ["a", "##b", "##1"]
    assert "".join(p.text for p in preview.pieces) == "Ab1"


def test_on_a_corpus_and_trained_on(workspace, cases):
    """It is measured on the text, and others begin with its weights."""
    text = "我爱北京。\n他是上海人。\n你是北京人，他爱上海。\n" * 20
    corpora.import_text(workspace, text, name="text", job=Job())
    changes = bring(workspace, cases / "hf_ok", corpus="text", new_words=["北京"])
    row = workspace.run(changes.new_id)
    figures = evaluation.evaluate(workspace, row.id, "valid", job=Job())
    assert figures["events"] > 0
    with pytest.raises(AppError, match="was imported"):
        training.prolong(workspace, row.id, epochs=1)
    spec = exchange.runs.spec_of(workspace, row.id).to_json()
    spec["training"] |= {"max_steps": 2, "device": "cpu"}
    queued = training.queue_run(
        workspace, row.segmentation_id, training.RunSpec.from_json(spec), warm_start=row.id
    )
    training.start(workspace, queued.id, job=Job())
    assert workspace.run(queued.id).state == "done"


def test_new_words(workspace, cases):
    """They begin with the mean of their pieces."""
    changes = bring(workspace, cases / "hf_ok", new_words=["北京"])
    answering = Answering(asked(workspace, changes.new_id))
    table = answering.model.module.embedding.weight.detach().numpy()
    number = answering.vocabulary.encode(["北京", "北", "京"])
    assert table[number[0]] == pytest.approx(table[number[1:]].mean(0))
    cut = workspace.run(changes.new_id).segmentation_id
    preview = segmentations.tokens(workspace, cut, "我爱北京", job=Job())
    assert [p.piece for p in preview.pieces] == ["我", "爱", "北京"]


@pytest.fixture
def folder(cases, tmp_path):
    """A copy of the good model that may be spoiled."""
    made = tmp_path / "model"
    shutil.copytree(cases / "hf_ok", made)
    for path in [made, *made.iterdir()]:
        path.chmod(0o755)
    return made


def settings(folder, **changed):
    config = json.loads((folder / "config.json").read_text()) | changed
    (folder / "config.json").write_text(json.dumps(config))


def refused(ws, folder, told):
    with pytest.raises(AppError, match=told):
        bring(ws, folder)
    assert not ws.corpora()
    assert not ws.runs()


def test_the_way_for_a_head_is_told_where_one_is_left_out(workspace, folder):
    assert "--format run" not in " ".join(map(str, bring(workspace, folder).notes))
    path = folder / "model.safetensors"
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8:start]), data[start:]
    header["classifier.bias"] = {
        "dtype": "F32", "shape": [2], "data_offsets": [len(body), len(body) + 8],
    }  # fmt: skip
    told = json.dumps(header).encode()
    path.write_bytes(len(told).to_bytes(8, "little") + told + body + bytes(8))
    notes = " ".join(map(str, bring(workspace, folder, name="tuned").notes))
    assert "classifier.bias" in notes
    assert "export RUN FILE --format run" in notes


def test_what_is_missing_is_named(workspace, folder):
    (folder / "vocab.txt").unlink()
    refused(workspace, folder, "vocab.txt, tokenizer.json, or vocab.json")
    (folder / "model.safetensors").rename(folder / "tf_model.h5")
    refused(workspace, folder, "another program")
    (folder / "config.json").unlink()
    refused(workspace, folder, "holds no config.json")


def test_a_vocabulary_of_another_model(workspace, folder):
    with (folder / "vocab.txt").open("a") as file:
        file.write("x\n")
    refused(workspace, folder, "25 pieces, but a look-up table of 24 rows")


def test_settings_of_another_model(workspace, folder):
    settings(folder, hidden_size=32)
    refused(workspace, folder, "embeddings.word_embeddings.weight has the size 24 × 16 in place of "
                               "24 × 32")  # fmt: skip
    settings(folder, hidden_size=2**40)
    refused(workspace, folder, "8192")
    settings(folder, hidden_size=16, num_hidden_layers=3)
    refused(workspace, folder, "have no encoder.layer.2")
    settings(folder, num_hidden_layers=1)
    refused(workspace, folder, "no place here")
    settings(folder, num_hidden_layers=2, hidden_act={"a": 1})
    refused(workspace, folder, "activation = {'a': 1}")
    settings(folder, hidden_act="gelu", layer_norm_eps=0)
    refused(workspace, folder, "must be more than 0")
    settings(folder, layer_norm_eps=1e-12, model_type="t5")
    refused(workspace, folder, "of the type t5")


class _Evil:
    def __reduce__(self):
        return os.mkdir, ("carried_out",)


def test_a_pickle_with_code(workspace, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"x": _Evil()}))
    refused(workspace, folder, "holds more than weights|damaged")
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"x": _Evil()}))
        archive.writestr("archive/version", "3\n")
    refused(workspace, folder, "holds more than weights|damaged")
    assert not (tmp_path / "carried_out").exists()


def test_a_zip_that_blows_up(workspace, folder):
    (folder / "model.safetensors").unlink()
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(10_000_000))
    refused(workspace, folder, "would unpack to")


@pytest.mark.parametrize("kind", ["half", "sparse", "meta"])
def test_a_pickle_with_tensors_whose_numbers_it_lacks(workspace, folder, kind):
    made = {"half": lambda: torch.zeros(1, dtype=torch.half).expand(2**44),
            "sparse": lambda: torch.eye(3).to_sparse(),
            "meta": lambda: torch.zeros(3, device="meta")}  # fmt: skip
    (folder / "model.safetensors").unlink()
    torch.save({"bert.embeddings.word_embeddings.weight": made[kind]()},
               folder / "pytorch_model.bin")  # fmt: skip
    refused(workspace, folder, "missing or damaged")


def test_settings_that_are_nested_too_deeply(workspace, folder):
    (folder / "config.json").write_text("[" * 100_000)
    refused(workspace, folder, "missing or damaged")


def test_nothing_outside_the_folder_is_read(workspace, folder, cases):
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(cases / "hf_ok" / "model.safetensors")
    refused(workspace, folder, "leads out of its folder")
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"x": "../model/vocab.txt"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    refused(workspace, folder, "leads out of its folder")


def test_a_header_that_lies(workspace, folder):
    header = json.dumps({"x": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 4]}}).encode()
    data = struct.pack("<Q", len(header)) + header + np.zeros(1, np.float32).tobytes()
    (folder / "model.safetensors").write_bytes(data)
    refused(workspace, folder, "missing or damaged")


@pytest.mark.parametrize(
    ("head", "parts"),
    [
        ({"kind": "tag", "crf": True, "reader": "bilstm"}, ["BiLSTM", "CRF"]),
        ({"kind": "pair", "pooling": "mean", "layers": "mix"},
         ["mixed layers", "another pooling (mean)"]),
        ({"kind": "classify", "crf": True, "pooling": "first"}, []),
    ],
    ids=["tags", "pairs", "as there"],
)  # fmt: skip
def test_what_of_a_head_cannot_be_written_is_named(head, parts):
    assert exchange.own_parts(TaskConfig(**head), "first") == parts


def test_a_head_that_cannot_be_written_names_what_can(monkeypatch):
    spec = SimpleNamespace(task=TaskConfig(kind="tag", crf=True))
    monkeypatch.setattr(exchange.runs, "spec_of", lambda *_: spec)
    with pytest.raises(AppError, match=r": CRF\. A run that is fine-tuned without it can be exp"):
        exchange._head_of(None, SimpleNamespace(id=1, name="tagger", model="bert"))
