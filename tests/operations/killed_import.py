"""Brings a model in, in copies of itself that are killed before every commit and every rename.

`python killed_import.py FILE FOLDER` prints at how many places it was killed; an assertion fails
where the workspace, opened again, lists a part of the import, or the next import cannot be as the
first would have been.
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lmstudio.jobs import Job
from lmstudio.operations import disk, model_files, run_files
from lmstudio.store.trash import BULK
from lmstudio.store.workspace import Workspace


def bring(ws, path):
    """Import a file or folder, whatever it is."""
    if path.suffix == ".lmrun":
        run_files.import_run(ws, path, job=Job())
    else:
        model_files.import_model(ws, path, job=Job())


def killed_at(act, folder, path):
    """Whether the copy was killed: False where it came to its end first."""
    child = os.fork()
    if child == 0:
        ws, left = Workspace(folder), [act]

        def step(*what):
            if what[0] == "os.rename" or what == ("commit",):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        ws.db.connection.set_trace_callback(step)
        sys.addaudithook(step)
        bring(ws, path)
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


def listed(ws):
    """The names of all that there is."""
    every = (ws.corpora(), ws.segmentations(), ws.runs(tuned=True), ws.tasks())
    return [[row.name for row in rows] for rows in every]


def folders(ws):
    """What lies where the files of rows are."""
    return sorted(path.relative_to(ws.folder).as_posix()
                  for home in BULK.values() for path in (ws.folder / home).glob("*"))  # fmt: skip


def main(path, home):
    """Kill it everywhere; how often that was."""
    with Workspace(home / "whole") as ws:
        bring(ws, path)
        whole, kept = listed(ws), len(folders(ws))
    act = 0
    while killed_at(act, home / str(act), path):
        with Workspace(home / str(act)) as ws:
            assert listed(ws) == [[], [], [], []], (act, listed(ws))
            disk.reclaim(ws, "leftovers", job=Job())
            assert not folders(ws), (act, folders(ws))
            bring(ws, path)
            assert (listed(ws), len(folders(ws))) == (whole, kept), (act, listed(ws), folders(ws))
        act += 1
    return act


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
