"""A report of a problem holds what helps, and nothing of the user's texts, names and folders."""

import json
import logging
import os
import warnings
import zipfile
from pathlib import Path

import pytest

from lmstudio import cli, jobs
from lmstudio.jobs import Job
from lmstudio.log import logged_to
from lmstudio.operations import corpora, problem_report, segmentations, tasks, training
from lmstudio.scrubbed import LEFT_OUT, scrubbed
from lmstudio.store.settings import Settings, log_file
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

TEXT = "曹雪芹写了红楼梦。\nThe quick brown fox jumps.\n" * 30
SECRETS = ("曹雪芹", "红楼", "quick", "brown", "fox", "novel", "secret", "密", "甲乙")


@pytest.fixture
def filled(workspace, tmp_path):
    """A workspace whose every name is a secret, and settings that quote them."""
    file = tmp_path / "secret novel 密.txt"
    file.write_text(TEXT, encoding="utf-8")
    ws = workspace
    corpus = corpora.import_files(ws, [file], name="my secret novel", job=Job()).new_id
    options = SegmentOptions(by="characters")
    cut = segmentations.create(ws, corpus, options, name="cut of the novel", job=Job()).new_id
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    training.train(ws, cut, spec, name="run on the secret", job=Job())
    labelled = tmp_path / "secret.csv"
    rows = "".join(f"the fox {n},secret\n我是密{n},甲乙\n" for n in range(30))
    labelled.write_text(f"text,label\n{rows}", encoding="utf-8")
    tasks.import_task(ws, "fox task", "auto", {"train": [labelled]}, job=Job())
    settings = Settings(recent=[str(tmp_path / "secret")], searches=["红楼"], device="cpu")
    settings.remember_columns(["fox", "甲乙"], {"text": "fox"})
    return ws, file


def fail(*, job):
    raise KeyError("红楼 quick")


def open_again(path: Path, *, job):
    try:
        int(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise OSError(2, "No such file", str(path)) from error


def log_everything(file: Path, caplog) -> None:
    """What the program may say of a text: in errors, warnings, of Qt and of other libraries."""
    with logged_to(log_file()):
        for work in (lambda job: fail(job=job), lambda job: open_again(file, job=job)):
            jobs.run(Job("Train my secret novel"), work)
        log = logging.getLogger("lmstudio.gui.app")
        log.info("Qt: QFile::open: File (secret.txt) is missing")
        log.info("Qt: cannot open /a/b/my secret novel.txt: gone")
        log.info("reading %s failed", "zip", exc_info=ValueError("one\n    quick\n  brown fox"))
        logging.getLogger("jieba").warning("the secret novel")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("the quick brown fox", UserWarning, stacklevel=1)
    caplog.clear()


def test_nothing_of_the_user_is_in_it(filled, tmp_path, caplog):
    ws, file = filled
    log_everything(file, caplog)
    assert "红楼" in log_file().read_text(encoding="utf-8")
    report = problem_report.contents(ws, job=Job())
    path = problem_report.write(report, tmp_path / "out" / "a", job=Job())
    assert path.name == "a.zip"
    with zipfile.ZipFile(path) as zipped:
        found = {name: zipped.read(name).decode("utf-8") for name in zipped.namelist()}
    assert set(found) == {"versions.txt", "settings.json", "log.txt", "workspace.json"}
    everything = "\n".join(found.values())
    assert [secret for secret in SECRETS if secret in everything] == []
    for folder in (tmp_path, Path.home(), Path(os.environ["LMSTUDIO_HOME"])):
        assert str(folder) not in everything
    assert everything.isascii() or "[…]" in everything


def test_what_helps_is_in_it(filled, caplog):
    ws, file = filled
    log_everything(file, caplog)
    found = problem_report.contents(ws, job=Job())
    log = found["log.txt"]
    assert "KeyError: […]" in log
    assert "raise KeyError(" not in log, "its line is of a file that is not the program's"
    assert 'File "lmstudio/jobs.py"' in log
    assert "job.result = function(job)" in log
    assert "UserWarning" in log
    assert "torch" in found["versions.txt"]
    assert json.loads(found["settings.json"])["recent"] == 1
    assert json.loads(found["settings.json"])["device"] == "cpu"
    runs = json.loads(found["workspace.json"])["runs"]
    assert [(run["model"], run["state"], run["measured"]) for run in runs] == [
        ("ngram", "done", ["valid", "test"])
    ]
    assert runs[0]["bytes"] > 0


def test_lines_that_nobody_knows_are_left_out():
    lines = [
        "2026-01-01 00:00:00,000 ERROR lmstudio.jobs: a job failed:",
        "Traceback (most recent call last):",
        '  File "/a/b/密/x.py", line 3, in main', "    secret = 1", "",
        '  File "/b/python3.11/lmstudio/jobs.py", line 3, in run', "    job.check()",
        "    ^^^^^^^^^^^", "ValueError: the fox", "    of the novel", "secret", "fox",
    ]  # fmt: skip
    assert list(scrubbed(lines)) == [
        "2026-01-01 00:00:00,000 ERROR lmstudio.jobs: a job failed:",
        "Traceback (most recent call last):",
        '  File "[…]", line 3, in main', "[…]", "",
        '  File "lmstudio/jobs.py", line 3, in run', "    job.check()", "    ^^^^^^^^^^^",
        "ValueError: […]", "[…]",
    ]  # fmt: skip


def test_what_an_error_says_may_quote_a_traceback():
    said = ["ValueError: it said", '  File "/x/lmstudio/secret.py", line 3, in secret',
            "    secret", "Traceback (most recent call last):"]  # fmt: skip
    assert list(scrubbed(said)) == [f"ValueError: {LEFT_OUT}", LEFT_OUT, said[-1]]


def test_without_a_workspace_or_with_a_damaged_one(tmp_path, capsys):
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "workspace.db").write_bytes(b"no database" * 100)
    for where in (folder, tmp_path / "absent"):
        out = tmp_path / f"{where.name}.zip"
        assert cli.main(["--workspace", str(where), "report-problem", str(out)]) == 0
        assert sorted(zipfile.ZipFile(out).namelist()) == [
            "log.txt", "settings.json", "versions.txt"
        ]  # fmt: skip
    assert "Written to " in capsys.readouterr().err


def test_a_run_that_has_none_yet(tmp_path):
    with Workspace(tmp_path / "w") as ws:
        assert json.loads(problem_report.contents(ws, job=Job())["workspace.json"])["runs"] == []
