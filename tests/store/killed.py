"""Carries out a deed of the trash in a copy of itself that is killed before its n-th act.

`python killed.py DEED FOLDER` prints at how many places it was killed; an assertion fails where
the workspace, opened again, is neither as before nor as it was to be.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lmstudio.store import trash
from lmstudio.store.workspace import Workspace
from tests.store.test_trash import files, fill, rows

ACTS = ("os.rename", "os.mkdir", "os.remove", "os.rmdir")


def killed_at(act, folder, deed):
    """Whether the copy was killed: False where it came to its end first."""
    child = os.fork()
    if child == 0:
        ws, left = Workspace(folder), [act]

        def count(*what):
            if what[0] in ACTS or len(what) == 1:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        ws.db.connection.set_trace_callback(count)
        sys.addaudithook(count)
        deed(ws)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def state(ws):
    """What lives, in rows and in files, and what the trash lists."""
    live = {path: data for path, data in files(ws).items() if not path.startswith("trash/")}
    return rows(ws), live, trash.deleted(ws.db)


def main(deed, folder):
    """Kill it everywhere; how often that was."""
    deeds = {"put": lambda ws: trash.put(ws, "corpus", 1),
             "restore": lambda ws: trash.restore(ws, 1), "empty": trash.empty}  # fmt: skip
    first = folder / "first"
    with Workspace(first) as ws:
        fill(ws)
        whole = state(ws)[:2]
        if deed != "put":
            trash.put(ws, "corpus", 1)
        before = state(ws)
    with Workspace(shutil.copytree(first, folder / "after")) as ws:
        deeds[deed](ws)
        after = state(ws)
    act = 0
    while killed_at(act, shutil.copytree(first, folder / str(act)), deeds[deed]):
        with Workspace(folder / str(act)) as ws:
            now = state(ws)
            undated = [(*s[:2], [(d.id, d.ids) for d in s[2]]) for s in (now, before, after)]
            assert undated[0] in undated[1:], (act, now)
            inside = {path.name for path in (ws.folder / "trash").glob("*")}
            assert inside == {str(one.id) for one in now[2]}, (act, inside)
            if now[2]:
                trash.restore(ws, 1)
                assert state(ws)[:2] == whole, act
        act += 1
    return act


if __name__ == "__main__":
    print(main(sys.argv[1], Path(sys.argv[2])))
