"""A corpus into pieces of words: learnt from train alone, on the shared axis, and honest."""

import numpy as np
import pytest

from lmstudio.data import learned
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.encode import encode, plan_of
from lmstudio.data.layout import BOS, GIVEN, CorpusText, Tokens
from lmstudio.data.learned import learnt_share, with_pieces
from lmstudio.data.survey import survey
from lmstudio.data.token_preview import token_preview
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError, Cancelled
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.text.segment_options import SUBWORD
from lmstudio.text.subword import Subwords
from tests.data.corpus_files import write_corpus

TRAIN = ["我爱北京。我爱上海！", "他爱我 lower low", "上海的天安门 lowest"] * 4


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus", train=TRAIN, valid=["我爱龘龘 low"], test=["上海X。"])


@pytest.fixture
def plan(tmp_path, corpus):
    """A plan with what it needs; `tokenizer=` and `stop_words=` are paths."""

    def make(*, tokenizer=None, stop_words=None, **options):
        options = SegmentOptions(**{"sentences": "line", "pieces": 60} | options)
        made = CutPlan(options, None, tmp_path / "jieba", tokenizer, stop_words)
        if tokenizer is None and options.by not in SUBWORD:
            return made
        return with_pieces(corpus, made, tmp_path / "pieces", job=Job())

    return make


def cut(corpus, folder, plan):
    encode(corpus, folder, plan, spelling=lambda words: np.full(len(words), 7.0), job=Job())
    return Tokens(folder), Vocabulary.load(folder)


@pytest.mark.parametrize("by", SUBWORD)
def test_a_word_that_stands_only_in_test_is_no_piece(tmp_path, plan, by):
    special = write_corpus(tmp_path / "corpus", train=TRAIN, valid=["稀有词稀有词"],
                           test=["冷僻词 zyzzyva"] * 50)  # fmt: skip
    tokens, vocabulary = cut(special, tmp_path / "s", plan(by=by, pieces=400))
    for word in ("稀有", "冷僻", "zy", "##zy", "zzyva"):
        assert vocabulary.id_of(word) == 0
    if by != "byte-bpe":
        assert not set("冷僻稀zv") & set("".join(vocabulary.types))
    assert vocabulary.counts.sum() == tokens.meta.parts["train"].events


@pytest.mark.parametrize("by", SUBWORD)
def test_offsets_lead_every_piece_back(tmp_path, corpus, plan, by):
    tokens, vocabulary = cut(corpus, tmp_path / "s", plan(by=by))
    text = CorpusText(corpus)
    for record, following in zip(tokens.sentences[:-1], tokens.sentences[1:], strict=True):
        line = text.line(record["line"])
        here = slice(record["token"], following["token"])
        covered = {i for a, b in tokens.offsets[here].tolist() for i in range(a, b)}
        assert {i for i, c in enumerate(line) if not c.isspace()} <= covered
        for number, (start, end) in zip(tokens.ids[here], tokens.offsets[here], strict=True):
            piece = vocabulary.type_of(number)
            if number and by != "byte-bpe":
                assert line[start:end] == piece.removeprefix("##")


def test_bits_of_pieces_are_over_the_same_characters(tmp_path, corpus, plan):
    """-log2 of what a model gives the pieces, and the spelling of the rest, cover the text once."""
    found = {}
    for by in ("characters", "bpe", "unigram", "wordpiece"):
        tokens, vocabulary = cut(corpus, tmp_path / by, plan(by=by))
        assert tokens.meta.axis == ""
        parts = tokens.meta.parts
        found[by] = [part.characters for part in parts.values()]
        valid = tokens.stream("valid")[1:-1].tolist()
        known = "".join(vocabulary.type_of(i).removeprefix("##") for i in valid if i)
        assert known == "我爱low"
        unknown = parts["valid"].characters - len(known)
        assert unknown == 2
        assert parts["valid"].spelling_bits == 7 * valid.count(0)
        shares = vocabulary.counts / vocabulary.counts.sum()  # the simplest model there is
        assert (shares[BOS], shares.sum()) == (0, pytest.approx(1))  # over what is predicted
        events = [i for i in tokens.stream("train").tolist() if i != BOS]
        assert len(events) == parts["train"].events
    assert len({tuple(counts) for counts in found.values()}) == 1


