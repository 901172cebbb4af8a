"""The verb mix: weights, figures, and what it refuses."""

import json

import pytest

from lmstudio import cli

TRAIN = "我 爱 北京\n我 爱 上海\n他 爱 我\n" * 4


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with two runs on `words` and one on `letters`."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    parts = {"train": TRAIN, "valid": "我 爱 广州\n他 爱 上海\n", "test": "他 爱 北京\n"}
    for name, text in parts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    given = [word for name in parts for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert command("import", *given, "--name", "c", "--format", "text")[0] == 0
    for name, by in (("words", "whitespace"), ("letters", "characters")):
        assert command("segment", "c", "--by", by, "--name", name)[0] == 0
    for run, cut, order in (("one", "words", 1), ("three", "words", 3), ("other", "letters", 2)):
        how = ["--model", "ngram", "--order", order, "--name", run]
        assert command("train", cut, *how)[0] == 0
    return command


def test_runs_and_a_cache_are_mixed(lm, tmp_path):
    csv = tmp_path / "mix.csv"
    code, out, _ = lm("mix", "one", "three", "--cache", 50, "--csv", csv, "--json")
    assert code == 0
    found = json.loads(out)
    names = [one["name"] for one in found["components"]]
    assert names == ["one", "three", "cache"]
    assert sum(one["weight"] for one in found["components"]) == pytest.approx(1)
    figures = [one["valid"]["perplexity"] for one in found["components"]]
    best = min(figure for figure in figures if figure is not None)  # null: infinite
    assert found["mixture"]["valid"]["perplexity"] <= best * (1 + 1e-12)
    known = json.loads(lm("evaluate", "three", "--json")[1])
    three = found["components"][1]["test"]
    assert three["bits_per_character"] == pytest.approx(known["bits_per_character"])
    assert len(csv.read_text(encoding="utf-8-sig").splitlines()) == 5
    code, out, err = lm("mix", "one", "three")
    assert "Mixture" in out
    assert "tuned on the valid part" in err


def test_what_cannot_be_mixed_is_said(lm):
    for words, told in ((["one"], "needs two runs"), (["one", "other"], "on one segmentation"),
                        (["one", "none"], "no run named none")):  # fmt: skip
        code, _, err = lm("mix", *words)
        assert code == 1
        assert told in err
