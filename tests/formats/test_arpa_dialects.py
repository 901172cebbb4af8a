"""ARPA files as SRILM, KenLM and others write them: one model, the same figures from each."""

import gzip
import re

import numpy as np
import pytest

from lmstudio.errors import AppError
from lmstudio.formats import arpa, arpa_reading
from lmstudio.jobs import Job
from tests.models.ngram.texts import Text

TEXT = ["我 爱 北京", "他 爱 上海", "我 爱 爱", "你 也 爱 北京 吗"]
LINES = ["我 爱 上海", "他 也 没有 爱", "北京"]


def _start(figure):
    return lambda text: re.sub(r"(?m)^-99\.0+\t<s>", f"{figure}\t<s>", text)


DIALECTS = {
    "spaces": lambda text: text.replace("\t", "  "),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "text before": lambda text: "# made by hand\n\nngram 9=9\n" + text,
    "another model behind": lambda text: text + "\\data\\\nngram 1=0\n",
    "loose header": lambda text: re.sub(r"ngram (\d)=(\d+)", r" ngram  \1 = \2 ", text),
    "no weights of 1": lambda text: re.sub(r"(?m)\t-?0\.0+$", "", text),
    "kenlm's start": _start("0"),
    "any start": _start("-1.25"),
    "least start": _start("-inf"),
    "a mark of the encoding": lambda text: "\ufeff" + text,
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "empty order": lambda text: text.replace("\n\n\\1-grams", "\nngram 4=0\n\n\\1-grams"),
    "weights of the longest": lambda text: re.sub(r"(?m)^(\S+\t\S+ \S+ \S+)$", r"\1" + "\t0", text),
}


@pytest.fixture
def written(tmp_path):
    text = Text(TEXT)
    model = text.fit(3)
    arpa.save(tmp_path / "plain.arpa", model, text.types, job=Job())
    return text, model, (tmp_path / "plain.arpa").read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_gives_the_same_figures(tmp_path, written, dialect):
    text, model, plain = written
    changed = DIALECTS[dialect](plain)
    assert changed != plain
    path = tmp_path / "other.arpa"
    path.write_bytes(changed.encode())
    read = arpa_reading.load(path, job=Job())
    assert read.notes == []
    assert read.types == text.types
    stream = text.encode(LINES)
    np.testing.assert_allclose(read.model.logprobs(stream), model.logprobs(stream), atol=2e-5)


def test_the_ids_of_another_vocabulary(tmp_path, written):
    text, model, _ = written
    types = [*text.types[:3], "别的", *reversed(text.types[3:])]
    read = arpa_reading.load(tmp_path / "plain.arpa", types, job=Job())
    assert read.types == types
    moved = np.array([types.index(word) for word in text.types], np.int32)
    stream = text.encode(LINES)
    ours = read.model.logprobs(moved[stream])
    np.testing.assert_allclose(ours, model.logprobs(stream), atol=2e-5)
    assert read.model.next_probs(np.array([], np.int32))[3] == 0
    assert arpa_reading.vocabulary(tmp_path / "plain.arpa", job=Job()) == text.types[3:]


def test_a_gz_file_is_written_by_its_name(tmp_path, written):
    text, model, plain = written
    arpa.save(tmp_path / "m.arpa.gz", model, text.types, job=Job())
    assert gzip.decompress((tmp_path / "m.arpa.gz").read_bytes()).decode() == plain


def test_a_gz_file_by_any_name(tmp_path, written):
    path = tmp_path / "packed.lm"
    path.write_bytes(gzip.compress(written[2].encode()))
    assert arpa_reading.load(path, job=Job()).types == written[0].types


def test_a_word_may_be_a_wide_space(tmp_path):
    path = tmp_path / "wide.arpa"
    path.write_text("\\data\\\nngram 1=3\n\n\\1-grams:\n-1 \u3000 -0.1\n-1 <unk>\n-1 </s>\n"
                    "\n\\end\\\n", encoding="utf-8")  # fmt: skip
    assert arpa_reading.load(path, job=Job()).types[3:] == ["\u3000"]


def test_what_comes_twice_and_what_is_missing_is_told(tmp_path):
    path = tmp_path / "twice.arpa"
    path.write_text("\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1 a\n-2 a\n-1 b\n-1 <UNK>\n\n"
                    "\\2-grams:\n-1 a b\n-0.5 a b\n\n\\end\\\n", encoding="utf-8")  # fmt: skip
    read = arpa_reading.load(path, job=Job())
    assert [str(note) for note in read.notes] == [
        "The file has no </s>: the end of a sentence has probability 0.",
        "1 1-grams came again; the last counts.", "1 2-grams came again; the last counts.",
    ]  # fmt: skip
    probs = read.model.next_probs(np.array([3], np.int32))
    assert probs[[0, 4]] == pytest.approx([0.1, 10**-0.5])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(100), "binary file of"),
        (b"SRILM_BINARY_NGRAM_002\n", "binary file of KenLM or SRILM"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "Git LFS pointer"),
        ("\\data\\\n".encode("utf-16"), "is not UTF-8 text"),
        ("\\data\\\nngram 1=1\n\\1-grams:\n-1 爱\n\\end\\".encode("gbk"), "is not UTF-8 text"),
        (b"x" * (1 << 20), "line 1: The line is longer than any"),
        (b"x\n" * 20_000, "is not an ARPA file"),
        (b"\\data\\\nngram 1=1099511627776\n\\1-grams:\n-1 a\n", "ends too early"),
        (b"\\data\\\n" + b"".join(b"ngram %d=1\n" % n for n in range(1, 9)) + b"\\1-grams:\n",
         "n-grams of 8 words; at most 7"),
        (b"\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n\\2-grams:\n-1 a a\n\\end\\", "out of order"),
        (gzip.compress(b"\\data\\\nngram 1=1\n" + b"\n" * 1000)[:-12], "cannot be unpacked"),
    ],
    ids=("kenlm", "srilm", "pointer", "utf-16", "gbk", "long line", "text", "promised", "long",
         "more orders", "cut gz"),
)  # fmt: skip
def test_what_is_no_arpa_file_is_named(tmp_path, data, told):
    path = tmp_path / "wrong.arpa"
    path.write_bytes(data)
    with pytest.raises(AppError, match=told):
        arpa_reading.load(path, job=Job())


def test_a_header_that_promises_an_ocean_is_only_noted(tmp_path):
    path = tmp_path / "ocean.arpa"
    path.write_bytes(b"\\data\\\nngram 1=1099511627776\n\n\\1-grams:\n-1 a\n-1 </s>\n-1 <unk>\n"
                     b"\\end\\\n")  # fmt: skip
    [note] = arpa_reading.load(path, job=Job()).notes
    assert "promises 1099511627776 1-grams, but there are 3" in str(note)
