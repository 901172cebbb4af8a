"""The .deb in, whether it installs, starts as a desktop starts it, and goes away again out."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import contents
import identity
import screen
from say import Failed, pick

LARGEST_MB = 320
DESKTOP = Path("/usr/share/applications") / f"{identity.FOLDER}.desktop"
OPT = Path("/opt") / identity.FOLDER
COMMAND = Path("/usr/bin") / identity.FOLDER
TITLE = "LM Workbench"

Check = tuple[str, Callable[[], str]]


def checks(folder: Path, pictures: Path | None) -> list[Check]:
    """In this order; needs root, apt and a display of its own."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failed(
            pick("The check of the .deb needs root and apt.", "检查 .deb 需要 root 和 apt。")
        )
    packages = sorted(folder.glob(f"{identity.FOLDER}_*.deb"))
    if not packages:
        raise Failed(pick(f"There is no .deb in {folder}.", f"{folder} 中没有 .deb。"))
    return [
        (pick("size of the package", "安装包大小"), lambda: _size(packages[-1])),
        (pick("install", "安装"), lambda: _install(packages[-1])),
        (pick("libraries", "动态库"), _libraries),
        (pick("menu entry and types", "菜单项与文件类型"), _types),
        (pick("start from the menu", "从菜单启动"), lambda: _launch(pictures)),
        (pick("remove", "卸载"), _remove),
    ]  # fmt: skip


def _size(package: Path) -> str:
    found = contents.megabytes(package)
    assert found <= LARGEST_MB, f"{found} MB > {LARGEST_MB} MB"
    return f"{found} MB"


def _install(package: Path) -> str:
    _apt("install", str(package))
    answer = _output(str(COMMAND), "--version")
    assert answer.strip() == identity.VERSION, answer
    assert (Path("/usr/share/doc") / identity.FOLDER / "copyright").exists()
    return answer.strip()


def _libraries() -> str:
    """Every shared library of Qt finds what it is linked to."""
    files = [*OPT.rglob("libQt6*.so*"), *OPT.rglob("plugins/*/*.so")]
    missing = {line.split()[0] for file in files for line in _output("ldd", str(file)).splitlines()
               if "not found" in line}  # fmt: skip
    assert not missing, missing
    return f"{len(files)}"


def _types() -> str:
    _output("desktop-file-validate", str(DESKTOP))
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "workspace.db"
        file.write_bytes(b"SQLite format 3\x00" + bytes(84))
        told = _output("gio", "info", "-a", "standard::content-type", str(file))
    assert identity.WORKSPACE_TYPE in told, told
    for kind in (identity.WORKSPACE_TYPE, "text/plain"):
        assert DESKTOP.name in _output("gio", "mime", kind), kind
    return identity.WORKSPACE_TYPE


def _launch(pictures: Path | None) -> str:
    """gio reads the .desktop entry as a desktop does; the second launch meets the first window."""
    with tempfile.TemporaryDirectory(prefix="lmw-") as name, screen.opened() as display:
        home = Path(name)
        text = home / "语料 1.txt"
        text.write_text("我爱北京天安门。\n" * 30, encoding="utf-8")
        environment = os.environ | display.environment
        environment |= {"LMSTUDIO_HOME": name, "LMSTUDIO_LANGUAGE": "zh_CN"}
        command = ["dbus-run-session", "--", "sh", "-c",
                   'gio launch "$1" "$2" && sleep 600', "sh", str(DESKTOP), str(text)]  # fmt: skip
        session = subprocess.Popen(command, env=environment, start_new_session=True)
        try:
            window = display.wait_for(TITLE, 120)
            assert window in display.of_class(identity.FOLDER), "the menu entry names another class"
            dialog = display.wait_for("导入", 300)
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                display.picture(pictures / "menu.png")
            display.type(dialog, "Escape")
            _output(str(COMMAND), "--workspace", str(home / "二"), "import", str(text),
                    more=environment)  # fmt: skip
            _output("gio", "launch", str(DESKTOP), str(home / "二" / "workspace.db"),
                    more=environment)  # fmt: skip
            screen.until(lambda: _is_open(home / "二"), 120, "workspace")
            another = screen.until(lambda: set(display.windows(TITLE)) - {window}, 60, TITLE)
            display.type(another.pop(), "ctrl+q")
            screen.until(lambda: not _processes(), 60, "quit")
        finally:
            os.killpg(session.pid, signal.SIGTERM)
            session.wait()
            for number in _processes():  # what a failed check has left
                os.kill(number, signal.SIGKILL)
        return str(DESKTOP)


def _is_open(workspace: Path) -> bool:
    """The program holds its lock."""
    import fcntl

    with (workspace / "workspace.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _remove() -> str:
    _apt("remove", identity.FOLDER)
    left = [str(path) for path in (OPT, DESKTOP, COMMAND) if path.exists() or path.is_symlink()]
    assert not left, left
    return pick("nothing left", "没有残留")


def _processes() -> list[int]:
    """Those of the installed program."""
    done = subprocess.run(["pgrep", "-f", f"^{OPT}/"], capture_output=True, text=True, check=False)
    return [int(number) for number in done.stdout.split()]


def _apt(*words: str) -> None:
    command = ["apt-get", "--yes", "--no-install-recommends", *words]
    done = subprocess.run(command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-1000:]


def _output(*command: str, more: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, env=more, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
