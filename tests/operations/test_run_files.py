"""A run goes to another workspace as one file, and answers there as it did here."""

import json
import re

import pytest

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    evaluation,
    exporting,
    findings,
    finetuning,
    predicting,
    run_files,
    runs,
    segmentations,
    tags,
    task_scores,
    tasks,
    training,
    vector_files,
)
from lmstudio.operations.export_format import ExportOptions
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.gui.panels import tuned_workspace
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20
ALL = ExportOptions(all=True)
QUESTIONS = {
    "sentence": {"text": "我爱罕见的春天。", "words": "tokens"}, "next": {"text": "我爱"},
    "generate": {"text": "我", "options": {"count": 1, "length": 5, "seed": 3}},
    "fill": {"text": "我爱北京", "blanks": [[1, 2]]}, "neighbors": {"text": "京"},
    "similarity": {"words": ["京", "海"]}, "attention": {"text": "我爱北京"},
    "inside": {"text": "我爱北京"}, "lens": {"text": "我爱北京"},
    "sentences": {"sentences": ["我爱北京", "他爱上海"]},
}  # fmt: skip


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = segmentations.SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


@pytest.fixture
def other(tmp_path):
    with Workspace(tmp_path / "另一个") as opened:
        yield opened


def sent(ws, run, path, options=None):
    exporting.export(ws, run, "run", path, options, job=Job())
    return path


def answer(ws, run, kind, question):
    """What a run answers, or why it cannot; the time that it took is left out."""
    ask = findings._answering(kind)
    try:
        found = ask(ws, run, **findings._arguments(kind, question), job=Job())
    except AppError as error:
        found = str(error)
    told = json.dumps(findings.plain(found), ensure_ascii=False, sort_keys=True)
    return re.sub(r'"seconds": [\d.e-]+', "", told)


def everything(ws):
    """All files below a workspace, those of the database left out."""
    return {path.relative_to(ws.folder).as_posix() for path in ws.folder.rglob("*")
            if not path.name.startswith("workspace.")}  # fmt: skip


@pytest.mark.parametrize("model", ["ngram", "lstm", "elmo", "gpt", "bert"])
def test_it_answers_every_question_as_before(workspace, cut, other, tmp_path, model):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 3}})
    spec = spec if model == "ngram" else network(model)
    run = training.train(workspace, cut, spec, name="原", job=Job()).new_id
    tags.set_tags(workspace, "run", run, ["课堂"])
    runs.note(workspace, run, "好")
    path = sent(workspace, "原", tmp_path / "一次.lmrun")
    changes = run_files.import_run(other, path, job=Job())
    assert (changes.corpora, changes.segmentations, changes.runs) == (True, True, True)
    (before,), (after,) = runs.runs(workspace), runs.runs(other)
    for name in ("name", "model", "spec", "state", "parameters", "seconds", "step", "facts", "note",
                 "tags", "valid", "test", "segmentation", "corpus"):  # fmt: skip
        assert after[name] == before[name], name
    for name in workspace.metric_names(run):
        assert other.metrics(1, name) == workspace.metrics(run, name)
    for kind, question in QUESTIONS.items():
        here, there = (answer(ws, "原", kind, question) for ws in (workspace, other))
        of_pairs_in_the_text = kind == "sentences" and "needs the text of the corpus" in there
        assert there == here or of_pairs_in_the_text, kind
    assert not list((other.folder / "runs").glob("*.tmp"))


def test_what_needs_the_text_says_so(workspace, cut, other, tmp_path):
    training.train(workspace, cut, network("lstm"), name="网", job=Job())
    run_files.import_run(other, sent(workspace, "网", tmp_path / "a.lmrun"), job=Job())
    known = evaluation.evaluate(other, "网", "test", job=Job())  # came with it
    assert known == workspace.evaluation(1, "test")
    for ask in (
        lambda: evaluation.evaluate(other, "网", "train", job=Job()),
        lambda: training.train(other, 1, network("lstm"), job=Job()),
        lambda: segmentations.create(
            other, 1, segmentations.SegmentOptions(by="characters"), job=Job()
        ),
        lambda: corpora.documents_csv(other, 1, tmp_path / "d.csv", job=Job()),
    ):
        with pytest.raises(AppError, match="needs the text of the corpus, which is not here"):
            ask()
    with pytest.raises(AppError, match="last checkpoint of 网 is not here"):
        training.prolong(other, "网", epochs=1)


