"""What a workspace takes is told by kinds that add up; what is had back is needed by nobody."""

import csv
import threading

import pytest

from lmstudio.errors import AppError, WorkspaceError
from lmstudio.files import folder_bytes
from lmstudio.jobs import Job
from lmstudio.operations import (
    comparison,
    corpora,
    disk,
    evaluation,
    runs,
    segmentations,
    training,
)
from lmstudio.training.fit_ngram import fit_speller
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 20


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = segmentations.SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


@pytest.fixture
def trained(workspace, cut):
    training.train(workspace, cut, network("lstm"), name="网", job=Job())
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    training.train(workspace, cut, spec, name="二元", job=Job())
    comparison.against(workspace, "网", "二元", part="test", job=Job())  # keeps bits
    return workspace


def measured(ws):
    return disk.disk(ws, job=Job())


def test_the_kinds_add_up_to_what_the_folders_take(trained):
    found = measured(trained)
    assert {use.noun for use in found.uses} == {"corpus", "segmentation", "run"}
    network_use = next(use for use in found.uses if use.name == "网")
    folder = trained.run_folder(network_use.id)
    assert network_use.total == folder_bytes(folder)
    assert network_use.bytes["last"] == folder_bytes(folder / "checkpoints" / "last")
    assert network_use.bytes["model"] == folder_bytes(folder / "checkpoints" / "best")
    assert set(network_use.bytes) == {"model", "last", "film", "cache", "other"}
    assert found.by_kind()["last"] == found.reclaimable["checkpoints"] == network_use.bytes["last"]
    assert found.total == folder_bytes(trained.folder)
    assert found.total == sum(use.total for use in found.lines())
    assert [use.total for use in found.uses] == sorted((u.total for u in found.uses), reverse=True)


def test_last_checkpoints_of_done_runs_are_had_back_and_it_is_told_what_that_means(trained):
    before = measured(trained).reclaimable["checkpoints"]
    figures = trained.evaluation(1, "test")
    changes = disk.reclaim(trained, "checkpoints", job=Job())
    assert "is free again" in str(changes.notes[0])
    assert before > 0
    assert measured(trained).reclaimable["checkpoints"] == 0
    assert not (trained.run_folder(1) / "checkpoints" / "last").exists()
    assert list(trained.run_folder(1).glob("*.tmp")) == []
    evaluation.evaluate_again(trained, "网", job=Job())
    assert trained.evaluation(1, "test") == figures
    with pytest.raises(AppError, match=r"last checkpoint of 网 is not here.*--warm-start"):
        training.prolong(trained, "网", epochs=1)
    assert trained.run(1).state == "done"
    changes = training.start(
        trained, training.queue_run(trained, 1, network("lstm"), warm_start="网").id, job=Job()
    )
    assert trained.run(changes.new_id).state == "done"


@pytest.mark.parametrize("state", ["stopped", "interrupted", "failed", "queued"])
def test_an_unfinished_run_keeps_what_it_goes_on_from(trained, state):
    trained.update_run(1, state=state)
    disk.reclaim(trained, "checkpoints", job=Job())
    disk.reclaim(trained, "caches", job=Job())
    assert runs.has_last(trained, trained.run(1))
    if state != "queued":
        training.continue_run(trained, 1, max_steps=4, job=Job())
        assert trained.run(1).step == 8


def test_a_run_without_a_whole_best_checkpoint_keeps_its_last(trained):
    (trained.run_folder(1) / "checkpoints" / "best" / "weights.safetensors").unlink()
    disk.reclaim(trained, "checkpoints", job=Job())
    assert runs.has_last(trained, trained.run(1))


def test_nothing_is_had_back_while_a_run_is_trained(trained):
    trained.update_run(1, state="running")
    for what in ("checkpoints", "caches"):
        with pytest.raises(AppError, match="being trained"):
            disk.reclaim(trained, what, job=Job())
    with pytest.raises(AppError, match="There are: checkpoints, caches, trash, leftovers"):
        disk.reclaim(trained, "models", job=Job())


def test_caches_are_made_again_with_the_same_figures(trained):
    figures = comparison.against(trained, "网", "二元", part="test", job=Job())
    fit_speller(trained.corpus_folder(1), job=Job())
    assert list(trained.run_folder(1).glob("bits-*.npz"))
    disk.reclaim(trained, "caches", job=Job())
    assert measured(trained).by_kind()["cache"] == 0
    again = comparison.against(trained, "网", "二元", part="test", job=Job())
    assert again == figures


def test_the_speller_of_a_corpus_without_its_text_is_no_cache(trained):
    fit_speller(trained.corpus_folder(1), job=Job())
    (trained.corpus_folder(1) / "text.utf8").unlink()
    disk.reclaim(trained, "caches", job=Job())
    assert (trained.corpus_folder(1) / "speller.ngram").exists()


def test_the_trash_is_measured_and_emptied(trained):
    number = runs.delete(trained, "网").deleted[0]
    found = measured(trained)
    assert found.trash == {number: found.reclaimable["trash"]}
    assert found.reclaimable["trash"] > 1000
    assert disk.reclaim(trained, "trash", job=Job()).trash
    assert measured(trained).trash == {}


def test_what_a_kill_left_is_found_and_deleted(trained):
    runs.delete(trained, "二元")
    left = trained.run_folder(77)
    left.mkdir()
    (left / "model.ngram").write_bytes(b"x" * 500)
    assert measured(trained).reclaimable["leftovers"] == 500
    before = {path for path in trained.folder.rglob("*") if left not in (path, path.parent)}
    disk.reclaim(trained, "leftovers", job=Job())
    assert before == set(trained.folder.rglob("*"))


def test_the_table_is_saved(trained, tmp_path):
    found = measured(trained)
    disk.save_csv(found, tmp_path / "磁盘.csv", job=Job())
    with (tmp_path / "磁盘.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert (header[0], header[1], header[-1]) == ("Kind", "Name", "Total")
    assert [(row[1], int(row[-1])) for row in rows] == [(u.name, u.total) for u in found.lines()]


def test_folders_whose_rows_are_just_being_added_are_no_leftovers(trained):
    refused = []

    def free():
        trained.db.connection.execute("pragma busy_timeout = 0")  # else it waits for its turn
        try:
            disk.reclaim(trained, "leftovers", job=Job())
        except WorkspaceError as error:
            refused.append(error)

    with trained.db.transaction():
        folder = trained.run_folder(trained.add_run(1, "新的", "ngram", {}).id)
        folder.mkdir()
        thread = threading.Thread(target=free)
        thread.start()
        thread.join()
    assert refused
    disk.reclaim(trained, "leftovers", job=Job())
    assert folder.is_dir()
