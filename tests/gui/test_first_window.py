"""A second start tells the first window what to open, and ends; nobody waits long for anybody."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtTest import QTest

from lmstudio.gui import first_window
from lmstudio.gui.app import Program
from lmstudio.gui.application import Application
from lmstudio.gui.first_window import FirstWindow, Wish, hand_over
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
SLOW_S = 1.0
FIRST = """
import sys
from lmstudio import __main__
from lmstudio.gui import app
from lmstudio.gui.window import Window

def tell(what):
    print(what, flush=True)

def open_files(self, paths):
    if paths:
        tell(f"{self.state.workspace.folder.name} {[path.name for path in paths]}")
    if any(path.name == "stop.txt" for path in paths):
        self.close()
    elif app.workspace_among(paths)[0]:
        given(self, paths)

if __name__ == "__main__":
    given, Window.open_files, app._tell_time = Window.open_files, open_files, tell
    Window.make_next_panel = lambda self: False  # they would take seconds
    sys.exit(__main__.main())
"""


@pytest.fixture(autouse=True)
def _short_paths(monkeypatch):
    """Sockets lie in a folder of the test's own, whose path is short enough for them."""
    with tempfile.TemporaryDirectory(prefix="lmw-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def first(qapp):
    place = FirstWindow()
    yield place
    place.leave()
    place.deleteLater()


@pytest.mark.parametrize("wish", [
    Wish(),
    Wish(Path("/w"), (Path("/语料 测试#1 100%25.txt"),), sample=True, tour=True, token="a b"),
    Wish(files=(Path(os.fsdecode(b"/bad\xf0.txt")),)),
], ids=["empty", "full", "bytes"])  # fmt: skip
def test_a_wish_crosses_unchanged(wish):
    line = wish.to_line()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert Wish.from_line(line) == wish


@pytest.mark.parametrize(
    "line", [b"\n", b"[]\n", b'{"files": 1}\n', b"GET / HTTP/1.1\n", b"\xff\n"]
)
def test_what_is_no_wish_is_refused(line):
    assert Wish.from_line(line) is None


def test_the_first_is_alone(first):
    started = time.monotonic()
    assert first.take(Wish())
    assert time.monotonic() - started < SLOW_S


def test_a_first_window_that_is_busy_is_told_in_time(first, qtbot, monkeypatch):
    assert first_window.PATIENCE_MS < SLOW_S * 1000
    monkeypatch.setattr(first_window, "PATIENCE_MS", 100)
    assert first.take(Wish())
    started = time.monotonic()  # no event loop runs meanwhile: the first does not answer
    assert not FirstWindow(first).take(Wish(files=(Path("/a.txt"),)))
    assert time.monotonic() - started < SLOW_S
    with qtbot.waitSignal(first.wished) as told:
        pass
    assert told.args == [Wish(files=(Path("/a.txt"),))]


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe ends with its process")
def test_a_socket_that_was_left_behind_is_no_window(first):
    name = first_window.address()
    left = socket.socket(socket.AF_UNIX)
    left.bind(name)
    left.close()
    assert os.path.exists(name)
    started = time.monotonic()
    assert first.take(Wish())
    assert time.monotonic() - started < SLOW_S
    assert not FirstWindow(first).take(Wish())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sees to it")
def test_another_users_socket_is_not_told_anything(first, monkeypatch):
    assert first.take(Wish())
    name = first_window.address()
    monkeypatch.setattr(first_window.os, "getuid", lambda: os.stat(name).st_uid + 1)
    assert not hand_over(name, Wish(files=(Path("/secret.txt"),)))


def test_homes_have_windows_of_their_own(monkeypatch):
    here = first_window.address()
    monkeypatch.setenv("LMSTUDIO_HOME", "/elsewhere")
    assert first_window.address() != here
    assert len(os.fsencode(first_window.address())) < 100


def test_the_macs_finder_hands_over_files(qapp, qtbot):
    given = []
    event = QFileOpenEvent(QUrl.fromLocalFile("/语料 1.txt"))
    stand_in = type("Window", (), {"files_given": type("Signal", (), {"emit": given.append})})()
    assert Application.event(stand_in, event)
    assert given == [[Path("/语料 1.txt")]]
    assert event.type() == QEvent.Type.FileOpen


@pytest.fixture
def program(qapp, tmp_path):
    """A program with all its panels, whose windows note what they are to import."""
    made = Program(qapp, Settings(theme="light"), tmp_path / "one")
    assert made.state.open_workspace(tmp_path / "one")
    made._ready = True
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def imported(program, monkeypatch):
    """(workspace, files) of each import."""
    seen = []
    panel = type(program.window.panel("corpora"))

    def open_files(self, paths):
        seen.append((self.state.workspace.folder.name, paths))

    monkeypatch.setattr(panel, "open_files", open_files)
    return seen


def test_a_workspace_that_is_dropped_is_opened_and_takes_the_other_files(
    program, imported, tmp_path, qtbot
):
    Workspace(tmp_path / "two").close()
    text = tmp_path / "a.txt"
    text.write_text("一行", encoding="utf-8")
    before = program.window
    before.open_files([text, tmp_path / "two" / "workspace.db"])
    qtbot.waitUntil(lambda: program.window is not before)
    assert program.state.workspace.folder == tmp_path / "two"
    assert imported == [("two", [text])]
    program.window.open_files([tmp_path / "two"])  # it is open: nothing happens
    QTest.qWait(0)
    assert imported == [("two", [text])]


def test_wishes_wait_for_the_window(program, imported, tmp_path):
    program._ready = False
    program.carry_out(Wish(files=(tmp_path / "a.txt",)))
    program.carry_out(Wish(files=(tmp_path / "b.txt",)))
    assert imported == []
    program._ready = True
    program._do_wishes()
    assert [paths[0].name for _, paths in imported] == ["a.txt", "b.txt"]


class Start:
    """The program as a process, started in a folder; the lines it tells."""

    def __init__(self, folder: Path, *words: str) -> None:
        script = folder / "first.py"
        script.write_text(FIRST, encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(ROOT), "LMSTUDIO_HOME": str(folder / "home")}
        self.process = subprocess.Popen(
            [sys.executable, str(script), *words], cwd=folder, env=environment, text=True,
            stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def until(self, wanted: str) -> None:
        """Read until a line comes; the end of the process is the end of waiting."""
        seen = []
        for line in self.process.stdout:
            seen.append(line.strip())
            if seen[-1] == wanted:
                return
        pytest.fail(f"{wanted!r} did not come: {seen}")

    def ends(self) -> None:
        with self.process:
            assert self.process.wait(60) == 0


@pytest.mark.slow
def test_a_second_start_hands_its_paths_over(tmp_path):
    Workspace(tmp_path / "作品 2").close()
    for name in ("语料 1.txt", "b.txt", "stop.txt"):
        (tmp_path / name).write_text("你好", encoding="utf-8")
    first = Start(tmp_path)
    first.until("first paint")  # long before all is there
    Start(tmp_path, "语料 1.txt").ends()
    first.until("workspace ['语料 1.txt']")
    Start(tmp_path, "gui", "作品 2/workspace.db", "b.txt").ends()
    first.until("作品 2 ['b.txt']")
    first.process.kill()
    first.process.communicate()
    later = Start(tmp_path, "--workspace", "作品 2")  # what the killed one left does not matter
    later.until("ready")
    Start(tmp_path, "./stop.txt").ends()
    later.until("作品 2 ['stop.txt']")
    later.ends()


@pytest.mark.parametrize(
    ("wish", "asked"),
    [(Wish(sample=True), ["sample"]), (Wish(tour=True), ["counting"]), (Wish(), [])],
    ids=["sample", "tour", "nothing"],
)
def test_the_sample_is_made_and_only_a_tour_that_is_wanted_begins(program, wish, asked):
    begun = []
    program.state.sample_wanted.connect(lambda: begun.append("sample"))
    program.state.tour_wanted.connect(begun.append)
    program.carry_out(wish)
    assert begun == asked
    assert (program.window.guide.step is not None) == wish.tour
