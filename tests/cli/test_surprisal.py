"""The verb score: the values of the cases, tables, variants, files, and its words."""

import csv
import json

import pytest

from lmstudio import cli

TINY = "我 爱 北京\n我 爱 上海\n他 爱 我\n"


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with the runs `one` (add-one) and `kn`."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "train.txt").write_text(TINY, encoding="utf-8")
    (tmp_path / "valid.txt").write_text("我 爱 我\n", encoding="utf-8")
    given = ("--train", tmp_path / "train.txt", "--valid", tmp_path / "valid.txt")
    assert command("import", *given, "--name", "c", "--format", "words")[0] == 0
    assert command("segment", "c", "--by", "given", "--name", "words")[0] == 0
    for name, smoothing in (("one", "add-one"), ("kn", "kneser-ney")):
        assert command("train", "words", "--model", "ngram", "--order", 2, "--smoothing",
                       smoothing, "--name", name)[0] == 0  # fmt: skip
    return command


def test_case_c1_from_the_command_line(lm):
    """The figures of the panel."""
    found = json.loads(lm("score", "one", "kn", "我 爱 我", "--json")[1])
    assert [one["run"] for one in found] == ["one", "kn"]
    (reading,) = found[0]["readings"]
    assert reading["kind"] == "chain"
    assert reading["figures"]["perplexity"] == pytest.approx(4.082483, abs=1e-6)
    (sentence,) = reading["sentences"]
    assert [event["probability"] for event in sentence["events"]] == pytest.approx(
        [0.3, 0.3, 0.2, 0.2]
    )
    assert [word["word"] for word in sentence["words"]] == ["我", "爱", "我"]
    steps = json.loads(lm("walk", "kn", "我 爱 我", "--json")[1])
    told = found[1]["readings"][0]["sentences"][0]["events"]
    assert [event["bits"] for event in told] == pytest.approx([step["bits"] for step in steps])


def test_tables_by_token_word_character_and_sentence(lm):
    code, out, err = lm("score", "kn", "我 爱 广州")
    assert code == 0
    assert "广州 <unk>" in out
    assert "Answered by" in out
    assert "surprisal = −log₂ p" in err
    by_word = lm("score", "one", "kn", "我 爱 广州", "--by", "word")[1]
    assert [line.split()[:3] for line in by_word.splitlines()[1:4]] == [
        ["1", "我", "0"], ["1", "爱", "2"], ["1", "广州", "4"],
    ]  # fmt: skip
    assert "广" in lm("score", "kn", "我 爱 广州", "--by", "character")[1]
    assert "Token" not in lm("score", "kn", "我 爱 广州", "--by", "sentence")[1]


def test_case_c2_an_impossible_sentence_is_infinite_as_elsewhere(lm):
    """Also where nothing is defined any more behind what never occurred."""
    assert lm("train", "words", "--model", "ngram", "--order", 3, "--smoothing",
              "maximum-likelihood", "--name", "ml")[0] == 0  # fmt: skip
    both = "我 爱 他 爱\n我 爱 北京"
    found = json.loads(lm("score", "ml", both, "--json")[1])[0]["readings"][0]["sentences"]
    assert [one["rank"] for one in found] == [2, 1]
    assert found[0]["figures"]["zero"]
    assert found[0]["figures"]["undefined"]
    code, out, _ = lm("score", "ml", both)
    assert code == 0
    assert "nan" not in out
    assert "–" in out
    totals = next(line for line in out.splitlines() if line.startswith("ml   我 爱 他 爱"))
    assert "∞" in totals
    by_word = lm("score", "ml", "我 爱 他 爱", "--by", "word")[1].splitlines()
    assert [line.split()[1] for line in by_word[1:5]] == ["我", "爱", "他", "爱"]


def test_a_run_that_is_named_twice_is_shown_once(lm, tmp_path):
    assert lm("score", "one", "one", "我 爱")[1] == lm("score", "one", "我 爱")[1]
    (tmp_path / "in.txt").write_text("我 爱 我\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    assert lm("score", "one", "one", "--file", tmp_path / "in.txt", "--csv", out)[0] == 0
    assert out.read_text(encoding="utf-8-sig").splitlines()[0] == "Line,Word,Start,End,one"


def test_variants_are_ranked(lm):
    found = json.loads(lm("score", "kn", "我 爱 上海", "--variants", "--json")[1])
    sentences = found[0]["readings"][0]["sentences"]
    assert [one["text"] for one in sentences][:2] == ["我 爱 上海", "上海 爱 我"]
    assert sorted(one["rank"] for one in sentences) == [*range(1, len(sentences) + 1)]
    assert sentences[0]["rank"] == 1


def test_a_file_in_a_table_out(lm, tmp_path):
    (tmp_path / "in.txt").write_text("我 爱 我\n他 爱 广州\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    code, text, err = lm("score", "one", "kn", "--file", tmp_path / "in.txt", "--csv", out,
                         "--words", "spaces")  # fmt: skip
    assert (code, text) == (0, "")
    assert "6 words of 2 sentences" in err
    with out.open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Line", "Word", "Start", "End", "one", "kn"]
    assert [row[1] for row in rows[1:]] == ["我", "爱", "我", "他", "爱", "广州"]
    told = json.loads(lm("score", "one", "--file", tmp_path / "in.txt", "--csv", out, "--ends",
                         "--unspelled", "--json")[1])  # fmt: skip
    assert told["sentences"] == 2
    with out.open(encoding="utf-8-sig") as file:
        ends = [row for row in csv.reader(file) if row[1] == "</s>"]
    assert [row[0] for row in ends] == ["1", "2"]


def test_tables_are_saved(lm, tmp_path):
    lm("score", "one", "我 爱 我", "--csv", tmp_path / "t.csv")
    lm("score", "one", "我 爱 我", "--by", "word", "--csv", tmp_path / "w.csv")
    lm("score", "one", "我 爱 我", "--by", "sentence", "--csv", tmp_path / "s.csv")
    for name, count in (("t.csv", 4), ("w.csv", 3), ("s.csv", 1)):
        with (tmp_path / name).open(encoding="utf-8-sig") as file:
            assert len(list(csv.reader(file))) == 1 + count


def test_wrong_words_are_told(lm, tmp_path):
    for words in (["我 爱 我"], ["--file", tmp_path / "x.txt", "one"], ["none", "我"],
                  ["one", "--file", tmp_path / "x.txt", "--csv", tmp_path / "o.csv"]):  # fmt: skip
        code, out, err = lm("score", *words)
        assert (code, out) == (1, "")
        assert err.startswith("Error: ")
