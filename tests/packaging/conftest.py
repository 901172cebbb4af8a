"""The modules of packaging/ import each other by plain name, as scripts do."""

import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGING))
    monkeypatch.setenv("LMSTUDIO_LANGUAGE", "en")
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(PACKAGING)):
            del sys.modules[name]
