"""The built program in, whether it works out: a line for each check, exit code 1 if one fails.

    python3 packaging/smoke.py bundle     the folder that build.py made
    python3 packaging/smoke.py deb        the package: installed, started from the menu, removed
    python3 packaging/smoke.py paint      only the time to the first paint

--folder F looks in F instead of build/; --pictures F keeps pictures of the windows there.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import build
import contents
import identity
import smoke_package
import smoke_window
from say import Failed, pick, say

LARGEST_MB = 900
SENTENCE = "我|爱|北京|天安门"
NOBODY = 65534
Check = tuple[str, Callable[[], str]]


def main(arguments: list[str]) -> int:
    """Carry out the checks of a kind."""
    options = _parser().parse_args(arguments)
    folder, pictures = options.folder.absolute(), options.pictures
    bundle = build.bundled(folder)
    program = program_of(bundle)
    try:
        checks: dict[str, Callable[[], list[Check]]] = {
            "bundle": lambda: [*_headless(bundle), *smoke_window.checks(program, pictures)],
            "deb": lambda: smoke_package.checks(folder, pictures),
            "paint": lambda: [smoke_window.paint_check(program)],
        }
        results = [_carried_out(*check) for check in checks[options.kind]()]
        return 0 if all(results) else 1
    except Failed as failed:
        say(str(failed), str(failed))
        return 1


def program_of(bundle: Path) -> Path:
    """The executable file that prints."""
    if sys.platform == "darwin":
        return bundle / "Contents/MacOS" / identity.PROGRAM
    return bundle / (f"{identity.PROGRAM}.exe" if sys.platform == "win32" else identity.PROGRAM)


def _carried_out(title: str, check: Callable[[], str]) -> bool:
    try:
        told, good = check(), True
    except (Failed, AssertionError, OSError, subprocess.SubprocessError, ValueError) as error:
        told, good = f"{type(error).__name__}: {error}", False
    print(f"{'ok    ' if good else 'FAILED'} {title}: {told}", flush=True)
    return good


def _headless(bundle: Path) -> list[Check]:
    return [
        (pick("size", "大小"), lambda: _size(bundle)),
        (pick("self-test in a folder with Chinese and a space that is read-only, by a user whose "
              "home has Chinese", "自检：只读、含中文和空格的目录，主目录含中文"),
         lambda: _self_test(bundle)),
        (pick("no stdout", "没有标准输出"), lambda: _no_stdout(bundle)),
    ]  # fmt: skip


def _size(bundle: Path) -> str:
    found = contents.megabytes(bundle)
    assert found <= LARGEST_MB, f"{found} MB > {LARGEST_MB} MB"
    return f"{found} MB\n{contents.table(bundle)}"


def _self_test(bundle: Path) -> str:
    with _hard_place(bundle) as (program, home):
        done = _run([str(program), "self-test", "--json"], home, capture_output=True)
        checks = json.loads(done.stdout)
        bad = [check for check in checks if not check.get("good", True)]
        assert done.returncode == 0, bad or done.stderr[-2000:]
        found = {check["name"]: check["result"] for check in checks}
        assert found["jieba"] == SENTENCE, found["jieba"]
        files = [name for name, size in found.items() if size.endswith(" B")]
        trained = [name for name, result in found.items() if result.endswith("bits/char")]
        assert any(name.startswith("jieba/dict") for name in files), files
        assert not list(program.parent.rglob("__pycache__")), "written to"
        return f"{len(files)} data files, {SENTENCE}, trained {' '.join(trained)}"


def _no_stdout(bundle: Path) -> str:
    """With closed streams sys.stdout is None, as in a windowed program."""
    with _hard_place(bundle) as (program, home):
        text = home / "语料 1.txt"
        text.write_text("我爱北京天安门\n" * 60, encoding="utf-8")
        for words in (
            ["import", str(text), "--name", "a"],
            ["segment", "a", "--by", "jieba", "--name", "b"],
            ["train", "b", "--model", "lstm", "--minutes", "0", "--max-steps", "1"],
        ):
            command = [str(program), "--workspace", str(home / "w"), *words]
            closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]
            done = _run(command if sys.platform == "win32" else closed, home)
            assert done.returncode == 0, f"{words[0]}: {done.returncode}"
    return "import, segment, train"


@contextmanager
def _hard_place(bundle: Path) -> Iterator[tuple[Path, Path]]:
    """The program where it may not write, and a home; both with Chinese and a space."""
    with tempfile.TemporaryDirectory(prefix="程序 ", dir=bundle.parent) as name:
        place, home = Path(name) / "工具 1" / bundle.name, Path(name) / "家 目录"
        home.mkdir()
        try:
            shutil.copytree(bundle, place, symlinks=True, copy_function=os.link)
        except OSError:
            shutil.copytree(bundle, place, symlinks=True, dirs_exist_ok=True)
        Path(name).chmod(0o755)
        if _is_root():
            os.chown(home, NOBODY, NOBODY)
        folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        try:
            yield program_of(place), home
        finally:
            for folder in folders:
                folder.chmod(0o755)


def _run(
    command: list[str], home: Path, *, capture_output: bool = False
) -> subprocess.CompletedProcess[str]:
    """As a user with that home, who may not write elsewhere; from another folder."""
    left_out = ("LMSTUDIO_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {"HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run(command, cwd=home, env=environment, text=True, encoding="utf-8",
                          capture_output=capture_output, check=False, timeout=1200,
                          **({"user": NOBODY, "group": NOBODY} if _is_root() else {}))  # fmt: skip


def _is_root() -> bool:
    """Root writes wherever it likes; then the checks are somebody else."""
    return os.name == "posix" and os.geteuid() == 0


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("kind", choices=("bundle", "deb", "paint"))
    parser.add_argument("--folder", type=Path, default=build.ROOT / "build", metavar="F")
    parser.add_argument("--pictures", type=Path, metavar="F")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
