"""pyproject.toml in, a .venv with the program and its dependencies out; at once if it is there.

Works on a Debian without python3-venv: pip of outside then fills a .venv made without pip. PyTorch
comes first, in the build that fits the NVIDIA driver; pip is otherwise used as it is set up.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

import wheels
from say import Failed, pick, say

ROOT = Path(__file__).resolve().parents[1]


class Environment:
    """The virtual environment of a checkout, or another one for it."""

    def __init__(self, root: Path = ROOT, folder: Path | None = None) -> None:
        self.root, self.folder = root, folder or root / ".venv"
        self._scripts = self.folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.program("python")

    def program(self, name: str) -> Path:
        """The path of a command that a package brings."""
        return self._scripts / (f"{name}.exe" if os.name == "nt" else name)

    def ready(self, extra: str = "", torch: str = "") -> None:
        """Install the project, and an extra of it, unless that was done for the same files.

        `torch` asks for a build of it ("cpu", "cuda"); else one is chosen as it is first installed.
        """
        if self._done(extra) and torch in ("", wheels.kind(self._torch())):
            return
        if not self._usable():
            self._make()
        self._install_torch(torch)
        self._install(extra)
        self._stamp(extra).write_text(self._key(), encoding="utf-8")

    def _done(self, extra: str) -> bool:
        """An install with the extra also counts as one without."""
        stamps = {self._stamp(extra), self._stamp("test")}
        wanted = self._key()
        return self.python.exists() and any(
            stamp.exists() and stamp.read_text(encoding="utf-8") == wanted for stamp in stamps
        )

    def _stamp(self, extra: str) -> Path:
        return self.folder / f"installed-{extra or 'run'}"

    def _key(self) -> str:
        """What an install depends on: place, Python, pyproject.toml, translations."""
        digest = hashlib.sha256(f"{self.root} {sys.version}".encode())
        locale = self.root / "resources" / "locale"
        for file in (self.root / "pyproject.toml", *sorted(locale.glob("*/*.po"))):
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def _usable(self) -> bool:
        """There is a .venv, and it runs the Python that runs this."""
        ask = [str(self.python), "-c", "import sys; print(sys.version)"]
        try:
            answer = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return False
        return answer.strip() == sys.version.strip()

    def _make(self) -> None:
        say(f"Making {self.folder} ...", f"正在建立 {self.folder} ……")
        complete = importlib.util.find_spec("ensurepip") is not None
        venv.create(self.folder, with_pip=complete, clear=True, symlinks=os.name != "nt")

    def _torch(self) -> str:
        """The version of torch that is installed, "" if none is."""
        code = "import importlib.metadata as m; print(m.version('torch'))"
        done = subprocess.run([str(self.python), "-c", code], capture_output=True, text=True,
                              check=False)  # fmt: skip
        return done.stdout.strip()

    def _install_torch(self, wanted: str) -> None:
        """Put the build there that fits. One that is there stays, unless another is asked for."""
        have = self._torch()
        if have and wanted in ("", wheels.kind(have)):
            return
        build = wheels.choose(wanted, wheels.driver())
        if not (index := wheels.index(build)) and not have:
            return  # the usual build comes with the rest
        say(f"Installing PyTorch ({build}) ...", f"正在安装 PyTorch（{build}）……")
        command = [*self._pip(), "install", "--no-deps", "--retries", "1"]
        if index:
            command += ["--extra-index-url", index]
        if have:
            command += ["--force-reinstall"]
        if subprocess.call([*command, wheels.requirement(self.root)], stdout=sys.stderr) != 0:
            say(
                "That build could not be had; going on with the usual one.",
                "未能取得这个版本，改用通常的版本。",
            )

    def _install(self, extra: str) -> None:
        say(
            "Installing the program and what it needs (about 1 GB, a few minutes) ...",
            "正在安装程序及其依赖（约 1 GB，需几分钟）……",
        )
        project = f"{self.root}[{extra}]" if extra else str(self.root)
        command = [*self._pip(), "install", "--editable", project]
        if subprocess.call(command, stdout=sys.stderr) != 0:
            raise Failed(
                pick(
                    "pip could not install it; its lines above say why. If the package index is "
                    "out of reach, PIP_INDEX_URL can name another one.",
                    "pip 安装失败，原因见上。若连不上软件包索引，可用 PIP_INDEX_URL 指定另一个。",
                )
            )

    def _pip(self) -> list[str]:
        """The pip inside if there is one, else the one outside, aimed at the inside."""
        inside = [str(self.python), "-m", "pip"]
        if subprocess.call([*inside, "--version"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL) == 0:  # fmt: skip
            return inside
        if importlib.util.find_spec("pip") is not None:
            return [sys.executable, "-m", "pip", "--python", str(self.python)]
        raise Failed(
            pick(
                "This Python has no pip. Install it (on Debian and Ubuntu: sudo apt-get install "
                "python3-pip) and start again.",
                "此 Python 没有 pip。请先安装（Debian、Ubuntu：sudo apt-get install "
                "python3-pip），再重新运行。",
            )
        )
