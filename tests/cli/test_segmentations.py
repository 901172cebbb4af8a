"""The verbs segment, tokens and lookup."""

import json
from pathlib import Path

import pytest

from lmstudio import cli

VOCABULARY = Path(__file__).resolve().parents[1] / "data" / "cases" / "hf_vocab.txt"


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with a corpus; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    text = "\n".join(f"我爱北京天安门，他爱上海。{i % 7}" for i in range(60))
    (tmp_path / "c.txt").write_text(text, encoding="utf-8")
    assert command("import", tmp_path / "c.txt", "--name", "c")[0] == 0
    return command


def test_pieces_are_learnt_and_shown(lm, tmp_path):
    code, out, err = lm("segment", "c", "--by", "bpe", "--pieces", 40, "--name", "p", "--json")
    assert (code, json.loads(out)["segmenter"]) == (0, "bpe")
    code, out, _ = lm("tokens", "p", "我爱龘", "--json", "--csv", tmp_path / "t.csv")
    pieces = json.loads(out)["pieces"]
    assert pieces[-1] | {"id": 0} == {
        "start": 2, "end": 3, "text": "龘", "piece": "<unk>", "id": 0, "unknown": True,
    }  # fmt: skip
    assert (tmp_path / "t.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    code, out, err = lm("tokens", "p", "我爱龘")
    assert ("龘" in out, "1 of 2 unknown" in err) == (True, True)


def test_a_vocabulary_is_loaded_and_idle_options_are_told(lm):
    code, out, err = lm("segment", "c", "--tokenizer", VOCABULARY, "--pieces", 40, "--lower")
    assert code == 0
    assert "ignores --pieces." in err
    assert "folded" in err
    assert "23" not in out


def test_what_cannot_be_looked_up_is_told(lm):
    assert lm("segment", "c", "--name", "s")[0] == 0
    assert lm("train", "s", "--model", "ngram", "--order", 2, "--name", "r")[0] == 0
    code, _, err = lm("lookup", "r", "我")
    assert (code, "no look-up table" in err) == (1, True)


@pytest.mark.slow  # torch
def test_rows_are_looked_up(lm):
    assert lm("segment", "c", "--name", "s")[0] == 0
    how = ["--width", 8, "--layers", 1, "--max-steps", 1, "--device", "cpu"]
    assert lm("train", "s", "--model", "lstm", *how, "--name", "r")[0] == 0
    code, out, _ = lm("lookup", "r", "我爱", "--json")
    found = json.loads(out)
    assert (code, len(found["rows"]), len(found["rows"][0]), found["equal"]) == (0, 2, 8, True)
    code, out, err = lm("lookup", "r", "我爱")
    assert "One-hot × matrix" in out
    assert "× 8" in err
