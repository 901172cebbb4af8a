"""Which build of PyTorch a computer gets, and how pip is asked for it."""

import ast
import sys
from collections import namedtuple

import pytest

from tests.packaging.conftest import PACKAGING

Card = namedtuple("Card", "name capability")
Driver = namedtuple("Driver", "cuda cards")

PASCAL, TURING = Card("GTX 1060", (6, 1)), Card("RTX 2060", (7, 5))
HOPPER, BLACKWELL = Card("H200", (9, 0)), Card("RTX 5090", (12, 0))


@pytest.fixture
def wheels(monkeypatch):
    """On a Linux whose index has the build for the newest CUDA."""
    import wheels

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(wheels.platform, "machine", lambda: "x86_64")
    return wheels


@pytest.mark.parametrize(("wanted", "found", "build"), [
    ("", None, "cpu"),
    ("", Driver((13, 0), ()), "cpu"),
    ("", Driver((13, 0), (TURING,)), "cu130"),
    ("", Driver((13, 2), (BLACKWELL,)), "cu130"),
    ("", Driver((12, 4), (HOPPER,)), "cu126"),
    ("", Driver((13, 0), (PASCAL,)), "cu126"),
    ("", Driver((13, 0), (PASCAL, TURING)), "cu130"),
    ("", Driver((12, 8), (BLACKWELL,)), "cpu"),
    ("", Driver((11, 8), (TURING,)), "cpu"),
    ("cpu", Driver((13, 0), (TURING,)), "cpu"),
    ("cuda", Driver((12, 4), (TURING,)), "cu126"),
    ("cuda", None, "cu130"),
    ("cuda", Driver((11, 8), (TURING,)), "cu130"),
])  # fmt: skip
def test_the_build_follows_driver_and_card(wheels, wanted, found, build):
    assert wheels.choose(wanted, found) == build


def test_a_driver_that_is_too_old_is_told(wheels, capsys):
    wheels.choose("", Driver((11, 8), (TURING,)))
    assert "RTX 2060 has a driver for CUDA 11.8, too old" in capsys.readouterr().err


def test_a_mac_has_no_cuda(wheels, monkeypatch):
    from say import Failed

    monkeypatch.setattr(sys, "platform", "darwin")
    assert wheels.choose("", None) == "cpu"
    assert wheels.index("cpu") == ""
    with pytest.raises(Failed):
        wheels.choose("cuda", None)


@pytest.mark.parametrize(("platform", "build", "index"), [
    ("linux", "cu130", ""), ("linux", "cpu", "whl/cpu"), ("linux", "cu126", "whl/cu126"),
    ("win32", "cpu", ""), ("win32", "cu130", "whl/cu130"),
])  # fmt: skip
def test_another_index_is_asked_only_where_need_be(wheels, monkeypatch, platform, build, index):
    monkeypatch.setattr(sys, "platform", platform)
    assert wheels.index(build).endswith(index)
    assert bool(wheels.index(build)) is bool(index)


@pytest.mark.parametrize(("version", "kind"), [
    ("2.13.0+cpu", "cpu"), ("2.13.0+cu126", "cuda"), ("2.13.0", "cuda"), ("", ""),
    ("2.13.0+rocm6.4", "rocm6.4"),
])  # fmt: skip
def test_what_is_installed_is_told_by_its_version(wheels, version, kind):
    assert wheels.kind(version) == kind


def test_the_version_is_that_of_the_project(wheels, tmp_path):
    assert wheels.requirement() == "torch>=2.6,<2.14"
    (tmp_path / "pyproject.toml").write_text("[project]", encoding="utf-8")
    assert wheels.requirement(tmp_path) == "torch"


def test_the_driver_is_asked_without_any_package():
    file = PACKAGING.parent / "lmstudio" / "training" / "nvidia.py"
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        modules = [node.module] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_the_driver_file_runs_alone(wheels):
    wheels.driver()  # whatever there is here: it must not raise


def torch_installs(environment):
    return [command for command in environment.commands.seen if "--no-deps" in command]


def test_torch_comes_first_from_the_index_that_has_it(wheels, environment):
    environment.ready()
    command = environment.commands.seen[1]
    assert torch_installs(environment) == [command]
    assert command[-3:] == ["--extra-index-url", f"{wheels.INDEX}/cpu", "torch"]


def test_one_that_is_there_stays(wheels, environment, monkeypatch):
    monkeypatch.setattr(environment, "_torch", lambda: "2.13.0+cpu")
    environment.ready()
    environment.ready(torch="cpu")
    assert torch_installs(environment) == []


def test_another_one_is_put_in_its_place_when_asked_for(
    wheels, environment, monkeypatch
):  # fmt: skip
    environment.ready()
    have = ["2.13.0+cpu"]
    monkeypatch.setattr(environment, "_torch", lambda: have[0])
    monkeypatch.setattr(wheels, "driver", lambda: Driver((12, 4), (HOPPER,)))
    environment.ready(torch="cuda")
    assert f"{wheels.INDEX}/cu126" in torch_installs(environment)[-1]
    assert "--force-reinstall" in torch_installs(environment)[-1]
    have[0] = "2.13.0+cu126"
    seen = len(environment.commands.seen)
    environment.ready(torch="cuda")
    assert len(environment.commands.seen) == seen


def test_an_index_out_of_reach_does_not_stop_the_install(wheels, environment, capsys):
    environment.commands.failing = ("--no-deps",)
    environment.ready()
    assert "going on with the usual one" in capsys.readouterr().err
    assert environment.commands.seen[-1][-2] == "--editable"
