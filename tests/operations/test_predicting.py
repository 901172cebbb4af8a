"""Fine-tuned runs predict, are scored and list their errors, for every kind of task."""

import csv
import json

import numpy as np
import pytest

from lmstudio.analysis.tasks.looking import WHOLE
from lmstudio.cli import main
from lmstudio.data.labelled.example import Example, Span
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    attention,
    corpora,
    finetuning,
    predicting,
    segmentations,
    task_attention,
    task_scores,
    tasks,
    training,
)
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.operations.families import network

pytestmark = pytest.mark.slow  # five trainings come first
CITIES = ("北京", "上海", "广州", "天津")
GOOD, BAD = "很好看", "太难看"


def _examples(kind):
    """Twelve easy examples of a kind."""
    made = []
    for number in range(12):
        city = CITIES[number % 4]
        if kind == "classify":
            good = number % 2 == 0
            made.append(Example(f"{city}{GOOD if good else BAD}", label="好" if good else "坏"))
        elif kind == "tag":
            made.append(Example(f"我去{city}玩", spans=(Span(2, 4, "到达地"),)))
        elif kind == "pair":
            same = number % 2 == 0
            other = city if same else CITIES[(number + 1) % 4]
            made.append(Example(f"在{city}", f"去{other}", "1" if same else "0"))
        else:
            asked = number % 4 != 3
            spans = (Span(2, 4),) if asked else ()
            made.append(Example(f"我在{city}住了很久", "住哪里" if asked else "几岁", spans=spans))
    return made


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """A workspace with a small encoder and a run of each kind, named as the kind."""
    folder = tmp_path_factory.mktemp("tuned")
    with Workspace(folder / "workspace") as ws:
        text = "".join(
            f"我去{city}玩，{city}{GOOD}，{BAD}。在哪里住了很久几岁\n" for city in CITIES
        )
        corpora.import_text(ws, text * 10, name="文", job=Job())
        cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
        encoder = training.train(ws, cut, network("bert"), name="bert", job=Job()).new_id
        for kind in ("classify", "tag", "pair", "qa"):
            rows = _examples(kind)
            parts = {"train": rows, "valid": rows[:4], "test": rows[:8]}
            tasks.add_examples(ws, kind, kind, parts, job=Job())
            how = TrainingConfig(epochs=60, batch=12, learning_rate=0.01, warmup=5, patience=0)
            (run,) = finetuning.queue_tuning(ws, kind, encoder, TaskConfig(kind=kind, length=16),
                                             how, name=f"{kind} run")  # fmt: skip
            training.start(ws, run.id, job=Job())
        yield ws


def test_classes_come_with_probabilities(tuned):
    (found,) = predicting.predict(tuned, "classify run", ["北京很好看"], job=Job())
    assert found.label == "好"
    assert sum(found.probabilities) == pytest.approx(1)
    assert found.confidence == max(found.probabilities)
    assert (found.read, found.cut) == (5, False)
    (found,) = predicting.predict(tuned, "classify run", ["北京很好看" * 5], job=Job())
    assert (found.read, found.cut) == (14, True)


def test_tags_are_spans_of_the_text(tuned):
    (found,) = predicting.predict(tuned, "tag run", ["我去广州玩"], job=Job())
    assert [(one.start, one.end, one.type) for one in found.spans] == [(2, 4, "到达地")]
    assert [token.tag for token in found.tokens] == ["O", "O", "B-到达地", "I-到达地", "O"]
    assert all(0 < token.p <= 1 for token in found.tokens)


def test_answers_stand_in_the_passage(tuned):
    texts, others = ["我在上海住了很久"] * 2, ["住哪里", "几岁"]
    found = predicting.predict(tuned, "qa run", texts, others, job=Job())
    assert found[0].answer == "上海"
    assert "" in [answer.text for answer in found[1].answers]  # the task has such questions
    assert sum(answer.p for answer in found[0].answers) == pytest.approx(1)


def test_what_cannot_be_read_is_refused(tuned):
    with pytest.raises(AppError, match="question with each passage"):
        predicting.predict(tuned, "qa run", ["文"], job=Job())
    with pytest.raises(AppError, match="one text at a time"):
        predicting.predict(tuned, "tag run", ["文"], ["文"], job=Job())
    with pytest.raises(AppError, match="no text"):
        predicting.predict(tuned, "tag run", [" "], job=Job())
    with pytest.raises(AppError, match="language model"):
        predicting.predict(tuned, "bert", ["文"], job=Job())


