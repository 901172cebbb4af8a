"""A parcel comes out as it went in; one that is damaged, or made to harm, does nothing."""

import hashlib
import json
import os
import random
import shutil
import stat
import zipfile
from contextlib import suppress
from types import SimpleNamespace

import pytest

from lmstudio.errors import AppError, Cancelled
from lmstudio.formats import parcel
from lmstudio.formats.parcel import Kind
from lmstudio.jobs import Job

KIND = Kind("thing", 2)
BODY = {
    "a.txt": "天地玄黄".encode() * 500,
    "深/里 100%.json": b"{}",
    "深/w.safetensors": bytes(9000),
}


@pytest.fixture
def folder(tmp_path):
    """An empty one, below another that nothing may be written to."""
    made = tmp_path / "outside" / "inside"
    made.mkdir(parents=True)
    return made


def packed(tmp_path, body=None):
    files = []
    for name, data in (BODY if body is None else body).items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        files.append((name, path))
    parcel.pack(tmp_path / "包.lmrun", KIND, {"name": "事"}, files, job=Job())
    return tmp_path / "包.lmrun"


def made(tmp_path, entries, kind="thing", version=1, files=None, about=None, **more):
    """A parcel made by hand: entries are (name or ZipInfo, bytes)."""
    path = tmp_path / "hand.lmrun"
    known = {getattr(name, "filename", name): [len(data), hashlib.sha256(data).hexdigest()]
             for name, data in entries}  # fmt: skip
    manifest = {"kind": kind, "version": version, "program": "9", "about": about or {},
                "files": known if files is None else files} | more  # fmt: skip
    with zipfile.ZipFile(path, "w") as out:
        for name, data in entries:
            out.writestr(name, data, zipfile.ZIP_DEFLATED)
        out.writestr("manifest.json", json.dumps(manifest))
    return path


def refused(path, folder, sentence):
    """Why it is refused; nothing is beside the folder that it was unpacked into."""
    beside = sorted(folder.parent.iterdir())
    with pytest.raises(AppError, match=sentence):
        parcel.unpack(path, folder, KIND, job=Job())
    assert sorted(folder.parent.iterdir()) == beside == [folder]


def test_files_come_out_as_they_went_in(tmp_path, folder):
    path = packed(tmp_path)
    assert parcel.look(path, KIND, job=Job()) == {"name": "事"}
    assert parcel.unpack(path, folder, KIND, job=Job()) == {"name": "事"}
    found = {file.relative_to(folder).as_posix(): file.read_bytes()
             for file in folder.rglob("*") if file.is_file()}  # fmt: skip
    assert found == BODY
    assert path.stat().st_size < sum(map(len, BODY.values()))  # text is packed
    with zipfile.ZipFile(path) as inside:
        assert inside.getinfo("深/w.safetensors").compress_type == zipfile.ZIP_STORED


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut_off_is_refused(tmp_path, folder, part):
    path = packed(tmp_path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    refused(path, folder, "damaged or cut off")


def test_a_changed_byte_is_found(tmp_path, folder):
    path = packed(tmp_path, {"w.ngram": b"x" * 2000})
    data = bytearray(path.read_bytes())
    data[data.index(b"xxxx") + 1000] ^= 1
    path.write_bytes(data)
    refused(path, folder, "damaged")


def test_a_wrong_digest_is_found(tmp_path, folder):
    path = made(tmp_path, [("a", b"other")], files={"a": [5, "0" * 64]})
    refused(path, folder, "a in it is not as it was written")


@pytest.mark.parametrize(
    "name",
    ["../up", "a/../../up", "/tmp/absolute", "C:/windows", "a\\..\\..\\up", "..", "a/./b", "a//b",
     "a\x01b"],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, folder, name):
    refused(made(tmp_path, [(name, b"x")]), folder, "written twice, or outside its folder")
    assert not os.path.exists("/tmp/absolute")


def test_links_and_devices_are_refused(tmp_path, folder):
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR):
        info = zipfile.ZipInfo("link")
        info.external_attr = (kind | 0o777) << 16
        refused(made(tmp_path, [(info, b"/etc/passwd")]), folder, "no plain file")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused(tmp_path, folder):
    refused(made(tmp_path, [("a", b"1"), ("a", b"2")]), folder, "written twice")


