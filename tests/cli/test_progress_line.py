"""What a verb says while it works is not said again, and how to go on is told by each of them."""

from types import SimpleNamespace

import pytest

from lmstudio.cli import run_options, terminal
from lmstudio.cli.shared import do
from lmstudio.errors import Cancelled
from lmstudio.messages import Message
from lmstudio.operations import training
from lmstudio.operations.changes import Changes

SHORT, SLOW = Message("2 texts are cut off."), Message("No GPU is used.")


def test_a_note_that_was_said_is_not_told_again(capsys):
    def work(*, job):
        job.remark(SHORT)
        return Changes(runs=True, notes=(SHORT, SLOW))

    assert do(work).notes == (SLOW,)
    assert capsys.readouterr().err.count(str(SHORT)) == 1


def test_whoever_stops_a_training_is_told_how_to_go_on(monkeypatch, capsys):
    def stopped(*_, job):
        raise Cancelled(job.title)

    monkeypatch.setattr(training, "start", stopped)
    with pytest.raises(Cancelled):
        run_options.start(None, SimpleNamespace(id=1, name="travel · bert"))
    assert "lmstudio resume 'travel · bert'" in capsys.readouterr().err


def test_a_column_of_numbers_where_some_are_missing_is_flush_right(capsys):
    terminal.say_table(("a", "b"), [("x", 7), ("y", "")])
    assert capsys.readouterr().out == "a  b\nx  7\ny\n"
    terminal.say_table(("name", "count"), [("x", 7), ("y", "")])
    assert capsys.readouterr().out.splitlines()[1] == "x         7"


def test_a_log_leaves_out_a_share_of_nothing(capsys):
    job = terminal.TerminalJob()
    job.tick(0, 100, "Opening")
    job.tick(0, 0, "Reading")
    job.tick(100, 100, "Scoring")
    told = [line.split(" · ")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == ["Opening", "Reading", "100% Scoring"]
