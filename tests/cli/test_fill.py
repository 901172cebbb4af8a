"""The verb fill: several runs side by side, as a table, JSON and CSV."""

import json

import pytest

from lmstudio import messages
from lmstudio.analysis.fill import search
from lmstudio.cli import main
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import fill
from lmstudio.store.workspace import Workspace
from tests.gui.panels import run_workspace

SENTENCE = "小河边有大树，大树上有白云。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ws")
    with Workspace(folder) as ws:
        cut = run_workspace.segmented(ws)
        run_workspace.counted(ws, cut, 3)
        run_workspace.network(ws, cut, "bert", layers=1, heads=2)
        for row, name in zip(ws.runs(), ("three", "bert"), strict=True):
            ws.update_run(row.id, name=name)
    return folder


@pytest.fixture
def run(folder, capsys, monkeypatch):
    monkeypatch.setattr(messages, "system_language", lambda: "en")

    def run(*words):
        code = main(["--workspace", str(folder), "fill", *words])
        return code, *capsys.readouterr()

    yield run
    messages.use("en")


def test_runs_are_told_side_by_side(run):
    code, out, err = run("three", "bert", SENTENCE, "--hide", "白云", "--top", "3")
    assert code == 0, err
    header, *lines = out.splitlines()
    assert header.split() == ["Rank", "three", "bert"]
    assert [line.split()[0] for line in lines[:3]] == ["1", "2", "3"]
    assert any(line.startswith("True word") and "白云" in line for line in lines)
    assert "exact" in err
    assert lines[-1].startswith("bert: ")


def test_json_is_what_the_operation_says(run, folder):
    code, out, _ = run("three", "bert", "小河边有[MASK][MASK]。", "--json", "--in-order")
    assert code == 0
    told = json.loads(out)
    with Workspace(folder, read_only=True) as ws:
        for entry in told:
            answer = fill.fill(ws, entry["run"], fill.question("小河边有[MASK][MASK]。"),
                               in_order=True, job=Job())  # fmt: skip
            assert entry["text"] == answer.text
            assert [g["probability"] for g in entry["blanks"][1]["guesses"]] == pytest.approx(
                [guess.probability for guess in answer.blanks[1].guesses]
            )


def test_what_is_left_out_is_told_to_be_so_by_the_left_alone(run, monkeypatch):
    told = "left context alone"
    assert told not in run("three", "小河边有[MASK]。")[2]
    monkeypatch.setattr(search, "BEGINNINGS", 2)
    code, _, err = run("three", SENTENCE, "--hide", "有白云")
    assert code == 0
    assert told in err


def test_alike_words_and_csv(run, tmp_path):
    path = tmp_path / "fill.csv"
    code, out, err = run("bert", "小河边有[MASK]。", "--alike", "山", "水", "--csv", str(path))
    assert code == 0, err
    assert "cosine of 山 and 水" in err
    assert "True word" not in out
    assert path.read_text(encoding="utf-8-sig").startswith("Run,")


def test_case_h1_without_a_mark_there_is_a_hint(run):
    code, _, err = run("bert", "我爱北京")
    assert code == 1
    assert "[MASK]" in err
    code, _, err = run(SENTENCE)
    assert code == 1
    assert "at least one run" in err


def test_a_drawing_is_printed_with_a_pair(folder, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(messages, "system_language", lambda: "en")
    with Workspace(folder) as ws:
        cut = ws.segmentations()[0]
        known = fill.lottery(ws, cut.id, SENTENCE, 3, job=Job())
        pair = fill.sentence_pair(ws, cut.id, 3, job=Job())
    asked = ["--workspace", str(folder), "masking", cut.name, SENTENCE, "--seed", "3"]
    assert main([*asked, "--csv", str(tmp_path / "a.csv")]) == 0
    printed = capsys.readouterr().out
    assert printed.count("hidden") == known.count("masked")
    assert f"{pair.first}\n{pair.second}" in printed
    assert len((tmp_path / "a.csv").read_text("utf-8-sig").splitlines()) == len(known.tokens) + 1
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [token["fate"] for token in told["tokens"]] == [token.fate for token in known.tokens]
    assert told["pair"]["follows"] == pair.follows


def test_a_question_keeps_nobody_from_writing(folder, run, monkeypatch):
    def asked(ws, *_, **__):
        with Workspace(folder) as other:  # takes the lock
            assert not other.read_only
        assert ws.read_only
        raise AppError("That was the question.")

    monkeypatch.setattr(fill, "fill", asked)
    code, _, error = run("three", "小河边有[MASK]树。")
    assert code == 1
    assert "That was the question." in error


def test_two_unknown_words_are_told_to_be_one(run):
    code, _, err = run("bert", "小河边有[MASK]。", "--alike", "龘", "靐")
    assert code == 0
    assert "both unknown to bert" in err


def test_one_damaged_run_does_not_silence_the_others(run, monkeypatch):
    filled = fill.fill

    def damaged(ws, name, *args, **kwargs):
        if name == "bert":
            raise AppError("It is damaged.")
        return filled(ws, name, *args, **kwargs)

    monkeypatch.setattr(fill, "fill", damaged)
    code, out, err = run("bert", "three", "小河边有[MASK]。", "--json")
    assert code == 1
    assert [entry["run"] for entry in json.loads(out)] == ["three"]
    assert "bert: It is damaged." in err
    code, out, err = run("bert", "小河边有[MASK]。")
    assert (code, out) == (1, "")
