"""The computer is kept awake while something runs, and no longer, whatever ends the program."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lmstudio.awake import Awake

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="its own helper")

HELPER = """#!/bin/sh
echo "$@" > "{folder}/asked"
echo $$ > "{folder}/pid"
for last; do :; done
exec "$last"
"""
HOLDER = "import time; from lmstudio.awake import Awake; Awake().hold(); time.sleep(60)"


@pytest.fixture
def helper(tmp_path, monkeypatch):
    """In the place of the system's, it notes what it was asked for and its process."""
    made = tmp_path / "bin" / "systemd-inhibit"
    made.parent.mkdir()
    made.write_text(HELPER.format(folder=tmp_path))
    made.chmod(0o755)
    monkeypatch.setenv("PATH", f"{made.parent}:{os.environ['PATH']}")
    return tmp_path


def pid(folder: Path) -> int:
    """Of the helper, once it runs."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if (folder / "pid").exists() and (text := (folder / "pid").read_text().strip()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("no helper was started")


def ends(process: int) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_it_is_held_until_it_is_released(helper):
    awake = Awake()
    with awake:
        awake.hold()
        process = pid(helper)
        assert "--what=idle:sleep" in (helper / "asked").read_text()
        assert awake.held
    assert not awake.held
    assert ends(process)
    awake.release()


def test_a_program_that_is_killed_lets_it_sleep(helper):
    root = Path(__file__).resolve().parents[1]
    owner = subprocess.Popen([sys.executable, "-c", HOLDER], cwd=root)
    process = pid(helper)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert ends(process)


def test_a_system_without_a_helper_is_no_trouble(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with Awake() as awake:
        assert awake.held
