"""The verbs of curves: recorded, written for TensorBoard, taken from files."""

import json

import pytest

from lmstudio import cli
from lmstudio.store.workspace import Workspace

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
NET = ("--model", "rnn", "--width", 8, "--max-steps", 8, "--batch", 4, "--validate-every", 4)


@pytest.fixture
def lm(tmp_path, capsys):
    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def cut(lm, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    assert lm("import", tmp_path / "text.txt", "--name", "短文")[0] == 0
    assert lm("segment", "短文", "--by", "characters", "--name", "字")[0] == 0
    return lm


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the reader
def test_a_training_writes_for_tensorboard_and_is_read_back(cut, tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    assert cut("train", "字", *NET, "--name", "net", "--tensorboard", tmp_path / "logs")[0] == 0
    log = reader.EventAccumulator(str(tmp_path / "logs" / "net")).Reload()
    code, out, _ = cut("metrics", "net", "--json", "--csv", tmp_path / "m.csv")
    (run,) = json.loads(out)
    bits = run["curves"]["valid_bits_per_character"]
    assert (code, bits["step"]) == (0, [4, 8])
    logged = log.Scalars("valid/bits_per_character")
    assert [event.value for event in logged] == pytest.approx(bits["value"])
    assert (tmp_path / "m.csv").read_text("utf-8-sig").startswith("step,seconds,")
    assert cut("export", "net", tmp_path / "later", "--format", "tensorboard")[0] == 0
    later = reader.EventAccumulator(str(tmp_path / "later")).Reload()
    assert sorted(later.Tags()["scalars"]) == sorted(log.Tags()["scalars"])


def test_metrics_are_shown_as_people_read_them(cut, tmp_path, monkeypatch):
    assert cut("train", "字", *NET, "--name", "net")[0] == 0
    points = {"learning_rate": 3e-4, "memory": 1_533_595_648.0, "tokens_per_second": 12_997.6}
    with Workspace(tmp_path / "w") as ws:
        ws.add_metrics(ws.run("net").id, [(6, 99.5, name, value) for name, value in points.items()])
    out = cut("metrics", "net", "--csv", tmp_path / "m.csv")[1]
    [line] = [line for line in out.splitlines() if "99.500" in line]
    assert all(text in line for text in ("3.0e-04", "1.5 GB", "12,998"))
    head = out.splitlines()[0]
    assert all(text in head for text in ("Valid · Bits per character", "Learning rate", "Memory"))
    plain = (tmp_path / "m.csv").read_text("utf-8-sig")
    assert "learning_rate" in plain.splitlines()[0]
    assert "0.0003" in plain
    assert "1533595648" in plain
    monkeypatch.setenv("LMSTUDIO_LANGUAGE", "zh_CN")
    head = cut("metrics", "net")[1].splitlines()[0]
    assert "学习率" in head
    assert "learning_rate" not in head


def test_a_curve_of_another_program_is_kept_listed_and_removed(cut, tmp_path):
    (tmp_path / "theirs.csv").write_text("step,valid_loss\n10,3\n20,2.5\n", encoding="utf-8")
    code, out, _ = cut("import-curve", tmp_path / "theirs.csv", "--name", "别人的", "--json")
    (curve,) = json.loads(out)
    assert (code, curve["name"], curve["value"]) == (0, "别人的", [3, 2.5])
    assert json.loads(cut("imported-curves", "--corpus", "短文", "--json")[1]) == [curve]
    assert "别人的" in cut("imported-curves")[1]
    assert cut("imported-curves", "--remove", "别人的")[0] == 0
    assert json.loads(cut("imported-curves", "--json")[1]) == []
    (tmp_path / "two.txt").write_text(TEXT, encoding="utf-8")
    assert cut("import", tmp_path / "two.txt")[0] == 0
    for words in (["imported-curves"], ["import-curve", tmp_path / "theirs.csv"]):
        code, _, said = cut(*words)
        assert (code, "--corpus: “短文”, “two”." in said) == (1, True)
    code, _, said = cut("imported-curves", "--corpus", "短文", "--remove", "absent")
    assert (code, "There is no curve from a file named absent" in said) == (1, True)


def test_the_corpus_is_named_where_there_are_two(cut, tmp_path):
    assert cut("import", tmp_path / "text.txt", "--name", "other")[0] == 0
    code, _, said = cut("imported-curves")
    assert (code, "Name the corpus" in said) == (1, True)


def test_a_word_list_of_an_import_is_no_second_corpus(cut, tmp_path):
    (tmp_path / "v.vec").write_text("2 2\n春天 1 0\n上海 0 1\n", encoding="utf-8")
    assert cut("import-vectors", tmp_path / "v.vec")[0] == 0
    (tmp_path / "theirs.csv").write_text("step,valid_loss\n10,3\n20,2.5\n", encoding="utf-8")
    assert cut("import-curve", tmp_path / "theirs.csv")[0] == 0
    assert len(json.loads(cut("imported-curves", "--corpus", "短文", "--json")[1])) == 1


def test_measures_that_are_not_known_are_told(cut, tmp_path):
    (tmp_path / "t.csv").write_text("step,valid_loss,fancy\n10,3,1\n", encoding="utf-8")
    code, out, said = cut("import-curve", tmp_path / "t.csv", "--json")
    assert (code, [one["measure"] for one in json.loads(out)]) == (0, ["loss"])
    assert "Left out" in said
    assert "fancy" in said
