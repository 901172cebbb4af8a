"""Verbs that look into networks: probes, inside, reach; going on and beginning with weights."""

import json

import pytest

from lmstudio import cli
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import demo

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
TINY = ["--width", 8, "--layers", 1, "--max-steps", 4, "--validate-every", 4, "--batch", 4]


@pytest.fixture
def lm(tmp_path, capsys, monkeypatch):
    """Runs a command line in a workspace with a segmentation "c"."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    command("import", tmp_path / "t.txt", "--name", "t")
    command("segment", "t", "--by", "characters", "--name", "c")
    return command


def test_a_network_is_looked_into(lm, tmp_path):
    assert lm("train", "c", "--model", "lstm", *TINY, "--name", "net")[0] == 0
    assert lm("train", "c", "--order", 2, "--name", "two")[0] == 0
    record = json.loads(lm("probes", "net", "--json")[1])[-1]
    assert record["step"] == 4
    told = lm("probes", "net")[1]
    assert "\nStep 4, " in told
    assert record["blanks"][0]["truth"] in told
    assert "Nothing was asked" in lm("probes", "two")[2]
    found = json.loads(lm("inside", "net", "我爱", "北京", "--json")[1])
    assert found["tokens"] == ["<s>", "我", "爱", "北", "京"]
    assert len(found["forget"][0][0]) == 8
    table = lm("inside", "net", "我爱", "--csv", tmp_path / "i.csv")[1].splitlines()
    assert table[0].split() == ["Token", "Layer", "input", "forget", "output", "candidate", "cell"]
    lines = (tmp_path / "i.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + 5 * 3 * 8
    assert "neither gates" in lm("inside", "two", "我")[2]


def csv_rows(path):
    return path.read_text(encoding="utf-8-sig").splitlines()


def test_transformers_are_looked_into_layer_by_layer(lm, tmp_path):
    assert lm("train", "c", "--model", "bert", *TINY, "--heads", 2, "--name", "net")[0] == 0
    csv = tmp_path / "f.csv"
    found = json.loads(lm("lens", "net", "我爱北京", "--json", "--csv", csv)[1])
    assert found["tokens"] == list("我爱北京")
    assert len(found["layers"]) == 2
    told = found["layers"][1][2]
    assert told["p"] <= told["guesses"][0][1]
    assert len(csv_rows(csv)) == 1 + 2 * 4 * 5
    assert lm("lens", "net", "我爱北京", "--visible", "--json")[1] != ""
    assert "best guess of each layer" in lm("lens", "net", "我[MASK]")[2]
    found = json.loads(lm("layer-similarity", "net", "我爱", "--json", "--csv", csv)[1])
    assert [len(found["cosines"]), len(found["cosines"][0]), len(found["apart"])] == [1, 4, 2]
    assert len(csv_rows(csv)) == 1 + 4
    assert "Mean cosine of different tokens" in lm("layer-similarity", "net", "我爱")[2]
    found = json.loads(lm("positions", "net", "--json", "--csv", csv)[1])
    assert (found["kind"], len(found["own"])) == ("learned", len(found["sinusoids"]))
    assert len(csv_rows(csv)) == 1 + len(found["own"]) ** 2
    assert "r with the cosines of sinusoids" in lm("positions", "net")[2]
    found = json.loads(lm("input-sum", "net", "我爱", "--json", "--csv", csv)[1])
    assert list(found["lengths"]) == ["token", "position", "segment", "sum", "norm"]
    assert sum(share[0] for share in found["shares"].values()) == pytest.approx(1)
    assert len(csv_rows(csv)) == 1 + 5 * 4 * 8
    assert "Lengths of the vectors" in lm("input-sum", "net", "我爱")[2]
    assert "does not read from both ends" in lm("directions", "net", "我爱")[2]


def test_elmo_is_looked_at_from_both_ends(lm, tmp_path):
    assert lm("train", "c", "--model", "elmo", *TINY, "--cell", 8, "--name", "net")[0] == 0
    csv = tmp_path / "f.csv"
    found = json.loads(lm("directions", "net", "我爱", "--json", "--csv", csv)[1])
    assert [found[side]["tokens"] for side in ("before", "behind", "both")] == [
        ["我", "爱", "</s>"], ["<s>", "我", "爱"], ["我", "爱"],
    ]  # fmt: skip
    assert len(csv_rows(csv)) == 1 + 2 * 5 * (3 + 3 + 2)
    _, table, said = lm("directions", "net", "我爱")
    assert len(table.splitlines()) == 1 + 4
    assert f"of the last layer ({len(found['both']['layers']) - 1})" in said
    seen = json.loads(lm("lens", "net", "我爱", "--side", "behind", "--json")[1])
    assert seen == found["behind"]
    assert "no transformer" in lm("input-sum", "net", "我爱")[2]
    assert "--text, or a file of them with --lines" in lm("sentences", "net")[2]


def test_how_far_back_a_model_sees(lm, tmp_path):
    assert lm("train", "c", "--order", 3, "--name", "three")[0] == 0
    found = json.loads(lm("reach", "three", "--csv", tmp_path / "r.csv", "--json")[1])
    assert found["distances"][:3] == [1, 2, 4]
    assert found["cut"][1] == pytest.approx(found["full"])  # it looks at two tokens
    assert "With all of the context" in lm("reach", "three")[2]
    assert (tmp_path / "r.csv").exists()


def test_a_network_goes_on_and_another_begins_with_its_weights(lm):
    assert lm("train", "c", "--model", "gpt", *TINY, "--heads", 2, "--name", "net")[0] == 0
    assert lm("resume", "net", "--steps", 2)[0] == 0
    warm = ("train", "c", "--like", "net", "--max-steps", 1, "--warm-start", "net", "--name", "w")
    assert lm(*warm)[0] == 0
    rows = json.loads(lm("runs", "--json")[1])
    assert [(row["step"], row["warm_start"]) for row in rows] == [(6, ""), (1, "net")]
    assert "Goes on after step 4." in lm("log", "net")[1]
    curve = json.loads(lm("curve", "net", "--x", "step", "--json")[1])
    assert curve["step"] == [4, 6]


def test_a_run_that_cannot_begin_with_the_weights_is_not_left_behind(lm):
    train = ("train", "c", "--model", "gpt", *TINY, "--heads", 2, "--name")
    lm(*train, "net")
    code, _, err = lm(*train, "w", "--width", 12, "--warm-start", "net")
    assert code == 1
    assert "No weights of the other run have the sizes" in err
    assert [row["name"] for row in json.loads(lm("runs", "--json")[1])] == ["net"]


def test_the_demo_trains_every_kind_in_two_minutes():
    specs = list(demo.specs())
    networks = [spec for spec in specs if MODELS[spec.model].kind == "neural"]
    assert {spec.model for spec in specs} == set(TRAINABLE) - {"class-ngram"}
    assert sum(spec.training.minutes for spec in networks) < 1.6