@pytest.mark.parametrize("kind", ["classify", "tag", "pair", "qa"])
def test_parts_are_scored_and_the_figures_kept(tuned, kind):
    found = task_scores.score_part(tuned, f"{kind} run", "test", job=Job())
    assert tuned.evaluation(tuned.run(f"{kind} run").id, "test") == found.figures
    assert len(found.each) == len(found.predictions) == 8
    assert len(found.wrong) == sum(score < 1 for score in found.each)
    assert found.confusion.shape == (len(found.labels),) * 2
    if kind in ("classify", "tag"):  # easy enough to be learned whole
        assert found.wrong == []
    for gold in found.labels:
        for guess in found.labels:
            assert bool(found.cell(gold, guess)) == bool(
                found.confusion[found.labels.index(gold), found.labels.index(guess)]
            )


def test_the_tags_of_tokens_can_be_left_out(tuned):
    whole = task_scores.score_part(tuned, "tag run", "test", job=Job())
    lean = task_scores.score_part(tuned, "tag run", "test", lean=True, job=Job())
    assert whole.predictions[0].tokens
    assert not any(one.tokens for one in lean.predictions)
    assert [one.spans for one in lean.predictions] == [one.spans for one in whole.predictions]
    assert lean.sure == whole.sure == tuple(one.confidence for one in whole.predictions)
    assert task_scores.said_of("tag", lean.predictions[0]) == "北京/到达地"
    lean = task_scores.score_part(tuned, "qa run", "test", lean=True, job=Job())
    assert {len(one.answers) for one in lean.predictions} == {1}


def test_looks_are_those_of_the_tuned_encoder(tuned):
    text = "北京很好看"
    found = task_attention.looks(tuned, "classify run", text, job=Job())
    known = attention.attention(tuned, "classify run", text, heads=["1.2"], job=Job())
    assert list(found.names) == known.names == ["<s>", *text, "</s>"]
    np.testing.assert_allclose(found.seen(0, 1), known.weights, atol=1e-6)
    np.testing.assert_allclose(found.seen(0, WHOLE), found.weights[0].mean(0))
    np.testing.assert_allclose(found.flow(1).sum(1), 1, atol=1e-5)
    assert (found.asks, found.token_at(2), found.token_at(9)) == (0, 3, -1)
    assert not found.barred.any()


def test_looks_go_from_text_to_text_as_they_are_read(tuned):
    found = task_attention.looks(tuned, "pair run", "在北京", "去北京", job=Job())
    assert found.names == ("<s>", *"在北京", "</s>", *"去北京", "</s>")
    assert found.spans[:, 0].tolist() == [-1, 0, 1, 2, -1, -1, -1, -1, -1]
    apart = task_attention.looks(tuned, "pair run", "在北京", "去天津", job=Job())
    assert not np.allclose(found.weights, apart.weights)
    long = "我在上海住了很久" * 4
    near = task_attention.looks(tuned, "qa run", long, "住哪里", place=2, job=Job())
    far = task_attention.looks(tuned, "qa run", long, "住哪里", place=30, job=Job())
    assert near.names[:4] == far.names[:4] == ("<s>", *"住哪里")
    assert near.token_at(2) > 0 > near.token_at(30)
    assert far.token_at(30) > 0
    with pytest.raises(AppError, match="language model"):
        task_attention.looks(tuned, "bert", text := "文", text, job=Job())


def test_the_command_line_says_the_same(tuned, tmp_path, capsys):
    tuned_folder = str(tuned.folder)
    file = tmp_path / "texts.txt"
    file.write_text("北京很好看\n\n上海太难看\n", encoding="utf-8")
    table = tmp_path / "out.csv"
    say = ["--workspace", tuned_folder]
    assert main([*say, "predict", "classify run", "--file", str(file), "--json",
                 "--csv", str(table)]) == 0  # fmt: skip
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert "1 empty line was skipped." in said.err
    assert [one["label"] for one in told] == ["好", "坏"]
    assert [one["labels"] for one in told] == [["坏", "好"]] * 2
    assert told[0]["probabilities"][1] == max(told[0]["probabilities"])
    with table.open(encoding="utf-8-sig", newline="") as rows:
        assert next(csv.reader(rows))[:4] == ["Row", "Text", "Second text", "Label"]
    assert main([*say, "predict", "tag run", "我去", "广州玩"]) == 0
    assert "广州" in capsys.readouterr().out
    for kind in ("classify", "tag", "pair", "qa"):
        assert main([*say, "task-scores", f"{kind} run", "--csv", str(table)]) == 0
        assert main([*say, "errors", f"{kind} run", "--csv", str(table)]) == 0
    told = capsys.readouterr()
    assert "0 of 8 are wrong." in told.out
    assert "classify run, test: accuracy" in told.out
    assert "8 examples" in told.out
    given = ["在北京", "--other", "去北京", "--csv", str(table)]
    assert main([*say, "task-attention", "pair run", *given]) == 0
    assert "Looks at" in capsys.readouterr().out
    with table.open(encoding="utf-8-sig", newline="") as rows:
        assert len(list(csv.reader(rows))) == 1 + 1 * 2 * 9 * 9  # a layer of two heads
    assert main([*say, "task-attention", "pair run", *given, "--layer", "2"]) == 1
    assert "no layer 2" in capsys.readouterr().err


