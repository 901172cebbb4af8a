"""Pre-training goes on with the texts of a task, cut as the encoder's were, before it is tuned."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from lmstudio.cli import main
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    exchange,
    finetuning,
    predicting,
    runs,
    segmentations,
    task_pretraining,
    training,
)
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training import assembly, measuring
from lmstudio.training.plan import Speed
from lmstudio.training.task_config import TaskConfig
from tests.operations.families import network
from tests.operations.test_finetuning import HOW, add_task

TEXT = "我爱北京天安门。\n他爱上海的春天。\n" * 20


@pytest.fixture
def encoder(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    cut = segmentations.create(workspace, "短文", options, job=Job()).new_id
    return training.train(workspace, cut, network("lstm"), name="encoder", job=Job()).new_id


@pytest.fixture
def own_words(workspace, tmp_path):
    """An encoder on words of jieba, with a dictionary and a stop word of the user's own."""
    words, stopped = tmp_path / "mine.txt", tmp_path / "stop.txt"
    words.write_text("的春天 9000 n\n", encoding="utf-8")
    stopped.write_text("他\n", encoding="utf-8")
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    cut = segmentations.create(workspace, "短文", SegmentOptions(by="jieba", hmm=False),
                               dictionary=words, stop_words=stopped, job=Job()).new_id  # fmt: skip
    return training.train(workspace, cut, network("lstm"), name="encoder", job=Job()).new_id


def vocabulary(ws, run):
    return Vocabulary.load(ws.segmentation_folder(ws.run(run).segmentation_id)).types


def test_it_is_trained_and_then_fine_tuned(workspace, encoder):
    add_task(workspace, "classify")
    chain = task_pretraining.queue_chain(workspace, 1, encoder, TaskConfig(), HOW, seeds=2,
                                         job=Job())  # fmt: skip
    first, *tuned = chain.runs
    assert first == chain.pretrained
    assert [run.parent for run in chain.runs] == [encoder, first.id, first.id]
    assert "texts of task classify" in str(chain.notes[0])
    for run in chain.runs:
        training.start(workspace, run.id, job=Job())
    run = workspace.run(first.id)
    assert (run.state, run.task) == ("done", None)
    assert all(workspace.evaluation(one.id, "test") for one in tuned)


def test_it_is_cut_as_the_encoder_with_all_of_its_vocabulary(workspace, own_words):
    add_task(workspace, "classify")
    first = task_pretraining.pretrain_on(workspace, 1, own_words, job=Job()).new_id
    before, now = vocabulary(workspace, own_words), vocabulary(workspace, first)
    assert "的春天" in now  # a word of the user's dictionary
    assert "天安门" in now  # of the encoder, in no text of the task
    assert now[: len(before)] == before
    assert "很" in set(now) - set(before)  # of the task alone
    cut = workspace.segmentation(workspace.run(first).segmentation_id)
    assert cut.facts["dictionary"]["words"] == 1
    assert cut.facts["stop_words"]["words"] == 1
    assert "他" not in now
    plan = segmentations.cut_plan(workspace, cut)
    assert plan.dictionary.read_text(encoding="utf-8") == "的春天 9000 n\n"


def test_each_text_is_a_document_once(workspace, encoder):
    row = add_task(workspace, "pair")
    first = task_pretraining.pretrain_on(workspace, row.id, encoder, job=Job()).new_id
    cut = workspace.segmentation(workspace.run(first).segmentation_id)
    corpus = workspace.corpus(cut.corpus_id)
    assert corpus.documents == 12 + 1  # the second text is the same everywhere
    assert corpus.lines_rule == "paragraph"


def test_the_same_texts_are_not_learned_twice(workspace, encoder):
    add_task(workspace, "tag")
    one = task_pretraining.queue_chain(workspace, 1, encoder, TaskConfig(kind="tag"), HOW,
                                       job=Job())  # fmt: skip
    training.start(workspace, one.pretrained.id, job=Job())
    again = task_pretraining.queue_chain(workspace, 1, encoder, TaskConfig(kind="tag", crf=True),
                                         HOW, job=Job())  # fmt: skip
    assert again.pretrained.id == one.pretrained.id
    assert [run.task for run in again.runs] == [1]
    assert "before" in str(again.notes[0])
    assert len(workspace.corpora()) == 2
    assert [row.by_product for row in workspace.corpora()] == [False, True]


