"""Whatever is deleted stands in the trash, and comes back so that it can be asked as before."""

import pytest

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    evaluation,
    findings,
    predicting,
    runs,
    segmentations,
    tasks,
    training,
    trash,
)
from lmstudio.training.spec import RunSpec
from tests.gui.panels import tuned_workspace
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = segmentations.SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


def test_a_run_comes_back_with_its_figures_and_can_be_gone_on_with(workspace, cut):
    run = training.train(workspace, cut, network("lstm"), name="网", job=Job()).new_id
    before = runs.runs(workspace)
    changes = runs.delete(workspace, "网")
    assert (changes.runs, changes.trash) == (True, True)
    assert runs.runs(workspace) == []
    back = trash.restore(workspace, changes.deleted[0], job=Job())
    assert (back.runs, back.trash, back.deleted) == (True, True, ())
    assert [str(note) for note in back.notes] == ["网 is back."]
    assert runs.runs(workspace) == before
    figures = before[0]["test"]
    assert evaluation.evaluate_again(workspace, run, job=Job()).runs
    assert workspace.evaluation(run, "test") == figures
    training.continue_run(workspace, run, max_steps=4, job=Job())
    assert workspace.run(run).step == 8


def test_a_corpus_takes_all_with_it_and_brings_it_back(workspace, cut):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    training.train(workspace, cut, spec, name="二元", job=Job())
    changes = corpora.delete(workspace, "短文", job=Job())
    assert (changes.corpora, changes.segmentations, changes.runs) == (True, True, True)
    assert workspace.corpora() == workspace.segmentations() == workspace.runs() == []
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    back = trash.restore(workspace, "短文", job=Job())
    assert workspace.run(back.new_id).segmentation_id == cut  # selected with its corpus
    assert "called 短文 2" in str(back.notes[1])
    assert evaluation.evaluate(workspace, "二元", "test", job=Job())["perplexity"] > 1
    with pytest.raises(AppError, match="nothing called 短文"):
        trash.restore(workspace, "短文", job=Job())


def test_a_task_comes_back_with_its_fine_tuned_runs(workspace):
    (run,) = tuned_workspace.trained(workspace, "classify")
    before = predicting.predict(workspace, run, ["北京很好看"], job=Job())
    encoder = workspace.run(run).parent
    runs.delete(workspace, "bert")
    assert workspace.run(run).parent is None
    number = tasks.delete(workspace, "classify", job=Job()).deleted[0]
    assert workspace.tasks() == workspace.tuned_runs() == []
    trash.restore(workspace, number, job=Job())
    assert predicting.predict(workspace, run, ["北京很好看"], job=Job()) == before
    trash.restore(workspace, "bert", job=Job())
    assert workspace.run(run).parent == encoder


def test_a_finding_comes_back(workspace):
    kept = findings.save(workspace, "fill", "题", {"text": "x"}, {"网": {"p": 0.1}}).new_id
    changes = findings.delete(workspace, kept)
    assert findings.findings(workspace) == []
    assert trash.restore(workspace, changes.deleted[0], job=Job()).findings
    assert findings.finding(workspace, kept).answers == {"网": {"p": 0.1}}


def test_the_trash_is_emptied_wholly_or_in_part(workspace, cut):
    for name in ("一", "二"):
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": 1}})
        training.train(workspace, cut, spec, name=name, job=Job())
        runs.delete(workspace, name)
    assert [one.name for one in trash.deleted(workspace)] == ["二", "一"]
    assert trash.empty(workspace, ["一"], job=Job()).trash
    assert [one.name for one in trash.deleted(workspace)] == ["二"]
    trash.empty(workspace, job=Job())
    assert trash.deleted(workspace) == []
