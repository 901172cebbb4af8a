"""Fixtures for all tests: nothing of the user's is touched, a logged error fails a test."""

import logging
import os
import runpy
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each process has a core, not all of them

from lmstudio import messages
from lmstudio.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# The same examples in each run, and all the time that a busy machine takes for them.
hypothesis.settings.register_profile(
    "sure", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("sure")


def pytest_sessionstart(session):
    """The Chinese of the .po files as they are now."""
    if hasattr(session.config, "workerinput"):
        return  # the process that started this one has made it
    runpy.run_path(str(ROOT / "packaging" / "catalogues.py"), run_name="__main__")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory, monkeypatch):
    """Settings, caches and logs of a test stay in its own folder; sentences are English."""
    monkeypatch.setenv("LMSTUDIO_HOME", str(tmp_path_factory.mktemp("home")))
    messages.use("en")


@pytest.fixture(autouse=True)
def _no_logged_errors(caplog):
    """Whoever expects an error in the log clears it: `caplog.clear()`."""
    yield
    errors = [r for when in ("setup", "call") for r in caplog.get_records(when)
              if r.levelno >= logging.ERROR]  # fmt: skip
    assert not errors, f"logged: {[r.getMessage() for r in errors]}"


@pytest.fixture
def workspace(tmp_path):
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def shared():
    """The folder of corpora and cases beside the checkout; its tests skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here")
    return SHARED


@pytest.fixture
def cases(shared):
    return shared / "cases" / "files"
