"""What Qt needs from the system in, what is missing installed with apt or told in one line.

Only Linux lacks things: elsewhere Qt's wheel and the system bring all of it.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

from say import say

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
}
"""By shared library, its Debian package: what Qt needs to draw at all."""

SCREEN_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}
"""What it needs besides for a window on a screen."""

SYSTEM_FONTS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
FONT_PACKAGE = "fonts-wqy-microhei"
CHINESE_FONTS = (
    "cjk", "wqy", "droidsansfallback", "sourcehan", "uming", "ukai", "simsun", "simhei", "msyh",
    "notosanssc", "notoserifsc", "lxgw", "sarasa", "hanamin", "unifont",
)  # fmt: skip
"""How the files of fonts with Chinese begin or go on, in lower case."""


def has_display() -> bool:
    """A window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def complete(*, screen: bool) -> bool:
    """Install what Qt lacks, if this user may. False when a library is missing in the end."""
    if not sys.platform.startswith("linux"):
        return True
    wanted = LIBRARIES | (SCREEN_LIBRARIES if screen else {})
    packages = _lacking(wanted)
    if not packages:
        return True
    if not _apt_install(packages):
        _tell(wanted, packages)
    return not missing_libraries(wanted)


def missing_libraries(wanted: dict[str, str]) -> list[str]:
    """Those that the loader does not find."""
    return [name for name in wanted if not _loads(name)]


def has_chinese_font() -> bool:
    """Some font draws Chinese: asked of fontconfig, else told from file names."""
    if shutil.which("fc-list"):
        answer = subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, check=False)
        if answer.stdout.strip():
            return True
    home = Path.home()
    folders = (*SYSTEM_FONTS, home / ".fonts", home / ".local/share/fonts")
    files = (file.name.lower() for folder in folders for file in folder.rglob("*.[to]t[fc]"))
    return any(part in name for name in files for part in CHINESE_FONTS)


def _lacking(wanted: dict[str, str]) -> list[str]:
    packages = [wanted[name] for name in missing_libraries(wanted)]
    return packages if has_chinese_font() else [*packages, FONT_PACKAGE]


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _apt_install(packages: list[str]) -> bool:
    """True if apt is here, this user may use it unasked, and it went well."""
    if not shutil.which("apt-get") or (rights := _rights()) is None:
        return False
    names = " ".join(packages)
    say(f"Installing with apt: {names} ...", f"正在用 apt 安装：{names} ……")
    environment = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    install = [*environment, "install", "--yes", "--no-install-recommends", *packages]
    if _quiet(install):
        return True
    return _quiet([*environment, "update"]) and _quiet(install)


def _rights() -> list[str] | None:
    """What goes before a command to run it as root; None if that would ask for a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _quiet(["sudo", "--non-interactive", "true"]):
        return ["sudo", "--non-interactive"]
    return None


def _quiet(command: list[str]) -> bool:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode == 0


def _tell(wanted: dict[str, str], packages: list[str]) -> None:
    """The one line to type, or the names to look for where there is no apt."""
    if shutil.which("apt-get"):
        line = f"    sudo apt-get install --yes {' '.join(packages)}"
        say("Some parts of the system are missing. Type this line:", "系统缺少几个组件，请执行：")
        say(line, line)
        return
    names = ", ".join(missing_libraries(wanted))
    if names:
        say(
            f"Install the packages of your system that hold {names}.",
            f"请安装系统中包含这些库的软件包：{names}。",
        )
    if not has_chinese_font():
        say(
            "No font with Chinese was found; Chinese text will show as boxes. Install one, such "
            "as Noto Sans CJK.",
            "没有找到中文字体，中文会显示为方框。请安装一种，如 Noto Sans CJK。",
        )
