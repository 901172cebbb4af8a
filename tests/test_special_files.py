"""Devices, pipes and the like are refused before they are read, for some of them never end."""

import socket
from pathlib import Path

import pytest

from lmstudio.analysis import analogies, arpa_figures, similarity
from lmstudio.cli.meanings import _read_lines
from lmstudio.errors import AppError
from lmstudio.files import read_json
from lmstudio.formats import arpa_reading, curve_file, parcel, recognise
from lmstudio.formats.elmo_files import config_of
from lmstudio.formats.vectors.vector_file import read_vectors
from lmstudio.jobs import Job
from lmstudio.operations import predicting, run_files, sheets
from lmstudio.text import joining, stop_words, subword, userdict
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training import spec

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such files on Windows")
READERS = {
    "spec": spec.read_file,
    "sheet": sheets.read,
    "curve": curve_file.read,
    "predict": lambda path: predicting.read_lines(path, "classify"),
    "similarity": similarity.read_pairs,
    "analogies": analogies.read_questions,
    "arpa": lambda path: arpa_reading.load(path, job=Job()),
    "arpa-text": lambda path: arpa_figures.figures(Path("any.arpa"), path, job=Job()),
    "run": lambda path: parcel.look(path, run_files.KIND, job=Job()),
    "model": recognise.model_kind,
    "elmo": config_of,
    "vectors": lambda path: read_vectors(path, job=Job()),
    "pieces": lambda path: subword.load(path, SegmentOptions()),
    "joiner": joining._kind_of_pieces,
    "dictionary": userdict.read_dictionary,
    "stop-words": stop_words.read_stop_words,
    "lines": _read_lines,
}


@pytest.mark.parametrize("reader", READERS)
def test_a_special_file_is_refused(reader, tmp_path, monkeypatch):
    """A socket stands for all of them: whoever reads it fails at once, and does not wait."""
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    path = Path("file")
    with socket.socket(socket.AF_UNIX) as special:
        special.bind(str(path))
        with pytest.raises(AppError, match="is not a plain file|This is not a file"):
            READERS[reader](path)


def test_json_that_is_too_long_is_not_read(tmp_path):
    path = tmp_path / "long.json"
    path.write_text('{"model": "ngram"}')
    assert read_json(path, largest=18) == {"model": "ngram"}
    with pytest.raises(ValueError, match="too long"):
        read_json(path, largest=17)
