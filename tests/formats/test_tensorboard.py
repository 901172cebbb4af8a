"""Event files: records with the checksums that their readers ask for."""

import struct

import pytest

from lmstudio.formats.tensorboard import EventFile, crc32c, folder_name, record


@pytest.mark.parametrize(
    ("data", "crc"),
    [(bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E),
     (bytes(range(31, -1, -1)), 0x113FDB5C), (b"123456789", 0xE3069283)],
    ids=["zeros", "ones", "rising", "falling", "digits"],
)  # fmt: skip
def test_checksums_are_those_of_the_standard(data, crc):
    """RFC 3720, appendix B.4; the digits are the check value of the catalogue of CRCs."""
    assert crc32c(data) == crc


def records(data: bytes) -> list[bytes]:
    found = []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        whole = data[: 8 + 4 + length + 4]
        found.append(whole[12 : 12 + length])
        assert record(found[-1]) == whole
        data = data[len(whole) :]
    return found


def test_a_file_is_whole_after_every_point(tmp_path):
    with EventFile(tmp_path / "run") as file:
        sizes = []
        for step in (1, 300, 70_000):
            file.add(step, {"train/loss": 1 / step})
            sizes.append(len(records(file.path.read_bytes())))
    assert sizes == [2, 3, 4]
    assert file.path.name.startswith("events.out.tfevents.")
    assert b"brain.Event:2" in records(file.path.read_bytes())[0]


def test_two_files_begun_in_one_second_have_two_names(tmp_path):
    with EventFile(tmp_path, began=5) as one, EventFile(tmp_path, began=5) as other:
        assert one.path != other.path


@pytest.mark.parametrize(
    ("run", "folder"),
    [("LSTM 2×256", "LSTM 2×256"), ("a/b\\c:d", "a_b_c_d"), ("..", "_"), ("x. ", "x")],
    ids=["plain", "signs", "dots", "end"],
)  # fmt: skip
def test_a_run_has_a_folder_on_every_system(run, folder):
    assert folder_name(run) == folder
