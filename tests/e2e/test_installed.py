"""What befalls an installed program: strange folders, no console. packaging/smoke.py does the same
with the frozen one.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices

from lmstudio.operations import self_test
from lmstudio.store.settings import log_file

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
NO_CONSOLE = """
import sys
sys.stdout = sys.stderr = None
from lmstudio import cli
sys.argv = ["lmstudio"]
text, model, out = {text!r}, {model!r}, {out!r}
for words in (
    ["import-model", model, "--name", "ok"],
    ["import", text, "--name", "text"],
    ["segment", "text", "--by", "characters", "--name", "cut"],
    ["train", "cut", "--model", "gpt", "--minutes", "0", "--max-steps", "1", "--name", "one"],
    ["export", "ok", out],
    ["runs"],
):
    if code := cli.main(["--workspace", "w", *words]):
        sys.exit(10 + code)
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """A Python in a folder that is home too, with the program on its path."""
    data = folder / "data"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "HOME": str(folder), "LMSTUDIO_HOME": str(data),
    }  # fmt: skip
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, text=True,
                          encoding="utf-8", capture_output=True, check=False)  # fmt: skip


def test_case_j1_the_self_test_lists_every_data_file_from_any_folder(tmp_path):
    folder = tmp_path / "家 目录"
    folder.mkdir()
    done = run(folder, "-m", "lmstudio", "self-test", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = {check["name"]: check["result"] for check in json.loads(done.stdout)}
    assert found["jieba"] == "我|爱|北京|天安门"
    for package, patterns in self_test.DATA.items():
        for pattern in patterns:
            ending = pattern.rpartition("*")[2]
            sizes = [size for name, size in found.items()
                     if name.startswith(f"{package}/") and name.endswith(ending)]  # fmt: skip
            assert sizes, pattern
            assert all(int(size.removesuffix(" B").replace(",", "")) > 0 for size in sizes)


def test_case_j2_without_a_console_everything_goes_to_the_log(tmp_path, cases):
    text, out = tmp_path / "a.txt", tmp_path / "out"
    text.write_text("我爱北京天安门\n" * 60, encoding="utf-8")
    code = NO_CONSOLE.format(text=str(text), model=str(cases / "hf_ok"), out=str(out))
    done = run(tmp_path, "-c", code)
    log = (tmp_path / "data" / "log.txt").read_text(encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), log
    assert "Traceback" not in log
    assert (out / "model.safetensors").stat().st_size > 0


def test_case_j2_the_help_menu_opens_that_log(window, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    window.actions_by_key["log"].trigger()
    assert opened == [str(log_file())]
