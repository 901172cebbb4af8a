"""Files that verbs write: told, never in a workspace, never one that is read."""

import pytest

from tests.cli.test_contract import TINY
from tests.cli.test_trash import lm as lm

WRITERS = [
    ("metrics", "一", "--csv"), ("disk", "--csv"), ("documents", "文", "--export"),
    ("frequencies", "词", "--csv"), ("write-words", "词", "--part", "train"), ("report",),
    ("export-arpa", "一"), ("sample", "--size", "3kB"),
]  # fmt: skip
TOLD_OTHERWISE = [("sheet", "一"), ("report-problem",), ("task-export", "t")]


@pytest.fixture
def counted(lm, tmp_path):
    (tmp_path / "文.txt").write_text(TINY * 20, encoding="utf-8")
    assert lm("import", tmp_path / "文.txt", "--name", "文")[0] == 0
    assert lm("segment", "文", "--by", "whitespace", "--name", "词")[0] == 0
    assert lm("train", "词", "--model", "ngram", "--order", 2, "--smoothing", "kneser-ney",
              "--name", "一")[0] == 0  # fmt: skip
    parts = [tmp_path / f"{part}.tsv" for part in ("train", "valid", "test")]
    for number, path in enumerate(parts):
        path.write_text(f"label\ttext\n好\t很好{number}\n坏\t很坏{number}\n", encoding="utf-8")
    given = [word for path in parts for word in (f"--{path.stem}", path)]
    assert lm("task-import", "t", *given)[0] == 0
    return lm


def test_a_file_that_gives_way_is_told(counted, tmp_path):
    for number, words in enumerate(WRITERS):
        path = tmp_path / f"{number}.csv"
        code, _, said = counted(*words, path)
        assert (words, code, f"Written to {path}.\n" in said) == (words, 0, True)
        said = counted(*words, path)[2]
        assert (words, f"Written to {path}, in place of the file" in said) == (words, True)


def test_the_files_of_a_task_that_give_way_are_told(counted, tmp_path):
    assert "In place of" not in counted("task-export", "t", tmp_path / "out")[2]
    first = min((tmp_path / "out").iterdir())
    first.with_name("other").touch()
    said = counted("task-export", "t", tmp_path / "out")[2]
    assert f"In place of files that were there: {first.with_name('train.tsv')}" in said
    assert "other" not in said


def test_the_database_of_a_workspace_is_never_written_over(counted, tmp_path):
    database, inside = (tmp_path / "w" / name for name in ("workspace.db", "runs/x.json"))
    before = database.read_bytes()
    for words in WRITERS + TOLD_OTHERWISE:
        for path in (database, inside):
            code, _, said = counted(*words, path)
            assert (words, code) == (words, 1), said
    assert database.read_bytes() == before
    assert not inside.exists()


def test_a_file_that_is_read_is_not_written_over(counted, tmp_path):
    texts = tmp_path / "文.txt"
    code, _, said = counted(
        "score", "一", "--file", texts, "--csv", tmp_path / "w" / ".." / "文.txt"
    )
    assert (code, "is read by this command" in said) == (1, True)
    assert texts.read_text(encoding="utf-8") == TINY * 20


@pytest.mark.parametrize(
    "words", [("segment-score", "{gold}", "--dictionary"), ("suggest", "文", "--dictionary")],
    ids=["score", "suggest"],
)  # fmt: skip
def test_a_dictionary_that_is_read_is_not_written_over(counted, tmp_path, words):
    gold, mine = tmp_path / "gold.txt", tmp_path / "mine.txt"
    gold.write_text("我 爱 北京\n" * 9, encoding="utf-8")
    mine.write_text("北京 100\n", encoding="utf-8")
    words = [word.format(gold=gold) for word in words]
    code, _, said = counted(*words, mine, "--csv", mine)
    assert (code, "is read by this command" in said) == (1, True)
    assert mine.read_text(encoding="utf-8") == "北京 100\n"
    assert counted(*words, mine, "--csv", tmp_path / "out.csv")[0] == 0


def test_no_file_is_written_twice(counted, tmp_path):
    same = tmp_path / "w" / ".." / "a.csv"
    code, _, said = counted("task-scores", "一", "--csv", tmp_path / "a.csv", "--classes", same)
    assert (code, "would be written twice" in said) == (1, True)
    assert not (tmp_path / "a.csv").exists()


def test_the_two_files_of_a_sheet_are_told(counted, tmp_path):
    (tmp_path / "a.json").write_text("{}")
    said = counted("sheet", "一", tmp_path / "a.html")[2]
    assert f"Written to {tmp_path / 'a.html'}.\n" in said
    assert f"Written to {tmp_path / 'a.json'}, in place of the file that was there." in said
