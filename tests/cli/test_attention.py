"""The verb attention says what the operation finds, in tables, JSON and CSV."""

import csv
import json

import numpy as np
import pytest

from lmstudio import cli
from lmstudio.jobs import Job
from lmstudio.operations import attention
from lmstudio.store.workspace import Workspace

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
SIZES = ["--width", 8, "--layers", 2, "--heads", 2, "--max-steps", 4, "--batch", 4]
ASKED = "北京的春天"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "w"


@pytest.fixture
def lm(tmp_path, folder, capsys, monkeypatch):
    """Runs a command line in a workspace with a GPT "g" over characters."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def command(*words):
        code = cli.main(["--workspace", str(folder), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    command("import", tmp_path / "t.txt", "--name", "t")
    command("segment", "t", "--by", "characters", "--name", "c")
    assert command("train", "c", "--model", "gpt", *SIZES, "--name", "g")[0] == 0
    return command


def ask(folder, question, *args, **settings):
    with Workspace(folder) as ws:
        return question(ws, "g", ASKED, *args, **settings, job=Job())


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_a_matrix(lm, folder, tmp_path):
    path = tmp_path / "m.csv"
    code, out, _ = lm("attention", "g", ASKED, "--layer", 2, "--head", 1, "--json", "--csv", path)
    assert code == 0
    told, known = json.loads(out), ask(folder, attention.attention, heads=["2.1"])
    assert told["names"] == known.names == ["<s>", *ASKED]
    np.testing.assert_array_equal(np.array(told["weights"], np.float32), known.weights)
    assert (told["layers"], told["heads"], told["cut"]) == (2, 2, 0)
    table = rows(path)
    assert table[0] == [
        "Looks from / at",
        *(f"{n} {name}" for n, name in enumerate(known.names, 1)),
    ]
    assert [float(cell) for cell in table[3][1:]] == pytest.approx(known.weights[2].tolist())
    lines = lm("attention", "g", ASKED)[1].splitlines()
    assert lines[0].split() == [
        "#",
        "Token",
        "Looks",
        "at",
        "(mean",
        "of",
        "all",
        "heads)",
        "Row",
        "sum",
    ]
    assert lines[1].split() == ["1", "<s>", "<s>", "1.00", "1.000"]


def test_words_rollout_and_marks(lm, folder):
    out = json.loads(lm("attention", "g", ASKED, "--words", "jieba", "--rollout", "--json")[1])
    known = ask(folder, attention.attention, rollout=0, words="jieba")
    assert out["names"] == ["<s>", "北京", "的", "春天"] == known.names
    assert np.sum(out["weights"], 1) == pytest.approx(np.ones(4), abs=1e-5)
    _, table, said = lm("attention", "g", ASKED, "--no-marks", "--layer", 1)
    assert "<s> and </s> are hidden" in said
    assert table.splitlines()[1].split()[1] == "北"
    said = lm("attention", "g", ASKED, "--no-marks", "--renormalize")[2]
    assert "shared out" in said


def test_heads_off(lm, folder):
    code, out, said = lm("attention", "g", ASKED, "--off", 1.2, "--off", 2, "--row", 3)
    known = ask(folder, attention.effect, 2, off=["1.2", "2"])
    assert code == 0
    assert f"{known.loss[0]:.4f} with all heads, {known.loss[1]:.4f} without" in said
    assert f"p(京): {known.p[0]:.4f}" in said
    found = json.loads(lm("attention", "g", ASKED, "--off", 1.2, "--json")[1])
    assert found["effect"]["loss"][1] != found["effect"]["loss"][0]


def test_a_cell(lm, folder, tmp_path):
    path = tmp_path / "c.csv"
    asked = ["attention", "g", ASKED, "--layer", 2, "--head", 2, "--cell", 4, 3]
    told = json.loads(lm(*asked, "--json", "--csv", path)[1])
    known = ask(folder, attention.cell, "2.2", 3, 2)
    assert (told["row"], told["column"], told["head"]) == ("的", "京", "2.2")
    assert told["weight"] == known.weight
    assert told["query"] == known.query.tolist()
    assert len(rows(path)) == 1 + 4
    table = lm(*asked)[1]
    assert "÷ √4" in table
    assert f"{known.weight:.6g}" in table
    assert "cannot be seen" in lm(*asked[:-2], 2, 5)[2]
    hidden = json.loads(lm(*asked[:-2], 3, 2, "--no-marks", "--json")[1])
    assert hidden["weight"] == known.weight  # rows are counted as they are shown


def test_the_header_says_what_is_shown(lm):
    """Also where a head has no layer: then it is one of the first."""
    for words, what in [
        (["--head", 2], "layer 1, head 2"), (["--layer", 2], "mean of layer 2"),
        (["--layer", 2, "--head", 1], "layer 2, head 1"), (["--rollout"], "rollout of 2 layers"),
        (["--rollout", 1], "rollout of 1 layer"), (["--cell", 1, 1], "layer 1, head 1"),
    ]:  # fmt: skip
        assert what in lm("attention", "g", ASKED, *words)[1].splitlines()[0]


def test_where_nothing_can_be_guessed_that_is_said(lm):
    assert lm("train", "c", "--model", "bert", *SIZES, "--name", "b")[0] == 0
    code, out, said = lm("attention", "b", "[MASK]", "--rank")
    assert (code, out) == (0, "")
    assert "Nothing in this text can be guessed" in said
    told = json.loads(lm("attention", "b", "[MASK]", "--rank", "--json")[1])
    assert (told["loss"], told["changes"], told["scored"]) == (None, [], 0)


def test_ranks(lm, folder, tmp_path):
    path = tmp_path / "r.csv"
    told = json.loads(lm("attention", "g", ASKED, "--rank", "--json", "--csv", path)[1])
    known = ask(folder, attention.head_changes)
    assert told["loss"] == known.loss
    expected = [(attention.name_of((one.layer, one.head)), one.change) for one in known.sorted()]
    assert [(one["head"], one["change"]) for one in told["changes"]] == expected
    assert {name for name, _ in expected} == {"1", "1.1", "1.2", "2", "2.1", "2.2"}
    assert len(rows(path)) == 7
    table = lm("attention", "g", ASKED, "--rank", "--layer", 2)[1].splitlines()
    assert len(table) == 4


def test_every_cell_of_every_head_is_saved(lm, folder, tmp_path):
    path = tmp_path / "all.csv"
    ask(folder, attention.save_heads, path, marks=False)
    table = rows(path)
    assert len(table) == 1 + 2 * 2 * 5 * 5
    known = ask(folder, attention.attention, heads=["2.1"], marks=False)
    one = next(row for row in table if row[:3] == ["2", "1", "3"] and row[4] == "2")
    assert (one[3], one[5]) == ("的", "京")
    assert float(one[6]) == pytest.approx(float(known.weights[2, 1]))


def test_what_cannot_be_asked_is_refused(lm):
    assert lm("train", "c", "--order", 2, "--name", "two")[0] == 0
    for words, why in [
        (["two", "我"], "no attention"), (["g", "我", "--layer", 3], "no layer 3"),
        (["g", "我", "--off", "x"], "names no head"), (["g", " "], "no token"),
        (["g", "我", "--layer", 1, "--head", 3], "no head 3"),
        (["g", "我", "--cell", 9, 9], "There are 2 rows"),
        (["g", "我", "--off", 1, "--row", 999], "There are 2 rows"),
    ]:  # fmt: skip
        code, _, said = lm("attention", *words)
        assert code == 1
        assert why in said
