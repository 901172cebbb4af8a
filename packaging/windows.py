"""The bundle in, setup.exe out: NSIS, per user, without administrator's rights."""

import shutil
import subprocess
from pathlib import Path

import identity
from say import Failed, pick

SCRIPT = Path(__file__).resolve().parent / "windows" / "installer.nsi"
NSIS_FOLDER = Path("C:/Program Files (x86)/NSIS")


def installer(bundle: Path, made: Path, out: Path) -> Path:
    """Compile the installer; the same command works on Linux, where makensis is to be had too."""
    makensis = shutil.which("makensis") or shutil.which("makensis", path=str(NSIS_FOLDER))
    if makensis is None:
        raise Failed(pick("Install NSIS first (makensis was not found).",
                          "请先安装 NSIS（没有找到 makensis）。"))  # fmt: skip
    target = out / f"{identity.FOLDER}-{identity.VERSION}-windows-x86_64-setup.exe"
    facts = {
        "NAME": identity.NAME, "CHINESE": identity.CHINESE, "VERSION": identity.VERSION,
        "PROGRAM": f"{identity.WINDOWED}.exe", "FOLDER": identity.FOLDER,
        "BUNDLE": str(bundle), "ICON": str(made / "lmstudio.ico"), "OUT": str(target),
        "TYPES": str(_types(made)),
    }  # fmt: skip
    words = [f"-D{name}={value}" for name, value in facts.items()]
    if subprocess.call([makensis, "-V2", "-INPUTCHARSET", "UTF8", *words, str(SCRIPT)]) != 0:
        raise Failed("makensis")
    return target


def _types(made: Path) -> Path:
    """What the "Open with" menu needs, as lines for the script to include."""
    target = made / "types.nsh"
    key = rf"Software\Classes\Applications\{identity.WINDOWED}.exe\SupportedTypes"
    suffixes = (*identity.TEXT_TYPES, ".db")
    lines = [f'WriteRegStr HKCU "{key}" "{suffix}" ""' for suffix in suffixes]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def version_facts() -> str:
    """What the properties of the .exe files show, as PyInstaller reads it."""
    numbers = (*(int(part) for part in identity.VERSION.split(".")[:3]), 0)
    strings = {
        "FileDescription": identity.NAME, "ProductName": identity.NAME,
        "FileVersion": identity.VERSION, "ProductVersion": identity.VERSION,
        "LegalCopyright": "Apache License 2.0",
    }  # fmt: skip
    told = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in strings.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}), kids=["
        f"StringFileInfo([StringTable('040904B0', [{told}])]), "
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )
