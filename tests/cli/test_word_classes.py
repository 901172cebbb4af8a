"""Models of word classes on the command line: trained, measured, browsed, saved."""

import json

import pytest

from lmstudio import cli

LINES = ["a1 b1", "a1 b2", "a2 b1", "a2 b2", "a3 b3"]


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace that holds a segmentation `words`."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    parts = {"train": LINES * 5, "valid": ["a3 b1"], "test": ["a3 b2"]}
    for name, lines in parts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = [word for name in parts for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert command("import", *given, "--name", "c", "--format", "text")[0] == 0
    assert command("segment", "c", "--by", "whitespace", "--name", "words")[0] == 0
    return command


def test_classes_are_trained_and_listed(lm, tmp_path):
    how = ["--model", "class-ngram", "--order", 3, "--classes", 2]
    code, _, err = lm("train", "words", *how)
    assert code == 0
    assert "1.585 bits of mutual information" in err
    name = "3-gram of 2 classes, mod. KN"
    figures = json.loads(lm("evaluate", name, "--json")[1])
    assert figures["comparable"]
    assert lm("train", "words", "--model", "ngram", "--order", 3, "--name", "words")[0] == 0
    of_words = json.loads(lm("evaluate", "words", "--json")[1])
    assert figures["perplexity"] < of_words["perplexity"], "a3 b2 was never seen, but A B was"

    csv = tmp_path / "classes.csv"
    found = json.loads(lm("classes", name, "--top", 2, "--csv", csv, "--json")[1])
    assert [sorted(one["words"]) for one in found] in (
        [["a1", "a2"], ["b1", "b2"]], [["b1", "b2"], ["a1", "a2"]]
    )  # fmt: skip
    assert [(one["share"], one["size"]) for one in found] == [(0.5, 3), (0.5, 3)]
    assert sorted(one["number"] for one in found) == [1, 2]
    assert len(csv.read_text(encoding="utf-8-sig").splitlines()) == 3
    assert "50.00 %" in lm("classes", name)[1]


def test_other_models_have_none(lm):
    assert lm("train", "words", "--model", "ngram", "--order", 1, "--name", "one")[0] == 0
    code, _, err = lm("classes", "one")
    assert code == 1
    assert "Only n-gram models of classes" in err
    code, _, err = lm("train", "words", "--model", "ngram", "--classes", 3)
    assert code == 1
    assert "classes: is not a known setting" in err
