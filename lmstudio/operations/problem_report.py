"""A file for whoever looks into a problem: versions, settings, log, what runs there are. It holds
nothing of the user's text and none of the user's names: files, corpora, runs and folders.
"""

import json
import os
import platform
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from lmstudio import __version__
from lmstudio.figures import size
from lmstudio.files import folder_bytes, unwritten, written
from lmstudio.jobs import Job
from lmstudio.scrubbed import scrubbed
from lmstudio.store.rows import RunRow
from lmstudio.store.settings import Settings, log_file
from lmstudio.store.workspace import Workspace
from lmstudio.training.machine import free_memory, memory

LIBRARIES = ("torch", "numpy", "PySide6-Essentials", "pyqtgraph", "jieba", "tokenizers",
             "safetensors", "filelock")  # fmt: skip
_VARIABLES = ("LANG", "LC_ALL", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "XDG_SESSION_TYPE",
              "XDG_CURRENT_DESKTOP", "OMP_NUM_THREADS", "LMSTUDIO_THREADS", "LMSTUDIO_MEMORY",
              "LMSTUDIO_LANGUAGE", "CUDA_VISIBLE_DEVICES")  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9 _.:;@+-]{0,60}")
SUFFIX = ".zip"

Contents = dict[str, str]
"""The files of a report: name to text."""


def contents(ws: Workspace | None, *, job: Job) -> Contents:
    """What a report made now would hold; without a workspace there is none of its runs."""
    job.check()
    parts = {
        "versions.txt": "\n".join(_versions(ws)),
        "settings.json": _json(_settings(Settings.load())),
        "log.txt": "\n".join(scrubbed(_log_lines())),
    }
    if ws is not None:
        parts["workspace.json"] = _json(_workspace(ws, job))
    return {name: f"{text}\n" for name, text in parts.items()}


def place(path: Path | str) -> Path:
    """Where a report is written: .zip is put after a name that has none."""
    path = Path(path)
    return path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX)


def write(report: Contents, path: Path, *, job: Job) -> Path:
    """Write a report as a zip file; where it is, see `place`."""
    path = place(path)
    with (
        unwritten(path), written(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as file,
    ):  # fmt: skip
        for name, text in report.items():
            job.check()
            file.writestr(name, text)
    return path


def _versions(ws: Workspace | None) -> Iterator[str]:
    yield f"LM Workbench {__version__}{' (frozen)' if getattr(sys, 'frozen', False) else ''}"
    yield f"Python {platform.python_version()}"
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"
    yield f"{platform.system()} {platform.release()} {platform.machine()}"
    yield f"cores {os.cpu_count()}, memory {size(memory())}, free {size(free_memory())}"
    if ws is not None:
        with suppress(OSError):
            yield f"disk of the workspace: {size(shutil.disk_usage(ws.folder).free)} free"
    for name in _VARIABLES:
        if _WORD.fullmatch(value := os.environ.get(name, "")) and value:
            yield f"{name}={value}"


def _settings(settings: Settings) -> dict[str, Any]:
    """Switches and numbers as they are; of lists, which name folders and texts, how long."""
    return {
        name: len(value) if isinstance(value, list | dict) else _harmless(value)
        for name, value in asdict(settings).items()
    }


def _harmless(value: object) -> object:
    return value if not isinstance(value, str) or _WORD.fullmatch(value) else ""


def _log_lines() -> Iterator[str]:
    """Oldest first."""
    path = log_file()
    for one in (*(path.with_name(f"{path.name}.{number}") for number in (2, 1)), path):
        with suppress(OSError):
            yield from one.read_text(encoding="utf-8", errors="replace").splitlines()


def _workspace(ws: Workspace, job: Job) -> dict[str, Any]:
    """Kinds and sizes of what there is."""
    runs = []
    for run in ws.runs(tuned=True):
        job.check()
        runs.append(_run(ws, run))
    return {
        "corpora": [{"documents": c.documents, "lines": c.lines, "characters": c.characters,
                     "bytes": c.bytes} for c in ws.corpora()],
        "segmentations": [{"segmenter": s.segmenter, "vocabulary": s.vocabulary}
                          for s in ws.segmentations()],
        "tasks": [{"kind": task.kind} for task in ws.tasks()],
        "runs": runs,
    }  # fmt: skip


def _run(ws: Workspace, run: RunRow) -> dict[str, Any]:
    return {
        "model": run.model, "state": run.state, "fine-tuned": run.task is not None,
        "parameters": run.parameters, "step": run.step, "seconds": round(run.seconds, 1),
        "bytes": folder_bytes(ws.run_folder(run.id)),
        "measured": [part for part in ("valid", "test") if ws.evaluation(run.id, part)],
    }  # fmt: skip


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1)
