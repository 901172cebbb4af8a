"""What somebody new to the command line types, and what the tables then say."""

import argparse
import json
from pathlib import Path

import pytest

from lmstudio import cli, figures, messages
from lmstudio.cli import shared, tuning_options
from lmstudio.errors import AppError
from lmstudio.operations.value_names import split_name, value_name
from lmstudio.store.settings import Settings
from lmstudio.text.read import shown
from lmstudio.training import optim

CONLLU = "1\t我\t我\tPRON\tPN\t_\t_\t_\t_\t_\n2\t来\t来\tVERB\tVV\t_\t_\t_\t_\t_\n\n"


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def poem(lm, tmp_path):
    """A corpus of blank and full lines: its lines are not those of the file."""
    lines = [f"第{n}句诗里有一只鸟在唱。" for n in range(30)]
    (tmp_path / "p.txt").write_text("\ufeff" + "\r\n\r\n".join(lines), encoding="utf-8", newline="")
    assert lm("import", tmp_path / "p.txt", "--name", "p", "--lines", "sentence")[0] == 0
    return lm


def test_a_hit_tells_its_line_in_the_file(poem):
    rows = json.loads(poem("concordance", "p", "第7句", "--json")[1])["rows"]
    assert [(row["line"], row["file_line"]) for row in rows] == [(7, 15)]
    assert "File line" in poem("concordance", "p", "第7句")[1]


def test_a_dictionary_goes_by_name_or_file(poem, tmp_path):
    assert poem("dictionary", "mine", "--add", "一只鸟")[0] == 0
    assert "automatic" in poem("dictionary", "mine")[1]
    assert poem("segment", "p", "--by", "jieba", "--dictionary", "mine", "--name", "s")[0] == 0
    code, out, _ = poem("segmentations")
    assert (code, all(word in out for word in ("jieba", "accurate", "mine.txt"))) == (0, True)
    (tmp_path / "gold.txt").write_text("一只鸟 在 唱\n", encoding="utf-8")
    gold = tmp_path / "gold.txt"
    rows = json.loads(poem("segment-score", gold, "--by", "jieba", "--dictionary", "mine",
                           "--json")[1])  # fmt: skip
    assert rows[0]["correct"] == 3
    for words in (
        ["dictionary", "none"],
        ["segment", "p", "--by", "jieba", "--dictionary", "none"],
    ):
        assert "no dictionary none" in poem(*words)[2]


def test_text_that_is_not_cut_is_not_scored(poem, tmp_path):
    code, out, err = poem("segment-score", tmp_path / "p.txt")
    assert (code, out) == (1, "")
    assert "does not look cut into words" in err


def test_documents_are_cut_and_limited(lm, tmp_path):
    for number in range(25):
        (tmp_path / "d").mkdir(exist_ok=True)
        name = f"{'长' * 50}{number}.txt"
        (tmp_path / "d" / name).write_text(f"第{number}篇。\n" * 3, encoding="utf-8")
    assert lm("import", tmp_path / "d", "--name", "d")[0] == 0
    _, out, err = lm("documents", "d")
    assert len(out.splitlines()) == 21
    assert "5 more" in err
    assert max(map(len, out.splitlines())) < 80
    assert len(json.loads(lm("documents", "d", "--json")[1])) == 25


def test_copies_and_dropped_leaks_are_told(lm, tmp_path):
    line = "同一篇文章，一字不差，连标点也不差。\n"
    texts = [f"{line}{line}{' ' * number}" for number in range(9)]  # other bytes, same text
    for number, text in enumerate([*texts, "另一篇不同的文章在这里。\n"]):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    files = [tmp_path / f"{number}.txt" for number in range(10)]
    told = lm("import", *files, "--name", "c", "--leaks", "drop")[2]
    assert "lines were taken out of the held-out parts" in told
    rows = json.loads(lm("import-report", "c", "--json")[1])
    assert any(row["name"] == "lines taken out as leaks" for row in rows)
    [copies] = [row for row in rows if row["kind"] == "copies"]
    assert (copies["name"], copies["count"]) == ("0.txt (train)", 8)


def test_tags_are_listed_and_missing_ones_named(lm, tmp_path):
    (tmp_path / "t.conllu").write_text(CONLLU * 3, encoding="utf-8")
    assert lm("import", tmp_path / "t.conllu", "--name", "t")[0] == 0
    rows = json.loads(lm("tags", "t", "--json")[1])["rows"]
    assert {(row["tag"], row["count"]) for row in rows} == {("PRON", 3), ("VERB", 3)}
    code, _, err = lm("concordance", "t", "NN", "--kind", "tag")
    assert code == 1
    assert "PRON, VERB" in err


