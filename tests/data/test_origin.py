"""Every character of a corpus leads back to its place in the document it came from."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.importing import import_sources
from lmstudio.data.layout import CorpusText
from lmstudio.data.origin import original_position
from lmstudio.data.source_files import Source
from lmstudio.jobs import Job
from lmstudio.text.document import ReadOptions


@given(
    st.text(alphabet="字ab。！ \u3000\r\n😀", min_size=1, max_size=60),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]),
    st.sampled_from(["wrapped", "paragraph"]),
)
@settings(max_examples=60)
def test_the_character_at_the_original_position_is_the_same(text, codec, rule):
    with tempfile.TemporaryDirectory() as temporary:
        folder, file = Path(temporary, "corpus"), Path(temporary, "a.txt")
        folder.mkdir()
        file.write_bytes(text.encode(codec))
        encoding = "utf-16" if codec == "utf-16" else codec.removesuffix("-sig")
        options = ImportOptions(ReadOptions(encoding, rule, "text"))
        found = import_sources(folder, [Source(file)], options, job=Job())
        if not text.strip():
            assert not found.documents
            return
        corpus = CorpusText(folder)
        for line in range(len(corpus)):
            for character, value in enumerate(corpus.line(line)):
                original = text[original_position(folder, line, character)]
                assert original == value or (value == " " and original.isspace())


def test_positions_count_from_the_start_of_each_document(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (tmp_path / "a.txt").write_bytes("甲乙\r\n丙".encode("utf-8-sig"))
    (tmp_path / "b.txt").write_bytes("\n丁".encode())
    sources = [Source(tmp_path / "a.txt"), Source(tmp_path / "b.txt")]
    import_sources(folder, sources, ImportOptions(), job=Job())
    assert [original_position(folder, *place) for place in ((0, 1), (1, 0), (2, 0))] == [1, 4, 1]
    for line in (-1, 3):
        with pytest.raises(IndexError):
            original_position(folder, line, 0)
