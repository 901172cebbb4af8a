"""Pieces of words: cases B-3, B-4 and E-4 for every segmenter, files that load, and training."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from lmstudio.errors import AppError
from lmstudio.text.marks import UNKNOWN, written_as
from lmstudio.text.segment import SegmentOptions, cut_sentence, segmenter
from lmstudio.text.segment_options import SUBWORD, applies
from lmstudio.text.subword import Subwords, kind_of
from lmstudio.text.subword_training import train
from tests.text.test_segment import B3_LINES, CASES, TRICKY

TEXTS = [
    "我爱北京天安门，我爱上海。",
    "今天天气很好吧 google app v2.0",
    "lower low lowest 3,000.50！",
]
B4_LINES = ["😀我爱北京", "我爱💩💩💩👨\u200d👩\u200d👧"]
BERT = SegmentOptions(by="wordpiece", lower=True, strip_accents=True)


def learn(path, texts=TEXTS, **options):
    options = SegmentOptions(**{"by": "bpe", "pieces": 120} | options)
    path.write_text(train(lambda: iter([list(texts)] * 3), options), encoding="utf-8")
    return Subwords(path, options)


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """By name, one of each segmenter that keeps all of a text."""
    folder = tmp_path_factory.mktemp("pieces")
    found = {by: learn(folder / f"{by}.json", by=by) for by in SUBWORD}
    for by in ("characters", "whitespace", "jieba"):
        found[by] = segmenter(SegmentOptions(by=by), cache=folder)
    return found


def check(cutter, text):
    """Spans in order and within the text, every visible character in one, types that fit."""
    spans = cut_sentence(cutter, text)
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    covered = {i for start, end in spans for i in range(start, end)}
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    if isinstance(cutter, Subwords):
        known = set(cutter.vocabulary)
        for (start, end), word in zip(spans, cutter.pieces(text)[1], strict=True):
            assert word in known or written_as(word) == text[start:end]


@pytest.mark.parametrize("by", [*SUBWORD, "characters", "whitespace", "jieba"])
@pytest.mark.parametrize("text", [*B3_LINES, *B4_LINES, "\x1c a\u0085b\u3000 "])
def test_cases_b3_b4_every_token_leads_back(every, by, text):
    check(every[by], text)
    if by != "byte-bpe":  # which keeps white space
        spans = cut_sentence(every[by], text)
        assert all(text[a:b].strip() == text[a:b] for a, b in spans)


@given(text=TRICKY | st.text(max_size=20).filter(lambda text: "<" not in text))
def test_cases_b3_b4_on_any_text(every, text):
    for cutter in every.values():
        check(cutter, text)


def test_pieces_without_marks_are_the_text_itself(every):
    text = "我爱北京天安门"
    for by in ("bpe", "unigram"):
        assert "".join(every[by].pieces(text)[1]) == text
    assert "".join(piece.removeprefix("##") for piece in every["wordpiece"].pieces(text)[1]) == text


def test_byte_pieces_give_back_the_bytes_and_share_the_span_of_a_character(every):
    text = "龘 a"
    spans, types = every["byte-bpe"].pieces(text)
    assert spans[:3] == [(0, 1)] * 3
    decoder = every["byte-bpe"]._tokenizer
    decoder.decoder = decoders.ByteLevel()
    ids = [decoder.token_to_id(piece) for piece in types]
    assert decoder.decode(ids) == text


def test_case_e4_unknown_pieces_keep_their_text():
    cutter = Subwords(CASES / "hf_vocab.txt", BERT)
    spans, types = cutter.pieces("我愛𠮷京b2")
    assert spans == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)]
    assert types == ["我", UNKNOWN + "愛", UNKNOWN + "𠮷", "京", UNKNOWN + "b2"]
    assert cutter.pieces("Ab1")[1] == ["a", "##b", "##1"]
    assert cutter.axis == "folded"
    assert Subwords(CASES / "hf_vocab.txt", SegmentOptions(by="wordpiece")).axis == ""


def test_case_e4_folded_letters_are_shown_as_they_stand(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\n绿\nlu\n", encoding="utf-8")
    text = "绿lǜ"
    spans, types = Subwords(tmp_path / "vocab.txt", BERT).pieces(text)
    assert types == ["绿", "lu"]
    assert [text[a:b] for a, b in spans] == ["绿", "lǜ"]


def test_lines_of_a_vocabulary_are_taken_as_they_are(tmp_path):
    lines = ["[PAD]", "b", "[UNK]", "a\u2028", "", " ", "a"]
    path = tmp_path / "vocab.txt"
    for end in ("\n", "\r\n"):
        path.write_bytes(("\ufeff" + end.join(lines) + end).encode())
        cutter = Subwords(path, SegmentOptions(by="wordpiece"))
        assert list(cutter.vocabulary) == [line for line in lines if line != "[UNK]"]
    assert cutter.pieces("a c")[1] == ["a", UNKNOWN + "c"]
    assert kind_of(path) == "wordpiece"


def test_a_trained_file_is_loaded_with_its_rules(tmp_path, every):
    for by in SUBWORD:
        path = tmp_path / "tokenizer.json"
        learn(path, by=by)
        rules = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(rules, indent=2), encoding="utf-8")  # as the library writes it
        assert kind_of(path) == by
        assert Subwords(path, SegmentOptions()).pieces(TEXTS[0]) == every[by].pieces(TEXTS[0])


def test_a_file_with_marked_spaces_leads_back_too(tmp_path):
    """As SentencePiece writes them: white space is part of pieces, as a low line."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=60, special_tokens=["<unk>"], unk_token="<unk>",
                                      show_progress=False)  # fmt: skip
    tokenizer.train_from_iterator(TEXTS * 9, trainer)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    cutter = Subwords(tmp_path / "tokenizer.json", SegmentOptions())
    assert (cutter.axis, kind_of(tmp_path / "tokenizer.json")) == ("spaces", "unigram")
    for text in [*TEXTS, *B3_LINES, *B4_LINES]:
        check(cutter, text)


