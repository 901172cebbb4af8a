"""Catalogues are compiled, and a wheel has what the installed program looks for."""

import gettext
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.packaging.conftest import PACKAGING

ROOT = PACKAGING.parent
SOURCES = ("lmstudio", "resources", "packaging", "pyproject.toml", "README.md", "LICENSE")

ASK = """
from lmstudio import messages, resources
messages.use("zh_CN")
print(resources.path().name, messages.tr("Bits per character") == "\\u6bd4\\u7279/\\u5b57")
"""


def test_the_fragments_of_a_language_become_one_catalogue(tmp_path):
    from catalogues import compile_catalogues

    language = tmp_path / "zh_CN"
    language.mkdir()
    first, second = 'msgid "a"\nmsgstr "甲"\n', 'msgid "b"\nmsgstr "乙{x}"\n'
    (language / "a.po").write_text(first, encoding="utf-8")
    (language / "b.po").write_text(second + '\nmsgid "a"\nmsgstr "丙"\n', encoding="utf-8")
    assert compile_catalogues(tmp_path) == [language / "LC_MESSAGES" / "lmstudio.mo"]

    catalogue = gettext.translation("lmstudio", tmp_path, ["zh_CN"])
    assert (catalogue.gettext("a"), catalogue.gettext("b")) == ("甲", "乙{x}")
    assert catalogue.gettext("c") == "c"


@pytest.mark.slow
def test_a_wheel_brings_its_resources(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    build = "import build_backend, sys; build_backend.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=source, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": "packaging"},
    )  # fmt: skip
    (wheel,) = tmp_path.glob("lmstudio_workbench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert "lmstudio/_resources/locale/zh_CN/LC_MESSAGES/lmstudio.mo" in names
    assert not [name for name in names if name.startswith(("tests", "packaging", "resources"))]
    assert not [name for name in names if name.endswith(".po")]
    answer = subprocess.run(
        [sys.executable, "-c", ASK], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
    )  # fmt: skip
    assert answer.stdout.split() == ["_resources", "True"]
