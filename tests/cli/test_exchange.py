"""Files of other programs through the verbs: ARPA and word vectors, in and out."""

import json

import numpy as np
import pytest

from lmstudio import cli
from lmstudio.formats.vectors.vector_file import read_vectors, write_vectors
from lmstudio.jobs import Job
from lmstudio.operations.exporting import FORMATS

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
TINY = ["--width", 8, "--layers", 1, "--max-steps", 2, "--batch", 4]


@pytest.fixture
def lm(tmp_path, capsys, monkeypatch):
    """Runs a command line in a workspace with a segmentation "c" and a run of vectors "v"."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    vectors = np.random.default_rng(1).normal(size=(9, 8))
    write_vectors(tmp_path / "v.txt", list("我爱北京上海春天。"), vectors, job=Job())
    command("import", tmp_path / "t.txt", "--name", "t")
    command("segment", "t", "--by", "characters", "--name", "c")
    assert command("import-vectors", tmp_path / "v.txt", "--segmentation", "c")[0] == 0
    return command


def test_an_n_gram_model_goes_out_and_comes_back(lm, tmp_path):
    assert lm("train", "c", "--order", 3, "--name", "kn")[0] == 0
    path = tmp_path / "kn.arpa"
    code, out, _ = lm("export", "kn", path, "--format", "arpa", "--json")
    assert (code, json.loads(out)["path"]) == (0, str(path))
    code, _, err = lm("import-model", path, "--segmentation", "c", "--name", "back")
    assert code == 0
    assert "back is imported." in err
    assert "it lacks 0; they are unknown" in err
    ours, theirs = (json.loads(lm("evaluate", name, "--json")[1]) for name in ("kn", "back"))
    assert theirs["perplexity"] == pytest.approx(ours["perplexity"], rel=1e-5)
    _, out, err = lm("runs")  # measured on the test part, as said, and not on the other
    assert "not scored yet" not in out
    ours, theirs = (next(line for line in out.splitlines() if line.startswith(name))
                    for name in ("kn", "back"))  # fmt: skip
    assert ("< 1 s" in ours, "< 1 s" in theirs) == (True, False)  # nothing was trained
    assert "To score it: lmstudio evaluate back --split valid" in err
    assert "--split test" not in err
    assert lm("evaluate", "back", "--split", "valid")[0] == 0
    assert "To score it" not in lm("runs")[2]
    assert lm("walk", "back", "我爱北京")[0] == 0
    assert "came in a file" in lm("train", "c", "--like", "back")[2]


def test_what_is_there_already(lm, tmp_path):
    """A file gives way, and that is told; a folder must be new or empty, those above are made."""
    assert lm("train", "c", "--order", 2, "--name", "kn")[0] == 0
    for layout, ending in (("run", "lmrun"), ("arpa", "arpa"), ("arpa", "arpa.gz")):
        path = tmp_path / "new" / f"kn.{ending}"
        code, _, err = lm("export", "kn", path, "--format", layout)
        assert (code, f"Written to {path}." in err) == (0, True)
        path.write_bytes(b"old")
        code, _, err = lm("export", "kn", path, "--format", layout)
        assert (code, "in place of the file that was there" in err) == (0, True)
        assert path.read_bytes() != b"old"
    with (tmp_path / "new" / "kn.arpa.gz").open("rb") as file:
        assert file.read(40)[10:].startswith(b"kn.arpa\0")  # what it is called unpacked
    for folder in ("empty", "full"):
        (tmp_path / folder).mkdir()
    (tmp_path / "full" / "a.txt").write_text("mine")
    assert lm("export", "v", tmp_path / "empty", "--format", "projector")[0] == 0
    code, _, err = lm("export", "v", tmp_path / "full", "--format", "projector")
    assert (code, "new or empty" in err) == (1, True)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["a.txt"]
    assert lm("runs", "--json")[0] == 0
    assert lm("neighbors", "v", "爱", "--csv", tmp_path / "a" / "b" / "x.csv")[0] == 0
    assert (tmp_path / "a" / "b" / "x.csv").exists()


def test_vectors_go_out_of_a_network_that_began_with_some(lm, tmp_path):
    code, _, err = lm("train", "c", "--model", "lstm", *TINY, "--vectors", "v", "--name", "net")
    assert code == 0
    assert "begins with vectors for 9 of" in err
    code, _, err = lm("export", "net", tmp_path / "out.bin", "--format", "word2vec-binary",
                      "--layer", 1)  # fmt: skip
    assert code == 0
    assert f"Written to {tmp_path / 'out.bin'}." in err
    assert "Each vector is the mean of layer 1" in err
    assert read_vectors(tmp_path / "out.bin", job=Job()).vectors.shape[1] == 8
    assert lm("import-vectors", tmp_path / "out.bin", "--name", "own")[0] == 0
    found = json.loads(lm("neighbors", "own", "春", "--json")[1])
    assert len(found["nearest"]) > 5
    assert "choose a width of at most 8" in lm("train", "c", "--model", "lstm", "--width", 9,
                                               "--vectors", "v")[2]  # fmt: skip
    assert "either" in lm("train", "c", "--model", "lstm", "--vectors", "v", "--warm-start",
                          "net")[2]  # fmt: skip
    assert {row["name"] for row in json.loads(lm("runs", "--json")[1])} == {"v", "net", "own"}


ASKED = {
    "neighbors": (0, "v", "爱"), "similarity": (0, "v", "我 爱 北"), "map": (0, "v", "--words", 5),
    "analogies": (0, "v", "我 爱 北"), "sentences": (0, "v", "--text", "我爱。 他爱。"),
    "lookup": (0, "v", "我爱"), "report": (0, "r.html"), "probes": (0, "v"), "log": (0, "v"),
    "polysemy": (1, "爱", "v"), "evaluate": (1, "v"), "generate": (1, "v", "我"),
    "next": (1, "v", "我"), "fill": (1, "v", "我[MASK]北京"), "score": (1, "v", "我爱北京"),
    "walk": (1, "v", "我爱"), "attention": (1, "v", "我爱"), "inside": (1, "v", "我爱"),
    "layer-similarity": (1, "v", "我爱"), "lens": (1, "v", "我爱"), "reach": (1, "v"),
    "directions": (1, "v", "我爱"), "positions": (1, "v"), "input-sum": (1, "v", "我爱"),
    "mix": (1, "v", "--cache", 5), "resume": (1, "v"), "compare": (1, "v"), "classes": (1, "v"),
    "curve": (0, "v"), "scaling": (0, "v"),
}  # fmt: skip


@pytest.mark.parametrize("verb", ASKED)
def test_vectors_answer_what_they_can_and_say_why_not(lm, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    expected, *words = ASKED[verb]
    code, _, err = lm(verb, *words)
    assert (code, "should not have happened" in err) == (expected, False), err


@pytest.mark.parametrize("name", FORMATS)
def test_every_layout_refuses_with_a_sentence_or_writes(lm, tmp_path, name):
    code, _, err = lm("export", "v", tmp_path / "out", "--format", name)
    assert "should not have happened" not in err
    assert (tmp_path / "out").exists() == (code == 0)
