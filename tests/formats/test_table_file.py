"""Tables as CSV files that spreadsheets read."""

import csv
from pathlib import Path

import pytest

from lmstudio.errors import AppError, Cancelled
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job


def test_a_table_comes_back_cell_by_cell(tmp_path):
    rows = [("北京", 1, 0.5), ('a,"b"', 2, None), ("两\n行", 3, float("inf"))]
    save_table(tmp_path / "t.csv", ["词", "次数", "比"], iter(rows), job=Job())
    data = (tmp_path / "t.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["词", "次数", "比"], ["北京", "1", "0.5"], ['a,"b"', "2", ""], ["两\n行", "3", "inf"],
        ]  # fmt: skip


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AppError, match="cannot be written"):
        save_table(tmp_path / "file" / "t.csv", ["a"], [], job=Job())


def test_a_stopped_table_leaves_nothing(tmp_path):
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        save_table(tmp_path / "t.csv", ["a"], [("b",)] * 5000, job=job)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["/", ".", "..", ""])
def test_a_folder_is_no_place_for_a_table(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AppError, match="cannot be written"):
        save_table(Path(path), ["a"], [[1]], job=Job())
