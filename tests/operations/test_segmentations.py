"""Segmentations as the window and the command line make them."""

import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from lmstudio.data.layout import Tokens
from lmstudio.errors import AppError, SpecError
from lmstudio.files import read_json, write_json
from lmstudio.jobs import Job
from lmstudio.operations import segmentations
from lmstudio.store.rows import CorpusRow
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.data.corpus_files import write_corpus

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
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


def test_pieces_are_learnt_for_a_look_and_kept_with_the_segmentation(workspace, corpus):
    options = SegmentOptions(by="bpe", pieces=30)
    seen = segmentations.try_out(workspace, 1, options, job=Job())
    assert "".join(seen.sentences[0].text[a:b] for a, b in seen.sentences[0].spans) == (
        "我爱北京天安门。"
    )
    assert segmentations.statistics(workspace, 1, options, job=Job()).vocabulary >= 16
    changes = segmentations.create(workspace, 1, options, job=Job())
    row = workspace.segmentation(changes.new_id)
    assert (row.name, row.segmenter, segmentations.axis(row)) == ("小样 · BPE · 30", "bpe", "")
    assert row.facts["tokenizer"] == {"name": "", "pieces": row.vocabulary - 2, "share": 1.0}
    assert (workspace.segmentation_folder(row.id) / "tokenizer.json").exists()


def test_a_loaded_vocabulary_decides_the_segmenter(workspace, corpus):
    path = CASES / "hf_vocab.txt"
    options = SegmentOptions(by="characters", lower=True)
    made = segmentations.create(workspace, 1, options, tokenizer=path, job=Job())
    row = workspace.segmentation(made.new_id)
    assert (row.name, row.segmenter) == ("小样 · WordPiece · hf_vocab.txt", "wordpiece")
    assert row.facts["tokenizer"] == {"name": "hf_vocab.txt", "pieces": 23, "share": None}
    assert "folded" in str(made.notes[0])
    seen = segmentations.tokens(workspace, row.id, "我愛𠮷京b2", job=Job())
    assert [(p.start, p.end, p.text) for p in seen.pieces] == [
        (0, 1, "我"), (1, 2, "愛"), (2, 3, "𠮷"), (3, 4, "京"), (4, 6, "b2"),
    ]  # fmt: skip
    assert (seen.unknown, len(seen.pieces)) == (3, 5)  # case E-4
    assert [p.piece for p in seen.pieces] == ["我", "<unk>", "<unk>", "京", "<unk>"]


def test_half_a_character_is_told(workspace, corpus):
    options = SegmentOptions(by="byte-bpe", pieces=300)
    made = segmentations.create(workspace, corpus.id, options, job=Job()).new_id
    with pytest.raises(AppError, match="Character 2 of the text is half a character"):
        segmentations.tokens(workspace, made, "我\ud83d", job=Job())


def test_tokens_of_any_text_are_those_of_the_corpus(workspace, corpus, tmp_path):
    options = SegmentOptions(by="jieba", special="[MASK]")
    made = segmentations.create(workspace, 1, options, job=Job()).new_id
    seen = segmentations.tokens(workspace, made, " 我爱[MASK]。\n上海龘", job=Job())
    assert [(p.text, p.start, p.unknown) for p in seen.pieces] == [
        ("我", 1, False), ("爱", 2, False), ("[MASK]", 3, False), ("。", 9, False),
        ("上海", 11, False), ("龘", 13, True),
    ]  # fmt: skip
    segmentations.save_tokens(seen, tmp_path / "t.csv", job=Job())
    lines = (tmp_path / "t.csv").read_text("utf-8-sig").splitlines()
    assert (len(lines), lines[-1]) == (7, "13,14,龘,<unk>,0,1")


def test_the_row_of_a_token_is_looked_up(workspace, corpus):
    made = segmentations.create(workspace, 1, SegmentOptions(), job=Job()).new_id
    spec = RunSpec.from_json({"model": "lstm"})
    run = workspace.add_run(made, "r", "lstm", spec.to_json())
    folder = workspace.run_folder(run.id) / "checkpoints" / "best"
    folder.mkdir(parents=True)
    save_file({"embedding.weight": np.eye(17, 4, dtype=np.float32)}, folder / "weights.safetensors")
    write_json(folder / "meta.json", {})
    found = segmentations.lookup(workspace, "r", [1, 5], job=Job())
    assert found.rows.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0]]
    assert found.equal


def test_given_words_are_asked_for_where_there_are_none(workspace, corpus):
    with pytest.raises(AppError, match="came without words"):
        segmentations.create(workspace, 1, SegmentOptions(by="given"), job=Job())


def test_stop_words_are_counted(workspace, corpus, tmp_path):
    path = tmp_path / "停用.txt"
    path.write_text("我\n。\n的", encoding="utf-8")
    made = segmentations.create(workspace, 1, SegmentOptions(), stop_words=path, job=Job())
    row = workspace.segmentation(made.new_id)
    assert row.facts["stop_words"] == {"name": "停用.txt", "words": 3, "tokens": 22}
    assert row.facts["parts"]["train"]["unknown"] == 18


def test_what_older_versions_wrote_is_read(workspace, corpus):
    made = segmentations.create(workspace, 1, SegmentOptions(), job=Job()).new_id
    path = workspace.segmentation_folder(made) / "meta.json"
    meta = read_json(path)
    del meta["axis"]
    write_json(path, meta | {"overlapping": True})
    assert Tokens(path.parent).meta.axis == "overlapping"
    row = workspace.segmentation(made)
    old = replace(row, facts={"overlapping": True})
    assert (segmentations.axis(old), segmentations.axis(row)) == ("overlapping", "")
