"""train --vectors with files that are not as they should be: a sentence each, and nothing left."""

import json
import struct

import pytest

from lmstudio import cli

TEXT = "我爱北京天安门。\n他爱上海的春天。\n" * 20
NET = ("--model", "rnn", "--max-steps", 1, "--batch", 4)
NAME = "vectors.bin"


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def text(lines):
    return lines.encode("utf-8")


REFUSED = {
    "empty": (b"", "holds no vectors: a line is a word and its numbers"),
    "blank-lines": (b"\n\n\n", "holds no vectors: a line is a word and its numbers"),
    "zero-bytes": (bytes(500), "holds no vectors"),
    "cut-off-in-the-first": (b"3 4\n" + text("我 ") + floats(1, 2), "ends before the first"),
    "header-alone": (b"3 4\n", "ends before the first"),
    "other-size-than-told": (text("2 3\n我 1 2\n爱 1 2\n"), "a word and 3 numbers"),
    "nan": (text("2 2\n我 nan 1\n爱 inf 2\n"), "NaN and infinity are none"),
    "too-many-words": (
        b"1099511627776 2\n" + text("我 1 2\n"),
        "vectors.bin says 1099511627776 vectors",
    ),
    "too-many-numbers": (b"1 1099511627776\n" + text("我 1 2\n"), "1099511627776 numbers"),
    "promised": (b"20000000 100000\n" + text("我 1 2 3\n"), "a word and 100000 numbers"),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\nsize 9\n", "is a Git LFS pointer"),
    "pickle": (b"\x80\x04K\x01.", "is a pickle"),
    "gz": (b"\x1f\x8b\x08\x00junkjunk", "cannot be unpacked"),
    "strange-words": (text("a 1 2\nb 1 2\n"), "None of the words of the segmentation"),
    "zeros": (text("我 0 0\n爱 0 0\n"), "None of the words has a vector"),
    "narrow": (text("我 1\n爱 1\n"), "holds no vectors"),
}


@pytest.fixture
def lm(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    (tmp_path / "t.txt").write_text(TEXT, encoding="utf-8")
    command("import", tmp_path / "t.txt", "--name", "t")
    assert command("segment", "t", "--by", "characters", "--name", "c")[0] == 0
    return command


def refused(lm, tmp_path, data, *words):
    """What is said of a file of these bytes; no run is left of it, in the table or as a folder."""
    (tmp_path / NAME).write_bytes(data)
    code, _, said = lm("train", "c", *NET, *words, "--vectors", tmp_path / NAME)
    assert code == 1
    assert json.loads(lm("runs", "--json")[1]) == []
    assert not list((tmp_path / "w" / "runs").glob("*"))
    [error] = [line for line in said.splitlines() if line.startswith("Error")]
    return error


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_in_a_sentence(lm, tmp_path, name):
    data, sentence = REFUSED[name]
    assert sentence in refused(lm, tmp_path, data, "--width", 2)


def test_vectors_that_are_too_narrow_are_not_kept(lm, tmp_path):
    assert "choose a width of at most 2" in refused(lm, tmp_path, text("我 1 2\n"), "--width", 3)


MENDED = {
    "twice": (text("3 2\n我 1 2\n我 4 5\n爱 1 2\n"), "1 word came again", 2),
    "cut-off": (b"3 2\n" + text("我 ") + floats(1, 2) + b"\n" + text("爱 ") + floats(1),
                "ends 2 vectors too early", 1),
    "one-nan": (text("我 1 2\n爱 nan 2\n北 1 2\n"), "1 line that is not a word and 2 numbers", 2),
    "a-short-line": (text("我 1 2 3\n爱 1 2 3\n北 1 2\n"), "1 line that is not a word and 3", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", MENDED)
def test_what_is_whole_is_taken_and_the_rest_told(lm, tmp_path, name):
    data, sentence, known = MENDED[name]
    (tmp_path / NAME).write_bytes(data)
    code, _, said = lm("train", "c", *NET, "--width", 2, "--vectors", tmp_path / NAME)
    assert code == 0
    assert sentence in said
    assert f"begins with vectors for {known} of" in said
