"""Verbs about runs: notes, logs, sweeps, scaling, and options told by the models that have them."""

import json

import pytest

from lmstudio import cli, messages
from lmstudio.errors import AppError, Cancelled

TINY = "我 爱 北京\n我 爱 上海\n他 爱 我\n" * 3


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace with a segmentation "words"."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    given = []
    for part, text in {"train": TINY, "valid": "他 爱 北京\n", "test": "我 爱 我\n"}.items():
        (tmp_path / f"{part}.txt").write_text(text, encoding="utf-8")
        given += [f"--{part}", tmp_path / f"{part}.txt"]
    command("import", *given, "--name", "tiny", "--format", "text")
    command("segment", "tiny", "--by", "whitespace", "--name", "words")
    return command


def rows(lm):
    return json.loads(lm("runs", "--json")[1])


def test_a_note_is_kept_shown_and_removed(lm):
    lm("train", "words", "--order", 2, "--name", "two")
    assert "Note" not in lm("runs")[1]
    code, _, err = lm("note", "two", "数据太少\n再试一次")
    assert (code, "two" in err) == (0, True)
    assert "数据太少 再试一次" in lm("runs")[1]
    assert rows(lm)[0]["note"] == "数据太少\n再试一次"
    lm("note", "two", "too", "small")
    assert rows(lm)[0]["note"] == "too small"
    lm("note", "two")
    assert rows(lm)[0]["note"] == ""
    assert "At most 10000" in lm("note", "two", "x" * 10_001)[2]


def test_the_log_tells_begin_and_end_with_dates(lm):
    lm("train", "words", "--order", 2, "--name", "two")
    lines = lm("log", "two")[1].splitlines()
    assert "Training begins" in lines[0]
    assert '"order": 2' in lines[0]
    assert any("valid_loss" in line for line in lines)
    assert lines[-1].endswith("done.")
    assert lines == json.loads(lm("log", "two", "--json")[1])
    assert all(line[:2] == "20" and line[19:21] == "  " for line in lines)


def test_a_curve_says_that_only_a_sample_was_looked_at(lm, tmp_path):
    _, _, err = lm("train", "words", "--order", 2, "--name", "two")
    assert " on test, " in err.splitlines()[-1]
    assert "valid part" not in lm("curve", "two")[2]
    folder = tmp_path / "w" / "runs" / "1" / "checkpoints" / "last"
    folder.mkdir(parents=True)
    plan = {"progress": {"plan": {"valid_tokens": 1}}}
    (folder / "meta.json").write_text(json.dumps(plan), encoding="utf-8")
    _, out, err = lm("curve", "two")
    assert "while training: 25 % of the valid part" in err  # of three words and a sentence end
    assert out.startswith("seconds,bits_per_character\n")
    assert "valid part" not in lm("curve", "two", "--part", "train")[2]
    (folder / "meta.json").write_text("{", encoding="utf-8")
    assert lm("curve", "two")[0] == 0


def test_rows_of_more_than_one_segmentation_name_theirs(lm):
    lm("train", "words", "--order", 2, "--name", "two")
    assert "Segmentation" not in lm("runs")[1]
    lm("segment", "tiny", "--by", "characters", "--name", "letters")
    lm("train", "letters", "--order", 2, "--name", "spelt")
    header, *lines = lm("runs")[1].splitlines()
    assert header.split()[:2] == ["Run", "Segmentation"]
    assert [line[:5] + place for line, place in zip(lines, ("words", "letters"), strict=True)
            if f"tiny · {place}" in line] == ["two  words", "speltletters"]  # fmt: skip
    assert "Segmentation" not in lm("runs", "--search", "letters")[1]


def test_a_refusal_tells_the_next_step(lm, tmp_path):
    lm("train", "words", "--order", 2, "--name", "two")
    told = lm("neighbors", "two", "我")[2]
    assert "it has no vectors. These models can: " in told
    assert "BERT" in told
    lm("import", tmp_path / "train.txt", "--name", "bare", "--format", "text", "--shares", 0, 0)
    lm("segment", "bare", "--by", "whitespace", "--name", "all")
    lm("train", "all", "--order", 2, "--name", "one")
    code, _, told = lm("evaluate", "one", "--split", "test")
    assert (code, "--shares" in told) == (1, True)


