"""The verbs compare, findings and tag, with the numbers of the operations."""

import json
import re

import pytest

from lmstudio import cli
from lmstudio.jobs import Job
from lmstudio.operations import comparison
from lmstudio.store.workspace import Workspace

LINES = ["我 爱 北京", "我 爱 上海", "他 爱 我", "北京 的 春天 很 短", "上海 很 大"]


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with three runs, two of words and one of characters."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    parts = {"train": LINES * 5, "valid": LINES, "test": ["他 爱 北京", "春天 很 短", "我 爱 广州"]}
    for name, lines in parts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = [word for name in parts for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert command("import", *given, "--name", "c", "--format", "text")[0] == 0
    for by in ("whitespace", "characters"):
        assert command("segment", "c", "--by", by, "--name", by)[0] == 0
    for cut, order in (("whitespace", 1), ("whitespace", 2), ("characters", 2)):
        how = ["--model", "ngram", "--order", order, "--name", f"{cut[0]}{order}"]
        assert command("train", cut, *how)[0] == 0
    return command


def test_the_verb_tells_what_the_operation_finds(lm, tmp_path):
    csv = tmp_path / "d.csv"
    code, out, err = lm("compare", "w1", "w2", "c2", "--part", "test", "--json", "--csv", csv)
    assert code == 0
    found = json.loads(out)
    with Workspace(tmp_path / "w") as ws:
        same = comparison.compare(ws, ["w1", "w2", "c2"], "test", job=Job())
    assert found["bits"] == same.bits.tolist()
    assert found["differences"][1]["low"] == same.differences[1].low
    assert found["positions"]["bits_per_word"][0] == same.positions.bits_per_word()[0].tolist()
    assert len(csv.read_text(encoding="utf-8-sig").splitlines()) == 4


@pytest.mark.parametrize("table", ["runs", "positions", "frequencies", "documents", "sentences"])
def test_each_table_is_printed_and_written(lm, tmp_path, table):
    csv = tmp_path / "t.csv"
    code, out, _ = lm("compare", "w1", "w2", "--table", table, "--csv", csv, "--part", "test")
    assert code == 0
    assert len(out.splitlines()) > 1
    assert csv.exists()


@pytest.mark.parametrize("table", ["positions", "frequencies"])
def test_the_ends_of_sentences_have_their_bits_per_end(lm, tmp_path, table):
    _, out, said = lm("compare", "w1", "w2", "--table", table, "--part", "test")
    row = next(line for line in out.splitlines() if line.startswith("sentence end"))
    with Workspace(tmp_path / "w") as ws:
        found = comparison.compare(ws, ["w1", "w2"], "test", job=Job())
    per_end = getattr(found, table).bits_per_word()[:, -1]
    assert row.split()[-2:] == [f"{bits:.3f}" for bits in per_end]
    assert "bits per end" in said


def test_draws_out_of_their_limits_are_refused(lm):
    for words, why in [(("--seed", -1), "seed of the draws"), (("--seed", 2**31), "seed of"),
                       (("--samples", 10**8), "From 1 to 100")]:  # fmt: skip
        code, out, err = lm("compare", "w1", "w2", *words)
        assert (code, out) == (1, "")
        assert why in err


def test_what_cannot_be_compared_is_refused_with_the_reason(lm):
    code, _, err = lm("compare", "w1")
    assert code == 1
    assert "at least two runs" in err


def test_tags_and_findings(lm, tmp_path):
    assert json.loads(lm("tag", "run", "w1", "课堂, 基线", "--json")[1]) == ["基线", "课堂"]
    assert "基线" in lm("tag", "corpus", "c", "基线")[2]
    assert [row["name"] for row in json.loads(lm("runs", "--search", "课堂", "--json")[1])] == [
        "w1"
    ]
    assert "基线 课堂" in lm("runs")[1]
    assert "基线" in lm("corpora", "--search", "基线")[1]
    assert json.loads(lm("corpora", "--search", "没有", "--json")[1]) == []
    question = json.dumps({"base": "w1", "part": "test"})
    code, out, _ = lm("findings", "--new", "compare", "--question", question, "--ask", "w2",
                      "--title", "谁更好", "--tags", "课堂", "--json")  # fmt: skip
    assert code == 0
    made = json.loads(out)
    assert (made["title"], made["tags"], list(made["answers"])) == ("谁更好", ["课堂"], ["w2"])
    assert made["answers"]["w2"]["from"] == "w1"
    number = made["id"]
    code, out, _ = lm("findings", number, "--ask", "c2", "--csv", tmp_path / "f.csv")
    assert code == 0
    assert "c2" in out
    assert len((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()) == 3
    assert [row["id"] for row in json.loads(lm("findings", "--search", "课堂", "--json")[1])] == [
        number
    ]
    assert json.loads(lm("findings", "--search", "没有", "--json")[1]) == []
    assert "谁更好" in lm("findings")[1]
    assert lm("findings", number, "--delete")[0] == 0
    assert json.loads(lm("findings", "--json")[1]) == []


@pytest.mark.parametrize(
    "words",
    [["--delete"], ["7"], ["--new", "compare"], ["--new", "compare", "--ask", "w1"],
     ["--new", "compare", "--question", "[", "--ask", "w1"],
     ["--new", "horoscope", "--ask", "w1"]],
)  # fmt: skip
def test_what_is_no_finding_is_refused(lm, words):
    code, _, err = lm("findings", *words)
    assert code == 1
    assert err.strip()


def test_the_kind_is_checked_before_the_workspace_is_opened(lm, monkeypatch):
    monkeypatch.setattr("lmstudio.cli.findings.open_workspace", None)
    code, _, err = lm("findings", "--new", "foo", "--ask", "w1")
    assert code == 1
    assert "foo" in err
    assert "fill" in err


def test_a_finding_is_shown_in_words_and_short_numbers(lm):
    question = json.dumps({"text": "他[MASK]了。"})
    code, out, err = lm("findings", "--new", "fill", "--question", question, "--ask", "w1")
    assert code == 0
    assert "他[MASK]了。" in err
    assert "Rank" in out
    assert not re.search(r"[.][0-9]{5}", out)
    listed = lm("findings")[1]
    assert listed.startswith("No.")
