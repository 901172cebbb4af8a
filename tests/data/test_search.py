"""Queries and what they find: exact places, refusals, and a pattern that never ends."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmstudio.data.browse import search
from lmstudio.data.browse.concordance import View, concordance
from lmstudio.data.browse.search import Query
from lmstudio.data.layout import GIVEN, PART_NAMES
from lmstudio.errors import AppError, Cancelled
from lmstudio.files import write_json
from lmstudio.jobs import Job, JobQueue
from tests.data.corpus_files import write_corpus
from tests.data.word_files import write_words

LINES = ["我爱北京天安门，我爱。", "𠀀北京😀北京人", "Beijing is BEIJING\tis"]


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus", train=LINES[:2], valid=LINES[2:], test=["北京"])


def places(corpus, text, kind="text", part="", *, ignore_case=False, **how):
    query = Query(text, kind, ignore_case)
    found = concordance(corpus, query, View(**how), part=part, job=Job())
    return list(zip(found.line.tolist(), found.start.tolist(), found.end.tolist(), strict=True))


def test_text_is_found_where_it_stands(corpus):
    assert places(corpus, "北京") == [(0, 2, 4), (1, 1, 3), (1, 4, 6), (3, 0, 2)]
    assert places(corpus, "北京", part="test") == [(3, 0, 2)]
    assert places(corpus, "beijing") == []
    assert places(corpus, "beijing", ignore_case=True) == [(2, 0, 7), (2, 11, 18)]
    assert places(corpus, ".") == []  # no pattern
    assert places(corpus, "门，") == [(0, 6, 8)]


def test_patterns_stay_in_their_line(corpus):
    assert places(corpus, "^北京$", "regex") == [(3, 0, 2)]
    assert places(corpus, r"京\s*北", "regex") == []
    assert places(corpus, r"[𠀀😀]", "regex") == [(1, 0, 1), (1, 3, 4)]
    assert places(corpus, "x*", "regex") == []  # empty matches are no hits


@settings(max_examples=40)
@given(st.lists(st.text("ab北😀", min_size=1, max_size=8), min_size=1, max_size=6),
       st.text("ab北😀", min_size=1, max_size=2), st.integers(1, 12))  # fmt: skip
def test_text_and_pattern_agree_in_batches_of_any_size(tmp_path_factory, lines, text, size):
    corpus = write_corpus(tmp_path_factory.mktemp("corpus"), train=lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_BATCH", size)
        assert places(corpus, text) == places(corpus, text, "regex")


@pytest.mark.parametrize(("pattern", "sentence"), [
    ("北京(", "wrong at character 3: missing ., unterminated subpattern"),
    ("[北", "wrong at character 1: unterminated character set"),
    ("*", "wrong at character 1: nothing to repeat"),
    ("(" * 5000, "too large|wrong at character"),
    ("a{9999999999999999999}", "too large|wrong at character"),
])  # fmt: skip
def test_a_wrong_pattern_is_refused_with_its_place(corpus, pattern, sentence):
    with pytest.raises(AppError, match=sentence):
        places(corpus, pattern, "regex")


@pytest.mark.parametrize(("query", "sentence"), [
    (Query(""), "Say what"), (Query("  ", "word"), "Say what"), (Query("a\nb"), "inside a line"),
    (Query("\ud800"), "half a character"), (Query("a", "sound"), "no search called"),
    (Query("n", "tag"), "came without tags"),
])  # fmt: skip
def test_what_cannot_be_found_is_refused(corpus, query, sentence):
    with pytest.raises(AppError, match=sentence):
        concordance(corpus, query, View(), job=Job())


def test_an_endless_pattern_is_stopped_in_the_middle_of_a_match(tmp_path):
    corpus = write_corpus(tmp_path / "corpus", train=["a" * 60 + "b"])
    job = Job()
    timer = threading.Timer(0.1, job.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        concordance(corpus, Query("(a+)+$", "regex"), View(), job=job)
    assert time.monotonic() - started < 1


@pytest.mark.slow
def test_an_endless_pattern_is_stopped_in_a_worker(tmp_path):
    corpus = write_corpus(tmp_path / "corpus", train=["a" * 60 + "b"])
    queue = JobQueue()
    job = Job("search")

    def ask(*, job):
        return job.call(concordance, corpus, Query("(a+)+$", "regex"), View())

    queue.submit("bulk", job, ask)
    while not job.ticked:
        time.sleep(0.02)
    started = time.monotonic()
    job.cancel()
    while job.state == "running":
        time.sleep(0.02)
    assert job.state == "cancelled"
    assert time.monotonic() - started < 1.5
    queue.close()


def test_context_is_short_whatever_the_line_is(tmp_path):
    corpus = write_corpus(tmp_path / "corpus", train=["中" * 100_000 + "北京" + "国" * 100_000])
    found = concordance(corpus, Query("北京"), View(width=30), job=Job())
    assert (found.left, found.hit, found.right) == (["中" * 30], ["北京"], ["国" * 30])
    found = concordance(corpus, Query(".+", "regex"), View(), job=Job())
    assert (found.end[0], len(found.hit[0])) == (200_002, 200)


def test_all_hits_are_counted_and_some_are_kept(tmp_path):
    corpus = write_corpus(tmp_path / "corpus", train=["ab" * 10 for _ in range(100)])
    found = concordance(corpus, Query("a"), View(limit=30), job=Job())
    assert (found.total, len(found), found.sampled, found.complete) == (1000, 30, False, True)
    assert found.line.max() == 2
    found = concordance(corpus, Query("a"), View(limit=30, sample=True), job=Job())
    assert (found.total, len(found), found.sampled) == (1000, 30, True)
    assert found.line.max() > 50
    assert (np.diff(found.line * 100 + found.start) > 0).all()


def test_a_first_page_ends_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "_BATCH", 50)
    corpus = write_corpus(tmp_path / "corpus", train=["ab" * 10 for _ in range(100)])
    found = concordance(corpus, Query("a"), View(stop_at=15), job=Job())
    assert not found.complete
    assert 15 <= found.total < 100


@pytest.fixture
def words(corpus, tmp_path):
    lines = [["我", "爱", "北京"], ["我", "爱", "上海", "。", "我", "爱", "你"]]
    return write_words(tmp_path / "own", train=lines, test=[["你", "爱", "<unk>", "罕见"]])


def word_places(words, text, **how):
    found = concordance(words.corpus, Query(text, "word", **how), View(),
                        segmentation=words.segmentation, job=Job())  # fmt: skip
    return list(zip(found.line.tolist(), found.hit, strict=True))


def test_words_are_found_also_those_the_vocabulary_lacks(words):
    assert word_places(words, "我 爱") == [(0, "我爱"), (1, "我爱"), (1, "我爱")]
    assert word_places(words, "爱 *海") == [(1, "爱上海")]
    assert word_places(words, "罕见") == [(2, "罕见")]
    assert word_places(words, "罕?") == [(2, "罕见")]
    assert word_places(words, "北京 我") == []  # not across lines
    assert word_places(words, "北") == []


def test_hits_are_sorted_by_the_words_beside_them(words):
    found = concordance(words.corpus, Query("爱", "word"), View(),
                        segmentation=words.segmentation, job=Job())  # fmt: skip
    assert found.right_units == [("北京",), ("上海", "。", "我", "爱", "你"), ("你",),
                                 ("<unk>", "罕见")]  # fmt: skip
    assert found.left_units[2] == ("我", "。", "上海", "爱", "我")
    assert found.sorted_by("right").right == ["<unk>罕见", "上海。我爱你", "你", "北京"]
    assert found.sorted_by("left", 2).line.tolist() == [0, 1, 2, 1]
    assert found.sorted_by("right").sorted_by("document").line.tolist() == [0, 1, 1, 2]


@pytest.fixture
def tagged(tmp_path):
    corpus = write_corpus(tmp_path / "tagged", train=["我爱北京", "爱很好"], test=["北京好"])
    given_words = [(0, 0, 1, 1), (0, 1, 2, 2), (0, 2, 4, 3), (1, 0, 1, 4), (1, 1, 2, 0),
                   (1, 2, 3, 5), (2, 0, 2, 3), (2, 2, 3, 5)]  # fmt: skip
    np.array(given_words, GIVEN).tofile(corpus / "words.idx")
    write_json(corpus / "tags.json", ["", "r", "v", "ns", "vn", "a"])
    return corpus


@pytest.mark.parametrize(("query", "found"), [
    ("ns", ["北京", "北京"]), ("v*", ["爱", "爱"]), ("v", ["爱"]), ("爱/v*", ["爱", "爱"]),
    ("v ns", ["爱北京"]), ("ns a", ["北京好"]), ("*京/n? a", ["北京好"]), ("a ns", []),
    ("北京/v", []), ("*", ["我", "爱", "北京", "爱", "好", "北京", "好"]),
])  # fmt: skip
def test_tags_are_found_alone_and_in_a_row(tagged, query, found):
    result = concordance(tagged, Query(query, "tag"), View(), job=Job())
    assert result.hit == found


def test_tags_have_words_around_them(tagged):
    found = concordance(tagged, Query("ns", "tag"), View(), job=Job())
    assert found.left_units == [("爱", "我"), ()]
    assert found.right_units == [(), ("好",)]
    assert found.part == ["train", "test"]
    assert concordance(tagged, Query("ns", "tag"), View(), part="test", job=Job()).total == 1
    assert set(found.part) <= set(PART_NAMES)
