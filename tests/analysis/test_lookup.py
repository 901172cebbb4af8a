"""Token ids into rows of a look-up table, read and multiplied."""

import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from lmstudio.analysis.lookup import TABLE, look_up
from lmstudio.errors import AppError
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.training.spec import RunSpec

LSTM, NGRAM = (RunSpec.from_json({"model": name}) for name in ("lstm", "ngram"))


@pytest.fixture
def table():
    return np.random.default_rng(1).normal(size=(7, 3)).astype(np.float32)


@pytest.fixture
def run(tmp_path, table):
    folder = tmp_path / "checkpoints" / "best"
    folder.mkdir(parents=True)
    save_file({TABLE: table}, folder / "weights.safetensors")
    write_json(folder / "meta.json", {})
    return tmp_path


def test_one_hot_times_matrix_is_the_row(run, table):
    found = look_up(run, LSTM, [3, 0, 3], job=Job())
    assert (found.ids, found.vocabulary) == ([3, 0, 3], 7)
    np.testing.assert_array_equal(found.rows, table[[3, 0, 3]])
    np.testing.assert_array_equal(found.products, found.rows)
    assert found.equal
    assert look_up(run, LSTM, [], job=Job()).rows.shape == (0, 3)


@pytest.mark.parametrize(
    "name", ["words.weight", "encoder.embedding.weight", "encoder.words.weight"]
)
def test_tables_of_elmo_and_of_fine_tuned_runs(run, table, name):
    save_file({name: table}, run / "checkpoints" / "best" / "weights.safetensors")
    np.testing.assert_array_equal(look_up(run, LSTM, [6], job=Job()).rows, table[[6]])
    save_file({"words.highway": table}, run / "checkpoints" / "best" / "weights.safetensors")
    with pytest.raises(AppError, match="out of its characters"):
        look_up(run, LSTM, [6], job=Job())


def test_what_has_no_row_is_told(run, tmp_path):
    for ids in ([7], [-1]):
        with pytest.raises(AppError, match="from 0 to 6"):
            look_up(run, LSTM, ids, job=Job())
    with pytest.raises(AppError, match="counts has no look-up table"):
        look_up(run, NGRAM, [1], job=Job())
    with pytest.raises(AppError, match="no checkpoint yet"):
        look_up(tmp_path / "other", LSTM, [1], job=Job())
    (run / "checkpoints" / "best" / "weights.safetensors").write_bytes(b"x")
    with pytest.raises(AppError, match="missing or damaged"):
        look_up(run, LSTM, [1], job=Job())


def test_torch_is_not_needed(run):
    """In a process of its own, for other tests load it."""
    code = (
        "import sys; from pathlib import Path; from lmstudio.analysis.lookup import look_up; "
        "from lmstudio.jobs import Job; from lmstudio.training.spec import RunSpec; "
        "spec = RunSpec.from_json({'model': 'lstm'}); "
        "look_up(Path(sys.argv[1]), spec, [1], job=Job()); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(run)], check=False).returncode == 0
