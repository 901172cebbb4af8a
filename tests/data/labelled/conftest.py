"""Small files of labelled examples, read as the program reads those of a user."""

import pytest

from lmstudio.data.labelled.importing import read_files
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.jobs import Job


@pytest.fixture
def read(tmp_path):
    """Reads files of name -> content, all to train on but those called `names`."""

    def read(kind="auto", options=None, **files):
        paths = {}
        for name, content in files.items():
            stem, _, suffix = name.rpartition("_")
            path = tmp_path / f"{stem}.{suffix}"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            paths.setdefault("names" if stem == "names" else "train", []).append(path)
        return read_files(paths, kind, options or LabelOptions(), job=Job())

    return read