def test_names_that_are_one_file_on_this_disk_are_refused(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(parcel.Path, "open", _exclusive(parcel.Path.open))
    refused(made(tmp_path, [("a", b"1"), ("A", b"2")]), folder, "written twice")


@pytest.mark.parametrize(
    "names",
    [["n" * 300], ["a/" * 3000 + "x"], ["f", "f/g"]],
    ids=["long", "deep", "file-and-folder"],
)
def test_names_that_no_disk_has_are_told_shortly(tmp_path, folder, names):
    path = made(tmp_path, [(name, b"x") for name in names])
    refused(path, folder, "was not opened: its entry '.{3,90}' would be written twice")


def _exclusive(opened):
    """As on a disk that does not tell capitals apart."""
    known = set()

    def wrapper(self, mode="r", *rest, **named):
        if "x" in mode:
            if str(self).lower() in known:
                raise FileExistsError(17, "File exists", str(self))
            known.add(str(self).lower())
        return opened(self, mode, *rest, **named)

    return wrapper  # fmt: skip


def test_what_the_manifest_does_not_name_or_names_in_vain_is_refused(tmp_path, folder):
    refused(
        made(tmp_path, [("a", b"x"), ("b", b"y")], files={"a": [1, "0" * 64]}), folder, "damaged"
    )
    refused(made(tmp_path, [("a", b"x")], files={"a": [1, "0"], "b": [1, "0"]}), folder, "damaged")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(parcel, "_SMALL", 1 << 20)
    path = made(tmp_path, [("zeros", bytes(8 << 20))])
    assert path.stat().st_size < 1 << 14
    monkeypatch.setattr(parcel, "_extract", lambda *_: pytest.fail("unpacked"))
    refused(path, folder, "would become 8.4 MB")


def test_entries_that_share_their_bytes_are_refused(tmp_path, folder):
    """Many entries that all point at the same packed bytes."""
    path = made(tmp_path, [("a", os.urandom(40_000)), ("b", os.urandom(40_000))])
    data = path.read_bytes()
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))  # of b, before the manifest
    offset = place + 42
    path.write_bytes(data[:offset] + bytes(4) + data[offset + 4 :])
    refused(path, folder, "damaged")


def test_sizes_beyond_all_disks_are_refused(tmp_path, folder):
    """A header of 2^40 bytes: in the directory of the zip, and of the manifest."""
    path = made(tmp_path, [("a", b"x")])
    data = path.read_bytes()
    place = data.index(b"PK\x01\x02")
    huge = b"\xff\xff\xff\xff"
    path.write_bytes(data[: place + 24] + huge + data[place + 28 :])
    refused(path, folder, "damaged|would become")
    end = data.rindex(b"PK\x05\x06")
    for where in (end + 12, end + 16):  # size and place of the directory
        path.write_bytes(data[:where] + huge + data[where + 4 :])
        refused(path, folder, "damaged")


def test_a_disk_that_is_too_small_is_told_before(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=10**6, free=999))
    refused(packed(tmp_path), folder, "needs 15 kB unpacked, and 999 B are free")


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ({"kind": "workspace"}, "no file of this kind"),
        ({"version": 3}, "newer version"),
        ({"version": "x"}, "damaged"),
        ({"about": []}, "damaged"),
        ({"files": []}, "damaged"),
        ({"files": {"a": None}}, "damaged"),
        ({"files": {"a": ["x", 1]}}, "damaged"),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path, folder, manifest, sentence):
    path = made(tmp_path, [("a", b"x")])
    data = json.loads(zipfile.ZipFile(path).read("manifest.json")) | manifest
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("a", b"x")
        out.writestr("manifest.json", json.dumps(data))
    refused(path, folder, sentence)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '"\\ud800"'])
def test_a_manifest_that_is_no_object_is_refused(tmp_path, folder, text):
    path = tmp_path / "x.lmrun"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("manifest.json", text)
    refused(path, folder, "damaged|no file of this kind")


def test_what_is_no_parcel_is_told(tmp_path, folder):
    refused(tmp_path / "nowhere", folder, "There is no file")
    refused(tmp_path, folder, "cannot be read")
    (tmp_path / "text").write_text("我爱北京")
    refused(tmp_path / "text", folder, "damaged or cut off")
    with zipfile.ZipFile(tmp_path / "zip", "w") as out:
        out.writestr("a.txt", "x")
    refused(tmp_path / "zip", folder, "no file of this kind")


def test_a_password_is_refused(tmp_path, folder):
    path = made(tmp_path, [("a", b"x")])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, folder, "no plain file")


def test_packing_and_unpacking_can_be_stopped(tmp_path, folder):
    path = packed(tmp_path)

    class Stopped(Job):
        def tick(self, *args, **points):
            self.cancel()
            super().tick(*args, **points)

    with pytest.raises(Cancelled):
        parcel.unpack(path, folder, KIND, job=Stopped())
    target = tmp_path / "other.lmrun"
    with pytest.raises(Cancelled):
        parcel.pack(target, KIND, {}, [("a", tmp_path / "source" / "a.txt")], job=Stopped())
    assert not target.exists()
    assert not list(tmp_path.glob("*.tmp"))


def test_an_empty_parcel_and_folders_in_one_are_taken(tmp_path, folder):
    assert parcel.unpack(packed(tmp_path, {}), folder, KIND, job=Job()) == {"name": "事"}
    path = packed(tmp_path)
    with zipfile.ZipFile(path, "a") as out:
        out.mkdir("深")  # as tools that pack it again add
    parcel.unpack(path, folder, KIND, job=Job())


def test_no_change_of_some_bytes_is_a_bug_or_goes_unnoticed(tmp_path):
    body = {"x/a": b"hello" * 300, "b.ngram": bytes(range(256)) * 4}
    path, lot = packed(tmp_path, body), random.Random(1)
    whole = path.read_bytes()
    for number in range(400):
        data = bytearray(whole)
        for _ in range(lot.choice((1, 1, 2, 4))):
            place = lot.randrange(len(data) - 4)
            end = place + lot.choice((1, 4, 40))
            data[place:end] = lot.choice((b"\xff" * 4, bytes(1), b"PK\x05\x06", b""))
        path.write_bytes(data)
        folder = tmp_path / str(number)
        folder.mkdir()
        with suppress(AppError):
            parcel.unpack(path, folder, KIND, job=Job())
            found = {name: (folder / name).read_bytes() for name in body}
            assert found == body
