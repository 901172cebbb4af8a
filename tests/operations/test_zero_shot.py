"""Language models do tasks by prompts, without having learned them."""

import csv
import json

import numpy as np
import pytest

from lmstudio.analysis.tasks.scores import classes
from lmstudio.analysis.tasks.zero_shot import Prompt
from lmstudio.cli import main
from lmstudio.data.labelled.example import Example
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import segmentations, tasks, training, zero_shot
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.layered_workspace import examples, fill

PROMPT = Prompt("{text}，", {"好": "好", "坏": "坏"})


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    with Workspace(tmp_path_factory.mktemp("layered") / "workspace") as opened:
        fill(opened, "lstm", "bert", "ngram")
        yield opened


def test_a_model_that_read_such_texts_does_the_task(ws):
    """After 好看， and 难看， a 4-gram model has seen 好 and 坏."""
    (found,) = zero_shot.score(ws, ["ngram"], "classify", PROMPT, job=Job())
    assert found.guesses == [one.label for one in examples("classify")]
    assert found.figures["accuracy"] == found.figures["macro_f1"] == 1
    assert found.figures["majority"] == 0.5
    assert found.parameters == ws.run("ngram").parameters
    assert (found.labels, found.notes) == (("坏", "好"), ())


def test_figures_are_those_of_tuned_runs(ws):
    found = zero_shot.score(ws, ["lstm", "ngram"], "classify", PROMPT, job=Job())
    for one in found:
        gold = [example.label for example in one.examples]
        assert one.figures == classes.score(gold, one.guesses, one.labels).figures
        assert one.logs.shape == (24, 2)


def test_calibrated_scores_are_less_those_without_the_text(ws):
    (plain,) = zero_shot.score(ws, ["lstm"], "classify", PROMPT, job=Job())
    (found,) = zero_shot.score(ws, ["lstm"], "classify", PROMPT, calibrated=True, job=Job())
    apart = plain.logs - found.logs
    np.testing.assert_allclose(apart, np.broadcast_to(apart[0], apart.shape), atol=1e-6)
    empty = [Example(" ", label=label) for label in ("好", "坏")]
    tasks.add_examples(ws, "empty", "classify", {"train": empty, "test": empty}, job=Job())
    (base,) = zero_shot.score(ws, ["lstm"], "empty", PROMPT, job=Job())
    np.testing.assert_allclose(apart[0], base.logs[0], atol=1e-6)


def test_words_may_be_others_than_labels(ws):
    words = Prompt("{text}，", {"好": "坏", "坏": "好"})
    (found,) = zero_shot.score(ws, ["ngram"], "classify", words, job=Job())
    assert found.figures["accuracy"] == 0


def test_pairs_are_asked_with_both_texts(ws):
    offered = zero_shot.default_prompt(ws, "pair")
    assert "{other}" in offered.template
    (found,) = zero_shot.score(ws, ["ngram"], "pair", job=Job())
    assert found.prompt == offered
    assert set(found.guesses) <= {"同", "异"}


def test_what_is_offered_is_of_the_language_of_the_task(ws):
    rows = [Example("a fine film", label="good"), Example("a dull film", label="bad")]
    tasks.add_examples(ws, "films", "classify", {"train": rows, "test": rows}, job=Job())
    assert zero_shot.default_prompt(ws, "films").template.isascii()
    assert zero_shot.default_prompt(ws, "films").words == {"good": "good", "bad": "bad"}
    assert not zero_shot.default_prompt(ws, "classify").template.isascii()


def test_unknown_words_and_impossible_ones(ws):
    strange = Prompt("{text}，", {"好": "龘", "坏": "坏"})
    (found,) = zero_shot.score(ws, ["ngram"], "classify", strange, job=Job())
    assert "Unknown to ngram: “龘”. Such words" in str(found.notes[0])
    assert np.isfinite(found.logs).all()


def test_a_limit_is_kept(ws):
    (found,) = zero_shot.score(ws, ["ngram"], "classify", PROMPT, limit=5, job=Job())
    assert len(found.examples) == len(found.guesses) == 5


@pytest.mark.parametrize(
    ("run", "task", "prompt", "match"),
    [
        ("bert", "classify", PROMPT, "reads both sides"), ("ngram", "tag", PROMPT, "stretches"),
        ("ngram", "classify", Prompt("，", PROMPT.words), "needs {text}"),
        ("ngram", "pair", Prompt("{text}", {"同": "同", "异": "异"}), "needs {other}"),
        ("ngram", "classify", Prompt("{text}", {"好": "好"}), "no word to answer with: 坏"),
        ("ngram", "classify", Prompt("{text}", {"好": "好", "坏": " 好"}), "have the word 好"),
    ],
    ids=["both sides", "tags", "no text", "no other", "no word", "same word"],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(ws, run, task, prompt, match):
    with pytest.raises(AppError, match=match):
        zero_shot.score(ws, [run], task, prompt, job=Job())


def test_a_word_that_is_no_token_is_refused(ws):
    options = SegmentOptions(by="bpe", pieces=60, clean=True)
    cut = segmentations.create(ws, "文", options, job=Job()).new_id
    training.train(ws, cut, RunSpec.from_json({"model": "ngram"}), name="cleaned", job=Job())
    nothing = Prompt("{text}", {"好": "\u200b", "坏": "坏"})
    with pytest.raises(AppError, match="no token of cleaned"):
        zero_shot.score(ws, ["cleaned"], "classify", nothing, job=Job())


def test_a_part_without_labels_is_refused(ws):
    tasks.add_examples(ws, "half", "classify", {"train": examples("classify")}, job=Job())
    with pytest.raises(AppError, match="no labelled examples in test"):
        zero_shot.score(ws, ["ngram"], "half", PROMPT, job=Job())


def test_it_can_be_stopped(ws):
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        zero_shot.score(ws, ["ngram"], "classify", PROMPT, job=job)


def test_the_command_line_says_the_same(ws, tmp_path, capsys):
    say = ["--workspace", str(ws.folder), "zero-shot", "ngram", "--on", "classify", "--template",
           "{text}，"]  # fmt: skip
    table = tmp_path / "out.csv"
    assert main([*say, "--json", "--csv", str(table)]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == 1
    assert told["guesses"][0]["said"] == told["guesses"][0]["right"]
    with table.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1][2] == "1.0"
    assert main([*say, "--word", "好=坏", "--word", "坏=好"]) == 0
    assert "0.0000" in capsys.readouterr().out
    assert main([*say, "--word", "良=坏"]) == 1
    assert "好" in capsys.readouterr().err
