"""Files of runs that were made by hand, damaged, or stopped halfway: nothing is left of them."""

import hashlib
import json
import shutil
import zipfile

import pytest

from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import corpora, run_files, runs, segmentations, training
from lmstudio.operations.run_recorder import LOGGED_TO
from lmstudio.store.workspace import Workspace
from tests.operations.families import network
from tests.operations.test_run_files import TEXT, everything, sent


@pytest.fixture
def other(tmp_path):
    with Workspace(tmp_path / "另一个") as opened:
        yield opened


def rewritten(path, change):
    """The file with its rows changed, and a manifest that is right about it."""
    with zipfile.ZipFile(path) as inside:
        entries = {name: inside.read(name) for name in inside.namelist()}
    manifest = json.loads(entries.pop("manifest.json"))
    rows = json.loads(entries["rows.json"])
    before = entries["rows.json"]
    change(rows, entries)
    if entries.get("rows.json") == before:
        entries["rows.json"] = json.dumps(rows).encode()
    manifest["files"] = {name: [len(data), hashlib.sha256(data).hexdigest()]
                         for name, data in entries.items()}  # fmt: skip
    with zipfile.ZipFile(path, "w") as out:
        for name, data in entries.items():
            out.writestr(name, data)
        out.writestr("manifest.json", json.dumps(manifest))
    return path


def set_in(*keys):
    *path, last, value = keys

    def change(rows, _):
        for key in path:
            rows = rows[key]
        rows[last] = value

    return change


HEADER = (1 << 40).to_bytes(8, "little")
DAMAGES = {
    "id": set_in("corpus", "id", "7; drop table run"),
    "huge": set_in("runs", 0, "row", "step", 1 << 70),
    "half": set_in("runs", 0, "row", "note", "\ud800"),
    "state": set_in("runs", 0, "row", "state", "winning"),
    "model": set_in("runs", 0, "row", "spec", {"model": "os.system"}),
    "spec": set_in("runs", 0, "row", "spec", "config", {"width": -1}),
    "metric": set_in("runs", 0, "metrics", {"loss": [["x", 0, 0]]}),
    "part": set_in("runs", 0, "evaluations", {"../x": {}}),
    "tag": set_in("runs", 0, "tags", ["a\nb"]),
    "cut": set_in("segmentation", "facts", {}),
    "options": set_in("segmentation", "facts", "options", {"by": "nothing"}),
    "vocabulary": set_in("segmentation", "vocabulary", 3),
    "task": set_in("task", {"id": 1}),
    "no run": set_in("runs", []),
    "names": set_in("runs", 0, "row", "facts", "labels", {"a": 1}),
    "notes": set_in("runs", 0, "row", "facts", "notes", "much"),
    "steps": set_in("runs", 0, "row", "facts", "steps_per_epoch", "5"),
    "made": set_in("runs", 0, "row", "facts", "made_with", ["python"]),
    "scores": set_in("runs", 0, "evaluations", "test", "perplexity", "low"),
    "no scores": set_in("runs", 0, "evaluations", "test", {}),
    "tokens": set_in("segmentation", "facts", "tokens", None),
    "axis": set_in("segmentation", "facts", "axis", "of evil"),
    "counts": set_in("segmentation", "facts", "parts", "test", {"tokens": "5"}),
    "leaks": set_in("corpus", "facts", "leaks", {"test": {"share": 1.0}}),
    "lists": set_in("runs", {"a": 1}),
    "wide": set_in("runs", 0, "row", "spec", "config", "width", 4096),
    "strange": lambda _, entries: entries.update({"runs/0/evil.py": b"x"}),
    "header": lambda _, entries: entries.update(
        {"runs/0/checkpoints/best/weights.safetensors": HEADER + b"{}"}
    ),
    "words": lambda _, entries: entries.update({"segmentation/vocab.json": b'{"types": [1]}'}),
    "meta": lambda _, entries: entries.update({"segmentation/meta.json": b"[]"}),
    "speller": lambda _, entries: entries.update({"corpus/speller.ngram": b"x" * 99}),
}  # fmt: skip


@pytest.fixture(scope="module")
def one_file(tmp_path_factory):
    """The file of an LSTM."""
    folder = tmp_path_factory.mktemp("file")
    with Workspace(folder / "w") as ws:
        corpora.import_text(ws, TEXT, name="短文", job=Job())
        options = segmentations.SegmentOptions(by="characters")
        cut = segmentations.create(ws, "短文", options, name="字", job=Job()).new_id
        training.train(ws, cut, network("lstm"), name="网", job=Job())
        return sent(ws, "网", folder / "网.lmrun")


