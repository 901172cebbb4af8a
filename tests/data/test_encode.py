"""A corpus folder becomes a segmentation folder, whole or not at all."""

import gzip

import numpy as np
import pytest

from lmstudio.data import cut_lines
from lmstudio.data.cut_lines import CutPlan, cut_corpus
from lmstudio.data.encode import encode
from lmstudio.data.excerpt import excerpt
from lmstudio.data.layout import CorpusText, Tokens
from lmstudio.data.survey import survey
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from tests.data.corpus_files import write_corpus


def plan(tmp_path, **options):
    return CutPlan(SegmentOptions(**{"sentences": "line"} | options), None, tmp_path / "cache")


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(
        tmp_path / "corpus",
        train=["我爱北京。我爱上海！", "", "\u3000他爱我"],
        valid=["我爱龘", "<s> 我 <unk> </s>"],
        test=["上海。"],
    )


def words_of(folder, corpus):
    """The tokens of each sentence, sliced from the text by their offsets."""
    tokens, text = Tokens(folder), CorpusText(corpus)
    found = []
    for record, following in zip(tokens.sentences[:-1], tokens.sentences[1:], strict=True):
        line = text.line(record["line"])
        spans = tokens.offsets[record["token"] : following["token"]]
        found.append([line[start:end] for start, end in spans])
    return found


def test_every_token_leads_back_to_the_text(tmp_path, corpus):
    folder = tmp_path / "s"
    encoded = encode(
        corpus, folder, plan(tmp_path, sentences="punctuation"), spelling=None, job=Job()
    )
    assert ["".join(words) for words in words_of(folder, corpus)] == [
        "我爱北京。", "我爱上海！", "他爱我", "我爱龘", "我<unk>", "上海。",
    ]  # fmt: skip
    tokens, vocabulary = Tokens(folder), Vocabulary.load(folder)
    assert vocabulary.types[3:6] == ["我", "爱", "。"]
    assert [vocabulary.type_of(i) for i in tokens.ids[:5]] == list("我爱北京。")
    assert (encoded.vocabulary, encoded.types) == (vocabulary.size, 9)
    assert [tuple(b) for b in tokens.bounds("valid")] == [(13, 16), (16, 18)]


def test_counts_by_part(tmp_path, corpus):
    folder = tmp_path / "s"

    def spelling(words):
        assert words == ["龘"]
        return np.array([7.5])

    encode(corpus, folder, plan(tmp_path), spelling=spelling, job=Job())
    parts = Tokens(folder).meta.parts
    valid = parts["valid"]
    assert (valid.tokens, valid.sentences, valid.characters) == (5, 2, 9)
    assert (valid.unknown, valid.literal_unknown, valid.spelling_bits) == (2, 1, 7.5)
    assert (parts["train"].sentences, parts["train"].characters) == (2, 13)
    assert (parts["test"].tokens, parts["test"].unknown) == (3, 0)


def test_characters_do_not_depend_on_the_segmentation(tmp_path, corpus):
    counts = []
    for number, options in enumerate(
        [{}, {"by": "whitespace"}, {"by": "jieba", "mode": "full"}, {"sentences": "punctuation"}]
    ):
        folder = tmp_path / str(number)
        encode(corpus, folder, plan(tmp_path, **options), spelling=None, job=Job())
        meta = Tokens(folder).meta
        assert meta.axis == ("overlapping" if options.get("mode") == "full" else "")
        counts.append([part.characters for part in meta.parts.values()])
    assert counts == [counts[0]] * 4


def test_case_c8_marks_count_like_none(tmp_path):
    marked = write_corpus(tmp_path / "a", train=["<s> 我 爱 北京 </s>"])
    plain = write_corpus(tmp_path / "b", train=["我 爱 北京"])
    made = []
    for corpus in (marked, plain):
        folder = tmp_path / f"{corpus.name}s"
        encode(corpus, folder, plan(tmp_path, by="whitespace"), spelling=None, job=Job())
        tokens = Tokens(folder)
        made.append((tokens.ids.tolist(), Vocabulary.load(folder).types, tokens.meta.parts))
    assert made[0] == made[1]


def test_vocabulary_sees_the_train_part_only(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["a b"], valid=["c"], test=["d a"])
    folder = tmp_path / "s"
    encode(corpus, folder, plan(tmp_path, by="whitespace"), spelling=None, job=Job())
    assert Vocabulary.load(folder).types[3:] == ["a", "b"]
    assert Tokens(folder).ids.tolist() == [3, 4, 0, 0, 3]


def test_empty_parts_are_fine_and_an_empty_train_part_is_told(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["甲", "", "乙"])
    encode(corpus, tmp_path / "s", plan(tmp_path), spelling=None, job=Job())
    assert len(Tokens(tmp_path / "s").stream("valid")) == 0
    for name, parts in {"d": {"train": [" "], "valid": ["甲"]}, "e": {}}.items():
        empty = write_corpus(tmp_path / name, **parts)
        with pytest.raises(AppError, match="train part"):
            encode(empty, tmp_path / "t", plan(tmp_path), spelling=None, job=Job())
    assert not list(tmp_path.glob("t*"))