def test_several_texts_are_answered_one_by_one(tuned, capsys):
    def said(*words):
        assert main(["--workspace", str(tuned.folder), "predict", *words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    texts = ["北京很好看", "上海太难看", "广州很好看"]
    found = said("classify run", *texts)
    assert [(one["text"], one["label"]) for one in found] == list(zip(texts, "好坏好", strict=True))
    pairs = said("pair run", "在北京", "在上海", "--other", "去北京", "--other", "去天津")
    assert [(one["text"], one["other"]) for one in pairs] == [
        ("在北京", "去北京"), ("在上海", "去天津"),
    ]  # fmt: skip


def test_the_errors_that_are_left_out_are_told(tuned, capsys):
    say = ["--workspace", str(tuned.folder), "errors", "classify run"]
    assert main([*say, "--gold", "好", "--guess", "好", "--limit", "1"]) == 0
    assert "4 of 8 examples; 1 are shown (--limit)." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("predict", "classify run"), "no text to read"),
        (("predict", "pair run", "a", "b", "--other", "c"), "two texts for each pair"),
        (("predict", "tag run", "--file", "none.txt"), "none.txt: It cannot be opened"),
        (("errors", "classify run", "--gold", "妤"), "no label 妤. The labels are: 坏, 好"),
        (("errors", "tag run", "--guess", "x"), "no label x"),
        (("predict", "classify run", "好", "--file", "texts.txt"), "either a text, or --file"),
        (("predict", "classify run", "--file", "empty.txt"), "empty.txt has no line with text"),
    ],
    ids=["no text", "one second text", "no file", "class", "type", "text and file", "empty file"],
)
def test_the_command_line_refuses_what_would_mean_nothing(
    tuned, capsys, words, said, tmp_path, monkeypatch
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("\n \n")
    assert main(["--workspace", str(tuned.folder), *words]) == 1
    assert said in capsys.readouterr().err


def test_scores_of_each_class_are_in_one_table(tuned, tmp_path, capsys):
    table = tmp_path / "classes.csv"
    say = ["--workspace", str(tuned.folder), "task-scores", "classify run", "tag run"]
    assert main([*say, "--classes", str(table), "--json"]) == 0
    one, other = json.loads(capsys.readouterr().out)
    assert set(one["classes"]) == {"好", "坏"}
    assert other["classes"]["到达地"]["support"] == 8
    with table.open(encoding="utf-8-sig", newline="") as rows:
        found = list(csv.DictReader(rows))
    assert [(row["Run"], row["Label"], row["Support"]) for row in found] == [
        ("classify run", "坏", "4"), ("classify run", "好", "4"), ("tag run", "到达地", "8"),
    ]  # fmt: skip
    assert [float(row["F1"]) for row in found] == [1, 1, 1]


def test_tokens_that_cannot_be_read_are_told_of(tuned, capsys):
    say = ["--workspace", str(tuned.folder), "predict", "classify run", "--json"]
    assert main([*say, "ЖЖ我去"]) == 0
    heard = capsys.readouterr()
    assert json.loads(heard.out)[0]["unknown"] == 2
    assert "50 % of the tokens are not in the vocabulary" in heard.err
    assert main([*say, "我去"]) == 0
    heard = capsys.readouterr()
    assert json.loads(heard.out)[0]["unknown"] == 0
    assert "vocabulary" not in heard.err


@pytest.mark.parametrize(("line", "told"), [
    ("谁", "Line 2 of a.txt has no tab"),
    ("谁\t ", "Line 2 of a.txt has only one of its two texts"),
    ("\t我爱北京", "Line 2 of a.txt has only one of its two texts"),
])  # fmt: skip
def test_a_line_that_lacks_a_text_is_named(tmp_path, line, told):
    (tmp_path / "a.txt").write_text(f"何处\t我爱北京\n{line}\n", encoding="utf-8")
    with pytest.raises(AppError, match=told):
        predicting.read_lines(tmp_path / "a.txt", "qa")
