"""The log goes to its file and nowhere else, and never stands in the way."""

import logging

from lmstudio import cli
from lmstudio.cli import others
from lmstudio.log import logged_to
from lmstudio.store.settings import log_file


def test_a_bug_of_a_verb_is_in_the_log_and_not_on_the_terminal(monkeypatch, capsys, caplog):
    def broken(job):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(others.checks, "run", broken)
    handlers = list(logging.getLogger().handlers)
    assert cli.main(["--self-test"]) == 3
    caplog.clear()
    err = capsys.readouterr().err
    assert "The details are in the log" in err
    assert "Traceback" not in err
    assert "ZeroDivisionError: a bug" in log_file().read_text(encoding="utf-8")
    assert logging.getLogger().handlers == handlers


def test_no_log_is_no_reason_to_stop(tmp_path):
    (tmp_path / "file").write_text("x")
    with logged_to(tmp_path / "file" / "log.txt"):
        logging.getLogger("x").info("lost")


def test_the_window_of_a_command_line_logs_once(tmp_path):
    path = tmp_path / "log.txt"
    with logged_to(path), logged_to(path):
        logging.getLogger("x").info("once")
    assert path.read_text(encoding="utf-8").count("once") == 1
