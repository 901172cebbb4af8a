"""What was written and cut back, or removed, is as if it had never been there."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.data import writer as writer_module
from lmstudio.data.copies.removal import remove_lines
from lmstudio.data.given import GivenWords, has_given
from lmstudio.data.layout import LINE, CorpusText
from lmstudio.data.origin import original_position
from lmstudio.data.parts import Document
from lmstudio.data.writer import CorpusWriter
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.read import ReadError

LINES = st.tuples(
    st.text(alphabet="字b 😀<s>", max_size=5),
    st.lists(st.sampled_from(["n", "v", ""]), max_size=2),
    st.booleans(),  # it stays
)
DOCUMENTS = st.lists(st.lists(LINES, min_size=1, max_size=4), min_size=1, max_size=4)


def written(folder, documents):
    """Write documents of (text, tags, place); one that is None is written and cut back."""
    folder.mkdir()
    with CorpusWriter(folder) as writer:
        for lines in documents:
            place = writer.place()
            writer.begin_document()
            for text, tags, at in lines or [("not there", ["x"], 1)] * 5:
                spans = [(n, n + 1) for n in range(len(tags))]
                writer.add(text, [(0, at), (1, at + 7)], spans, tags if any(tags) else ())
            if lines is None:
                writer.cut_back(place)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}, writer


@pytest.mark.parametrize("many", [1, 3, 50_000])
def test_a_document_that_is_cut_back_leaves_nothing(tmp_path, monkeypatch, many):
    monkeypatch.setattr(writer_module, "_MANY", many)
    first, last = [("甲乙", ["n", "v"], 5), ("<s>丙", [], 9)], [("丁", ["", "a"], 0)]
    kept, plain = written(tmp_path / "a", [first, last])
    same, cut = written(tmp_path / "b", [None, first, None, None, last, None])
    assert same == kept
    assert (
        (cut.lines, cut.marks, cut.bytes) == (plain.lines, plain.marks, plain.bytes) == (3, 1, 18)
    )
    assert (cut.given_words, cut.tags) == (plain.given_words, plain.tags) == (4, 3)


@given(DOCUMENTS)
@settings(max_examples=25)
def test_removed_lines_might_never_have_been_written(documents):
    numbered, number = [], 0
    for lines in documents:
        numbered.append([(text, tags, 100 * (number + n), stays)
                         for n, (text, tags, stays) in enumerate(lines)])  # fmt: skip
        number += len(lines)
    gone = np.array([not line[3] for lines in numbered for line in lines])
    left = [[line[:3] for line in lines if line[3]] for lines in numbered]
    with tempfile.TemporaryDirectory() as name:
        folder, folder2 = Path(name, "a"), Path(name, "b")
        written(folder, [[line[:3] for line in lines] for lines in numbered])
        facts, first = [], 0
        for lines in numbered:
            facts.append(Document(str(len(facts)), "", "", 0, first, len(lines)))
            first += len(lines)
        if not any(left):
            return
        remove_lines(folder, facts, gone, job=Job())
        written(folder2, [lines for lines in left if lines])
        assert [d.name for d in facts] == [str(n) for n, lines in enumerate(left) if lines]
        assert [d.lines for d in facts] == [len(lines) for lines in left if lines]
        for file in ("text.utf8", "lines.idx", "shifts.idx", "characters.tmp"):
            assert (folder / file).read_bytes() == (folder2 / file).read_bytes()
        if has_given(folder2):
            for line in range(len(CorpusText(folder2))):
                assert named(folder, line) == named(folder2, line)


def named(folder, line):
    given_words = GivenWords(folder)
    spans, tags = given_words.of(line)
    return [(span, given_words.tags[tag]) for span, tag in zip(spans, tags, strict=True)]


def test_words_are_found_in_any_order(tmp_path):
    lines = [(f"{n:05}", ["n"] * (n % 4), n) for n in range(3000)]
    written(tmp_path / "a", [lines])
    words = GivenWords(tmp_path / "a")
    asked = [*range(0, 3000, 7), *np.random.default_rng(1).integers(0, 3000, 300).tolist(), 2999]
    for line in asked:
        assert words.of(line)[0] == [(n, n + 1) for n in range(line % 4)]
    assert words.of(9999)[0] == []
    assert original_position(tmp_path / "a", 2999, 1) == 2999 + 7 + 1


def test_damaged_words_are_refused_by_name(tmp_path):
    written(tmp_path / "a", [[("好", ["a"], 0)]])
    (tmp_path / "a" / "tags.json").write_text("[1]")
    with pytest.raises(AppError, match=r"tags\.json is missing or damaged"):
        GivenWords(tmp_path / "a")
    (tmp_path / "a" / "words.idx").write_bytes(b"123")
    with pytest.raises(AppError, match=r"words\.idx is missing or damaged"):
        GivenWords(tmp_path / "a")


def test_too_many_tags_are_no_tags(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "_MOST_TAGS", 2)
    with pytest.raises(ReadError, match="more than 2 different tags"):
        written(tmp_path / "a", [[("甲乙丙", ["a", "b", "c"], 0)]])


def test_lines_know_their_document(tmp_path):
    files, _ = written(tmp_path / "a", [[("甲", [], 0)], None, [("乙", [], 0), ("丙", [], 2)]])
    assert np.frombuffer(files["lines.idx"], LINE)["document"].tolist() == [0, 1, 1]
    assert set(files) == {"characters.tmp", "lines.idx", "shifts.idx", "text.utf8"}
