"""The verbs import, documents and sources say and do what the operations do."""

import csv
import json

import pytest

from lmstudio import cli


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "诗.csv"
    rows = [("春曉", "五絕", "春眠不覺曉，處處聞啼鳥。", "train"),
            ("靜夜思", "五絕", "床前明月光，疑是地上霜。", "train"),
            ("登鸛雀樓", "五絕", "白日依山盡，黃河入海流。", "test")]  # fmt: skip
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("title", "class", "poem", "split"), *rows])
    return path


def answer(result):
    code, out, _ = result
    assert code == 0
    return json.loads(out)


def test_every_option_of_an_import_has_a_word(lm, table):
    row = answer(lm(
        "import", table, "--name", "诗", "--text-column", "poem", "--label-column", "class",
        "--header", "yes", "--encoding", "utf8", "--lines", "sentence", "--script", "simplified",
        "--spaces", "remove", "--invisible", "--form", "NFC", "--width", "half", "--digits",
        "class", "--lower", "--duplicates", "drop-exact", "--leaks", "drop", "--split-by", "column",
        "--shares", "10", "20", "--seed", "3", "--json",
    ))  # fmt: skip
    options = row["facts"]["options"]
    assert options["split"] == {"valid": 10, "test": 20, "seed": 3, "by": "column"}
    assert options["normalise"] == {
        "invisible": True, "form": "NFC", "width": "half", "script": "simplified",
        "digits": "class", "lower": True, "spaces": "remove",
    }  # fmt: skip
    assert (options["duplicates"], options["leaks"]) == ("drop-exact", "drop")
    assert (row["documents"], row["split_rule"], row["lines_rule"]) == (3, "column", "sentence")
    documents = answer(lm("documents", "诗", "--json"))
    assert [(d["title"], d["label"], d["part"]) for d in documents] == [
        ("春晓", "五絕", "train"), ("静夜思", "五絕", "train"), ("登鹳雀楼", "五絕", "test"),
    ]  # fmt: skip


def test_documents_go_out_and_come_back(lm, table, tmp_path):
    answer(lm("import", table, "--name", "诗", "--json"))
    code, _, err = lm("documents", "诗", "--export", tmp_path / "out.csv")
    assert code == 0
    assert "out.csv." in err
    again = answer(lm("import", tmp_path / "out.csv", "--json"))
    assert (again["name"], again["documents"], again["characters"]) == ("out", 3, 36)
    [source] = answer(lm("sources", "out", "--json"))
    assert (source["name"], source["format"], len(source["sha256"])) == ("out.csv", "csv", 64)
    assert "诗.csv" in lm("sources", "诗")[1]
    assert "登鸛雀樓" in lm("documents", "诗")[1]


def test_a_corpus_is_read_again_as_before_but_for_what_is_said(lm, table):
    answer(lm("import", table, "--name", "诗", "--seed", "7", "--lower", "--json"))
    row = answer(lm("import", "--again", "诗", "--script", "simplified", "--no-lower", "--json"))
    assert row["name"] == "诗 2"
    options = row["facts"]["options"]
    assert options["split"]["seed"] == 7
    assert (options["normalise"]["script"], options["normalise"]["lower"]) == ("simplified", False)
    assert row["facts"]["normalise"]["script"]["changed"] > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["诗.csv", "--again", "诗"], "Give either files"),
        (["--again", "absent"], "no corpus named absent"),
        (["诗.csv", "--shares", "50", "0"], "Validation part (valid): must be at most 45"),
        (["诗.csv", "--encoding", "klingon"], "no encoding called klingon"),
        (["诗.csv", "--text-column", "prose"], "no column prose"),
    ],
)
def test_what_cannot_be_done_is_said(lm, table, monkeypatch, words, sentence):
    monkeypatch.chdir(table.parent)
    code, out, err = lm("import", *words)
    assert code == 1
    assert sentence in out + err
