"""Spellers: kept beside the corpus where that may be written, else in memory."""

import pytest

from lmstudio.analysis import corpus_speller as module
from lmstudio.analysis.corpus_speller import corpus_speller
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, surprisal, training
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.fit_ngram import SPELLER_FILE
from lmstudio.training.spec import RunSpec
from tests.data.corpus_files import write_corpus

LINES = ["我爱北京", "我爱上海"]


def test_it_is_kept_where_that_is_wanted(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=LINES)
    read = corpus_speller(corpus, keep=False, job=Job())
    assert not (corpus / SPELLER_FILE).exists()
    assert corpus_speller(corpus, keep=False, job=Job()) is read  # learned once
    kept = corpus_speller(corpus, keep=True, job=Job())
    assert (corpus / SPELLER_FILE).exists()
    opened = corpus_speller(corpus, keep=True, job=Job())
    assert opened.bits("北京") == pytest.approx(kept.bits("北京"))
    assert opened.bits("北京") == pytest.approx(read.bits("北京"))


def test_it_is_there_where_it_cannot_be_kept(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no room")

    monkeypatch.setattr(module, "save_speller", full)
    corpus = write_corpus(tmp_path / "c", train=LINES)
    assert corpus_speller(corpus, keep=True, job=Job()).bits("北京") > 0


def test_a_damaged_file_is_learned_anew(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=LINES)
    (corpus / SPELLER_FILE).write_bytes(b"nothing")
    assert corpus_speller(corpus, keep=True, job=Job()).bits("北京") > 0
    assert (corpus / SPELLER_FILE).stat().st_size > 7


def test_without_a_train_part_there_is_none(tmp_path):
    with pytest.raises(AppError, match="train part is empty"):
        corpus_speller(write_corpus(tmp_path / "c", test=["我"]), keep=False, job=Job())


def test_a_workspace_that_is_read_only_stays_as_it_is(workspace):
    number = corpora.import_text(workspace, "小猫爱鱼。\n" * 20, name="t", job=Job()).new_id
    options = SegmentOptions(by="characters")
    cut = segmentations.create(workspace, number, options, job=Job()).new_id
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    name = workspace.run(training.train(workspace, cut, spec, job=Job()).new_id).name
    corpus = workspace.corpus_folder(number)
    with Workspace(workspace.folder, read_only=True) as reader:
        assert not asked(reader, name, "score").keep
        found = surprisal.score(reader, name, "小猫爱𠮷。", job=Job())
        assert found.sentences[0].spelling.sum() > 15
        assert not (corpus / SPELLER_FILE).exists()
    surprisal.score(workspace, name, "小猫爱𠮷。", job=Job())
    assert (corpus / SPELLER_FILE).exists()
