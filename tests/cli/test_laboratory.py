"""The verbs that look into n-gram models, and what --help says of every verb."""

import argparse
import json

import pytest

from lmstudio import cli

TRAIN = "我 爱 北京\n我 爱 上海\n他 爱 我\n" * 4


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace that holds a segmentation `words`."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    parts = {"train": TRAIN, "valid": "我 爱 广州\n", "test": "他 爱 北京\n"}
    for name, text in parts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    given = [word for name in parts for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert command("import", *given, "--name", "c", "--format", "text")[0] == 0
    assert command("segment", "c", "--by", "whitespace", "--name", "words")[0] == 0
    return command


def test_an_impossible_valid_part_is_infinity_and_no_huge_number(lm):
    code, out, _ = lm("smoothing", "words", "我", "--order", 2)
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("maximum-likelihood"))
    assert row.endswith("∞")
    assert all(len(line) < 120 for line in out.splitlines())


def test_frequent_contexts_and_files(lm, tmp_path):
    found = json.loads(lm("smoothing", "words", "--frequent", "--order", 2, "--json")[1])
    love = next(context for context in found if context["words"] == ["爱"])
    assert (love["occurrences"], love["followers"]) == (12, 3)
    assert "爱" in lm("smoothing", "words", "--frequent", "--order", 2)[1]
    lm("smoothing", "words", "爱", "--against", "k", "--csv", tmp_path / "k.csv")
    assert len((tmp_path / "k.csv").read_text(encoding="utf-8-sig").splitlines()) == 26


def test_scores_are_told_to_be_no_probabilities(lm):
    how = ["--model", "ngram", "--order", 2, "--smoothing", "stupid-backoff"]
    assert "no probabilities" in lm("train", "words", *how, "--name", "s")[2]
    code, out, err = lm("evaluate", "s", "--json")
    assert "no probabilities" in err
    assert json.loads(out)["comparable"] is False
    assert code == 0


def test_an_arpa_file_scores_as_its_run_did(lm, tmp_path):
    how = ["--model", "ngram", "--order", 2, "--smoothing", "witten-bell"]
    assert lm("train", "words", *how, "--name", "m")[0] == 0
    assert lm("export-arpa", "m", tmp_path / "m.arpa")[0] == 0
    ours = json.loads(lm("evaluate", "m", "--json")[1])
    file = json.loads(lm("score-arpa", tmp_path / "m.arpa", tmp_path / "test.txt", "--json")[1])
    assert file["perplexity"] == pytest.approx(ours["perplexity"], rel=1e-4)
    csv = tmp_path / "walk.csv"
    steps = json.loads(lm("walk", "m", "他 爱 北京", "--csv", csv, "--json")[1])
    assert len(csv.read_text(encoding="utf-8-sig").splitlines()) == 5
    assert [step["token"] for step in steps] == ["他", "爱", "北京", "</s>"]
    assert [step["context"] for step in steps] == [["<s>"], ["他"], ["爱"], ["北京"]]
    bits = sum(step["bits"] for step in steps)
    assert 2 ** (bits / 4) == pytest.approx(ours["perplexity"], rel=1e-4)


def test_every_verb_and_every_word_of_it_is_explained():
    top = cli.parser()
    [verbs] = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    assert {choice.dest for choice in verbs._choices_actions if choice.help} == set(verbs.choices)
    silent = [f"{name} {action.dest}" for name, verb in verbs.choices.items()
              for action in verb._actions if not action.help]  # fmt: skip
    assert not silent
