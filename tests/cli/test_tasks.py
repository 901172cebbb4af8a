"""The verbs of tasks import labelled files and tell what was found in them."""

import csv
import json

import pytest

from lmstudio import cli


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its stdout and stderr."""

    def command(*words):
        assert cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)]) == 0
        return capsys.readouterr()

    return command


@pytest.fixture
def folder(tmp_path):
    """A folder as that of THUCNews: numbers for labels, their names in a file."""
    made = tmp_path / "news"
    made.mkdir()
    rows = [f"第{n}场比赛的消息\t{n % 2}" for n in range(40)]
    (made / "train.txt").write_text("\n".join([*rows, "没有标签的消息\t"]), encoding="utf-8")
    (made / "dev.txt").write_text("\n".join(rows[:4]), encoding="utf-8")
    (made / "class.txt").write_text("sports\nstocks\n", encoding="utf-8")
    return made


def test_a_folder_with_the_names_of_labels(lm, folder):
    task = json.loads(lm("task-import", "新闻", folder, "--json").out)
    assert task["facts"]["labels"] == ["sports", "stocks"]
    assert task["facts"]["counts"] == {"train": 40, "valid": 4}
    assert "class.txt" in task["facts"]["files"]["names"]
    told = lm("task-report", "新闻")
    assert "Rows without a label, left out: 1." in told.out
    assert "news" not in told.out
    assert "train.txt:41" in told.out
    assert told.err == ""


def test_names_may_be_given_apart(lm, folder, tmp_path):
    names = tmp_path / "other.json"
    names.write_text(json.dumps(["a", "b"]))
    train = folder / "train.txt"
    task = json.loads(lm("task-import", "t", "--train", train, "--names", names, "--json").out)
    assert task["facts"]["labels"] == ["a", "b"]


def test_the_report_names_the_split(lm, folder, tmp_path):
    lm("task-import", "t", folder / "train.txt", "--valid-share", "0.2", "--seed", 7)
    sentence = "The valid part is 20% of the training part, drawn with the seed 7."
    table = tmp_path / "report.csv"
    assert sentence in lm("task-report", "t", "--csv", table).out
    with table.open(encoding="utf-8-sig", newline="") as file:
        assert ["valid", sentence, "", "8", ""] in list(csv.reader(file))


def test_a_column_may_name_the_part(lm, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"句子{n},{n % 2},{('train', 'dev', 'test')[n % 3]}" for n in range(30)]
    path.write_text("\n".join(["text,label,use", *rows]), encoding="utf-8")
    task = json.loads(lm("task-import", "t", path, "--part-column", "use", "--json").out)
    assert task["facts"]["counts"] == {"train": 10, "valid": 10, "test": 10}
    assert task["facts"]["split"] == {}


@pytest.fixture
def refused(tmp_path, capsys):
    """Runs a command line that is refused; what is said."""

    def command(*words):
        assert cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)]) == 1
        return capsys.readouterr().err

    return command


@pytest.mark.parametrize(
    "words", [("train.txt", "dev.txt"), ("./train.txt", "mine"), (".",)],
    ids=["two files", "file before name", "folder"],
)  # fmt: skip
def test_the_first_word_is_the_name_of_the_task(refused, folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    said = refused("task-import", *words)
    assert f"The first word is the name of the task, and {words[0]} is a file or folder" in said
    name = "mine" if "mine" in words else "NAME"
    others = [word for word in words[1:] if word != "mine"]
    assert " ".join(["lmstudio task-import", name, words[0], *others]) in said


def test_a_task_may_be_named_as_a_folder_that_is_here(lm, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert json.loads(lm("task-import", "news", "news", "--json").out)["name"] == "news"


def test_files_without_labels_are_named_with_their_columns(refused, tmp_path):
    (tmp_path / "a.csv").write_text("text,mood of it\n好看的一部电影,\n难看,\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("好看的一部电影\n难看\n", encoding="utf-8")
    said = refused("task-import", "t", tmp_path / "a.csv")
    assert "a.csv: no column holds labels" in said
    assert "(--label-column NAME); the columns are: text, mood of it." in said
    assert "b.txt: this is no table" in refused("task-import", "t", tmp_path / "b.txt")
