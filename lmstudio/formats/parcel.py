"""Files in, one zip that says what it holds out, and back: whole, checked, and nowhere else.

A parcel is a zip whose entry manifest.json has "kind" (what it is a parcel of), "version" (of its
layout), "program" (the version that wrote it), "about" (whatever its kind needs) and "files": the
size and the SHA-256 of every other entry by its name. No entry is read that the manifest does not
name, and nothing of one is believed before it is checked.
"""

import errno
import hashlib
import json
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from lmstudio import __version__
from lmstudio.errors import AppError
from lmstudio.figures import size as spoken
from lmstudio.files import folder_bytes, refuse_special, unwritten, written
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.room import free_disk

MANIFEST = "manifest.json"
PACKED = (".safetensors", ".pt", ".ngram", ".npz", ".gz", ".zip", ".docx", ".xlsx", ".epub", ".pdf")
"""Files that hardly get smaller."""
DAMAGED = msg("{path} is damaged or cut off. Get it again from where it came.")
NEWER = msg("{path} was made by a newer version of this program. Update the program first.")
_CHUNK = 1 << 20
_LARGEST_MANIFEST = 1 << 28
_MOST_BLOWN_UP = 200  # times its own size that a parcel may have unpacked
_SMALL = 1 << 27  # bytes that it may have anyway: a text that repeats itself packs well
_NOWHERE = re.compile(r"[\x00-\x1f\\]|^[A-Za-z]:|[\ud800-\udfff]")
_NOT_ON_WINDOWS = re.compile(
    r'[:*?"<>|]|[. ](?:/|$)|(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.[^/]*)?(?:/|$)', re.I
)
_UNSAFE = msg("{path} was not opened: its entry {name} would be written twice, or outside its "
              "folder, or is no plain file.")  # fmt: skip
