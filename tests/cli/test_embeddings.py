"""neighbors, similarity, analogies and map: printed, as JSON and as CSV, the same numbers."""

import json

import numpy as np
import pytest

from lmstudio import cli
from lmstudio.analysis.word_map import MapOptions
from lmstudio.jobs import Job
from lmstudio.operations import embeddings
from lmstudio.store.workspace import Workspace

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
TINY = ["--width", 8, "--layers", 2, "--max-steps", 4, "--validate-every", 2, "--batch", 4]


@pytest.fixture
def lm(tmp_path, capsys, monkeypatch):
    """Runs a command line in a workspace with an LSTM "net" over characters."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    command("import", tmp_path / "t.txt", "--name", "t")
    command("segment", "t", "--by", "characters", "--name", "c")
    assert command("train", "c", "--model", "lstm", *TINY, "--name", "net")[0] == 0
    return command


def asked(tmp_path, operation, *args, **kwargs):
    with Workspace(tmp_path / "w") as ws:
        return operation(ws, "net", *args, **kwargs, job=Job())


def rows(path):
    return [line.split(",") for line in path.read_text(encoding="utf-8-sig").splitlines()]


def test_neighbours_are_printed_with_the_baseline(lm, tmp_path):
    csv = tmp_path / "n.csv"
    found = json.loads(lm("neighbors", "net", "京", "--top", 3, "--json", "--csv", csv)[1])
    known = asked(tmp_path, embeddings.neighbors, "京", 0, 3)
    assert [one["word"] for one in found["nearest"]] == [one.word for one in known.nearest]
    assert [one["cosine"] for one in found["nearest"]] == [one.cosine for one in known.nearest]
    assert rows(csv)[0] == ["Word", "Cosine", "Count", "Same class", "One-hot"]
    assert [row[4] for row in rows(csv)[1:]] == ["0"] * 3
    told = lm("neighbors", "net", "京", "--layer", 2, "--top", 3)[1].splitlines()
    deep = asked(tmp_path, embeddings.neighbors, "京", 2, 3)
    assert [line.split()[0] for line in told[1:]] == [one.word for one in deep.nearest]
    assert "The mean of 北 京" in lm("neighbors", "net", "北京")[2]
    code, _, told = lm("neighbors", "net", "龘")
    assert (code, "None of these is in the vocabulary" in told) == (1, True)
    assert "layers 0 to 2" in lm("neighbors", "net", "京", "--layer", 3)[2]
    assert lm("train", "c", "--order", 2, "--name", "two")[0] == 0
    told = lm("neighbors", "two", "京")[2]
    assert "it has no vectors. These runs can: net." in told


def test_classes_mark_the_neighbours(lm, tmp_path):
    assert lm("train", "c", "--model", "class-ngram", "--classes", 4, "--name", "four")[0] == 0
    found = json.loads(lm("neighbors", "net", "京", "--json")[1])["nearest"]
    with Workspace(tmp_path / "w") as ws:
        words = ["京", *(one["word"] for one in found)]
        known = embeddings.class_similarities(ws, "net", words, job=Job())
    assert [one["same_class"] for one in found] == (known.values[0, 1:] == 1).tolist()
    found = json.loads(lm("map", "net", "--by", "classes", "--json")[1])
    assert len(set(found["groups"])) == 4


def test_similarity_of_words_and_of_a_set(lm, tmp_path):
    csv = tmp_path / "s.csv"
    found = json.loads(lm("similarity", "net", "京", "海", "龘", "--json", "--csv", csv)[1])
    known = asked(tmp_path, embeddings.similarities, ["京", "海", "龘"])
    assert (found["words"], found["unknown"]) == (["京", "海"], ["龘"])
    np.testing.assert_allclose(found["values"], known.values)
    assert rows(csv)[0] == ["", "京", "海"]
    assert "龘" in lm("similarity", "net", "京", "龘")[2]
    file = tmp_path / "pairs.txt"
    file.write_text("京\t海\t9\n春\t天\t8\n短\t长\t3\n京\t龘\t1\n", encoding="utf-8")
    scored = json.loads(lm("similarity", "net", "--file", file, "--json", "--csv", csv)[1])
    known = asked(tmp_path, embeddings.similarity_set, file)
    assert (scored["rho"], scored["covered"], scored["coverage"]) == (known.rho, 3, 0.75)
    assert len(rows(csv)) == 5
    assert f"rho {known.rho:.3f}, 3 of 4" in lm("similarity", "net", "--file", file)[1]
    assert "Give words, or a file" in lm("similarity", "net")[2]


def test_analogies_of_words_and_of_a_file(lm, tmp_path):
    csv = tmp_path / "a.csv"
    found = json.loads(lm("analogies", "net", "北", "京", "上", "--json", "--csv", csv)[1])
    known = asked(tmp_path, embeddings.analogy, ["北", "京", "上"])
    assert [one["word"] for one in found["add"]] == [one.word for one in known.add]
    assert rows(csv)[1][:3] == ["3CosAdd", "1", known.add[0].word]
    assert known.mul[0].word in lm("analogies", "net", "北", "京", "上")[1]
    assert "three words" in lm("analogies", "net", "北", "京")[2]
    file = tmp_path / "questions.txt"
    file.write_text(": 城\n北 京 上 海\n北 京 上 龘\n", encoding="utf-8")
    scored = json.loads(lm("analogies", "net", "--file", file, "--json")[1])
    assert [(one["name"], one["questions"], one["covered"]) for one in scored] == [("城", 2, 1)]
    assert scored[0]["add"] == (known.add[0].word == "海")
    assert "50 %" in lm("analogies", "net", "--file", file)[1].replace("50%", "50 %")


def test_maps_and_films_are_written(lm, tmp_path):
    csv = tmp_path / "m.csv"
    found = json.loads(lm("map", "net", "--words", 9, "--json", "--csv", csv)[1])
    known = asked(tmp_path, embeddings.map_words, MapOptions(words=9))
    assert found["words"] == known.words
    np.testing.assert_allclose(found["places"], known.places)
    assert len(rows(csv)) == 10
    told = lm("map", "net", "京", "海", "春", "天", "--method", "tsne", "--by", "clusters")
    assert "t-SNE of 4 words by cosine, perplexity 1.0" in told[2]
    assert "A map needs 3 words" in lm("map", "net", "京", "海", "--method", "tsne")[2]
    assert "without tags" in lm("map", "net", "--by", "tags")[2]
    film = json.loads(lm("map", "net", "--film", "--json", "--csv", csv)[1])
    assert film["steps"] == [0, 2, 4]
    assert np.shape(film["places"]) == (3, len(film["words"]), 2)
    assert len(rows(csv)) == 1 + 3 * len(film["words"])


def test_counting_models_have_no_film(lm):
    assert lm("train", "c", "--order", 2, "--name", "counted")[0] == 0
    code, _, told = lm("map", "counted", "--film")
    assert (code, "it has no vectors. These runs can: net." in told) == (1, True)
