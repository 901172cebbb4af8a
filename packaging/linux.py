"""The bundle in, what Linux installs out: a .deb, a .tar.zst to unpack, an AppImage."""

import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

import contents
import identity
import system
from say import Failed, pick

HERE = Path(__file__).resolve().parent / "linux"
OPT = Path("opt") / identity.FOLDER
FONTS = ("fonts-wqy-microhei", "fonts-noto-cjk", "fonts-wqy-zenhei", "fonts-droid-fallback")
"""Any of these draws Chinese; apt takes the first, the smallest, where there is none."""

LIBRARIES = (
    "libc6 (>= 2.34)", "libstdc++6", "libfreetype6", "libx11-6", "libx11-xcb1", "libxcb1",
    "libxcb-glx0", "libxcb-randr0", "libxcb-render0", "libxcb-shm0", "libxcb-sync1",
    "libxcb-xfixes0", "libxcb-xkb1", "libwayland-client0", "libwayland-cursor0", "libwayland-egl1",
)  # fmt: skip
"""What Qt needs besides those that the bootstrap looks for."""

ZSTD = "-12"
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def deb(bundle: Path, made: Path, out: Path) -> Path:
    """A package for Debian 12, Ubuntu 22.04 and later."""
    machine = DEBIAN.get(platform.machine(), platform.machine())
    target = out / f"{identity.FOLDER}_{identity.VERSION}_{machine}.deb"
    with tempfile.TemporaryDirectory(dir=out) as name:
        tree = Path(name)
        tree.chmod(0o755)
        _copy(bundle, tree / OPT)
        desktop_files(tree / "usr/share", made, f"/{OPT}/{identity.PROGRAM}")
        link = tree / "usr/bin" / identity.FOLDER
        link.parent.mkdir(parents=True)
        link.symlink_to(f"/{OPT}/{identity.PROGRAM}")
        _documents(tree / "usr/share/doc" / identity.FOLDER, bundle)
        _control(tree, machine)
        _run("dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{ZSTD[1:]}", "--build", name,
             str(target))  # fmt: skip
    return target


def tar(bundle: Path, made: Path, out: Path) -> Path:
    """The folder as it is, with a script that puts it into the user's own menu."""
    name = f"{identity.FOLDER}-{identity.VERSION}-linux-{platform.machine()}"
    target = out / f"{name}.tar.zst"
    with tempfile.TemporaryDirectory(dir=out) as folder:
        tree = Path(folder) / name
        _copy(bundle, tree)
        desktop_files(tree / "share", made, "@PROGRAM@")
        shutil.copy(HERE / "add-to-menu.sh", tree)
        _run("tar", "--create", "--use-compress-program", f"zstd {ZSTD} -T0", "--owner=0",
             "--group=0", "--file", str(target), "--directory", folder, name)  # fmt: skip
    return target


def appimage(bundle: Path, made: Path, out: Path) -> Path:
    """One file that runs by itself."""
    tool = shutil.which("appimagetool")
    if tool is None:
        raise Failed(
            pick(
                "appimagetool was not found. Put it on the PATH (github.com/AppImage/appimagetool, "
                "releases), then try again.",
                "没有找到 appimagetool。请从 github.com/AppImage/appimagetool 的 Releases 下载，"
                "放到 PATH 中再重试。",
            )
        )
    target = out / f"{identity.FOLDER}-{identity.VERSION}-{platform.machine()}.AppImage"
    with tempfile.TemporaryDirectory(dir=out) as name:
        app_folder(Path(name), bundle, made)
        _run(tool, "--comp", "zstd", name, str(target))
    return target


def app_folder(tree: Path, bundle: Path, made: Path) -> None:
    """What an AppImage holds: the program, its entry, and icon and .desktop at the top."""
    _copy(bundle, tree / OPT)
    desktop_files(tree / "usr/share", made, identity.PROGRAM)
    shutil.copy(tree / "usr/share/applications" / f"{identity.FOLDER}.desktop", tree)
    shutil.copy(made / "256.png", tree / f"{identity.FOLDER}.png")
    entry = tree / "AppRun"
    entry.write_text(
        f'#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\n'
        f'exec "$here/{OPT}/{identity.PROGRAM}" "$@"\n'
    )
    entry.chmod(0o755)


def desktop_files(share: Path, made: Path, program: str) -> None:
    """What the desktop reads: menu entry, type of workspaces, icons."""
    for source, folder in (
        (HERE / f"{identity.FOLDER}.desktop", "applications"),
        (HERE / f"{identity.FOLDER}.xml", "mime/packages"),
    ):
        text = source.read_text(encoding="utf-8")
        types = ";".join([identity.WORKSPACE_TYPE, *identity.TEXT_TYPES.values()])
        for place, value in (("@PROGRAM@", program), ("@TYPES@", f"{types};")):
            text = text.replace(place, value)
        target = share / folder / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    kind = identity.WORKSPACE_TYPE.replace("/", "-")
    for icon in made.glob("*.png"):
        size = f"{icon.stem}x{icon.stem}"
        for folder, name in (("apps", identity.FOLDER), ("mimetypes", kind)):
            target = share / "icons/hicolor" / size / folder / f"{name}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(icon, target)


def depends() -> str:
    """The Depends line: what the loader must find, and a font with Chinese."""
    found = {**system.LIBRARIES, **system.SCREEN_LIBRARIES}.values()
    return ", ".join([*LIBRARIES, *sorted(found), " | ".join(FONTS)])


def _control(tree: Path, machine: str) -> None:
    folder = tree / "DEBIAN"
    folder.mkdir()
    lines = (
        f"Package: {identity.FOLDER}",
        f"Version: {identity.VERSION}",
        f"Architecture: {machine}",
        "Section: science",
        "Priority: optional",
        f"Maintainer: {identity.NAME} <{identity.FOLDER}@localhost>",
        f"Installed-Size: {contents.size(tree) // 1024}",
        f"Depends: {depends()}",
        f"Description: {identity.SUMMARY}",
        f" {identity.CHINESE_SUMMARY}。",
        " n-grams with every classic smoothing, FFNN, RNN, LSTM, ELMo, BERT and GPT, in a window",
        " and on the command line, offline.",
    )
    (folder / "control").write_text("\n".join(lines) + "\n", encoding="utf-8")
    inside = (path for path in tree.rglob("*") if folder not in path.parents)
    files = sorted(path for path in inside if path.is_file() and not path.is_symlink())
    sums = [f"{_md5(path)}  {path.relative_to(tree)}" for path in files]
    (folder / "md5sums").write_text("\n".join(sums) + "\n", encoding="utf-8")


def _documents(folder: Path, bundle: Path) -> None:
    folder.mkdir(parents=True)
    shutil.copy(_inside(bundle) / "LICENSE", folder / "copyright")
    with gzip.open(folder / "LICENCES.txt.gz", "wb", 9) as file:
        file.write((_inside(bundle) / "LICENCES.txt").read_bytes())


def _inside(bundle: Path) -> Path:
    return bundle / "_internal"


def _copy(bundle: Path, target: Path) -> None:
    """Without a second copy on the disk where that is possible."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copytree(bundle, target, symlinks=True, copy_function=os.link)
    except OSError:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(bundle, target, symlinks=True)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None or subprocess.call(command) != 0:
        raise Failed(
            pick(f"{command[0]} is missing or failed.", f"缺少 {command[0]}，或运行失败。")
        )
