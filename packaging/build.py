"""The checkout in, the program that needs no Python and its installers out, in one command.

    python3 packaging/build.py bundle      the program as a folder
    python3 packaging/build.py deb         Debian and Ubuntu        (on Linux)
    python3 packaging/build.py tar         any Linux, to unpack     (on Linux)
    python3 packaging/build.py appimage    any Linux, one file      (on Linux, needs appimagetool)
    python3 packaging/build.py installer   setup.exe                (on Windows, needs NSIS)
    python3 packaging/build.py dmg         disk image               (on a Mac)

Several may be named. --folder F builds in F instead of build/; --keep makes installers of the
bundle that is there; --cuda takes the PyTorch for NVIDIA cards (several GB) instead of CPUs'.
"""

# Standard library only, as the bootstrap: it runs before anything is installed.

import argparse
import os
import subprocess
import sys
from pathlib import Path

import contents
import identity
import linux
import macos
import system
import windows
from environment import ROOT, Environment
from say import Failed, say

INSTALLERS = {
    "deb": ("linux", linux.deb),
    "tar": ("linux", linux.tar),
    "appimage": ("linux", linux.appimage),
    "installer": ("win32", windows.installer),
    "dmg": ("darwin", macos.dmg),
}
"""By name, the system it is made on and what makes it: function(bundle, made, out) -> file."""


def main(arguments: list[str]) -> int:
    """Build what is asked for; 1 if it cannot be."""
    options = _parser().parse_args(arguments)
    folder = options.folder.absolute()
    try:
        _fits(options.kinds)
        if not options.keep:
            bundle(folder, options.torch)
        for kind in options.kinds:
            if kind in INSTALLERS:
                made = INSTALLERS[kind][1](bundled(folder), folder / "made", folder)
                say(
                    f"{made}  {contents.megabytes(made)} MB",
                    f"{made}  {contents.megabytes(made)} MB",
                )
    except Failed as failed:
        say(str(failed), str(failed))
        return 1
    return 0


def bundled(folder: Path) -> Path:
    """Where the bundle is, in a build folder."""
    name = identity.APP if sys.platform == "darwin" else identity.FOLDER
    return folder / "bundle" / name


def bundle(folder: Path, torch: str) -> Path:
    """Install what is needed into a clean environment, and freeze the program."""
    if not system.complete(screen=True):  # the small parts of X go along
        raise Failed("")
    environment = Environment(ROOT, folder / "venv")
    environment.ready("build", torch)
    made = folder / "made"
    made.mkdir(parents=True, exist_ok=True)
    (made / "version.txt").write_text(windows.version_facts(), encoding="utf-8")
    python = str(environment.python)
    say("Freezing the program (some minutes) ...", "正在打包程序（需几分钟）……")
    _run([python, str(ROOT / "packaging/catalogues.py")])
    _run([python, str(ROOT / "packaging/icons.py"), str(made)])
    _run(
        [python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
         "--distpath", str(folder / "bundle"), "--workpath", str(folder / "work"),
         str(ROOT / "packaging/lmstudio.spec")],
        LMSTUDIO_MADE=str(made),
    )  # fmt: skip
    say(contents.table(bundled(folder)), contents.table(bundled(folder)))
    return bundled(folder)


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("kinds", nargs="+", choices=("bundle", *INSTALLERS), metavar="KIND")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", metavar="F")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--cpu", dest="torch", action="store_const", const="cpu")
    parser.add_argument("--cuda", dest="torch", action="store_const", const="cuda")
    parser.set_defaults(torch="cpu")
    return parser


def _fits(kinds: list[str]) -> None:
    """Nothing is built for another system than this one."""
    for kind in kinds:
        if kind in INSTALLERS and not sys.platform.startswith(INSTALLERS[kind][0]):
            raise Failed(f"{kind}: {sys.platform} != {INSTALLERS[kind][0]}")


def _run(command: list[str], **more: str) -> None:
    if subprocess.call(command, env=os.environ | more) != 0:
        raise Failed(" ".join(command[1:3]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