@pytest.mark.parametrize("damage", DAMAGES)
def test_rows_and_files_that_are_made_up_are_refused_and_leave_nothing(
    one_file, other, tmp_path, damage
):
    path = rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), DAMAGES[damage])
    with pytest.raises(AppError):
        run_files.import_run(other, path, job=Job())
    assert everything(other) <= {"runs", "corpora", "segmentations"}
    assert (other.corpora(), other.segmentations(), other.runs(), other.tasks()) == ([], [], [], [])


@pytest.mark.parametrize(
    "name",
    [
        "rows.json",
        "segmentation/vocab.json",
        "segmentation/meta.json",
        "runs/0/checkpoints/best/weights.safetensors",
    ],
)
@pytest.mark.parametrize("data", [None, b"", b"[]", b"null"], ids=["none", "empty", "list", "null"])
def test_what_is_wrong_inside_is_told_of_the_file_that_the_user_has(
    one_file, other, tmp_path, name, data
):
    def change(_, entries):
        entries[name] = data
        if data is None:
            del entries[name]

    path = rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), change)
    with pytest.raises(AppError) as told:
        run_files.import_run(other, path, job=Job())
    assert str(told.value).startswith(f"{path} cannot be used: {name} in it is missing or damaged.")


def test_a_run_without_any_model_is_refused(one_file, other, tmp_path):
    def change(_, entries):
        for name in [name for name in entries if "/checkpoints/" in name]:
            del entries[name]

    path = rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), change)
    with pytest.raises(AppError, match="runs/0/checkpoints in it is missing"):
        run_files.import_run(other, path, job=Job())


def test_facts_that_nothing_reads_do_not_come_with_it(one_file, other, tmp_path):
    change = set_in("runs", 0, "row", "facts", "later", {"deep": [1]})
    run_files.import_run(
        other, rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), change), job=Job()
    )
    assert "later" not in other.run(1).facts


def test_a_place_to_write_to_does_not_come_with_it(one_file, other, tmp_path):
    def change(rows, _):
        rows["runs"][0]["row"]["facts"][LOGGED_TO] = "../../elsewhere"

    path = rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), change)
    run = run_files.import_run(other, path, job=Job()).new_id
    assert LOGGED_TO not in other.run(run).facts


def test_sentences_that_would_fill_in_more_than_values_are_left_out(one_file, other, tmp_path):
    def change(rows, _):
        facts = rows["runs"][0]["row"]["facts"]
        facts["notes"] = [["{a:999999999}", {"a": 1}], ["{a.__class__}", {"a": 1}],
                          ["{a}", {"a": {"message": ["{b:999999999}", {"b": 1}]}}], 7,
                          ["Unknown: {count:,}", {"count": 3}]]  # fmt: skip
        facts["why_ended"] = ["{x}", {}]

    path = rewritten(shutil.copy(one_file, tmp_path / "x.lmrun"), change)
    run = run_files.import_run(other, path, job=Job()).new_id
    assert [str(note) for note in runs.notes(other.run(run).facts)] == ["Unknown: 3"]
    assert other.run(run).facts["why_ended"] == ["", {}]


@pytest.mark.parametrize("acts", range(0, 16, 2))
def test_a_stop_at_any_point_leaves_nothing(one_file, other, acts):
    class Stopped(Job):
        left = acts

        def check(self):
            self.left -= 1
            if self.left < 0:
                self.cancel()
            super().check()

    try:
        run_files.import_run(other, one_file, job=Stopped())
    except Cancelled:
        assert everything(other) <= {"runs"}
        assert other.runs() == []
    else:
        assert acts > 8


def test_a_failure_while_rows_are_added_leaves_nothing(one_file, other, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(other, "add_metrics", full)
    with pytest.raises(OSError, match="No space"):
        run_files.import_run(other, one_file, job=Job())
    assert everything(other) <= {"runs", "corpora", "segmentations"}
    assert (other.corpora(), other.segmentations(), other.runs()) == ([], [], [])


def test_a_name_is_free_or_refused(one_file, other):
    run_files.import_run(other, one_file, job=Job())
    run_files.import_run(other, one_file, job=Job())
    assert [run.name for run in other.runs()] == ["网", "网 2"]
    with pytest.raises(AppError, match="taken"):
        run_files.import_run(other, one_file, name="网", job=Job())
