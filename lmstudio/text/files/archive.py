"""Archives (.zip, .tar, .tar.gz) to their members, each open for a reader.

Nothing is ever unpacked to a path that an archive names: a member is copied to a temporary file
without a name, so that readers can move in it.
"""

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, cast

from lmstudio.errors import AppError
from lmstudio.messages import Message
from lmstudio.text.document import Refusal
from lmstudio.text.encoding import guesses
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.read import ReadError, check_density, unknown_kind

_IN_MEMORY = 8 << 20  # bytes of a member; a larger one is copied to the disk
_MOST = 16 << 30  # bytes that all members may have together
_CHUNK = 1 << 20
_UTF8_NAME = 0x800  # flags of a zip member
_ENCRYPTED = 0x1

Open = Callable[[], IO[bytes]]


def zip_members(file: Opened, limit: int = _MOST) -> Iterator[Opened | Refusal]:
    """The files of a .zip in their order, cut at `limit` bytes, and what cannot be read."""
    taking = _Taking(file, limit)
    with parsing(".zip"), zipfile.ZipFile(file.stream) as archive:
        members = archive.infolist()
        for member, name in zip(members, _zip_names(members), strict=True):
            if member.is_dir():
                continue
            fault = None
            if member.flag_bits & _ENCRYPTED:
                fault = Message("It has a password. Unpack the archive first.")
            opening = partial(archive.open, member)
            yield from taking.take(name, opening, fault, member.file_size, member.compress_size)


def tar_members(file: Opened, limit: int = _MOST) -> Iterator[Opened | Refusal]:
    """The files of a .tar in their order, cut at `limit` bytes, and what cannot be read."""
    taking = _Taking(file, limit)
    with parsing(".tar"), tarfile.open(fileobj=file.stream, mode="r|") as archive:
        for member in archive:
            if member.isdir():
                continue
            fault = None
            if not member.isfile() or member.issparse():
                fault = Message("This is not a file.")
            name = _decoded_name(member.name.encode("utf-8", "surrogateescape"))
            opening = cast(Open, partial(archive.extractfile, member))
            yield from taking.take(name, opening, fault, member.size, member.size)


class _Taking:
    """Copies members one by one; an archive that grows without end is given up."""

    def __init__(self, file: Opened, limit: int) -> None:
        self._file, self._limit = file, limit
        self._total = 0

    def take(
        self, name: str, opening: Open, fault: Message | None, size: int, packed: int
    ) -> Iterator[Opened | Refusal]:
        """The member, or why not; nothing for what the system keeps for itself."""
        parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..")]
        if not parts or any(part.startswith(".") or part == "__MACOSX" for part in parts):
            return
        shown = f"{self._file.name}/{'/'.join(parts)}"
        fault = fault or unknown_kind(parts[-1])
        if fault:
            yield Refusal(shown, fault)
            return
        with SpooledTemporaryFile(_IN_MEMORY) as copy:
            try:
                check_density(size, packed)
                self._copy(opening, cast(BinaryIO, copy))
            except ReadError as error:
                yield Refusal(shown, error.message)
                return
            copy.seek(0)
            yield Opened(shown, cast(BinaryIO, copy), self._tick, in_archive=True)

    def _tick(self, share: float | None) -> None:
        """A member's own share says nothing of the archive's."""
        self._file.tick(None)

    def _copy(self, opening: Open, copy: BinaryIO) -> None:
        with parsing(self._file.suffix), opening() as member:
            while copy.tell() < self._limit and (data := member.read(_CHUNK)):
                self._total += len(data)
                if self._total > _MOST:
                    raise AppError("It unpacks to more than {limit} GB.", limit=_MOST >> 30)
                copy.write(data)
                self._file.tick(None)


def _zip_names(members: list[zipfile.ZipInfo]) -> list[str]:
    """The names, of which old Chinese Windows programs do not say that they are GBK or Big5."""
    raw = [
        member.filename.encode("utf-8" if member.flag_bits & _UTF8_NAME else "cp437", "replace")
        for member in members
    ]
    found = guesses(b"\n".join(raw), whole=True)
    encoding = found[0].encoding if found else "utf-8"
    return [
        member.filename if member.flag_bits & _UTF8_NAME else name.decode(encoding, "replace")
        for member, name in zip(members, raw, strict=True)
    ]


def _decoded_name(raw: bytes) -> str:
    found = guesses(raw, whole=True)
    return found[0].text if found else raw.decode("utf-8", "replace")
