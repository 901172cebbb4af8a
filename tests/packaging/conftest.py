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


class Commands:
    """Stands in for subprocess: notes the commands, answers 0 unless told otherwise."""

    def __init__(self, failing=()):
        self.failing, self.seen = failing, []

    def __call__(self, command, **_):
        self.seen.append([str(part) for part in command])
        return 1 if any(word in self.failing for word in self.seen[-1]) else 0


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "resources" / "locale" / "zh_CN").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[project]", encoding="utf-8")
    (tmp_path / "resources" / "locale" / "zh_CN" / "a.po").write_text("", encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(checkout, monkeypatch):
    """An environment of a checkout in which making a .venv costs nothing."""
    import environment

    def make(folder, **_):
        made = environment.Environment(folder.parent).python
        made.parent.mkdir(parents=True, exist_ok=True)
        made.touch()

    monkeypatch.setattr(environment.venv, "create", make)
    commands = Commands()
    monkeypatch.setattr(environment.subprocess, "call", commands)
    built = environment.Environment(checkout)
    built.commands = commands
    monkeypatch.setattr(environment.wheels, "driver", lambda: None)
    monkeypatch.setattr(built, "_torch", lambda: "")
    monkeypatch.setattr(built, "_usable", built.python.exists)
    return built
