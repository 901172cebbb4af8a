"""Scores of a task against what its encoders are: how large, and how good at their text."""

import csv
import json
import math

import pytest

from lmstudio.analysis.tasks.relations import correlations
from lmstudio.analysis.tasks.zero_shot import Prompt
from lmstudio.cli import main
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import task_relations, task_scaling, zero_shot
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec
from lmstudio.training.task_config import TaskConfig
from tests.operations.layered_workspace import fill

SIZES = {"lstm": 100, "gpt": 300, "bert": 200}


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    """Encoders of known figures, and runs of known scores on a task; nothing was trained."""
    with Workspace(tmp_path_factory.mktemp("layered") / "workspace") as opened:
        fill(opened, "ngram")
        for number, (model, size) in enumerate([*SIZES.items(), ("lstm", 50), ("lstm", 400)]):
            spec = RunSpec.from_json({"model": model})
            row = opened.add_run(1, f"{model} {size}", model, spec.to_json())
            opened.update_run(row.id, state="done", parameters=size * 1000)
            bits = {"bits_per_character": 8 - size / 100, "perplexity": 500.0 - size}
            opened.set_evaluation(row.id, "test", bits)
            for seed in range(3):
                tuned(opened, row, 0.5 + size / 1000 + 0.01 * seed, seed=seed)
            if number == 0:
                tuned(opened, row, 0.4, layers="mix", tuned=0)
                tuned(opened, row, 0.3, share=0.1)
        yield opened


def tuned(ws, encoder, score, *, seed=1, share=1.0, **head):
    spec = RunSpec.from_json({"model": encoder.model, "task": head,
                              "training": {"seed": seed, "share": share}})  # fmt: skip
    name = ws.free_name("run", f"on {encoder.name}, seed {seed}")
    row = ws.add_run(1, name, encoder.model, spec.to_json(), parent=encoder.id, task=1)
    ws.update_run(row.id, state="done", parameters=10**9)
    ws.set_evaluation(row.id, "test", {"accuracy": score, "macro_f1": score / 2})


def test_points_have_the_size_of_the_encoder_and_the_spread_over_seeds(ws):
    found = {(one.encoder, one.series): one for one in task_scaling.points(ws, "classify")}
    one = found["gpt 300", "fine-tuned"]
    assert (one.model, one.parameters, one.share, one.n) == ("gpt", 300_000, 1, 3)
    assert one.mean == pytest.approx(0.81)
    assert one.spread == pytest.approx(0.01)
    assert found["lstm 100", "mixed layers, frozen"].mean == 0.4
    few = found["lstm 100", "fine-tuned, 10 % of the examples"]
    assert (few.mean, few.spread, few.share) == (0.3, None, 0.1)
    assert len(found) == 7


def test_a_line_is_of_one_family_and_rises_in_size(ws):
    found = [one for one in task_scaling.points(ws, "classify") if one.series == "fine-tuned"]
    assert [(one.model, one.parameters) for one in found] == [
        ("bert", 200_000), ("gpt", 300_000),
        ("lstm", 50_000), ("lstm", 100_000), ("lstm", 400_000),
    ]  # fmt: skip


def test_other_measures_and_parts(ws):
    assert task_scaling.points(ws, "classify", "valid") == []
    halves = task_scaling.points(ws, "classify", measure="macro_f1")
    whole = task_scaling.points(ws, "classify")
    assert [one.mean * 2 for one in halves] == pytest.approx([one.mean for one in whole])
    with pytest.raises(AppError, match="accuracy, macro_f1"):
        task_scaling.points(ws, "classify", measure="em")


def test_ways_that_are_called_the_same_tell_how_they_differ(tmp_path):
    with Workspace(tmp_path / "workspace") as ws:
        fill(ws)
        encoder = ws.add_run(1, "lstm", "lstm", RunSpec.from_json({"model": "lstm"}).to_json())
        ws.update_run(encoder.id, state="done", parameters=100)
        for seed, epochs in ((1, 3), (2, 3), (1, 5)):
            training = {"seed": seed, "epochs": epochs}
            spec = RunSpec.from_json({"model": "lstm", "task": {}, "training": training})
            row = ws.add_run(1, f"{seed} {epochs}", "lstm", spec.to_json(), parent=encoder.id,
                             task=1)  # fmt: skip
            ws.set_evaluation(row.id, "test", {"accuracy": 0.5})
        found = task_scaling.points(ws, "classify")
        assert [(one.series, one.n) for one in found] == [
            ("fine-tuned, Epochs 3", 2), ("fine-tuned, Epochs 5", 1),
        ]  # fmt: skip


def test_prompts_stand_beside(ws):
    prompt = Prompt("{text}，", {"好": "好", "坏": "坏"})
    asked = zero_shot.score(ws, ["ngram"], "classify", prompt, job=Job())
    (one,) = task_scaling.zero_shot_points(ws, asked, "macro_f1")
    assert (one.series, one.share, one.mean) == ("zero-shot", 0, 1)
    assert one.parameters == ws.run("ngram").parameters


def test_all_are_queued_or_none(ws):
    before = len(ws.tuned_runs())
    for wrong, match in (("ngram", "no layers"), ("gpt 300", "no finished model")):
        with pytest.raises(AppError, match=match):
            task_scaling.queue(ws, "tag", [wrong], TaskConfig(kind="tag"), {})
    assert len(ws.tuned_runs()) == before


# --- relations ----------------------------------------------------------------------------------


