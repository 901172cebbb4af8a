"""Installed packages and collected libraries in, one text with all their licences out.

Nothing is listed by hand: what a package says in its metadata is taken, and the files it brings.
"""

import importlib.metadata
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD_ONLY = {
    "pip", "setuptools", "wheel", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph",
    "packaging", "polib", "lmstudio-workbench", "pefile", "pywin32-ctypes", "macholib",
}  # fmt: skip
"""Installed to build with; nothing of them is in the bundle but PyInstaller's loader, whose licence
lets programs made with it be under any other.
"""

FILE = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)
RULE = "=" * 100

QT_NOTICE = """\
LM Workbench uses Qt and PySide6 under the GNU Lesser General Public License, version 3, whose text
follows, with that of the GNU General Public License, version 3, to which it refers. They are
unchanged and lie beside the program as shared libraries in the folder PySide6 (and shiboken6); you
may replace them by other builds that fit. Their source is to be had from the Qt project, at
download.qt.io, under the version numbers below, and on request from whoever gave you this program.

本程序按 GNU 宽通用公共许可证第 3 版（LGPL-3.0）使用 Qt 与 PySide6，许可证全文附后。
两者未经修改，以动态库形式放在程序目录的 PySide6 与 shiboken6 文件夹中，可换成其他兼容的版本。
源代码可按下列版本号从 Qt 项目（download.qt.io）取得，也可向提供本程序的人索取。
"""


@dataclass
class Part:
    """Something in the bundle that others made."""

    name: str
    version: str
    licence: str
    home: str = ""
    texts: list[str] = field(default_factory=list)


def write(target: Path, libraries: Iterable[str] = ()) -> list[Part]:
    """Write them all; `libraries` are shared libraries of this system that are taken along."""
    parts = [*packages(), python(), *system_packages(libraries)]
    target.write_text(report(parts), encoding="utf-8")
    return parts


def packages() -> Iterator[Part]:
    """The installed packages, by name, without those that only build."""
    found = {_plain(each.metadata["Name"]): each for each in importlib.metadata.distributions()}
    for name in sorted(found.keys() - BUILD_ONLY):
        yield package(found[name])


def package(installed: importlib.metadata.Distribution) -> Part:
    """What a package says of itself, with the licence files that it brings."""
    about = installed.metadata
    files = [file for file in installed.files or () if FILE.search(str(file))
             and not str(file).endswith((".py", ".pyc", ".so"))]  # fmt: skip
    texts = [Path(str(file.locate())) for file in files]
    homes = [value.split(",")[-1].strip() for value in about.get_all("Project-URL", [])]
    return Part(
        about["Name"], about["Version"], _licence(about),
        about.get("Home-page") or next(iter(homes), ""),
        [text.read_text(encoding="utf-8", errors="replace") for text in texts if text.is_file()],
    )  # fmt: skip


def python() -> Part:
    """Python itself, whose library is in every bundle."""
    places = (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix))
    texts = [text.read_text(encoding="utf-8") for place in places
             if (text := place / "LICENSE.txt").is_file()][:1]  # fmt: skip
    return Part("Python", sys.version.split()[0], "PSF-2.0", "python.org", texts)


def system_packages(libraries: Iterable[str]) -> Iterator[Part]:
    """The Debian packages that shared libraries come from; none on other systems."""
    seen = set()
    for library in libraries:
        name = _debian_package(library)
        if name and name not in seen:
            seen.add(name)
            text = Path("/usr/share/doc") / name.split(":")[0] / "copyright"
            told = [text.read_text(encoding="utf-8", errors="replace")] if text.is_file() else []
            yield Part(name, "", "see below", "debian.org", told)


def report(parts: list[Part]) -> str:
    """A table first, then Qt's notice, then every text; equal ones stand there once."""
    lines = ["LM Workbench 语言模型工作台 contains the work of others, under these licences.", ""]
    lines += [f"{part.name:28} {part.version:16} {part.licence}" for part in parts]
    lines += [
        "",
        RULE,
        "Qt and PySide6",
        RULE,
        "",
        QT_NOTICE,
        _own("LGPL-3.txt"),
        _own("GPL-3.txt"),
    ]
    written: dict[str, str] = {}
    for part in parts:
        lines += ["", RULE, f"{part.name} {part.version}", part.licence, part.home, RULE, ""]
        for text in part.texts:
            first = written.setdefault(text, part.name)
            lines.append(text if first == part.name else f"The text is that of {first}, above.")
        if not part.texts:
            lines.append(f"It brings no text of its own; the licence it names is {part.licence}.")
    return "\n".join(lines) + "\n"


def _licence(about: importlib.metadata.PackageMetadata) -> str:
    """The licence in a few words, as the metadata of the day has it."""
    classes = [value.split("::")[-1].strip() for value in about.get_all("Classifier", [])
               if value.startswith("License ::")]  # fmt: skip
    named = (about.get("License-Expression") or about.get("License") or "").strip().split("\n")[0]
    return named if 0 < len(named) < 60 else ", ".join(classes) or "see its text"


def _debian_package(library: str) -> str:
    try:
        answer = subprocess.run(["dpkg", "-S", str(Path(library).resolve())], capture_output=True,
                                text=True, check=False)  # fmt: skip
    except OSError:
        return ""
    return answer.stdout.partition(": ")[0].split(",")[0]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _own(name: str) -> str:
    return (HERE / "texts" / name).read_text(encoding="utf-8")