class _Stopping(Job):
    def __init__(self, ticks):
        super().__init__()
        self._left = ticks

    def tick(self, *args, **kwargs):
        self._left -= 1
        if not self._left:
            self.cancel()
        super().tick(*args, **kwargs)


@pytest.mark.parametrize("ticks", [1, 2, 3])
def test_nothing_stays_when_stopped(tmp_path, corpus, ticks):
    with pytest.raises(Cancelled):
        encode(corpus, tmp_path / "s", plan(tmp_path), spelling=None, job=_Stopping(ticks))
    assert not list(tmp_path.glob("s*"))


def test_batches_and_processes_change_nothing(tmp_path, monkeypatch):
    lines = [f"第{i}行，我爱北京。{'好' * (i % 7)}" for i in range(300)]
    corpus = write_corpus(tmp_path / "c", train=lines[:200], valid=lines[200:])
    encode(corpus, tmp_path / "one", plan(tmp_path), spelling=None, job=Job())
    monkeypatch.setattr(cut_lines, "BATCH", 1000)
    encode(corpus, tmp_path / "many", plan(tmp_path), spelling=None, job=Job())
    monkeypatch.setattr(cut_lines, "_POOL_FROM", {"characters": 0})
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    encode(corpus, tmp_path / "pool", plan(tmp_path), spelling=None, job=Job())
    for name in ("tokens.bin", "offsets.bin", "sentences.idx", "vocab.json", "meta.json"):
        made = {(tmp_path / f / name).read_bytes() for f in ("one", "many", "pool")}
        assert len(made) == 1, name


def test_pool_stops_within_a_second(tmp_path, monkeypatch):
    corpus = write_corpus(tmp_path / "c", train=["我爱北京天安门。" * 50] * 2000)
    monkeypatch.setattr(cut_lines, "_POOL_FROM", {"characters": 0})
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    job = Job()
    cuts = cut_corpus(corpus, plan(tmp_path), job=job)
    next(cuts)
    job.cancel()
    with pytest.raises(Cancelled):
        list(cuts)


def test_survey_counts_what_encode_would_write(tmp_path, corpus):
    found = survey(corpus, plan(tmp_path), job=Job())
    encoded = encode(corpus, tmp_path / "s", plan(tmp_path), spelling=None, job=Job())
    assert (found.types, found.vocabulary) == (encoded.types, encoded.vocabulary)
    assert found.parts == encoded.meta.parts
    assert found.tokens == sum(part.tokens for part in found.parts.values())
    assert found.oov_rate_valid == pytest.approx(2 / 5)
    assert found.coverage[0] == (1, pytest.approx(3 / 13))
    assert found.coverage[-1] == (found.types, 1.0)


def test_excerpt_of_a_few_sentences(tmp_path, corpus):
    seen = excerpt(corpus, plan(tmp_path, sentences="punctuation"), 0, 3, job=Job())
    assert [(s.line, s.start, s.text) for s in seen.sentences] == [
        (0, 0, "我爱北京。"), (0, 5, "我爱上海！"), (2, 1, "他爱我"),
    ]  # fmt: skip
    assert seen.next_line == 3
    assert excerpt(corpus, plan(tmp_path), 5, 8, job=Job()).next_line is None
    long = write_corpus(tmp_path / "long", train=["我" * 1_000_000])
    shown = excerpt(long, plan(tmp_path), 0, 8, job=Job()).sentences[0]
    assert len(shown.text) == len(shown.spans) == 500


@pytest.mark.slow
def test_ptb(tmp_path, shared):
    ptb = shared / "data" / "lm_en"
    texts = {name: (ptb / f"ptb.{name}.txt") for name in ("valid", "test")}
    parts = {name: path.read_text("utf-8") for name, path in texts.items()}
    parts["train"] = gzip.decompress((ptb / "ptb.train.txt.gz").read_bytes()).decode()
    lines = {name: text.split("\n")[:-1] for name, text in parts.items()}
    corpus = write_corpus(tmp_path / "c", **lines)
    encoded = encode(
        corpus, tmp_path / "s", plan(tmp_path, by="whitespace"), spelling=None, job=Job()
    )
    found = encoded.meta.parts
    assert [found[p].tokens for p in ("train", "valid", "test")] == [887_521, 70_390, 78_669]
    assert [found[p].sentences for p in ("train", "valid", "test")] == [42_068, 3_370, 3_761]
    assert encoded.vocabulary == 10_000
    assert (found["test"].unknown, found["test"].literal_unknown) == (4_794, 4_794)
