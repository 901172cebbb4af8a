"""Curves as TensorBoard's event files: points in, `events.out.tfevents.*` out, as they come.

A file is a row of records: the length of the data (u64), its checksum, the data, its checksum;
all little-endian. Checksums are CRC-32C (Castagnoli), rotated by 15 bits and offset. The data is
an `Event` in the wire format of protocol buffers; its fields are numbered as in TensorFlow's
event.proto and summary.proto, whose few that are needed here are written by hand.
"""

import os
import re
import socket
import struct
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

_VERSION = b"brain.Event:2"  # what the first event of a file says
_POLYNOMIAL = 0x82F63B78  # of CRC-32C, its bits reversed
_MASK = 0xA282EAD8
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types
_STRING = 7  # DT_STRING
_START = 1  # SessionLog.START
_NUMBERS = count()  # tells files apart that one process begins in one second
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # in the name of a folder, on some system


def folder_name(run: str) -> str:
    """The folder of a run below that of all logs: TensorBoard shows it as the run's name."""
    return _UNSAFE.sub("_", run).strip(" .") or "_"


class EventFile:
    """A new event file in a folder, whole after every point; whoever reads it sees it grow."""

    def __init__(self, folder: Path, *, began: float | None = None, first_step: int = 0) -> None:
        """`began`: seconds since 1970, else now. OSError if it cannot be written.

        Points of other files of the folder from `first_step` + 1 on are of a course that was given
        up: readers forget them.
        """
        began = time.time() if began is None else began
        folder.mkdir(parents=True, exist_ok=True)
        end = f"{socket.gethostname()}.{os.getpid()}.{next(_NUMBERS)}"
        self.path = folder / f"events.out.tfevents.{int(began):010d}.{end}"
        self._file = self.path.open("xb")
        self._add(began, 0, _field(3, _BYTES, _VERSION))
        if first_step:
            session = _field(1, _VARINT, _START)
            self._add(began, first_step + 1, _field(7, _BYTES, session))

    def add(self, step: int, values: Mapping[str, float], *, when: float | None = None) -> None:
        """Append the scalars of a step by their tags ("valid/loss"); `when` is as in `began`."""
        summary = b"".join(
            _field(1, _BYTES, _field(1, _BYTES, tag.encode()) + _field(2, _FIXED32, value))
            for tag, value in values.items()
        )
        self._add(when, step, _field(5, _BYTES, summary))

    def add_text(self, tag: str, text: str, *, when: float | None = None) -> None:
        """Append a Markdown text."""
        plugin = _field(1, _BYTES, _field(1, _BYTES, b"text"))
        shape = _field(2, _BYTES, _field(1, _VARINT, 1))
        tensor = (
            _field(1, _VARINT, _STRING) + _field(2, _BYTES, shape)
            + _field(8, _BYTES, text.encode())
        )  # fmt: skip
        value = (
            _field(1, _BYTES, tag.encode()) + _field(8, _BYTES, tensor) + _field(9, _BYTES, plugin)
        )
        self._add(when, 0, _field(5, _BYTES, _field(1, _BYTES, value)))

    def close(self) -> None:
        """No more points."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def _add(self, when: float | None, step: int, what: bytes) -> None:
        event = _field(1, _FIXED64, time.time() if when is None else when)
        self._file.write(record(event + _field(2, _VARINT, step) + what))
        self._file.flush()


def record(data: bytes) -> bytes:
    """Data as one record of a file."""
    length = struct.pack("<Q", len(data))
    return length + _checksum(length) + data + _checksum(data)


def crc32c(data: bytes) -> int:
    """The CRC-32C of some bytes (RFC 3720, appendix B.4)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _checksum(data: bytes) -> bytes:
    crc = crc32c(data)
    rotated = (crc >> 15 | crc << 17) & 0xFFFFFFFF
    return struct.pack("<I", (rotated + _MASK) & 0xFFFFFFFF)


def _table_entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(map(_table_entry, range(256)))


def _field(number: int, kind: int, value: float | bytes) -> bytes:
    """A field of a message: its number and wire type, then the value."""
    key = bytes([number << 3 | kind])
    if isinstance(value, bytes):
        return key + _varint(len(value)) + value
    if kind == _VARINT:
        return key + _varint(int(value))
    return key + struct.pack("<d" if kind == _FIXED64 else "<f", _limited(value, kind))


def _limited(value: float, kind: int) -> float:
    """What a number of 32 bits cannot hold is infinite."""
    if kind == _FIXED64 or abs(value) <= _LARGEST:
        return value
    return value if value != value else float("inf") * (1 if value > 0 else -1)


_LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]


def _varint(value: int) -> bytes:
    """A whole number from 0 on, seven bits a byte, the lowest first."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