_SHOWN = 80  # characters of a name
_OF_THE_NAME = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL)
"""What a system says of names that it has not, or of two that are one to it."""
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, LookupError, TypeError,
           RuntimeError, OverflowError, MemoryError, struct.error)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What parcels of one kind are called, and the newest layout that this program knows."""

    name: str  # in the manifest
    version: int


@dataclass(frozen=True)
class _Entry:
    info: zipfile.ZipInfo
    sha256: str


@dataclass
class _Progress:
    job: Job
    total: int
    done: int = field(default=0)

    def add(self, octets: int, note: Message) -> None:
        self.done += octets
        self.job.tick(self.done, self.total, note)


def pack(
    path: Path, kind: Kind, about: Mapping[str, Any], files: Sequence[tuple[str, Path]], *,
    job: Job,
) -> None:  # fmt: skip
    """Write files under names with "/" between folders. AppError where that cannot be done."""
    progress = _Progress(job, sum(folder_bytes(source) for _, source in files))
    manifest = {"kind": kind.name, "version": kind.version, "program": __version__,
                "about": dict(about), "files": {}}  # fmt: skip
    with (
        unwritten(path),
        written(path) as temporary,
        zipfile.ZipFile(temporary, "w", allowZip64=True) as packed,
    ):
        for name, source in files:
            manifest["files"][name] = _add(packed, name, source, progress)  # type: ignore[index]
        data = json.dumps(manifest, ensure_ascii=False, indent=1).encode("utf-8")
        packed.writestr(zipfile.ZipInfo(MANIFEST), data, zipfile.ZIP_DEFLATED)


def _add(
    packed: zipfile.ZipFile, name: str, source: Path, progress: _Progress
) -> tuple[int, str]:  # fmt: skip
    """An entry; its size and digest."""
    info, digest, octets = zipfile.ZipInfo(name), hashlib.sha256(), 0
    dense = source.suffix.lower() in PACKED
    info.compress_type = zipfile.ZIP_STORED if dense else zipfile.ZIP_DEFLATED
    note = Message("Packing {name}", {"name": PurePosixPath(name).name})
    with _there(source) as file, packed.open(info, "w", force_zip64=True) as entry:
        while block := file.read(_CHUNK):
            entry.write(block)
            digest.update(block)
            octets += len(block)
            progress.add(len(block), note)
    return octets, digest.hexdigest()


def _there(source: Path) -> BinaryIO:
    try:
        return source.open("rb")
    except FileNotFoundError as error:
        raise AppError("{path} was deleted while it was to be packed. Start again.",
                       path=source) from error  # fmt: skip


def unpack(path: Path, folder: Path, kind: Kind, *, job: Job) -> dict[str, Any]:
    """Unpack a parcel into an empty folder; what its manifest tells about it.

    AppError where it is none of this kind, of a newer layout, damaged, larger than the disk, or
    made to harm. What was written by then is in `folder`, for the caller to remove.
    """
    with _reading(path), zipfile.ZipFile(path) as packed:
        manifest, entries = _looked_into(path, packed, kind)
        total = sum(entry.info.file_size for entry in entries.values())
        free = free_disk(folder)
        if free is not None and total > free:
            raise AppError("{path} needs {size} unpacked, and {free} are free. Free some space and "
                           "start again.", path=path, size=spoken(total),
                           free=spoken(free))  # fmt: skip
        progress = _Progress(job, total)
        for name, entry in entries.items():
            _extract(path, packed, entry, folder / name, progress)
    about: dict[str, Any] = manifest["about"]
    return about


def look(path: Path, kind: Kind, *, job: Job) -> dict[str, Any]:
    """What the manifest of a parcel tells about it; AppError as in `unpack`."""
    job.check()
    with _reading(path), zipfile.ZipFile(path) as packed:
        about: dict[str, Any] = _looked_into(path, packed, kind)[0]["about"]
        return about


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    refuse_special(path)
    try:
        yield
    except FileNotFoundError as error:
        raise AppError("There is no file {path}.", path=path) from error
    except _FAULTS as error:
        raise AppError(DAMAGED, path=path) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # it says that it begins before its beginning
            raise AppError(DAMAGED, path=path) from error
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=path, error=reason) from error


def _looked_into(
    path: Path, packed: zipfile.ZipFile, kind: Kind
) -> tuple[dict[str, Any], dict[str, _Entry]]:
    """The manifest, and the entries it names, none of which can do harm."""
    infos = [info for info in packed.infolist() if not info.is_dir()]
    _refuse_unsafe(path, infos)
    _refuse_bomb(path, infos)
    by_name = {info.filename: info for info in infos}
    manifest = _manifest(path, packed, by_name.pop(MANIFEST, None), kind)
    files = manifest["files"]
    for name, info in by_name.items():
        if name not in files or files[name][0] != info.file_size:
            raise ValueError("damaged")
    if len(files) != len(by_name):
        raise ValueError("damaged")
    return manifest, {name: _Entry(by_name[name], files[name][1]) for name in files}


def _manifest(
    path: Path, packed: zipfile.ZipFile, info: zipfile.ZipInfo | None, kind: Kind
) -> dict[str, Any]:
    foreign = AppError("{path} is no file of this kind that this program wrote.", path=path)
    if info is None:
        raise foreign
    if info.file_size > _LARGEST_MANIFEST:
        raise ValueError("damaged")
    try:
        manifest = json.loads(packed.read(info))
    except RecursionError as error:
        raise ValueError("damaged") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != kind.name:
        raise foreign
    if manifest["version"] > kind.version:
        raise AppError(NEWER, path=path)
    if not isinstance(manifest["about"], dict):
        raise ValueError("damaged")
    return manifest


def _refuse_unsafe(path: Path, infos: Sequence[zipfile.ZipInfo]) -> None:
    """Only plain files, each once, each below the folder that it is unpacked into."""
    seen = set()
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        plain = kind in (0, stat.S_IFREG) and not info.flag_bits & 0x1  # nor encrypted
        if not plain or info.filename in seen or not is_below(info.orig_filename):
            raise AppError(_UNSAFE, path=path, name=_short(info.filename))
        seen.add(info.filename)


def _short(name: str) -> str:
    """A name that may be made to deceive, as a message shows it."""
    return ascii(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}...")


def is_below(name: str) -> bool:
    """Whether a name with "/" between folders leads below the folder that it starts from."""
    if _NOWHERE.search(name) or (os.name == "nt" and _NOT_ON_WINDOWS.search(name)):
        return False
    return all(part.strip(". ") for part in name.split("/"))


def _refuse_bomb(path: Path, infos: Sequence[zipfile.ZipInfo]) -> None:
    """What blows up, or where entries share their bytes, to fill the disk."""
    own, packed = path.stat().st_size, sum(info.compress_size for info in infos)
    whole = sum(info.file_size for info in infos)
    if packed > own:
        raise ValueError("damaged")
    if whole > max(_SMALL, _MOST_BLOWN_UP * own):
        raise AppError("{path} was not opened: it would become {size}, {times} times its own size.",
                       path=path, size=spoken(whole), times=math.floor(whole / own))  # fmt: skip


def _extract(
    path: Path, packed: zipfile.ZipFile, entry: _Entry, target: Path, progress: _Progress
) -> None:
    """Write one entry; AppError where it is not what the manifest says."""
    digest, octets = hashlib.sha256(), 0
    note = Message("Unpacking {name}", {"name": target.name})
    with unwritten(target, own=True):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            file = target.open("xb")
        except OSError as error:
            if error.errno in _OF_THE_NAME:
                raise AppError(_UNSAFE, path=path, name=_short(entry.info.filename)) from error
            raise
    with file, packed.open(entry.info) as source:
        while block := source.read(_CHUNK):
            octets += len(block)
            if octets > entry.info.file_size:
                raise ValueError("damaged")
            digest.update(block)
            with unwritten(target, own=True):
                file.write(block)
            progress.add(len(block), note)
    if octets != entry.info.file_size or digest.hexdigest() != entry.sha256:
        raise AppError("{path} is damaged: {name} in it is not as it was written. Get it again "
                       "from where it came.", path=path, name=target.name)  # fmt: skip
