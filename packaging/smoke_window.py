"""The built program in, whether its window works out: painted, trained in, started again, left."""

import os
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import screen
from say import pick

TITLE = "LM Workbench"
PAINT_S = 1.6
TRIALS = 5
SECOND_S = 1.0
QUIT_S = 5.0
PATIENCE_S = 600  # a busy machine trains slowly
RUNS = "select state from run"

Check = tuple[str, Callable[[], str]]


class Program:
    """The window as a process, and when it told to be how far."""

    def __init__(self, command: list[str], home: Path, environment: dict[str, str]) -> None:
        settings = {"LMSTUDIO_HOME": str(home), "LMSTUDIO_TIMES": "1", "LMSTUDIO_LANGUAGE": "en"}
        self.environment = os.environ | settings | environment
        self._command, self.reached, self.said = command, {}, []
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE,
                                        text=True, encoding="utf-8")  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    reached: dict[str, float]
    said: list[str]

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            self.reached.setdefault(line.strip().partition(" s ")[2], time.monotonic())

    def reaches(self, stage: str, seconds: float) -> float:
        """Seconds from exec till it tells of `stage`, such as "first paint"."""

        def there() -> bool:
            return stage in self.reached or self.process.poll() is not None

        screen.until(there, seconds, stage)
        assert stage in self.reached, "".join(self.said)
        return self.reached[stage] - self.started

    def processor_seconds(self) -> float:
        """What it has worked so far, as the kernel of Linux counts."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def again(self, *words: str) -> float:
        """Start it once more with these words; the seconds until that start has ended."""
        began = time.monotonic()
        done = subprocess.run([self._command[0], *words], env=self.environment, timeout=60,
                              check=False)  # fmt: skip
        assert done.returncode == 0, done.returncode
        return time.monotonic() - began

    def close(self) -> None:
        """Kill it, if it is still there."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()


@contextmanager
def started(
    program: Path, *words: str, environment: dict[str, str]
) -> Iterator[tuple[Program, Path]]:
    """A running program with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="lmw-") as name:
        running = Program([str(program), *words], Path(name), environment)
        try:
            yield running, Path(name)
        finally:
            running.close()


def checks(program: Path, pictures: Path | None) -> list[Check]:
    """Those of the window; elsewhere than on Linux without pressing keys."""
    found = [paint_check(program)]
    if screen.is_here():
        title = pick("window: train, second start, quit", "窗口：训练、再次启动、退出")
        found.append((title, lambda: _used(program, pictures)))
    return found


def paint_check(program: Path) -> Check:
    """How soon there is something to see."""
    return pick("first paint", "首次绘制"), lambda: _paint(program)


def _paint(program: Path) -> str:
    """The best of some, from exec; of a busy machine the processor's time counts."""
    wall, worked = [], []
    for _ in range(TRIALS):
        with started(program, "gui", environment={"QT_QPA_PLATFORM": "offscreen"}) as (running, _):
            wall.append(running.reaches("first paint", 60))
            worked.append(running.processor_seconds() if screen.is_here() else wall[-1])
    told = f"{min(wall):.2f} s, {min(worked):.2f} s of processor, best of {TRIALS}"
    assert min(*wall, *worked) <= PAINT_S, told
    return told


def _used(program: Path, pictures: Path | None) -> str:
    with (
        tempfile.TemporaryDirectory(prefix="lmw-") as folder,
        screen.opened() as display,
        started(program, str(_workspace(program, Path(folder))),
                environment=display.environment) as (running, home),
    ):  # fmt: skip
        window = display.wait_for(TITLE, 60)
        running.reaches("ready", PATIENCE_S)
        file = Path(folder) / "工作区" / "workspace.db"
        display.type(window, "alt+3")  # the room where models are trained

        def queued() -> bool:
            if not _states(file):  # the button waits for what a run takes
                display.type(window, "ctrl+Return")
                time.sleep(2)
            return bool(_states(file))

        screen.until(queued, PATIENCE_S, pick("a run in the queue", "排队的运行"))
        screen.until(lambda: "done" in _states(file), PATIENCE_S, pick("a model", "模型"))
        _keep(display, pictures, "trained")
        text = home / "语料 测试#1 100%25.txt"
        text.write_text("我爱北京天安门。\n" * 30, encoding="utf-8")
        second = running.again(str(text))
        dialog = display.wait_for("Import", 60)
        _keep(display, pictures, "second-start")
        display.type(dialog, "Escape")
        below = descendants(running.process.pid)
        display.type(window, "ctrl+q")
        asked = time.monotonic()
        screen.until(lambda: running.process.poll() is not None, 4 * QUIT_S, "quit")
        took = time.monotonic() - asked
        assert running.process.returncode == 0, running.process.returncode
        screen.until(lambda: not below & set(_processes()), QUIT_S, pick("all gone", "全部退出"))
        return (
            f"second start {second:.2f} s, quit {took:.2f} s, {len(below)} processes gone with it"
        )


def descendants(number: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    above, found = _processes(), {number}
    while more := {child for child, parent in above.items() if parent in found} - found:
        found |= more
    return found - {number}


def _processes() -> dict[int, int]:
    """All processes, and whose children they are."""
    told = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    return {int(line.split()[0]): int(line.split()[1]) for line in told.stdout.splitlines()}


def _workspace(program: Path, folder: Path) -> Path:
    """One with the sample text, cut into characters, made by the command line."""
    text, made = folder / "sample.txt", folder / "工作区"
    verbs = (
        ["sample", text],
        ["--workspace", made, "import", text, "--name", "sample"],
        ["--workspace", made, "segment", "sample", "--by", "characters"],
    )
    for words in verbs:
        subprocess.run([program, *words], check=True, timeout=PATIENCE_S, capture_output=True,
                       env=os.environ | {"LMSTUDIO_HOME": str(folder)})  # fmt: skip
    return made


def _states(file: Path) -> list[str]:
    """Those of the runs of a workspace."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        return [state for (state,) in db.execute(RUNS)]


def _keep(display: screen.Screen, pictures: Path | None, name: str) -> None:
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        display.picture(pictures / f"{name}.png")
