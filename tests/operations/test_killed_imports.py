"""An import that is killed at any place leaves nothing that is listed, and can be made again."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lmstudio.formats.vectors.vector_file import write_vectors
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.operations import corpora, exporting, segmentations, training
from lmstudio.store import unfinished
from lmstudio.training.spec import RunSpec

TEXT = "我爱北京天安门。\n他爱上海的春天。\n" * 20


def killed(path, folder):
    """At how many places; see `killed_import.py`."""
    script = Path(__file__).with_name("killed_import.py")
    done = subprocess.run([sys.executable, script, path, folder], capture_output=True, text=True,
                          check=False, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize(("layout", "name"), [("arpa", "kn.arpa"), ("run", "kn.lmrun")])
def test_a_killed_import_is_as_if_it_had_not_begun(workspace, tmp_path, layout, name):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    options = segmentations.SegmentOptions(by="characters")
    segmentations.create(workspace, "c", options, name="s", job=Job())
    training.train(workspace, "s", RunSpec("ngram", NgramConfig(2)), name="kn", job=Job())
    exporting.export(workspace, "kn", layout, tmp_path / name, job=Job())
    assert killed(tmp_path / name, tmp_path / "k") > 3


def test_a_killed_import_of_vectors_is_as_if_it_had_not_begun(tmp_path):
    write_vectors(tmp_path / "a.vec", ["我", "爱"], np.eye(2, dtype=np.float32), job=Job())
    assert killed(tmp_path / "a.vec", tmp_path / "k") > 3


def test_a_killed_import_of_a_network_is_as_if_it_had_not_begun(cases, tmp_path):
    assert killed(cases / "hf_ok", tmp_path / "k") > 3


def test_what_is_unfinished_is_not_listed(workspace):
    facts = {unfinished.MARK: True}
    corpora.import_text(workspace, TEXT, name="c", facts=facts, job=Job())
    options = segmentations.SegmentOptions(by="characters")
    segmentations.create(workspace, "c", options, name="s", facts=facts, job=Job())
    assert (workspace.corpora(), workspace.segmentations()) == ([], [])
    for noun in ("corpus", "segmentation"):
        unfinished.finish(workspace, noun, 1)
    assert [row.name for row in workspace.corpora()] == ["c"]
    assert [row.name for row in workspace.segmentations()] == ["s"]
