"""Counting models are loaded without the half second, and the memory, that torch takes."""

import subprocess
import sys

import numpy as np
import pytest
from safetensors.torch import save_file

from lmstudio.analysis.loading import load
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.checkpoint_folder import WEIGHTS
from lmstudio.training import fit_ngram
from lmstudio.training.assembly import build
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


def test_weights_that_are_no_numbers_are_told(tmp_path):
    spec = RunSpec.from_json({"model": "rnn", "config": {"width": 8}})
    module = build(spec, np.ones(8, int), tmp_path)
    folder = tmp_path / "checkpoints" / "best"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text("{}")
    save_file(module.state_dict(), folder / WEIGHTS)
    assert load(tmp_path, spec, 8).context
    broken = {name: weights * float("nan") for name, weights in module.state_dict().items()}
    save_file(broken, folder / WEIGHTS)
    with pytest.raises(AppError, match="weights of mine hold values that are no numbers"):
        load(tmp_path, spec, 8, "mine")
