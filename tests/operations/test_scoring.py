"""Segmenters and segmentations are scored beside files and the words that a corpus gave."""

import pytest

from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, scoring, segmentations
from lmstudio.text.segment_options import SegmentOptions

GOLD = "我  爱  北京\n她  有  打底裤  。\n\n"


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.txt"
    path.write_text(GOLD, encoding="utf-8")
    return path


@pytest.fixture
def corpus(workspace, tmp_path):
    """Sentences whose words are given, as training and as test part."""
    for part, text in {"train": "我  爱  上海\n", "test": GOLD}.items():
        (tmp_path / f"{part}.txt").write_text(text, encoding="utf-8")
    options = corpora.ImportOptions(reading=corpora.ReadOptions(format="words"))
    return corpora.import_splits(
        workspace, [tmp_path / "train.txt"], [], [tmp_path / "test.txt"], name="c",
        options=options, job=Job(),
    ).new_id  # fmt: skip


def test_a_file_is_scored_in_every_mode(gold, tmp_path):
    (tmp_path / "words.txt").write_text("我\n爱\n她\n有\n。\n", encoding="utf-8")
    rows = scoring.score_files(gold, scoring.jieba_modes(), words=tmp_path / "words.txt", job=Job())
    assert [row.name for row in rows] == [
        "jieba", "jieba, no new words", "jieba · full", "jieba · search",
        "jieba · search, no new words",
    ]  # fmt: skip
    first = rows[0].score
    assert (first.gold, first.test, first.correct) == (7, 8, 6)
    assert (first.oov, first.oov_correct) == (2, 1)
    assert rows[0].differences[0].chunks[1] == (("打底裤",), ("打", "底裤"))
    scoring.save_csv(rows, tmp_path / "s.csv", job=Job())
    assert (tmp_path / "s.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_user_dictionary_counts(gold, tmp_path):
    (tmp_path / "user.txt").write_text("打底裤\n", encoding="utf-8")
    candidate = ("mine", SegmentOptions(by="jieba"), tmp_path / "user.txt")
    (row,) = scoring.score_files(gold, [candidate], job=Job())
    assert row.score.f1 == 1
    assert row.score.oov_rate is None
    assert scoring.cells(row)[1:5] == ["1.000", "1.000", "1.000", ""]


def test_what_another_program_cut_is_scored(gold, tmp_path):
    (tmp_path / "other.txt").write_text("我爱 北京\n她 有 打底裤 。\n\n", encoding="utf-8")
    (row,) = scoring.score_files(gold, [], segmented=[tmp_path / "other.txt"], job=Job())
    assert (row.name, row.score.correct) == ("other.txt", 5)
    (tmp_path / "short.txt").write_text("我爱 北京\n", encoding="utf-8")
    with pytest.raises(AppError, match="has 1 line,"):
        scoring.score_files(gold, [], segmented=[tmp_path / "short.txt"], job=Job())


def test_segmenters_that_cannot_be_scored_are_refused(gold):
    for options, error in [
        (SegmentOptions(by="bpe"), "has to be trained"), (SegmentOptions(by="none"), "must be one"),
    ]:  # fmt: skip
        with pytest.raises((AppError, SpecError), match=error):
            scoring.score_files(gold, [("x", options, None)], job=Job())


def test_the_given_words_of_a_corpus_are_the_gold(workspace, corpus):
    ws, jieba = workspace, SegmentOptions(by="jieba")
    made = segmentations.create(ws, corpus, jieba, name="cut", job=Job()).new_id
    candidates = [("jieba", jieba, None), ("characters", SegmentOptions(), None)]
    rows = scoring.score_corpus(ws, corpus, candidates, segmentations=[made], job=Job())
    by_name = {row.name: row.score for row in rows}
    assert by_name["cut"] == by_name["jieba"]
    assert (by_name["jieba"].gold, by_name["jieba"].correct) == (7, 6)
    assert (by_name["characters"].test, by_name["characters"].correct) == (10, 5)
    assert by_name["jieba"].oov == 5  # but 我 and 爱


def test_a_corpus_without_given_words_is_refused(workspace, corpus):
    plain = corpora.import_text(workspace, "我爱北京。\n", name="plain", job=Job()).new_id
    jieba = [("jieba", SegmentOptions(by="jieba"), None)]
    with pytest.raises(AppError, match="No words are given"):
        scoring.score_corpus(workspace, plain, jieba, job=Job())
    with pytest.raises(AppError, match="No words are given"):
        scoring.score_corpus(workspace, corpus, jieba, "valid", job=Job())
    other = segmentations.create(workspace, plain, SegmentOptions(), job=Job()).new_id
    with pytest.raises(AppError, match="another corpus"):
        scoring.score_corpus(workspace, corpus, segmentations=[other], job=Job())


def test_segmentations_are_compared_with_one_of_them(workspace):
    """By hand: jieba makes 我 爱 北京, characters four tokens, of which 我 and 爱 agree."""
    plain = corpora.import_text(workspace, "我爱北京\n" * 30, name="plain", job=Job()).new_id
    for name, by in (("words", "jieba"), ("signs", "characters")):
        segmentations.create(workspace, plain, SegmentOptions(by=by), name=name, job=Job())
    rows = scoring.score_corpus(
        workspace, plain, segmentations=["words", "signs"], reference="words", part="train",
        job=Job(),
    )  # fmt: skip
    same, other = (row.score for row in rows)
    assert same.f1 == 1.0
    assert (other.gold * 4, other.correct * 3) == (other.test * 3, other.gold * 2)
    assert other.oov == 0
    assert rows[1].differences[0].line == 1