def test_a_workspace_with_the_same_text_takes_the_run_onto_it(workspace, cut, tmp_path):
    training.train(workspace, cut, network("lstm"), name="网", job=Job())
    path = sent(workspace, "网", tmp_path / "a.lmrun", ALL)
    changes = run_files.import_run(workspace, path, job=Job())
    assert not changes.corpora
    assert workspace.run("网 2").segmentation_id == cut
    workspace.drop_evaluations(2)
    assert evaluation.evaluate(workspace, "网 2", "test", job=Job()) == workspace.evaluation(
        1, "test"
    )
    straight, again = (
        (
            training.continue_run(workspace, run, max_steps=4, job=Job()),
            workspace.metrics(run, "loss"),
        )
        for run in (1, 2)
    )
    assert [(step, loss) for step, _, loss in again[1]] == [
        (step, loss) for step, _, loss in straight[1]
    ]  # the training goes on exactly


def test_runs_of_one_segmentation_stand_together(workspace, cut, other, tmp_path):
    for name in ("一", "二"):
        training.train(workspace, cut, network("lstm"), name=name, job=Job())
        run_files.import_run(other, sent(workspace, name, tmp_path / "a.lmrun"), job=Job())
    assert len(other.corpora()) == len(other.segmentations()) == 1
    assert [run.name for run in other.runs(1)] == ["一", "二"]
    path = sent(other, "二", tmp_path / "b.lmrun")  # what came as a file can be sent on
    with Workspace(tmp_path / "third") as third:
        run_files.import_run(third, path, name="三", job=Job())
        assert third.run("三").parameters == other.run("二").parameters
        run_files.import_run(third, sent(workspace, "一", tmp_path / "c.lmrun"), job=Job())
        assert len(third.corpora()) == 1


@pytest.mark.parametrize("whole", [False, True])
def test_a_fine_tuned_run_comes_with_its_task_and_its_encoder(workspace, other, tmp_path, whole):
    (run,) = tuned_workspace.trained(workspace, "classify")
    before = predicting.predict(workspace, run, ["北京很好看", "上海太难看"], job=Job())
    path = sent(workspace, run, tmp_path / "调.lmrun", ExportOptions(all=whole))
    changes = run_files.import_run(other, path, job=Job())
    row = other.run(changes.new_id)
    assert (row.name, other.run(row.parent).name) == ("classify run", "bert")
    assert other.task(row.task).name == "classify"
    assert predicting.predict(other, row.id, ["北京很好看", "上海太难看"], job=Job()) == before
    assert other.evaluation(row.id, "test") == workspace.evaluation(run, "test")
    assert ("report" in other.task(row.task).facts) == whole  # it quotes examples
    score = lambda: task_scores.score_part(other, row.id, "test", job=Job())  # noqa: E731
    how = TrainingConfig(epochs=1, batch=8)
    tuned = finetuning.queue_tuning(other, row.task, row.parent, TaskConfig(length=16), how)[0]
    if whole:
        score()
        assert other.evaluation(row.id, "test") == workspace.evaluation(run, "test")
        training.start(other, tuned.id, job=Job())
        assert other.run(tuned.id).state == "done"
    else:
        with pytest.raises(AppError, match="did not come with the run that it is of"):
            tasks.report(other, row.task)
        for ask in (score, lambda: training.start(other, tuned.id, job=Job())):
            with pytest.raises(AppError, match="needs the examples of the task"):
                ask()


def test_an_imported_language_model_is_fine_tuned_without_its_corpus(
    workspace, cut, other, tmp_path
):
    training.train(workspace, cut, network("bert"), name="伯特", job=Job())
    run_files.import_run(other, sent(workspace, "伯特", tmp_path / "a.lmrun"), job=Job())
    rows = tuned_workspace._easy("classify")
    tasks.add_examples(other, "任务", "classify", {"train": rows, "valid": rows[:4]}, job=Job())
    how = TrainingConfig(epochs=1, batch=8)
    (run,) = finetuning.queue_tuning(other, "任务", "伯特", TaskConfig(length=16), how)
    training.start(other, run.id, job=Job())
    assert other.run(run.id).state == "done"


def test_vectors_that_came_in_a_file_go_on_in_another(workspace, cut, other, tmp_path):
    lines = [f"{word} {number} 1 0.5" for number, word in enumerate("我爱北京")]
    (tmp_path / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    run = vector_files.import_vectors(
        workspace, tmp_path / "v.txt", name="向量", segmentation=cut, job=Job()
    ).new_id
    run_files.import_run(other, sent(workspace, run, tmp_path / "a.lmrun"), job=Job())
    here, there = (answer(ws, "向量", "neighbors", {"text": "京"}) for ws in (workspace, other))
    assert here == there
    assert "lacks" not in here


def test_a_run_without_a_model_cannot_be_written(workspace, cut, tmp_path):
    training.queue_run(workspace, cut, network("lstm"), name="空")
    with pytest.raises(AppError, match="no finished model"):
        sent(workspace, "空", tmp_path / "a.lmrun")
    assert exporting.why_not(workspace, workspace.run("空"), "run") is not None
