"""Segmentations as the window and the command line make them."""

import time
from dataclasses import asdict

import pytest

from lmstudio.data.layout import Tokens
from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import segmentations
from lmstudio.store.rows import CorpusRow
from lmstudio.text.segment import SegmentOptions
from tests.data.corpus_files import write_corpus

TRAIN = ["我爱北京天安门。我爱上海！", "他爱我，我也爱他。"] * 3


@pytest.fixture
def corpus(workspace):
    parts = {"train": TRAIN, "valid": ["我爱龘。"], "test": ["上海爱我。"]}
    write_corpus(workspace.corpus_folder(1), **parts)
    row = CorpusRow(
        1, "小样", "", "utf-8", "paragraph", "files", documents=3, lines=8, characters=70, bytes=210
    )
    return workspace.add_corpus(row, [])


def test_create_writes_the_files_and_the_row(workspace, corpus):
    changes = segmentations.create(workspace, "小样", SegmentOptions(), name="字", job=Job())
    assert changes.segmentations
    assert not changes.notes
    row = workspace.segmentation("字")
    tokens = Tokens(workspace.segmentation_folder(changes.new_id))
    assert (row.id, row.corpus_id, row.segmenter) == (changes.new_id, corpus.id, "characters")
    assert row.facts["options"]["sentences"] == "punctuation"
    assert row.facts["parts"] == {name: asdict(part) for name, part in tokens.meta.parts.items()}
    assert row.facts["tokens"] == len(tokens.ids)
    assert (row.facts["types"], row.vocabulary) == (14, 16)
    assert row.facts["oov_rate_valid"] == pytest.approx(1 / 4)
    assert (row.facts["axis"], row.facts["dictionary"]) == ("", None)


def test_unknown_words_are_priced_the_same_in_every_segmentation(workspace, corpus):
    bits = []
    for options in (SegmentOptions(), SegmentOptions(by="whitespace")):
        made = segmentations.create(workspace, 1, options, job=Job()).new_id
        bits.append(Tokens(workspace.segmentation_folder(made)).meta.parts["valid"].spelling_bits)
    assert all(value > 8 for value in bits)
    assert [row.name for row in workspace.segmentations()] == [
        "小样 · characters",
        "小样 · whitespace",
    ]


def test_overlapping_words_are_said_to_be_so(workspace, corpus):
    options = SegmentOptions(by="jieba", mode="full")
    changes = segmentations.create(workspace, 1, options, job=Job())
    assert "axis of their own" in str(changes.notes[0])
    assert segmentations.axis(workspace.segmentation(changes.new_id)) == "overlapping"


def test_user_dictionary_goes_with_the_segmentation(workspace, corpus, tmp_path):
    path = tmp_path / "词.txt"
    path.write_text("爱上海 99999\n坏 -1\n", encoding="utf-8")
    changes = segmentations.create(
        workspace, 1, SegmentOptions(by="jieba"), dictionary=path, job=Job()
    )
    facts = workspace.segmentation(changes.new_id).facts
    assert (facts["dictionary"]["name"], facts["dictionary"]["words"]) == ("词.txt", 1)
    assert "Line 2" in str(changes.notes[0])
    assert facts["version"] == "jieba 0.42.1"
    copy = workspace.segmentation_folder(changes.new_id) / "dictionary.txt"
    assert copy.read_bytes() == path.read_bytes()


def test_faults_leave_nothing_behind(workspace, corpus, tmp_path):
    with pytest.raises(SpecError, match="min_count"):
        segmentations.create(workspace, 1, SegmentOptions(min_count=0), job=Job())
    with pytest.raises(AppError, match="cannot be read"):
        segmentations.create(
            workspace, 1, SegmentOptions(by="jieba"), dictionary=tmp_path / "no", job=Job()
        )
    segmentations.create(workspace, 1, SegmentOptions(), name="字", job=Job())
    with pytest.raises(AppError, match="taken"):
        segmentations.create(workspace, 1, SegmentOptions(), name="字", job=Job())
    assert [path.name for path in (workspace.folder / "segmentations").iterdir()] == ["1"]


def test_try_out_is_fast_once_the_dictionary_is_there(workspace, corpus):
    options = SegmentOptions(by="jieba")
    segmentations.try_out(workspace, 1, options, job=Job())
    started = time.perf_counter()
    seen = segmentations.try_out(workspace, 1, options, lines=8, job=Job())
    assert time.perf_counter() - started < 0.5  # 0.05 on a machine that is not busy
    first = seen.sentences[0]
    assert [first.text[a:b] for a, b in first.spans] == ["我", "爱", "北京", "天安门", "。"]
    assert len(seen.sentences) == 8


def test_statistics_are_those_of_the_segmentation(workspace, corpus):
    figures = segmentations.statistics(workspace, 1, SegmentOptions(), job=Job())
    made = segmentations.create(workspace, 1, SegmentOptions(), job=Job()).new_id
    row = workspace.segmentation(made)
    assert (figures.tokens, figures.types) == (row.facts["tokens"], row.facts["types"])
    assert figures.vocabulary == row.vocabulary
    assert figures.average_length == 1.0


def test_rename_and_delete(workspace, corpus):
    made = segmentations.create(workspace, 1, SegmentOptions(), name="字", job=Job()).new_id
    assert segmentations.rename(workspace, "字", "单字").segmentations
    segmentations.delete(workspace, "单字")
    assert not workspace.segmentations()
    assert not workspace.segmentation_folder(made).exists()
