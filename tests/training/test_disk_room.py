"""Arrays that are files: their place is taken at once, and nothing of them is left."""

import errno
import os

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training import disk_room, fit_ngram
from lmstudio.training.disk_room import DiskRoom, room_in
from tests.models.ngram.texts import TINY
from tests.segmentations import write_segmentation
from tests.training.test_fit_ngram import spec


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def unable(*_):
    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


@pytest.mark.parametrize("allocate", [None, unable, "absent"])
def test_arrays_are_zeros_that_have_their_place_on_the_disk(tmp_path, monkeypatch, allocate):
    if allocate == "absent":
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    elif allocate:
        monkeypatch.setattr(os, "posix_fallocate", allocate, raising=False)
    monkeypatch.setattr(disk_room, "_PIECE", bytes(1000))
    table = DiskRoom(tmp_path)(3333, np.dtype("i8"))
    assert table.shape == (3333,)
    assert not table.any()
    facts = (tmp_path / "1").stat()
    assert facts.st_size == 3333 * 8
    assert getattr(facts, "st_blocks", 64) * 512 >= facts.st_size
    table[:] = 7
    assert DiskRoom(tmp_path / ".")(0, np.dtype("i4")).shape == (0,)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="made by writing there")
def test_a_full_disk_is_named_and_nothing_is_left(tmp_path, monkeypatch):
    folder, run = write_segmentation(tmp_path / "s", train=TINY * 5), tmp_path / "run"
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(AppError, match=r"The disk of .*run is full: .* needs"):
        fit_ngram.fit(folder, run, spec(), memory=1000, job=Job())
    assert not list(run.iterdir())


def test_what_a_killed_process_left_is_removed(tmp_path):
    left = tmp_path / "counting.abc.tmp"
    left.mkdir()
    (left / "1").write_bytes(b"x")
    (tmp_path / "kept").mkdir()
    with room_in(tmp_path) as room:
        room(4, np.dtype("i4"))
        assert not left.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
