"""A word with two meanings, and sentences, as the window and the command line ask about them."""

import csv
import json

import numpy as np
import pytest

from lmstudio import cli
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, polysemy, samples, segmentations, sentences, training
from lmstudio.text.grammar.senses import SENSES, sense_of
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

TEXT = "苹果很甜。我吃苹果。\n苹果发布手机。他用苹果手机。\n猫吃鱼。\n" * 12
SMALL = {"layers": 2, "width": 8, "heads": 2, "window": 16}


@pytest.fixture
def ws(workspace):
    corpora.import_text(workspace, TEXT, name="t", job=Job())
    options = SegmentOptions(by="characters")
    segmentations.create(workspace, 1, options, name="c", job=Job())
    for model in ("bert", "ngram"):
        config = SMALL if model == "bert" else {}
        steps = {"max_steps": 4, "batch": 4, "warmup": 1} if model == "bert" else {}
        spec = RunSpec.from_json({"model": model, "config": config, "training": steps})
        training.train(workspace, 1, spec, name=model, job=Job())
    return workspace


def test_occurrences_are_drawn_from_the_corpus(ws):
    found = polysemy.occurrences(ws, "t", "苹果", job=Job())
    assert found.total == len(found.occurrences) == 48
    assert {one.text for one in found.occurrences} == {
        "苹果很甜。", "我吃苹果。", "苹果发布手机。", "他用苹果手机。"
    }  # fmt: skip
    assert all(one.text[one.start : one.end] == "苹果" for one in found.occurrences)
    assert len(polysemy.occurrences(ws, 1, "苹果", limit=5, job=Job()).occurrences) == 5
    assert polysemy.searched(ws, "c") is None  # characters are no words
    assert polysemy.known_words(ws, 1) == []


def test_a_run_is_asked_and_saved(ws, tmp_path):
    found = polysemy.occurrences(ws, "t", "苹果", limit=10, job=Job())
    answer = polysemy.polysemy(ws, "bert", found.occurrences, 2, job=Job())
    assert answer.run == "bert"
    assert len(answer.layers) == 3
    assert answer.pieces.tolist() == [2] * 10
    polysemy.save(found.occurrences, [answer], tmp_path / "p.csv", job=Job())
    with (tmp_path / "p.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 3 * 10
    assert rows[-1][8] == str(answer.layers[2].labels[9] + 1)
    with pytest.raises(AppError, match="no vectors of words"):
        polysemy.polysemy(ws, "ngram", found.occurrences, job=Job())


def test_sentences_that_were_typed(ws):
    found = polysemy.typed("苹果", ["苹果红。", "无", "大苹果和小苹果"])
    assert found.total == 3
    few = polysemy.typed("果", ["果" * 30, "苹果"], limit=5)
    assert (few.total, len(few.occurrences)) == (31, 5)
    with pytest.raises(AppError, match="None of the sentences"):
        polysemy.typed("梨", ["苹果"])
    with pytest.raises(AppError, match="search for"):
        polysemy.typed(" ", ["苹果"])


def test_case_g3_sentences_are_compared_and_saved(ws, tmp_path):
    found = sentences.similarity(ws, "bert", ["苹果很甜。", "猫吃鱼。", "我吃。"], job=Job())
    assert found.cosines.shape == (3, 3)
    assert found.drawn > 0
    assert -1 <= found.baseline <= 1
    sentences.save([found], tmp_path / "s.csv", job=Job())
    sentences.save_nearest([found], tmp_path / "n.csv", job=Job())
    lines = (tmp_path / "s.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + 3
    assert "苹果很甜。" in lines[1]
    near = (tmp_path / "n.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(near) == 1 + sum(len(one.texts) for one in found.nearest)


def test_the_command_line_says_what_the_operation_found(ws, tmp_path, capsys):
    folder = ws.folder
    words = polysemy.occurrences(ws, 1, "苹果", limit=20, job=Job())
    told = polysemy.polysemy(ws, "bert", words.occurrences, 2, job=Job())
    alike = sentences.similarity(ws, "bert", ["苹果很甜。", "猫吃鱼。"], whiten=True, job=Job())
    ws.close()

    def lm(*line):
        code = cli.main(["--workspace", str(folder), *map(str, line)])
        return code, *capsys.readouterr()

    code, out, _ = lm("polysemy", "苹果", "bert", "--groups", 2, "--limit", 20, "--json",
                      "--csv", tmp_path / "p.csv")  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert found["total"] == 48
    layers = found["runs"][0]["layers"]
    assert [layer["labels"] for layer in layers] == [each.labels.tolist() for each in told.layers]
    assert layers[2]["silhouette"] == pytest.approx(told.layers[2].silhouette)
    assert layers[0]["silhouette"] is None
    assert (tmp_path / "p.csv").exists()
    assert "bert, layer" in lm("polysemy", "苹果", "bert")[2]
    code, out, _ = lm("sentences", "bert", "--text", "苹果很甜。", "--text", "猫吃鱼。",
                      "--whiten", "--json", "--csv", tmp_path / "s.csv")  # fmt: skip
    one = json.loads(out)["runs"][0]
    assert np.array(one["cosines"]) == pytest.approx(alike.cosines, abs=1e-6)
    assert one["baseline"] == pytest.approx(alike.baseline, abs=1e-6)
    code, out, err = lm("sentences", "bert", "--text", "苹果很甜。", "--text", "猫吃鱼。")
    assert code == 0
    assert "B" in out
    assert "Random pairs" in err
    (tmp_path / "lines.txt").write_text("苹果红。\n\n苹果绿。\n苹果好。\n \n", encoding="utf-8")
    code, _, err = lm("polysemy", "苹果", "bert", "--lines", tmp_path / "lines.txt")
    assert code == 0
    assert "2 empty lines were skipped." in err
    assert lm("polysemy", "苹果", "ngram")[0] == 1
    assert lm("sentences", "bert", "--lines", tmp_path / "none.txt")[0] == 1


def test_the_sample_corpus_tells_the_senses_of_its_words(workspace):
    samples.create(workspace, size=60_000, name="s", job=Job())
    assert polysemy.known_words(workspace, "s") == list(SENSES)
    found = polysemy.occurrences(workspace, "s", "黄牛", job=Job())
    assert found.occurrences
    assert {one.sense for one in found.occurrences} <= {"ox", "tout"}
    for one in found.occurrences:
        assert one.sense == ("tout" if "票" in one.text else "ox")
    assert sense_of("杜鹃", "植物", "杜鹃开了。") == "flower"
    assert sense_of("杜鹃", "学校", "写杜鹃。") == ""
    assert sense_of("猫", "动物", "猫。") == ""


def test_labels_of_documents_are_senses(ws, tmp_path):
    file = tmp_path / "l.csv"
    file.write_text("text,label\n打水,水\n打人,人\n打伞,伞\n", encoding="utf-8")
    corpora.import_files(ws, [file], name="labelled", job=Job())
    found = polysemy.occurrences(ws, "labelled", "打", job=Job())
    assert {(one.text, one.sense) for one in found.occurrences} == {
        ("打水", "水"), ("打人", "人"), ("打伞", "伞")
    }  # fmt: skip