def test_white_space_that_is_kept_counts_on_both_sides(tmp_path, corpus, plan):
    byte, _ = cut(corpus, tmp_path / "s", plan(by="byte-bpe", pieces=300))
    assert byte.meta.axis == "spaces"
    characters, _ = cut(corpus, tmp_path / "c", plan())
    spaces = sum(line.count(" ") for line in TRAIN)
    counts = byte.meta.parts["train"].characters
    assert counts == characters.meta.parts["train"].characters + spaces
    write_corpus(corpus, train=["我爱北京。"], valid=["他爱我"], test=["  上海 "])
    byte, _ = cut(corpus, tmp_path / "t", plan(by="byte-bpe", pieces=300))
    assert byte.meta.axis == ""  # there is none to keep
    assert byte.meta.parts["test"].characters == 2


def test_folded_text_has_an_axis_of_its_own(tmp_path, corpus, plan):
    for options, axis in [({"lower": True}, "folded"), ({"clean": True}, "folded"), ({}, "")]:
        tokens, _ = cut(corpus, tmp_path / str(options), plan(by="wordpiece", **options))
        assert tokens.meta.axis == axis


def test_a_loaded_vocabulary_keeps_its_order(tmp_path, corpus, plan):
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n上\n[UNK]\n爱\n我\n海\n</s>\n", encoding="utf-8")
    made = plan(by="bpe", tokenizer=path)
    assert made.options.by == "wordpiece"
    tokens, vocabulary = cut(corpus, tmp_path / "s", made)
    assert vocabulary.types == ["<unk>", "<s>", "</s>", "[PAD]", "上", "爱", "我", "海"]
    assert tokens.stream("test").tolist() == [1, 4, 7, 0, 0, 2]  # 上 海 X 。
    assert (tmp_path / "s" / "vocab.txt").read_bytes() == path.read_bytes()
    again = plan_of(tmp_path / "s", made.options, tmp_path)
    assert again.segmenter().cut("我爱") == [(0, 1), (1, 2)]


def test_special_tokens_are_whole_for_every_segmenter(tmp_path, plan):
    for by in ("characters", "jieba", *SUBWORD):
        corpus = write_corpus(tmp_path / "corpus", train=TRAIN, valid=["我[MASK]爱"])
        made = plan(by=by, special="[MASK] [SEP]", pieces=300)
        tokens, vocabulary = cut(corpus, tmp_path / f"{by} s", made)
        assert vocabulary.types[3:5] == ["[MASK]", "[SEP]"]
        assert tokens.stream("valid").tolist().count(3) == 1
        assert (1, 7) in [tuple(span) for span in tokens.offsets.tolist()]


def test_unknown_words_are_cut_into_characters_where_asked(tmp_path, corpus, plan):
    options = {"by": "whitespace", "unknown": "characters", "min_count": 4}
    write_corpus(corpus, train=["low low ab", "low cb low"], valid=["ba low \u3000x"])
    tokens, vocabulary = cut(corpus, tmp_path / "s", plan(**options))
    assert vocabulary.types[3:] == ["low", "b", "a", "c"]
    valid = tokens.bounds("valid")[0]
    assert [vocabulary.type_of(i) for i in tokens.ids[slice(*valid)]] == ["b", "a", "low", "<unk>"]
    assert tokens.offsets[slice(*valid)].tolist() == [(0, 1), (1, 2), (3, 6), (8, 9)]
    parts = tokens.meta.parts
    assert (parts["train"].tokens, parts["valid"].tokens, parts["valid"].unknown) == (8, 4, 1)
    assert vocabulary.counts[3:].tolist() == [4, 2, 1, 1]
    assert survey(corpus, plan(**options), job=Job()).parts["train"].tokens == 8
    seen = token_preview(tmp_path / "s", plan(**options), "ba low", job=Job())
    assert [piece.piece for piece in seen.pieces] == ["b", "a", "low"]


