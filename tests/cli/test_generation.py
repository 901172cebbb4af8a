"""The verbs next, generate and prompts, with the numbers of the operations behind them."""

import csv
import json

import pytest

from lmstudio import cli

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with two runs on one segmentation."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    command("import", tmp_path / "t.txt", "--name", "t")
    command("segment", "t", "--by", "characters", "--name", "c")
    for order in (2, 3):
        assert command("train", "c", "--order", order, "--name", f"n{order}")[0] == 0
    return command


def test_next_prints_a_table_for_each_run(lm, tmp_path):
    code, out, _ = lm("next", "n2", "n3", "北京的", "--top", 3, "--csv", tmp_path / "n.csv")
    assert code == 0
    found = json.loads(lm("next", "n2", "n3", "北京的", "--top", 3, "--json")[1])
    assert [table["name"] for table in found] == ["n2", "n3"]
    for table in found:
        assert len(table["guesses"]) == 3
        assert sum(guess["p"] for guess in table["guesses"]) + table["rest"] == pytest.approx(1)
        assert table["guesses"][0]["piece"] == "春"
        assert f"{table['guesses'][0]['p']:.4f}" in out
    lines = (tmp_path / "n.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + 2 * 4


def test_generate_goes_on_with_a_text(lm, tmp_path):
    how = ("--seed", 7, "--count", 2, "--length", 8)
    found = json.loads(lm("generate", "n2", "n3", "北京", *how, "--json")[1])
    assert [len(one["texts"]) for one in found] == [2, 2]
    code, out, told = lm("generate", "n3", "北京", *how, "--tokens", "--csv", tmp_path / "g.csv")
    assert code == 0
    for text in found[1]["texts"]:
        assert f"北京▸{text['text']}".rstrip("\n") in out
    assert "tokens a second" in told
    tokens = sum(len(text["tokens"]) for text in found[1]["texts"])
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + tokens


def test_case_h2_on_the_command_line(lm):
    greedy = [
        json.loads(lm("generate", "n3", "他", "--temperature", 0, "--seed", seed, "--json")[1])
        for seed in (1, 2)
    ]
    assert greedy[0][0]["texts"] == greedy[1][0]["texts"]
    code, _, told = lm("generate", "n3", "他", "--temperature", -1)
    assert code == 1
    assert "temperature" in told
    with pytest.raises(SystemExit) as refused:
        lm("generate", "n3", "他", "--temperature", "")
    assert refused.value.code == 2


def test_beams_are_ranked(lm):
    found = json.loads(lm("generate", "n3", "他", "--beam", 4, "--count", 3, "--json")[1])
    scores = [text["score"] for text in found[0]["texts"]]
    assert scores == sorted(scores, reverse=True)
    assert lm("generate", "n3", "他", "--beam", 2, "--count", 3)[0] == 1


def test_prompts_are_kept_used_and_forgotten(lm):
    assert len(json.loads(lm("prompts", "--json")[1])) == 6
    assert lm("prompts", "short", "--text", "{text}很{question}")[0] == 0
    assert json.loads(lm("prompts", "short", "--json")[1])[0]["own"]
    words = ("generate", "n3", "春天", "--prompt", "short", "--question", "长", "--json")
    assert json.loads(lm(*words)[1])[0]["text"] == "春天很长"
    assert lm("prompts", "short", "--delete")[0] == 0
    assert lm(*words)[0] == 1
    assert "no prompt short" in lm(*words)[2]


def test_a_text_without_runs_is_refused(lm):
    assert "at least one run" in lm("next", "他")[2]


def test_one_damaged_run_does_not_silence_the_others(lm, tmp_path):
    first = min((tmp_path / "w" / "runs").glob("*/model.ngram"))
    first.write_bytes(b"no model")
    for words in (("next",), ("generate",), ("score",)):
        code, out, told = lm(*words, "n2", "n3", "北京", "--json")
        assert code == 1
        assert len(json.loads(out)) == 1, words
        assert "n2: " in told