def test_a_sweep_trains_each_value_and_sets_them_side_by_side(lm, tmp_path):
    code, out, err = lm("sweep", "words", "--field", "order", "--values", "1..3", "--name", "n")
    assert code == 0
    assert [row["name"] for row in rows(lm)] == ["n=1", "n=2", "n=3"]
    assert all(row["sweep"] == "n" and row["state"] == "done" for row in rows(lm))
    assert err.count("bits per character") == 3
    assert [line.split()[0] for line in out.splitlines()] == ["Order", "1", "2", "3"]
    table, chart = tmp_path / "n.csv", tmp_path / "n.svg"
    found = json.loads(lm("scaling", "n", "--csv", table, "--chart", chart, "--json")[1])
    assert (found["x"], [row["x"] for row in found["rows"]]) == ("order", [1, 2, 3])
    assert len(table.read_text(encoding="utf-8-sig").splitlines()) == 4
    assert chart.read_text(encoding="utf-8").startswith("<svg xmlns=")
    by_size = json.loads(lm("scaling", "n=3", "n=1", "--x", "parameters", "--json")[1])
    assert [row["run"] for row in by_size["rows"]] == ["n=1", "n=3"]
    assert "There are: n" in lm("scaling", "nothing")[2]


def test_a_sweep_lists_all_faults_and_queues_nothing(lm):
    sweep = ("sweep", "words", "--model", "ngram", "--field")
    err = lm(*sweep, "order", "--values", "0,2,99")[2]
    assert "at least 1" in err
    assert "at most 7" in err
    err = lm(*sweep, "order", "--values", "x,1.5,2")[2]
    assert "x is no value of it; order: 1.5 is no value" in err
    assert "is not a known setting of n-gram" in lm(*sweep, "layers", "--values", "1,2")[2]
    assert "from 2 to" in lm(*sweep, "order", "--values", "3")[2]
    assert rows(lm) == []


def test_a_run_like_another_takes_its_settings_and_changes_some(lm):
    lm("train", "words", "--order", 4, "--smoothing", "witten-bell", "--name", "one")
    assert lm("train", "words", "--like", "one", "--order", 2, "--name", "two")[0] == 0
    config = rows(lm)[1]["spec"]["config"]
    assert (config["order"], config["smoothing"]) == (2, "witten-bell")
    assert "no run named absent" in lm("train", "words", "--like", "absent")[2]


def test_what_is_counted_neither_goes_on_nor_begins_with_weights(lm):
    lm("train", "words", "--order", 2, "--name", "two")
    assert "counted in one go" in lm("resume", "two", "--epochs", 1)[2]
    assert rows(lm)[0]["state"] == "done"
    err = lm("train", "words", "--model", "lstm", "--warm-start", "two")[2]
    assert "two is of the kind n-gram" in err
    assert len(rows(lm)) == 1


def test_curves_of_what_was_not_recorded_are_refused_with_what_was(lm):
    lm("train", "words", "--order", 2, "--name", "two")
    err = lm("curve", "two", "--measure", "gradient_norm")[2]
    assert "Nothing called gradient_norm was recorded of the run two" in err
    assert "bits_per_character" in err


@pytest.mark.parametrize("model", ["gpt", "bert", "ffnn"])
def test_a_length_is_refused_where_it_means_nothing(lm, model):
    err = lm("train", "words", "--model", model, "--length", 8, "--sweeps", 2)[2]
    assert "length: means nothing to" in err
    assert "sweeps: is not a known setting" in err


def test_help_groups_options_by_the_models_that_have_them(capsys):
    with pytest.raises(SystemExit):
        cli.main(["train", "--help"])
    told = capsys.readouterr().out
    for heading in ("n-gram, Class n-gram, FFNN:", "All networks:", "Networks but FFNN:", "BERT:",
                    "Training of networks:"):  # fmt: skip
        assert f"\n{heading}\n" in told
    assert "n-gram, Class n-gram: 3; FFNN: 5" in " ".join(told.split())
    messages.use("en")


def test_a_sweep_that_is_stopped_tells_what_is_left(lm, monkeypatch):
    from lmstudio.operations import training

    start = training.start

    def stopped_second(ws, run_id, *, job):
        if run_id == 2:
            raise Cancelled("")
        return start(ws, run_id, job=job)

    monkeypatch.setattr(training, "start", stopped_second)
    code, _, err = lm("sweep", "words", "--field", "order", "--values", "1..4", "--name", "n")
    assert code == 130
    assert "lmstudio resume n=2" in err
    assert "in the same way: n=3, n=4" in err
    assert [row["state"] for row in rows(lm)] == ["done", *["interrupted"] * 3]
    monkeypatch.undo()
    assert lm("resume", "n=3")[0] == 0


def test_a_value_that_fails_does_not_stop_the_others(lm, monkeypatch):
    from lmstudio.operations import training

    start = training.start

    def failing(ws, run_id, *, job):
        if run_id == 1:
            raise AppError("The disk is full. Free some space and start again.")
        return start(ws, run_id, job=job)

    monkeypatch.setattr(training, "start", failing)
    code, out, err = lm("sweep", "words", "--field", "order", "--values", "1,2", "--name", "n")
    assert code == 1
    assert "n=1: The disk is full" in err
    assert "n=2" in out
