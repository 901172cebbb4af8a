"""Archives are read member by member; nothing in them can do harm, and each refusal is told."""

import gzip
import io
import os
import zipfile

import pytest

from lmstudio.text.files import documents
from lmstudio.text.read import ReadError
from tests.text.files import made
from tests.text.files.reading import read, refusal


def write(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


MEMBERS = {
    "中文/一.txt": "你好。".encode("gb18030") * 9,
    "b.csv": "text,label\n甲,1\n乙,2\n".encode(),
    "c.docx": made.docx(["丙"]),
}
FOUND = [("中文/一.txt", "你好。" * 9), ("b.csv #1", "甲"), ("b.csv #2", "乙"), ("c.docx", "丙")]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", made.zipped(MEMBERS)),
        ("a.tar", made.tarred(MEMBERS, "w:")),
        ("a.tar.gz", made.tarred(MEMBERS)),
        ("a.tgz", made.tarred(MEMBERS)),
    ],
)
def test_members_are_read_by_their_kind_and_encoding(tmp_path, name, data):
    taken, refused = read(write(tmp_path, name, data))
    assert [(item.name, item.chunks) for item in taken] == [
        (f"{name}/{member}", text) for member, text in FOUND
    ]
    assert taken[0].encoding == "gb18030"
    assert not refused


def test_what_is_left_out_is_told_and_what_the_system_keeps_is_not(tmp_path):
    members = {
        "a.txt": "甲", "picture.png": b"x", "inner.zip": made.zipped({}), "c.docx": b"no",
        "b.txt": bytes(range(256)), "__MACOSX/._a.txt": b"x", ".DS_Store": b"x", "dir/": b"",
    }  # fmt: skip
    taken, refused = read(write(tmp_path, "a.zip", made.zipped(members)))
    assert [item.name for item in taken] == ["a.zip/a.txt"]
    assert len(refused) == 4
    assert refused[1] == "An archive inside an archive is not opened. Unpack it first."


def test_paths_lead_nowhere(tmp_path):
    members = {
        "../../evil.txt": "甲".encode(),
        "/etc/x.txt": "乙".encode(),
        "..\\w.txt": "丙".encode(),
    }
    inside = tmp_path / "inside"
    inside.mkdir()
    for name, data in (("a.zip", made.zipped(members)), ("a.tar", made.tarred(members, "w:"))):
        taken, _ = read(write(inside, name, data))
        assert [item.name for item in taken] == [
            f"{name}/evil.txt", f"{name}/etc/x.txt", f"{name}/w.txt",
        ]  # fmt: skip
    assert os.listdir(tmp_path) == ["inside"]


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-8"])
def test_names_in_old_encodings_are_read(tmp_path, encoding):
    name = "我們的語料.txt"
    raw = name.encode(encoding)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("x" * len(raw), "甲")
    found = data.getvalue().replace(b"x" * len(raw), raw)  # without the flag that says UTF-8
    taken, _ = read(write(tmp_path, "a.zip", found))
    assert [item.name for item in taken] == [f"a.zip/{name}"]


def test_a_bomb_does_not_go_off(tmp_path, monkeypatch):
    monkeypatch.setattr("lmstudio.text.read._SAFE", 1 << 20)
    bomb = made.zipped({"a.txt": b"0" * (4 << 20), "b.txt": "甲"})
    taken, refused = read(write(tmp_path, "a.zip", bomb))
    assert [item.name for item in taken] == ["a.zip/b.txt"]
    assert refused == ["It unpacks to more than 300 times its size."]


def test_a_gz_bomb_does_not_go_off(tmp_path, monkeypatch):
    monkeypatch.setattr("lmstudio.text.read._SAFE", 1 << 20)
    path = write(tmp_path, "a.txt.gz", gzip.compress(b"0" * (4 << 20)))
    assert refusal(path) == "It unpacks to more than 300 times its size."


def test_a_member_with_a_password_is_told(tmp_path):
    data = bytearray(made.zipped({"a.txt": "甲"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    assert "It has a password." in refusal(write(tmp_path, "a.zip", bytes(data)))


def test_links_in_a_tar_are_not_followed(tmp_path):
    import tarfile

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        link = tarfile.TarInfo("a.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert refusal(write(tmp_path, "a.tar", data.getvalue())) == "This is not a file."


def test_a_cut_archive_keeps_what_came_before(tmp_path):
    members = {f"{number}.txt": os.urandom(3000).hex().encode() for number in range(9)}
    data = made.tarred(members)
    taken, refused = read(write(tmp_path, "a.tar.gz", data[: len(data) // 2]))
    assert 0 < len(taken) < 9
    assert "damaged or not complete" in refused[-1]


def test_an_archive_of_nothing_says_so(tmp_path):
    with pytest.raises(ReadError, match="There is no usable text"):
        list(documents(write(tmp_path, "a.zip", made.zipped({".hidden": "x"}))))


def test_progress_is_that_of_the_archive(tmp_path):
    members = {f"{number}.txt": os.urandom(9000).hex().encode() for number in range(9)}
    members["0.pdf"] = made.pdf([["甲"]])
    shares = []
    for item in documents(write(tmp_path, "a.tar", made.tarred(members, "w:")), tick=shares.append):
        list(item.chunks)
        if item.name.endswith("/1.txt"):
            assert shares[-1] < 0.5
    assert shares == sorted(shares)
