"""Counting models are loaded without the half second, and the memory, that torch takes."""

import subprocess
import sys

import pytest

from lmstudio.analysis.loading import load
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training import fit_ngram
from lmstudio.training.spec import RunSpec
from tests.models.ngram.texts import TINY
from tests.segmentations import write_segmentation

SPEC = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})


def test_a_trained_run_is_loaded_without_torch(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TINY, test=TINY)
    fit_ngram.fit(folder, tmp_path / "r", SPEC, job=Job())
    assert load(tmp_path / "r", SPEC, 8).context == "sentence"
    code = (
        "import sys; from pathlib import Path; from lmstudio.analysis import perplexity;"
        "from lmstudio.jobs import Job; from lmstudio.training.spec import RunSpec;"
        "spec = RunSpec.from_json({'model': 'ngram', 'config': {'order': 2}});"
        f"perplexity.evaluate(Path({str(folder)!r}), Path({str(tmp_path / 'r')!r}), spec, 'test',"
        "job=Job()); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_run_without_its_file_says_what_to_do(tmp_path):
    with pytest.raises(AppError, match="missing"):
        load(tmp_path, SPEC, 8)
