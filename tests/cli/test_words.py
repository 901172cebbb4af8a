"""The verbs dictionary, suggest and segment-score."""

import json

import pytest

from lmstudio import cli
from tests.text.test_word_finding import made_text


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


def test_a_dictionary_is_made_changed_and_undone(lm):
    code, out, err = lm("dictionary", "mine", "--add", "他们的", "--frequency", 1, "--json")
    assert (code, json.loads(out)) == (0, [{"word": "他们的", "frequency": 1, "tag": ""}])
    assert "still cut as 他们 | 的" in err
    assert lm("dictionary", "mine", "--add", "a\tb")[0] == 1
    assert lm("dictionary", "--json")[1].strip() == '["mine"]'
    assert json.loads(lm("dictionary", "mine", "--undo", "--json")[1]) == []
    assert lm("dictionary", "--undo")[0] == 1
    assert lm("dictionary", "mine", "--delete")[0] == 0
    assert json.loads(lm("dictionary", "--json")[1]) == []


def test_suggestions_are_listed_and_accepted(lm, tmp_path):
    (tmp_path / "t.txt").write_text(made_text("焙茗", 100), encoding="utf-8")
    assert lm("import", tmp_path / "t.txt", "--name", "t")[0] == 0
    found = json.loads(lm("suggest", "t", "--limit", 5, "--json")[1])
    assert [one["word"] for one in found] == ["焙茗"]
    assert set(found[0]) == {"word", "count", "pmi", "left_entropy", "right_entropy"}
    assert lm("suggest", "t", "--accept", "焙茗")[0] == 1
    assert lm("suggest", "t", "--accept", "焙茗", "--dictionary", "mine")[0] == 0
    code, out, _ = lm("suggest", "t", "--dictionary", "mine", "--csv", tmp_path / "s.csv")
    assert code == 0
    assert "焙茗" not in out
    assert (tmp_path / "s.csv").exists()


def test_scores_are_printed_for_every_mode(lm, tmp_path):
    (tmp_path / "gold.txt").write_text("她  有  打底裤\n", encoding="utf-8")
    rows = json.loads(lm("segment-score", tmp_path / "gold.txt", "--differences", 1, "--json")[1])
    assert len(rows) == 5
    assert rows[0]["recall"] == pytest.approx(2 / 3)
    assert rows[0]["differences"][0]["chunks"][-1] == [["打底裤"], ["打", "底裤"]]
    asked = ("segment-score", tmp_path / "gold.txt", "--by", "characters", "--differences", 1)
    code, out, _ = lm(*asked)
    assert code == 0
    assert "打底裤  →  打 | 底 | 裤" in out
    assert lm("segment-score")[0] == 1