def test_what_a_file_asks_for_beyond_cutting_is_left_out(tmp_path):
    path = tmp_path / "tokenizer.json"
    learn(path, by="byte-bpe")
    rules = json.loads(path.read_text("utf-8"))
    rules["truncation"] = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst",
                           "stride": 0}  # fmt: skip
    rules["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
                               "use_regex": True}  # fmt: skip
    path.write_text(json.dumps(rules), encoding="utf-8")
    spans = Subwords(path, SegmentOptions()).cut("我爱北京  天安门")
    assert spans[-1][1] == 9
    assert {i for a, b in spans for i in range(a, b)} == set(range(9))


@pytest.mark.parametrize(("by", "name"), [
    ("bpe", "unk_token"), ("unigram", "unk_id"), ("wordpiece", "unk_token"),
])  # fmt: skip
def test_a_file_without_an_unknown_piece_gets_one(tmp_path, by, name):
    path = tmp_path / "tokenizer.json"
    learn(path, texts=["ab ab"], by=by)
    rules = json.loads(path.read_text("utf-8"))
    rules["added_tokens"] = []
    rules["model"][name] = None if by != "wordpiece" else "[NONE]"
    path.write_text(json.dumps(rules), encoding="utf-8")
    spans, types = Subwords(path, SegmentOptions()).pieces("龘。ab 龘")
    assert (spans[:2], spans[2][0], spans[-1]) == ([(0, 1), (1, 2)], 2, (5, 6))
    assert [types[0], types[1], types[-1]] == [UNKNOWN + "龘", UNKNOWN + "。", UNKNOWN + "龘"]
    assert "".join(types[2:-1]) == "ab"


@pytest.mark.parametrize("content", [
    b"", b"a\nb\n", b"\xff\xfe\x00", b'{"version": "1.0"}', b'{"model": {"type": "Other"}}', b'{"',
])  # fmt: skip
def test_files_without_pieces_are_told(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(AppError, match=r"vocab\.txt or a tokenizer\.json"):
        Subwords(tmp_path / "x", SegmentOptions(by="wordpiece"))


@pytest.mark.parametrize("by", SUBWORD)
def test_the_same_text_gives_the_same_pieces(tmp_path, by):
    text = ["".join(chr(97 + (i * j) % 17) for i in range(30)) + " 我爱北京" for j in range(200)]
    made = {train(lambda: iter([text]), SegmentOptions(by=by, pieces=150)) for _ in range(4)}
    assert len(made) == 1


def test_rare_characters_and_rare_pairs_are_no_pieces(tmp_path):
    texts = ["甲乙"] * 5 + ["丙"] * 2
    pieces = learn(tmp_path / "a.json", texts=texts, min_count=7).vocabulary
    assert set(pieces) == {"甲", "乙", "甲乙"}
    pieces = learn(tmp_path / "a.json", texts=["甲乙丙丁"], pieces=16).vocabulary
    assert "甲乙丙丁" in pieces
    many = "".join(chr(0x4E00 + i) for i in range(100))
    for by in ("bpe", "wordpiece", "unigram"):  # no room for all
        pieces = learn(tmp_path / "a.json", texts=[many + many[:9]], by=by, pieces=16).vocabulary
        assert set(many[:9]) < set(pieces)
        assert len(pieces) in (15, 16)


def test_special_tokens_are_in_the_file(tmp_path):
    cutter = learn(tmp_path / "a.json", special="[MASK] [SEP]")
    assert cutter.vocabulary[:2] == ("[MASK]", "[SEP]")
    assert (2, 8) in cutter.cut("我爱[MASK]")


def test_training_stops_when_its_reader_does():
    def texts():
        yield TEXTS
        raise InterruptedError

    for by in SUBWORD:
        with pytest.raises(InterruptedError):
            train(texts, SegmentOptions(by=by))


def test_a_text_without_characters_is_told():
    with pytest.raises(AppError, match="no token"):
        train(lambda: iter([[" ", ""]]), SegmentOptions(by="bpe"))


def test_long_runs_are_cut_in_bounded_words(every):
    text = "我爱北京" * 2500
    for by in SUBWORD:
        spans = cut_sentence(every[by], text)
        assert (spans[0][0], spans[-1][1]) == (0, len(text))


def test_options_that_apply():
    assert "pieces" in applies("bpe")
    assert "pieces" not in applies("jieba")
    assert "lower" in applies("wordpiece", "vocab.txt")
    assert not {"pieces", "min_count"} & {*applies("wordpiece", "vocab.txt")}
    assert applies("unigram", "tokenizer.json") == ("sentences", "special")
    names = {name for by in SUBWORD for name in applies(by)}
    assert names <= set(SegmentOptions.__dataclass_fields__)
    assert not SegmentOptions(by="characters", lower=True).folds
