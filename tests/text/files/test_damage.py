"""Damaged, cut and renamed files of every kind: a sentence for each, never anything else."""

import contextlib
import gzip
import json
import random

import pytest

from lmstudio.text.preview import preview
from lmstudio.text.read import ReadError
from tests.text.files import made
from tests.text.files.reading import read, refusal

FILES = {
    "a.pdf": made.pdf([["统计语言模型需要很多语料"] * 20] * 2),
    "a.docx": made.docx(["统计语言模型。"] * 30, "题", [["甲", "乙"]]),
    "a.xlsx": made.xlsx({"一": [["text", "label"], ["统计", "正"], [(12, "0000"), "=A1"]] * 9}),
    "a.epub": made.epub({"a.xhtml": "<p>话说天下大势</p>" * 50}, "书"),
    "a.zip": made.zipped({"中.txt": "你好。" * 50, "b.csv": "text,label\n甲,1\n"}),
    "a.tar.gz": made.tarred({"a.txt": "你好".encode() * 50}),
    "a.tar": made.tarred({"a.txt": "你好".encode() * 50}, "w:"),
    "a.txt.gz": gzip.compress("统计语言。\n".encode() * 50),
    "a.json": json.dumps([{"text": "统计", "a": {"b": ["x"]}}] * 9, ensure_ascii=False).encode(),
    "a.csv": 'text,label\r\n"一,二",正\r\n"三\n四",负\r\n'.encode() * 9,
    "a.html": "<html><meta charset=gbk><title>题</title><p>一<b>二".encode("gbk"),
    "a.conllu": "# newdoc\n1\t我\t我\tX\t_\t_\t0\troot\t_\t_\n\n".encode() * 9,
}
ODT = "application/vnd.oasis.opendocument.text"


def damaged(data, rng):
    if rng.random() < 0.5:
        return data[: rng.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 5, 25])):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("name", FILES)
def test_damage_is_a_sentence(tmp_path, name):
    rng = random.Random(name)
    path = tmp_path / name
    for _ in range(15):
        path.write_bytes(damaged(FILES[name], rng))
        with contextlib.suppress(ReadError):
            read(path)
        preview([path])


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_another_name_is_read_or_refused(tmp_path, name):
    for suffix in (".txt", ".docx", ".pdf", ".zip", ".json", ".gz", ".csv", ".html", ".conllu"):
        path = tmp_path / f"b{suffix}"
        path.write_bytes(FILES[name])
        with contextlib.suppress(ReadError):
            read(path)


def test_content_comes_before_the_name(tmp_path):
    for name in ("a.pdf", "a.docx", "a.epub", "a.zip"):
        (tmp_path / name).write_bytes(FILES[name])
        (tmp_path / "renamed.txt").write_bytes(FILES[name])
        taken, _ = read(tmp_path / "renamed.txt")
        assert [item.chunks for item in taken] == [item.chunks for item in read(tmp_path / name)[0]]


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old Office file"),
        ("a.docx", b"text", "This is not a .docx file"),
        ("a.docx", b"", "This is not a .docx file"),
        ("a.txt", b"{\\rtf1 x}", "Rich Text"),
        ("a.txt", b"7z\xbc\xaf\x27\x1c" + b"\0" * 40, "Unpack it first"),
        ("a.txt", made.zipped({"mimetype": ODT}), "OpenDocument"),
        ("a.txt", made.zipped({"[Content_Types].xml": "", "ppt/x": ""}), "kind of Office file"),
        ("a.txt.gz", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "packed twice"),
        ("a.txt", bytes(range(256)) * 9, "not text"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_what_to_do(tmp_path, name, data, sentence):
    (tmp_path / name).write_bytes(data)
    assert sentence in refusal(tmp_path / name)
