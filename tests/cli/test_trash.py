"""The verbs delete, trash, restore and disk."""

import csv
import json

import pytest

from lmstudio import cli
from tests.cli.test_contract import TINY


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def trained(lm, tmp_path):
    (tmp_path / "文.txt").write_text(TINY * 20, encoding="utf-8")
    assert lm("import", tmp_path / "文.txt", "--name", "文")[0] == 0
    assert lm("segment", "文", "--by", "whitespace", "--name", "词")[0] == 0
    assert lm("train", "词", "--model", "ngram", "--order", 1, "--name", "一")[0] == 0
    lstm = ["--model", "lstm", "--width", 8, "--epochs", 1, "--batch", 4]
    assert lm("train", "词", *lstm, "--name", "网")[0] == 0
    return lm


def test_what_is_deleted_is_listed_and_restored(trained):
    code, _, said = trained("delete", "run", "一")
    assert code == 0
    assert "lmstudio restore 1" in said
    assert [row["name"] for row in json.loads(trained("runs", "--json")[1])] == ["网"]
    trained("delete", "corpus", "文")
    (corpus, run) = json.loads(trained("trash", "--json")[1])
    assert (corpus["noun"], corpus["name"], run["noun"], run["name"]) == (
        "corpus",
        "文",
        "run",
        "一",
    )
    assert corpus["bytes"] > run["bytes"] > 0
    out = trained("trash")[1]
    assert "Corpus" in out
    assert "文" in out
    code, _, said = trained("restore", "一")
    assert code == 1
    assert "一 stood on 词, which is deleted too" in said
    assert "nothing called 文" in trained("restore", "run", "文")[2]
    assert trained("restore", "corpus", "文")[0] == 0
    assert trained("restore", "run", 1)[0] == 0
    assert trained("delete", "run", "一")[0] == trained("restore", "run", "一")[0] == 0
    assert [row["name"] for row in json.loads(trained("runs", "--json")[1])] == ["一", "网"]
    assert trained("evaluate", "一", "--json")[0] == 0


@pytest.mark.parametrize(("kind", "name"), [("corpus", "文"), ("segmentation", "词")])
def test_runs_that_go_with_it_are_named(trained, kind, name):
    code, out, said = trained("delete", kind, name, "--json")
    assert code == 0
    assert json.loads(out) == {"trash": 1, "runs": ["一", "网"]}
    assert "Runs that go to the trash with it: 一, 网." in said


def test_the_trash_is_emptied(trained):
    trained("delete", "run", "一")
    freed = json.loads(trained("trash", "--empty", "--json")[1])["freed"]
    assert freed > 0
    assert json.loads(trained("trash", "--json")[1]) == []
    code, _, said = trained("restore", "一")
    assert code == 1
    assert "nothing called 一" in said


def test_the_disk_is_told_and_had_back(trained, tmp_path):
    found = json.loads(trained("disk", "--json", "--csv", tmp_path / "d.csv")[1])
    assert found["reclaimable"]["checkpoints"] > 0
    assert found["total"] > sum(sum(use["bytes"].values()) for use in found["uses"])
    out = trained("disk")[1]
    assert "--reclaim checkpoints" in out
    header, *rows = csv.reader((tmp_path / "d.csv").read_text(encoding="utf-8-sig").splitlines())
    assert sum(int(row[header.index("Total")]) for row in rows) == found["total"]
    assert "Database and dictionaries" in out
    code, out, said = trained("disk", "--reclaim", "checkpoints", "--json")
    assert code == 0
    assert "is free again" in said
    assert json.loads(out)["reclaimable"]["checkpoints"] == 0
    code, _, said = trained("resume", "网", "--epochs", 1)
    assert code == 1
    assert "last checkpoint of 网 is not here" in said