def test_growth_is_spread_over_the_text(poem):
    assert poem("segment", "p", "--name", "c")[0] == 0
    lines = poem("growth", "c", "--top", 5)[1].splitlines()
    tokens = [int(line.split()[0].replace(",", "")) for line in lines[1:]]
    assert len(tokens) == 5
    assert (tokens[0], tokens[-1]) == (1, json.loads(poem("growth", "c", "--json")[1])[
        "heaps"]["rows"][-1]["tokens"])  # fmt: skip


def test_pieces_that_join_nothing_are_told(poem):
    told = poem("segment", "p", "--by", "bpe", "--pieces", 16, "--name", "b")[2]
    assert "Nearly every token is a single character" in told


def test_help_tells_defaults(capsys):
    for verb, wanted in (("segment-score", "default: test"), ("collocations", "default: 5")):
        with pytest.raises(SystemExit):
            cli.main([verb, "--help"])
        assert wanted in capsys.readouterr().out
    assert shared.DefaultsHelp


def test_names_and_numbers_in_chinese():
    messages.use("zh_CN")
    assert split_name("blocks 90/5/5 seed 1") == "按行块 90/5/5，种子 1"
    assert [value_name(name) for name in ("train", "mixed", "simplified", "characters")] == [
        "训练集", "分块", "转为简体", "按字",
    ]  # fmt: skip
    assert (figures.count(60003), figures.decimal(6612.1)) == ("60\u2009003", "6\u2009612.10")


def test_a_fault_names_its_field_in_chinese(lm, tmp_path, monkeypatch):
    monkeypatch.setattr(Settings, "language", "zh_CN", raising=False)
    monkeypatch.setenv("LMSTUDIO_LANGUAGE", "zh_CN")
    (tmp_path / "a.txt").write_text("甲\n", encoding="utf-8")
    assert "（valid）：不能大于 45" in lm("import", tmp_path / "a.txt", "--shares", 50, 0)[2]


@pytest.mark.parametrize(
    "words", [("finetune", "bert", "lstm", "--on", "x"), ("predict", "r", "t", "--frob")]
)
def test_wrong_words_are_told_with_the_verb(lm, words, capsys):
    with pytest.raises(SystemExit) as ended:
        lm(*words)
    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert err.startswith(f"usage: lmstudio {words[0]} [...] RUN")
    assert f"lmstudio {words[0]} --help" in err
    assert len(err.splitlines()) == 3


def test_a_setting_that_means_nothing_to_the_task_is_refused():
    said = argparse.Namespace(crf=True)
    with pytest.raises(AppError, match="--crf means nothing to a task of the kind classify"):
        tuning_options.tuning_of(said, "classify")
    assert tuning_options.tuning_of(said, "tag")[0] == {"crf": True}
    assert tuning_options.tuning_of(argparse.Namespace(crf=False), "pair")[0] == {"crf": False}


@pytest.mark.parametrize(("word", "near"), [
    ("trian", "train"), ("Import_Model", "import-model"), ("segmentation", "segmentations"),
])  # fmt: skip
def test_an_unknown_verb_is_told_its_nearest(lm, capsys, word, near):
    with pytest.raises(SystemExit) as ended:
        lm(word)
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert f"{word} is neither a verb nor a file that is here. Did you mean {near}" in told
    assert told.rstrip().endswith("All verbs: lmstudio --help")
    assert len(told.splitlines()) == 2, "not all verbs there are"


@pytest.mark.parametrize(("word", "near"), [
    ("--epohcs", "; Did you mean --epochs"), ("--Batch=4", "; Did you mean --batch"), ("--qqq", ""),
])  # fmt: skip
def test_an_unknown_option_is_told_its_nearest(lm, capsys, word, near):
    with pytest.raises(SystemExit) as ended:
        lm("train", "any", word)
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert f"unrecognized arguments: {word}{near}" in told
    assert ("Did you mean" in told) == bool(near)


def test_a_file_without_a_name_of_its_own_is_named():
    assert shown(Path()) == "."
    assert shown(Path("/")) == "/"


def test_a_word_that_no_verb_comes_near_to_gets_no_guess(lm, capsys):
    with pytest.raises(SystemExit):
        lm("qqqqqq")
    told = capsys.readouterr().err
    assert "qqqqqq is neither" in told
    assert "Did you mean" not in told


def test_help_tells_how_long_the_warm_up_is_at_most(lm, capsys):
    with pytest.raises(SystemExit):
        lm("train", "--help")
    told = " ".join(capsys.readouterr().out.split())
    assert "a twentieth of all steps at most (default: 100)" in told
    assert optim.WARMUP == 20