def test_stop_words_are_unknown_and_spelled(tmp_path, corpus, plan):
    path = tmp_path / "stop.txt"
    path.write_text("的\r\n。\n", encoding="gb18030")
    tokens, vocabulary = cut(corpus, tmp_path / "s", plan(stop_words=path))
    assert not {"的", "。"} & set(vocabulary.types)
    assert tokens.meta.parts["test"].spelling_bits == 14.0
    encoded = encode(corpus, tmp_path / "t", plan(stop_words=path), spelling=None, job=Job())
    assert encoded.stopped == 9
    path.write_bytes(b"\xff\xff")
    with pytest.raises(AppError, match="neither"):
        cut(corpus, tmp_path / "u", plan(stop_words=path))


def test_learning_is_done_once_for_a_text_and_its_options(tmp_path, corpus, plan, monkeypatch):
    first = plan(by="bpe").tokenizer
    with monkeypatch.context() as patch:
        patch.setattr(learned, "train", None)
        assert plan(by="bpe", sentences="punctuation").tokenizer == first
    assert plan(by="bpe", pieces=61).tokenizer != first
    write_corpus(corpus, train=[*TRAIN, "更多"])
    assert plan(by="bpe").tokenizer != first
    monkeypatch.setattr(learned, "_KEPT", 2)
    plan(by="bpe", pieces=62)
    assert len(list((tmp_path / "pieces").iterdir())) == 2


def test_much_text_is_sampled_evenly(corpus, monkeypatch):
    monkeypatch.setattr(learned, "_MOST_BYTES", 150)
    monkeypatch.setattr(learned, "_BATCH", 2)
    share = learnt_share(corpus, "bpe")
    assert 0.3 < share < 0.6
    texts = [t for batch in learned._texts(corpus, SegmentOptions(by="bpe"), Job()) for t in batch]
    assert len(texts) == int(12 * share)
    assert len(set(texts)) == 3


def test_learning_can_be_stopped(tmp_path, corpus):
    class Stopping(Job):
        def tick(self, *args, **kwargs):
            self.cancel()
            super().tick(*args, **kwargs)

    for by in SUBWORD:
        plan = CutPlan(SegmentOptions(by=by), None, tmp_path)
        with pytest.raises(Cancelled):
            with_pieces(corpus, plan, tmp_path / "pieces", job=Stopping())
    assert not list((tmp_path / "pieces").glob("*"))


def test_given_words_are_taken_and_what_is_between_them(tmp_path, corpus, plan):
    write_corpus(corpus, train=["我爱北京。他 爱<unk>我！"], valid=["没有 词"])
    words = [(0, 0, 1), (0, 2, 5), (0, 5, 6), (0, 7, 8), (0, 8, 13)]
    np.array([(*word, 0) for word in words], GIVEN).tofile(corpus / "words.idx")
    write_json(corpus / "tags.json", [""])
    for rule in ("line", "punctuation"):
        tokens, vocabulary = cut(corpus, tmp_path / rule, plan(by="given", sentences=rule))
        assert tokens.offsets.tolist() == [
            (0, 1), (1, 2), (2, 5), (5, 6), (7, 8), (8, 13), (13, 15),
            (0, 2), (3, 4),  # at white space, where none were given
        ]  # fmt: skip
        assert "北京。" in vocabulary.types
        assert tokens.meta.parts["train"].literal_unknown == 1
    assert len(tokens.bounds("train")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("by", SUBWORD)
def test_case_a6_a_line_without_a_break(tmp_path, by, monkeypatch):
    """The library never sees more than some thousands of characters at once."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    line = "春眠不觉晓处处闻" * 30_000
    corpus = write_corpus(tmp_path / "corpus", train=[line], valid=[line[:50]], test=["春眠"])
    plan = CutPlan(SegmentOptions(by=by, sentences="punctuation"), None, tmp_path)
    plan = with_pieces(corpus, plan, tmp_path / "pieces", job=Job())
    seen = []
    pieces = Subwords.pieces
    monkeypatch.setattr(Subwords, "pieces", lambda self, text: seen.append(len(text)) or
                        pieces(self, text))  # fmt: skip
    encoded = encode(corpus, tmp_path / "s", plan, spelling=None, job=Job())
    assert max(seen) <= Subwords.longest
    assert encoded.meta.parts["train"].characters == len(line)
    assert encoded.meta.parts["train"].unknown == 0
