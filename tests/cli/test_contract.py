"""The command line keeps its contract: verbs, JSON, exit codes, and numbers that can be checked."""

import errno
import json
import subprocess
import sys

import pytest

from lmstudio import cli, messages
from lmstudio.store.settings import Settings

TINY = "我 爱 北京\n我 爱 上海\n他 爱 我\n"
KEYS = {"perplexity", "bits_per_character", "events", "tokens", "sentences", "characters",
        "unknown", "zero_probability", "log10_probability", "context"}  # fmt: skip


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace of its own; its exit code, stdout and stderr."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def tiny(lm, tmp_path):
    """Cases C-1 to C-3: three sentences to train on, others to be tested on."""
    files = {"train": TINY, "valid": "他 爱 广州\n", "test": "我 爱 我\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    given = [word for name in files for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert lm("import", *given, "--name", "tiny", "--format", "text")[0] == 0
    assert lm("segment", "tiny", "--by", "whitespace", "--name", "words")[0] == 0
    return lm


def evaluate(lm, run, part="test"):
    code, out, _ = lm("evaluate", run, "--split", part, "--json")
    assert code == 0
    return json.loads(out)


def test_case_c1_c3_add_one_on_the_tiny_corpus(tiny):
    how = ["--model", "ngram", "--order", 2, "--smoothing", "add-one"]
    assert tiny("train", "words", *how, "--name", "add-one")[0] == 0
    figures = evaluate(tiny, "add-one")
    assert set(figures) >= KEYS
    assert figures["perplexity"] == pytest.approx(4.082483, abs=1e-6)
    assert (figures["events"], figures["tokens"], figures["sentences"]) == (4, 3, 1)
    assert figures["context"] == "sentence"
    valid = evaluate(tiny, "add-one", "valid")
    assert valid["perplexity"] == pytest.approx(6.116909, abs=1e-6)
    assert valid["perplexity_without_unknown"] == pytest.approx(5.192494, abs=1e-6)
    assert valid["unknown"] == 1


def test_case_c2_infinity_is_said_to_be_infinity(lm, tmp_path):
    for name, text in {"train": TINY, "test": "我 爱 他\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    lm("import", "--train", tmp_path / "train.txt", "--test", tmp_path / "test.txt", "--name", "t")
    lm("segment", "t", "--by", "whitespace", "--name", "w")
    code, _, _ = lm("train", "w", "--order", 2, "--smoothing", "maximum-likelihood",
                    "--model", "ngram", "--name", "ml")  # fmt: skip
    assert code == 0
    figures = evaluate(lm, "ml")
    assert figures["perplexity"] is None  # JSON has no infinity
    assert figures["zero_probability"] == 2
    assert lm("runs")[0] == 0


def test_rows_curves_and_reports(tiny, tmp_path):
    tiny("train", "words", "--model", "ngram", "--order", 1, "--name", "one")
    lstm = ["--model", "lstm", "--width", 8, "--epochs", 2]
    assert tiny("train", "words", *lstm, "--name", "net")[0] == 0
    rows = json.loads(tiny("runs", "--json")[1])
    assert [row["name"] for row in rows] == ["one", "net"]
    assert all(row["state"] == "done" and set(row["test"]) >= KEYS for row in rows)
    curve = json.loads(tiny("curve", "net", "--x", "step", "--json")[1])
    assert curve["step"]
    assert curve["bits_per_character"][-1] > 0
    assert tiny("curve", "net")[1].startswith("seconds,bits_per_character\n")
    assert tiny("report", tmp_path / "report.html")[0] == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "net" in page
    assert "<svg" in page


def test_a_spec_file_and_the_command_line_say_the_same(tiny, tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text('{"model": "ngram", "config": {"order": 4}}', encoding="utf-8")
    assert tiny("train", "words", "--spec", spec, "--name", "four")[0] == 0
    assert tiny("train", "words", "--spec", spec, "--order", 2, "--name", "two")[0] == 0
    orders = [row["spec"]["config"]["order"] for row in json.loads(tiny("runs", "--json")[1])]
    assert orders == [4, 2]
    code, _, err = tiny("train", "words", "--spec", spec, "--model", "gpt")
    assert (code, "is of the model ngram. Leave out --model" in err) == (1, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["import", "absent.txt"], "absent.txt"),
        (["delete", "run", "GPT"], "no run named GPT. There are: none yet."),
        (["segment", "nothing"], "no corpus named nothing"),
        (["train", "nothing", "--model", "ngram"], "no segmentation named nothing"),
        (["train", "words", "--model", "ngram", "--order", 99], "order: must be at most 7"),
        (["train", "words", "--model", "ngram", "--layers", 2], "layers: is not a known setting"),
        (["train", "words", "--model", "lstm", "--preset", "huge"], "small, base, large"),
        (["train", "words", "--model", "lstm", "--width", 0, "--epochs", 0], "width"),
        (["train", "words", "--spec", "absent.json"], "cannot be read"),
        (["train", "--spec", "absent.json"], "cannot be read"),
        (["train", "words"], "model: say which kind"),
        (["train", "words", "--model", "lstm", "--device", "gpu"], "device: must be auto"),
        (["train", "words", "--model", "ngram", "--epochs", 3], "epochs: is not a known setting"),
        (["train", "words", "--model", "ngram", "--preset", "huge"], "has no presets"),
        (["segment", "tiny", "--by", "characters", "--dictionary", "absent"], "is for jieba"),
        (["evaluate", "nothing"], "no run named nothing"),
        (["resume", "nothing"], "no run named nothing"),
        (["rename", "corpus", "tiny", ""], "A name is needed"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(tiny, words, sentence):
    code, out, err = tiny(*words)
    assert code == 1
    assert out == ""
    assert sentence in err
    assert "Traceback" not in err
    assert json.loads(tiny("runs", "--json")[1]) == []


def test_a_full_disk_is_told_in_a_sentence(tiny, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lmstudio.training.fit_ngram.ngram_file.save", full)
    code, _, err = tiny("train", "words", "--model", "ngram", "--name", "one")
    assert code == 1
    assert "The disk is full" in err
    (row,) = json.loads(tiny("runs", "--json")[1])
    assert row["state"] == "failed"
    assert "The disk is full" in row["message"]


def test_all_faults_are_listed_at_once(tiny):
    _, _, err = tiny("train", "words", "--model", "lstm", "--width", 0, "--epochs", 0)
    assert "width" in err
    assert "epochs" in err


def test_wrong_words_give_exit_code_2_in_the_language_in_use(lm, capsys):
    with pytest.raises(SystemExit) as error:
        lm("fly")
    assert error.value.code == 2
    settings = Settings(language="zh_CN")
    settings.save()
    with pytest.raises(SystemExit):
        lm("--help")
    assert "用法" in capsys.readouterr().out
    messages.use("en")


@pytest.mark.parametrize("number", ["9" * 11, "9" * 5000], ids=["large", "thousands-of-digits"])
@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("finetune", "r", "--on", "t", "--seeds"), 100),
        (("probe", "r", "--on", "t", "--seeds"), 100),
        (("layer-weights", "--encoder", "r", "--tasks", "t", "--seeds"), 100),
        (("task-scaling", "t", "--encoders", "r", "--seeds"), 100),
        (("concordance", "c", "x", "--limit"), 999_999_999),
        (("documents", "c", "--limit"), 999_999_999),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_no_count_is_without_a_maximum(lm, capsys, words, most, number):
    with pytest.raises(SystemExit) as error:
        lm(*words, number)
    assert error.value.code == 2
    assert f"{words[-1]}: must be at most {most}" in capsys.readouterr().err


def test_a_seed_below_zero_is_refused(lm, capsys):
    with pytest.raises(SystemExit):
        lm("masking", "s", "小猫", "--seed", -5)
    assert "--seed: must be at least 0" in capsys.readouterr().err


def test_names_change_and_things_go(tiny):
    tiny("train", "words", "--model", "ngram", "--name", "one")
    assert tiny("rename", "run", "one", "first")[0] == 0
    assert tiny("train", "words", "--model", "ngram", "--name", "first")[0] == 1
    assert tiny("delete", "corpus", "tiny")[0] == 0
    assert json.loads(tiny("runs", "--json")[1]) == []
    assert json.loads(tiny("segmentations", "--json")[1]) == []


def test_help_is_quick_and_knows_neither_torch_nor_qt_nor_jieba():
    script = (
        "import sys; from lmstudio import cli; p = cli.parser(); p.format_help();"
        "print([m for m in ('torch', 'PySide6', 'jieba', 'pyqtgraph') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_name_that_is_too_long_for_the_disk(lm, tmp_path):
    code, _, err = lm("import-model", tmp_path / ("长" * 300))
    assert code == 1
    assert "too long" in err