def test_pseudo_perplexity_has_a_group_of_its_own(ws):
    found = task_relations.relation(ws, "classify", job=Job())
    tuned_whole = [one for one in found if one.title.endswith("fine-tuned")]
    assert [(one.pseudo, one.n) for one in tuned_whole] == [(False, 4), (True, 1)]
    assert {one.point.model for one in tuned_whole[1].points} == {"bert"}
    assert "pseudo-perplexity" in tuned_whole[1].title
    assert len(found) == 4  # mixed layers and a share of the examples have groups too


def test_correlations_are_those_of_the_points(ws):
    found = task_relations.relation(ws, "classify", job=Job())[0]
    x = [one.x for one in found.points]
    assert x == sorted(x) == pytest.approx([4, 5, 7, 7.5])
    both = correlations(x, [one.y for one in found.points], job=Job())
    assert (found.pearson, found.spearman) == both
    assert found.spearman.value == -1
    assert found.pearson.value == pytest.approx(-1)  # made up so


def test_perplexity_is_compared_within_a_segmentation(ws):
    found = task_relations.relation(ws, "classify", by="perplexity", job=Job())[0]
    assert [one.x for one in found.points] == [100, 200, 400, 450]
    assert ws.segmentation(1).name in found.title
    with pytest.raises(AppError, match="bits_per_character, perplexity"):
        task_relations.relation(ws, "classify", by="loss", job=Job())


def test_a_task_without_runs_has_none(ws):
    assert task_relations.relation(ws, "pair", job=Job()) == []
    with pytest.raises(AppError, match="nothing to draw"):
        task_relations.save_charts(ws.folder / "no.svg", [], "")


# --- the command line ---------------------------------------------------------------------------


def test_size_on_the_command_line(ws, tmp_path, capsys):
    table, chart = tmp_path / "out.csv", tmp_path / "out.svg"
    say = ["--workspace", str(ws.folder), "task-scaling", "classify"]
    assert main([*say, "--json", "--csv", str(table), "--chart", str(chart), "--zero-shot",
                 "ngram", "--template", "{text}，"]) == 0  # fmt: skip
    told = json.loads(capsys.readouterr().out)
    assert len(told) == 8
    assert told[-1]["series"] == "zero-shot"
    with table.open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + 8
    drawn = chart.read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert "LSTM, fine-tuned" in drawn
    assert main(say) == 0
    assert "0.8100 ± 0.0100" in capsys.readouterr().out
    assert main([*say, "--measure", "em"]) == 1


def test_perplexity_on_the_command_line(ws, tmp_path, capsys):
    table, chart = tmp_path / "out.csv", tmp_path / "out.svg"
    say = ["--workspace", str(ws.folder), "task-relation", "classify"]
    assert main([*say, "--json", "--csv", str(table), "--chart", str(chart)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["pearson"]["value"] == pytest.approx(-1)
    assert not any(math.isnan(one["x"]) for group in told for one in group["points"])
    assert len(list(tmp_path.glob("out*.svg"))) == 4
    assert "lstm 400" in chart.read_text(encoding="utf-8")
    with table.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["Group", "Encoder", "Bits per character"]  # as it is shown
    assert len(rows) == 7
    assert main(say) == 0
    told = capsys.readouterr()
    assert "Spearman -1.00" in told.out
    assert told.err == ""


@pytest.mark.slow
def test_encoders_are_tuned_on_the_way_each_as_suits_it(tmp_path, capsys):
    with Workspace(tmp_path / "workspace") as opened:
        fill(opened, "lstm", "gpt")
        opened.update_run(opened.run("gpt").id, facts={"imported": {}})
    say = ["--workspace", str(tmp_path / "workspace")]
    assert main([*say, "task-scaling", "classify", "--encoders", "lstm", "gpt", "--seeds", "2",
                 "--epochs", "1", "--json"]) == 0  # fmt: skip
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert {one["encoder"]: len(one["runs"]) for one in told} == {"gpt": 2, "lstm": 2}
    assert err.count("gpt came from elsewhere: 3 epochs by AdamW at 5e-5") == 1
    assert "lstm came from elsewhere" not in err
    with Workspace(tmp_path / "workspace", read_only=True) as opened:
        spec = {one["encoder"]: opened.run(one["runs"][0]).spec["training"] for one in told}
    assert {name: (how["optimizer"], how["learning_rate"], how["epochs"], how["batch"])
            for name, how in spec.items()} == {
        "gpt": ("adamw", 5e-5, 1, 32), "lstm": ("auto", 3e-3, 1, 32),
    }  # fmt: skip
    assert main([*say, "task-relation", "classify"]) == 0
    assert "fine-tuned, Learning rate 5e-05, Optimiser adamw" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("task", "more", "said"),
    [
        ("tag", ["ngram"], "stretches of text"), ("classify", ["lstm 50"], "no finished model"),
        ("classify", ["ngram", "--template", "好"], "needs {text}"),
    ],
    ids=["tags", "no model", "no text"],
)  # fmt: skip
def test_prompts_are_refused_before_anything_is_trained(ws, capsys, task, more, said):
    known = [run.id for run in ws.runs(tuned=True)]
    say = ["--workspace", str(ws.folder), "task-scaling", task]
    ws.close()
    assert main([*say, "--encoders", "lstm 100", "--zero-shot", *more]) == 1
    assert said in capsys.readouterr().err
    with Workspace(ws.folder, read_only=True) as again:
        assert [run.id for run in again.runs(tuned=True)] == known
