"""The table of layouts: what a run can be written as, why not, and what is refused."""

import pytest

from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.operations import (
    corpora,
    exporting,
    finetuning,
    segmentations,
    tasks,
    training,
)
from lmstudio.operations.export_format import ExportOptions
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.gui.panels.tuned_workspace import encoder, trained
from tests.operations.families import network

TEXT = "\n".join(["我爱北京。", "我爱上海。", "他爱我。"] * 20)


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(), name="s", job=Job())
    return workspace


@pytest.fixture
def run(cut):
    training.train(cut, "s", RunSpec("ngram", NgramConfig(2)), name="two", job=Job())
    return cut.run("two")


def test_a_run_knows_the_layouts_that_it_can_have(cut, run):
    assert exporting.why_not(cut, run, "arpa") is None
    assert "only BERT and GPT" in str(exporting.why_not(cut, run, "huggingface"))


def test_refused_before_anything_is_written(cut, run, tmp_path):
    with pytest.raises(AppError, match="only BERT and GPT"):
        exporting.export(cut, "two", "huggingface", tmp_path / "out", job=Job())
    with pytest.raises(AppError, match="layer means nothing to the layout arpa"):
        exporting.export(cut, "two", "arpa", tmp_path / "out", ExportOptions(layer=1), job=Job())
    with pytest.raises(SpecError, match="must be at least 0"):
        exporting.export(cut, "two", "arpa", tmp_path / "out", ExportOptions(layer=-1), job=Job())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("model", ["ngram", "rnn", "bert", "gpt"])
def test_a_refusal_names_the_layouts_that_the_run_can_have(cut, tmp_path, model):
    spec = RunSpec("ngram", NgramConfig(2)) if model == "ngram" else network(model)
    training.train(cut, "s", spec, name="net", job=Job())
    run = cut.run("net")
    can = [name for name in exporting.FORMATS if exporting.why_not(cut, run, name) is None]
    assert {"run", "sheet"} <= set(can)
    assert ("arpa" in can, "huggingface" in can) == (model == "ngram", model in ("bert", "gpt"))
    for name in set(exporting.FORMATS) - set(can):
        with pytest.raises(AppError) as refused:
            exporting.export(cut, "net", name, tmp_path / "out", job=Job())
        assert f"with --format {', '.join(can)}." in str(refused.value)


def test_a_run_without_a_model_is_written_in_no_layout(cut, tmp_path):
    training.queue_run(cut, "s", RunSpec("ngram", NgramConfig(2)), name="new")
    with pytest.raises(AppError, match=r"no finished model or checkpoint yet\.$"):
        exporting.export(cut, "new", "arpa", tmp_path / "out", job=Job())


def test_nothing_is_written_among_the_files_of_the_workspace(cut, run):
    for place in (cut.folder / "two.arpa", cut.folder / "runs" / "9" / "two.arpa"):
        with pytest.raises(AppError, match="Choose a folder outside it"):
            exporting.export(cut, "two", "arpa", place, job=Job())
        assert not place.exists()


def test_scores_that_are_no_probabilities_are_no_arpa_file(cut):
    spec = RunSpec("ngram", NgramConfig(2, "stupid-backoff"))
    training.train(cut, "s", spec, name="scores", job=Job())
    assert "back-off weights" in str(exporting.why_not(cut, cut.run("scores"), "arpa"))


def test_the_card_tells_the_step_of_the_weights_and_all_may_be_read_alike(cut, tmp_path):
    training.train(cut, "s", network("bert"), name="small", job=Job())
    run = cut.run("small")
    cut.update_run(run.id, facts=run.facts | {"best_step": 2})
    exporting.export(cut, "small", "huggingface", tmp_path / "out", job=Job())
    assert "- Step: 2\n" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode
    files = [*(tmp_path / "out").iterdir(), *cut.run_folder(run.id).glob("checkpoints/*/*")]
    assert len({path.stat().st_mode for path in files}) == 1


@pytest.mark.parametrize("kind", ["classify", "qa"])
def test_the_card_of_a_fine_tuned_run_tells_its_task(workspace, tmp_path, kind):
    (number,) = trained(workspace, kind)
    exporting.export(workspace, number, "huggingface", tmp_path / "out", job=Job())
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    told = dict(line[2:].split(": ", 1) for line in card.splitlines() if line.startswith("- "))
    measure = {"classify": "accuracy", "qa": "exact match"}[kind]
    figures = workspace.evaluation(number, "test")
    assert told["Task"] == f"{kind} ({kind})"
    assert told["Examples"] == "train 8, valid 4, test 8"
    assert told["Split of the task"] == "as the files give it"
    assert told["Encoder"] == "bert"
    assert told[f"{measure} (test)"] == f"{figures['accuracy' if kind == 'classify' else 'em']:.4f}"
    assert f"{measure} (valid)" in told
    assert told.get("Labels of the model") == {"classify": "坏, 好", "qa": None}[kind]
    assert told.get("Majority baseline (test)") == {"classify": "0.5000", "qa": None}[kind]
    assert card.count("'我爱北京'") == {"classify": 1, "qa": 2}[kind]
    assert "- perplexity" not in card


def test_the_card_tells_which_part_of_a_task_was_held_out(workspace, tmp_path):
    begun = encoder(workspace)
    rows = [f"我去{n}\t{'甲乙'[n % 2]}" for n in range(20)]
    (tmp_path / "rows.tsv").write_text("\n".join(rows), encoding="utf-8")
    tasks.import_task(workspace, "rows", files={"train": [tmp_path / "rows.tsv"]}, job=Job())
    how = TrainingConfig(epochs=1, patience=0)
    (run,) = finetuning.queue_tuning(workspace, "rows", begun, TaskConfig(), how)
    training.start(workspace, run.id, job=Job())
    exporting.export(workspace, run.id, "huggingface", tmp_path / "out", job=Job())
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "The valid part is 10% of the training part, drawn with the seed 1." in card
