"""What the program needs, checked one by one, so that a user or an installer can see what lacks."""

import importlib
import importlib.metadata
import importlib.util
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lmstudio import jobs, resources
from lmstudio.jobs import Job
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import corpora, evaluation, segmentations, training
from lmstudio.options import options_of
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions, segmenter
from lmstudio.training.spec import RunSpec

SENTENCE = "我爱北京天安门"
PACKAGES = ("PySide6-Essentials", "torch", "pyqtgraph", "jieba", "rjieba", "appdirs", "numpy",
            "tokenizers", "safetensors", "charset-normalizer", "filelock", "python-docx",
            "openpyxl", "pypdf", "lxml", "defusedxml", "rensa", "opencc")  # fmt: skip
MODULES = ("rjieba", "tokenizers", "safetensors.torch", "charset_normalizer", "docx", "openpyxl",
           "pypdf", "lxml.etree", "defusedxml.ElementTree", "rensa", "opencc")  # fmt: skip
"""Those that are loaded only when something needs them."""

DATA = {"jieba": ("dict.txt", "finalseg/*.p"), "opencc": ("**/*.json", "**/*.ocd2")}
"""By package, the files it reads beside its code."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    result: str
    good: bool


def run(*, job: Job) -> list[Check]:
    """All checks, in order; a check that raises is a bad one."""
    return [
        *_packages(),
        *(_checked(f"import {name}", partial(_imported, name)) for name in MODULES),
        *_resource_files(),
        *(check for package in DATA for check in _data_files(package)),
        _checked("jieba", _cut),
        _checked("workspace", partial(_reopen, job)),
        *(_checked(model, partial(_train, model, job)) for model in TRAINABLE),
    ]


def _checked(name: str, check: Callable[[], str]) -> Check:
    job = Job(name)
    jobs.run(job, lambda _: check())
    return Check(name, str(job.result if job.state == "done" else job.error), job.state == "done")


def _packages() -> Iterator[Check]:
    yield Check("Python", platform.python_version(), True)
    for package in PACKAGES:
        yield _checked(package, partial(importlib.metadata.version, package))


def _resource_files() -> Iterator[Check]:
    for path in sorted(resources.path().rglob("*")):
        if path.is_file() and path.suffix != ".po":
            size = path.stat().st_size
            yield Check(str(path.relative_to(resources.path())), f"{size:,} B", size > 0)


def _imported(name: str) -> str:
    return str(importlib.import_module(name).__name__)


def _data_files(package: str) -> Iterator[Check]:
    """The files of a package, which a frozen program may have lost."""
    spec = importlib.util.find_spec(package)
    folder = Path(next(iter(spec.submodule_search_locations or ()), "")) if spec else Path()
    for pattern in DATA[package]:
        files = sorted(folder.glob(pattern)) if spec else []
        if not files:
            yield Check(f"{package}/{pattern}", "", False)
        for file in files:
            size = file.stat().st_size
            yield Check(f"{package}/{file.relative_to(folder)}", f"{size:,} B", size > 0)


def _reopen(job: Job) -> str:
    """Write a workspace, and open it again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "工作区 1"
        with Workspace(folder) as ws:
            corpora.import_text(ws, f"{SENTENCE}。\n" * 30, name="self-test", job=job)
        with Workspace(folder) as ws:
            return ws.corpora()[0].name


def _cut() -> str:
    with tempfile.TemporaryDirectory() as folder:
        cut = segmenter(SegmentOptions(by="jieba"), cache=Path(folder)).cut(SENTENCE)
    words = "|".join(SENTENCE[start:end] for start, end in cut)
    if words != "我|爱|北京|天安门":
        raise ValueError(words)
    return words


def _train(model: str, job: Job) -> str:
    """Import, segment, train and evaluate on a text of a few lines; networks for some steps."""
    text = f"{SENTENCE}。\n他爱上海。\n" * 20
    small: dict[str, dict[str, object]] = {}
    if MODELS[model].kind == "neural":
        heads = {"heads": 2} if "heads" in options_of(MODELS[model].config) else {}
        small = {"config": {"width": 8, **heads}, "training": {"max_steps": 3}}
    spec = RunSpec.from_json({"model": model, **small})
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as ws:
        corpus = corpora.import_text(ws, text, name="self-test", job=job).new_id or 0
        options = SegmentOptions(by="characters")
        cut = segmentations.create(ws, corpus, options, name="self-test", job=job).new_id or 0
        trained = training.train(ws, cut, spec, job=job).new_id or 0
        figures = evaluation.evaluate(ws, trained, "test", job=job)
    return f"{figures['bits_per_character']:.3f} bits/char"
