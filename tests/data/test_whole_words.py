"""Where words begin among tokens, and to which document a sentence belongs."""

import numpy as np
import pytest

from lmstudio.data.cut_from import corpus_of, document_numbers, documents_at
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.encode import encode
from lmstudio.data.layout import GIVEN, LINE, CorpusText, SegmentationMeta, Tokens
from lmstudio.data.learned import with_pieces
from lmstudio.data.whole_words import WORDS, word_starts
from lmstudio.errors import AppError
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.text.segment_options import SUBWORD, SegmentOptions
from tests.data.corpus_files import write_corpus

LINES = ["我爱北京天安门。", "The workers work at 北京 today", "他爱上海。你爱北京吗？"]


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpora" / "2", train=LINES, valid=["他爱我"])


@pytest.fixture
def cut(tmp_path, corpus):
    """Segments the corpus; the folder."""

    def make(**options):
        options = SegmentOptions(**{"sentences": "punctuation", "pieces": 40} | options)
        plan = CutPlan(options, None, tmp_path / "jieba")
        if options.by in SUBWORD:
            plan = with_pieces(corpus, plan, tmp_path / "pieces", job=Job())
        folder = tmp_path / "segmentations" / "5"
        encode(corpus, folder, plan, spelling=lambda words: np.ones(len(words)), job=Job())
        return folder

    return make


def words_of(corpus, folder) -> list[str]:
    """What the tokens stand for, those of a word joined by "|"."""
    tokens, text = Tokens(folder), CorpusText(corpus)
    lines = np.repeat(tokens.sentences["line"][:-1], np.diff(tokens.sentences["token"]))
    found: list[str] = []
    starts = word_starts(folder, job=Job())
    for line, (start, end), begins in zip(lines, tokens.offsets, starts, strict=True):
        token = text.line(line)[start:end].strip()
        found = [*found, token] if begins else [*found[:-1], f"{found[-1]}|{token}"]
    return found


def test_characters_make_up_the_words_of_jieba(corpus, cut):
    found = words_of(corpus, cut(by="characters"))
    assert found[:5] == ["我", "爱", "北|京", "天|安|门", "。"]
    assert found[5:11] == ["T|h|e", "w|o|r|k|e|r|s", "w|o|r|k", "a|t", "北|京", "t|o|d|a|y"]
    assert found[11:13] == ["他", "爱"]
    assert found[-3:] == ["他", "爱", "我"]  # held out


@pytest.mark.parametrize("by", SUBWORD)
def test_pieces_make_up_words(corpus, cut, by):
    found = words_of(corpus, cut(by=by, pieces=300 if by == "byte-bpe" else 40))
    joined = [word.replace("|", "") for word in found]
    assert {"The", "workers", "work", "today"} <= set(joined)


def test_words_are_found_once(corpus, cut):
    folder = cut(by="characters")
    first = np.array(word_starts(folder, job=Job()))
    written = (folder / WORDS).stat().st_mtime_ns
    assert np.array_equal(word_starts(folder, job=Job()), first)
    assert (folder / WORDS).stat().st_mtime_ns == written
    (folder / WORDS).write_bytes(b"\1")
    with pytest.raises(AppError, match="damaged"):
        word_starts(folder, job=Job())


@pytest.mark.parametrize("options", [
    {"by": "jieba"}, {"by": "whitespace"}, {"by": "jieba", "mode": "full", "unknown": "characters"},
])  # fmt: skip
def test_where_tokens_are_words_there_is_nothing_to_find(cut, options):
    folder = cut(**options)
    assert word_starts(folder, job=Job()) is None
    assert not (folder / WORDS).exists()


def test_the_characters_of_unknown_words_belong_together(corpus, cut):
    found = words_of(corpus, cut(by="jieba", unknown="characters", min_count=2))
    assert "天|安|门" in found
    assert "北京" in found


def test_given_words_come_before_those_of_jieba(corpus, cut):
    spans = [(0, 0, 2, 0), (0, 2, 5, 0), (0, 5, 7, 0), (0, 7, 8, 0)]
    np.array(spans, GIVEN).tofile(corpus / "words.idx")
    write_json(corpus / "tags.json", [""])
    found = words_of(corpus, cut(by="characters"))
    assert found[:4] == ["我|爱", "北|京|天", "安|门", "。"]
    assert found[4] == "T|h|e"  # of a line without any


def test_sentences_know_their_document(corpus, cut):
    folder = cut(by="characters")
    records = np.fromfile(corpus / "lines.idx", LINE)
    records["document"] = [0, 0, 1, 2]
    records.tofile(corpus / "lines.idx")
    assert document_numbers(folder).tolist() == [0, 0, 1, 1, 2]
    starts = Tokens(folder).sentences["token"][[2, 4, 0]]
    assert documents_at(folder, starts).tolist() == [1, 2, 0]


def test_an_old_segmentation_finds_its_corpus(tmp_path, corpus, cut):
    write_corpus(tmp_path / "corpora" / "1", train=LINES[::-1], valid=["他爱我"])
    write_corpus(tmp_path / "corpora" / "0", train=LINES[:2], valid=[LINES[2], "他爱我"])
    (tmp_path / "corpora" / "empty").mkdir()
    folder = cut(by="characters")
    assert corpus_of(folder) == corpus
    meta = SegmentationMeta.load(folder)
    meta.corpus = ""
    meta.save(folder)
    assert corpus_of(folder) == corpus


def test_a_workspace_may_be_moved(tmp_path, cut):
    cut(by="characters")
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("corpora", "segmentations"):
        (tmp_path / name).rename(moved / name)
    assert corpus_of(moved / "segmentations" / "5") == moved / "corpora" / "2"


def test_a_corpus_that_is_gone_is_told(tmp_path, corpus, cut):
    folder = cut(by="characters")
    corpus.rename(tmp_path / "away")
    with pytest.raises(AppError, match="is gone"):
        corpus_of(folder)
    meta = SegmentationMeta.load(folder)
    meta.corpus = ""
    meta.save(folder)
    with pytest.raises(AppError, match="is gone"):
        document_numbers(folder)
