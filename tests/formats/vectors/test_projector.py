"""The two files of the projector stay in step whatever stands in a word."""

import json

import numpy as np

from lmstudio.formats.vectors.projector import write_projector
from lmstudio.jobs import Job


def test_case_e6_files_in_step(tmp_path, cases):
    data = json.loads((cases / "e_projector_tokens.json").read_text(encoding="utf-8"))
    words, vectors = data["tokens"], np.zeros((7, data["dim"]), np.float32)
    write_projector(tmp_path, words, vectors, job=Job())
    rows = (tmp_path / "vectors.tsv").read_text(encoding="utf-8")
    labels = (tmp_path / "metadata.tsv").read_text(encoding="utf-8")
    assert rows.count("\n") == labels.count("\n") == 7
    assert len(labels.splitlines()) == 7  # also for those who take U+2028 for the end of a line
    assert all(line and "\t" not in line for line in labels.splitlines())
    assert labels.startswith("北京\n")


def test_a_header_where_there_are_several_columns(tmp_path):
    vectors = np.array([[0.5, 1], [2, 3]])
    write_projector(tmp_path, ["a", "b"], vectors, [("count", [3, 4])], job=Job())
    assert (tmp_path / "metadata.tsv").read_text(encoding="utf-8") == "word\tcount\na\t3\nb\t4\n"
    assert (tmp_path / "vectors.tsv").read_text(encoding="utf-8") == "0.5\t1.0\n2.0\t3.0\n"