def test_the_estimate_of_a_chain_has_both_steps(workspace, encoder, monkeypatch):
    """At half a second a step: as many steps as the texts have characters beside the corpus."""
    for timed in (assembly, measuring):
        monkeypatch.setattr(timed, "measure", lambda *_, **__: Speed(0.5, 0.0))
    row = add_task(workspace, "classify")
    spec = finetuning.spec_for(workspace, row, encoder, {}, asdict(HOW))
    found = task_pretraining.estimate_chain(workspace, row.id, encoder, spec, job=Job())
    assert found.tuned == finetuning.estimate(workspace, row.id, encoder, spec, job=Job())
    chain = task_pretraining.queue_chain(workspace, row.id, encoder, TaskConfig(), HOW, job=Job())
    training.start(workspace, chain.pretrained.id, job=Job())
    steps = workspace.run(chain.pretrained.id).step
    assert found.first == pytest.approx(0.5 * steps, rel=0.6)
    again = task_pretraining.estimate_chain(workspace, row.id, encoder, spec, job=Job())
    assert again.first == 0.0


def test_what_waits_for_an_encoder_that_came_to_nothing_fails(workspace, encoder):
    add_task(workspace, "classify")
    chain = task_pretraining.queue_chain(workspace, 1, encoder, TaskConfig(), HOW, job=Job())
    with pytest.raises(AppError, match="no finished model"):
        training.start(workspace, chain.runs[1].id, job=Job())
    assert workspace.run(chain.runs[1].id).state == "failed"


def test_a_wrong_setting_makes_nothing(workspace, encoder):
    add_task(workspace, "tag")
    with pytest.raises(AppError):
        task_pretraining.queue_chain(workspace, 1, encoder, TaskConfig(length=0), HOW, job=Job())
    assert len(workspace.corpora()) == 1
    assert not finetuning.spec_for(workspace, workspace.task(1), encoder, {}, {}).task.crf


@pytest.mark.parametrize("name", ["hf_ok", "hf_no_mlm_head"])
def test_an_imported_encoder_is_tuned_and_goes_on_first(workspace, cases, name):
    """It begins with the weights that were imported, and goes on at the rate for large models."""
    imported = exchange.import_model(workspace, cases / name, job=Job()).new_id
    assert finetuning.usual_way(workspace, imported) == "published"
    for kind in ("classify", "qa"):
        add_task(workspace, kind)
        [row] = finetuning.queue_tuning(workspace, f"task {kind}", imported,
                                        TaskConfig(kind=kind, tuned=0, length=64), HOW)  # fmt: skip
        training.start(workspace, row.id, job=Job())
        assert workspace.evaluation(row.id, "test")
    ids = list(range(3, 9))
    tables = [segmentations.lookup(workspace, run, ids, job=Job()).rows
              for run in (imported, row.id)]  # fmt: skip
    np.testing.assert_array_equal(*tables)
    found = predicting.predict(workspace, row.id, ["我爱北京"], ["京"], job=Job())
    assert found[0].answers
    chain = task_pretraining.queue_chain(workspace, "task classify", imported, TaskConfig(), HOW,
                                         job=Job())  # fmt: skip
    spec = runs.spec_of(workspace, chain.pretrained.id)
    assert spec.training.learning_rate == task_pretraining.RATE
    assert vocabulary(workspace, chain.pretrained.id) == vocabulary(workspace, imported)
    short = replace(spec, training=replace(spec.training, max_steps=2, batch=4))
    workspace.update_run(chain.pretrained.id, spec=short.to_json())
    for run in chain.runs:
        training.start(workspace, run.id, job=Job())
    assert workspace.evaluation(chain.runs[-1].id, "test")


def test_the_verb_goes_on_first_too(workspace, encoder, capsys):
    add_task(workspace, "tag")
    words = ["finetune", "encoder", "--on", "task tag", "--pretrain", "--minutes", "0.01", "--json"]
    workspace.close()
    assert main(["--workspace", str(workspace.folder), *words]) == 0
    told = capsys.readouterr()
    [run] = json.loads(told.out)
    assert run["scores"]["test"]["f1"] >= 0
    first, then = (line for line in told.err.splitlines() if "ing, with the settings" in line)
    assert first.startswith("Pre-training, with the settings of encoder: about ")
    assert then == "Fine-tuning, with the settings given here: about < 1 s a run."  # --minutes
    assert "encoder+task-tag goes on pre-training from encoder on the 12 texts of task" in told.err
    assert "The corpus task-tag-texts and the run encoder+task-tag are new" in told.err
    with Workspace(workspace.folder, read_only=True) as ws:
        assert not runs.spec_of(ws, "encoder+task-tag").training.minutes
