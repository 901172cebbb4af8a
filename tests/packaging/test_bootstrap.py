"""The two commands, without installing anything."""

import ast
import os
import re
import subprocess
import sys

import pytest

from tests.packaging.conftest import PACKAGING, Commands

SCRIPTS = ("bootstrap", "steps", "environment", "system", "say", "wheels")


def bootstrap(*arguments, before=""):
    """(exit code, what it said) of the bootstrap in a Python of its own."""
    code = f"import runpy, sys\n{before}\nsys.argv = ['bootstrap.py', *{arguments!r}]\n"
    code += f"runpy.run_path({str(PACKAGING / 'bootstrap.py')!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_an_old_python_is_told_so():
    code, said = bootstrap("run", before="sys.version_info = (3, 9, 2, 'final', 0)")
    assert code == 2
    assert "needs Python 3.11 or newer; this is Python 3.9.2" in said


def test_an_old_python_can_read_the_file():
    ast.parse((PACKAGING / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("arguments", [
    (), ("walk",), ("run", "test"), ("run", "--bundle"), ("run", "--cpu", "--cuda"), ("bundle",),
], ids=" ".join)  # fmt: skip
def test_a_wrong_call_shows_the_right_ones(arguments):
    code, said = bootstrap(*arguments)
    assert code == 2
    assert "bootstrap.py run" in said
    assert "bootstrap.py test" in said


def test_only_the_standard_library_is_needed():
    for name in SCRIPTS:
        tree = ast.parse((PACKAGING / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                assert module.partition(".")[0] in {*sys.stdlib_module_names, *SCRIPTS}


def test_no_host_is_named_but_that_of_pytorch_itself():
    for file in PACKAGING.glob("*.py"):
        hosts = set(re.findall(r"://([^/\s\"']+)", file.read_text(encoding="utf-8")))
        names_space = {"www.w3.org"}  # of SVG: nobody is asked there
        assert hosts - names_space == (
            {"download.pytorch.org"} if file.name == "wheels.py" else set()
        )


def test_sentences_follow_the_language(monkeypatch):
    from say import pick

    assert pick("good", "好") == "good"
    monkeypatch.setenv("LMSTUDIO_LANGUAGE", "zh_CN")
    assert pick("good", "好") == "好"
    monkeypatch.delenv("LMSTUDIO_LANGUAGE")
    monkeypatch.setenv("LC_ALL", "zh_TW.UTF-8")
    assert pick("good", "好") == "好"


def installs(environment):
    """Of the project; torch has its own tests."""
    return [
        each for each in environment.commands.seen if "install" in each and "--editable" in each
    ]


def test_a_second_start_installs_nothing(environment, checkout):
    environment.ready()
    environment.ready()
    assert len(installs(environment)) == 1
    assert installs(environment)[0][-2:] == ["--editable", str(checkout)]


def test_what_tests_need_includes_what_a_run_needs(environment, checkout):
    environment.ready("test")
    environment.ready()
    assert [command[-1] for command in installs(environment)] == [f"{checkout}[test]"]


@pytest.mark.parametrize("file", ["pyproject.toml", "resources/locale/zh_CN/a.po"])
def test_changed_files_install_again(environment, checkout, file):
    environment.ready()
    (checkout / file).write_text("[project]\n# changed", encoding="utf-8")
    environment.ready()
    assert len(installs(environment)) == 2


def test_a_failed_install_is_tried_again(environment):
    from say import Failed

    environment.commands.failing = ("install",)
    with pytest.raises(Failed, match="PIP_INDEX_URL"):
        environment.ready()
    environment.commands.failing = ()
    environment.ready()
    assert len(installs(environment)) == 2


def test_pip_of_outside_fills_an_environment_without_pip(environment):
    environment.commands.failing = ("--version",)
    environment.ready()
    assert installs(environment)[0][:5] == [
        sys.executable, "-m", "pip", "--python", str(environment.python)
    ]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="elsewhere it waits for the program")
def test_without_a_display_the_work_goes_headless(monkeypatch):
    import steps

    started = []
    monkeypatch.setattr(steps.Environment, "ready", lambda self, extra="", torch="": None)
    monkeypatch.setattr(steps.system, "complete", lambda screen: False)
    monkeypatch.setattr(steps.os, "execv", lambda program, command: started.append(command))
    monkeypatch.setattr(steps.subprocess, "call", lambda command: 0)
    monkeypatch.setattr(steps.system, "has_display", lambda: False)
    assert steps.run("") == 0
    assert started[0][1:] == ["-m", "lmstudio", "demo", "--report", "report.html"]
    monkeypatch.setattr(steps.system, "has_display", lambda: True)
    assert steps.run("") == 1  # a window needs the libraries that are missing
    monkeypatch.setattr(steps.system, "complete", lambda screen: True)
    assert steps.run("") == 0
    assert started[1][1:] == ["-m", "lmstudio", "gui", "--tour"]


def test_a_failed_step_fails_the_check(monkeypatch, capfd):
    import steps

    monkeypatch.setattr(steps.Environment, "ready", lambda self, extra="", torch="": None)
    monkeypatch.setattr(steps.system, "complete", lambda screen: True)
    commands = Commands(failing=("mypy",))
    monkeypatch.setattr(steps.subprocess, "call", commands)
    assert steps.check("") == 1
    assert "FAILED" in capfd.readouterr().out
    assert commands.seen[-1][-2:] == ["-m", "not slow"]
    assert len(commands.seen) == 6  # one failure does not stop the others
    commands.failing = ()
    assert steps.test("") == 0


def test_the_bundle_is_built_and_tried(monkeypatch):
    import steps

    commands = Commands()
    monkeypatch.setattr(steps.subprocess, "call", commands)
    monkeypatch.setattr(steps.sys, "platform", "linux")
    assert steps.bundle("") == 0
    words = [[word.rpartition("/")[2] for word in command[1:]] for command in commands.seen]
    assert words == [
        ["build.py", "deb", "tar", "--cpu"],
        ["smoke.py", "bundle"],
        ["smoke.py", "deb"],
    ]
    commands.failing = ("deb",)
    assert steps.bundle("cuda") == 1
