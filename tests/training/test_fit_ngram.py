"""From the folder of a segmentation to a model, its facts and its file; the speller of a corpus."""

import math

import numpy as np
import pytest

from lmstudio.data.cut_lines import CutPlan
from lmstudio.data.encode import encode
from lmstudio.data.layout import Tokens
from lmstudio.data.pieces import pieces
from lmstudio.errors import AppError, Cancelled
from lmstudio.files import read_json
from lmstudio.formats import ngram_file
from lmstudio.jobs import Job
from lmstudio.models.ngram import word_classes
from lmstudio.models.ngram.counts import count
from lmstudio.text.segment import SegmentOptions
from lmstudio.training import fit_ngram
from lmstudio.training.spec import RunSpec
from tests.models.ngram.test_word_classes import made_by_chance
from tests.models.ngram.texts import TINY, ignore, write_corpus
from tests.segmentations import write_segmentation


def spec(**config) -> RunSpec:
    return RunSpec.from_json({"model": "ngram", "config": config})


def test_facts_file_and_curve_point(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TINY, valid=["我 爱 我"])
    job = Job()
    facts = fit_ngram.fit(folder, tmp_path, spec(order=2, smoothing="add-one"), job=job)
    assert facts["ngrams"] == [8, 10]
    assert facts["parameters"] == 18
    assert facts["discounts"] == []
    assert facts["notes"] == []
    assert facts["valid_loss"] == pytest.approx(math.log(4.082483))
    point = {"valid_loss": facts["valid_loss"], "seconds": facts["seconds"]}
    assert job.drain() == [(15, point)]
    assert job.done == job.total == 15
    assert facts["seconds"] >= 0
    model = ngram_file.load(tmp_path / "model.ngram")
    assert model.sizes == facts["ngrams"]


def test_classes_are_in_the_record_and_in_the_file(tmp_path):
    lines = ["a1 b1", "a1 b2", "a2 b1", "a2 b2", "a3 b3"] * 5
    folder = write_segmentation(tmp_path / "s", train=lines, valid=["a3 b1"])
    how = RunSpec.from_json({"model": "class-ngram", "config": {"order": 2, "classes": 2}})
    facts = fit_ngram.fit(folder, tmp_path, how, job=Job())
    types = read_json(folder / "vocab.json")["types"]
    named = [sorted(types[i] for i in ids) for ids in facts["classes"]]
    assert sorted(named) == [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
    # <s> A B </s>, each a third of the pairs and each known from the one before
    assert facts["information"] == pytest.approx(math.log2(3), abs=1e-6)
    assert [fit_ngram.INFORMATION, {"bits": "1.585"}] in facts["notes"]
    assert all(values.get("order") != 1 for _, values in facts["notes"])
    # A and B never vary: of each pair one of three words is to be guessed, seen 2 : 2 : 1
    model = ngram_file.load_classes(tmp_path / "model.ngram")
    assert model.sizes == facts["ngrams"]
    np.testing.assert_allclose(np.sort(model.members[3:]), [0.2, 0.2, 0.4, 0.4, 0.4, 0.4])
    assert facts["valid_loss"] == pytest.approx(-model.logprobs(stream(folder)).mean())


def stream(folder):
    return Tokens(folder).stream("valid")


def test_small_corpora_train_with_a_note(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=["甲", "乙"])
    facts = fit_ngram.fit(folder, tmp_path, spec(order=6), job=Job())
    assert facts["notes"]
    assert facts["valid_loss"] is None
    assert facts["discounts"] == [[0.5, 1.0, 1.5]] * 6


def test_impossible_valid_events_make_the_loss_infinite(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TINY, valid=["北京 北京"])
    facts = fit_ngram.fit(folder, tmp_path, spec(smoothing="maximum-likelihood"), job=Job())
    assert facts["valid_loss"] == math.inf


def test_no_training_text_is_said(tmp_path):
    folder = write_segmentation(tmp_path / "s", valid=TINY)
    with pytest.raises(AppError, match="train part is empty"):
        fit_ngram.fit(folder, tmp_path, spec(), job=Job())


@pytest.mark.parametrize("smoothing", ["modified-kneser-ney", "add-one", "katz"])
def test_a_text_beyond_memory_gives_the_same_model(tmp_path, smoothing):
    folder = write_segmentation(tmp_path / "s", train=TINY * 5, valid=["我 爱 我"])
    for name, memory in (("whole", 1 << 20), ("parts", 1000)):
        (tmp_path / name).mkdir()
        how = spec(order=3, smoothing=smoothing)
        fit_ngram.fit(folder, tmp_path / name, how, memory=memory, job=Job())
        assert [path.name for path in (tmp_path / name).iterdir()] == ["model.ngram"]
    found, whole = (tmp_path / name / "model.ngram" for name in ("parts", "whole"))
    assert found.read_bytes() == whole.read_bytes()


def test_a_stopped_job_leaves_no_file(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TINY)
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        fit_ngram.fit(folder, tmp_path, spec(), job=job)
    assert not (tmp_path / "model.ngram").exists()


@pytest.mark.parametrize("size", [1, 4, 100])
def test_pieces_are_whole_sentences_in_order(size):
    stream = np.array([1, 5, 2, 1, 2, 1, 7, 7, 7, 7, 7, 7, 2, 1, 3, 2], np.int32)
    found = list(pieces(stream, size))
    assert np.concatenate(found).tolist() == stream.tolist()
    assert all(piece[0] == 1 and piece[-1] == 2 for piece in found)
    assert all(len(piece) <= size or (piece == 1).sum() == 1 for piece in found)
    assert list(pieces(stream[:0], size)) == []


def test_case_c8_written_sentence_marks_give_the_same_counts(tmp_path):
    tables = []
    for name, lines in {"plain": TINY, "marked": [f"<s> {line} </s>" for line in TINY]}.items():
        corpus = write_corpus(tmp_path / name, train=lines)
        plan = CutPlan(SegmentOptions(by="whitespace", sentences="line"), None, tmp_path)
        encode(corpus, tmp_path / f"{name}-cut", plan, spelling=None, job=Job())
        tables.append(count(Tokens(tmp_path / f"{name}-cut").stream("train"), 8, 3, ignore))
    for plain, marked in zip(*tables, strict=True):
        np.testing.assert_array_equal(plain.keys, marked.keys)
        np.testing.assert_array_equal(plain.counts, marked.counts)


def test_case_c8_written_marks_are_not_spelled(tmp_path):
    marked = [f"<s> {line} </s>" for line in TINY]
    bits = []
    for name, lines in {"plain": TINY, "marked": marked}.items():
        corpus = write_corpus(tmp_path / name, train=lines)
        speller = ngram_file.load_speller(fit_ngram.fit_speller(corpus, job=Job()))
        bits.append([speller.bits(word) for word in ("他", "爱", "广州")])
    assert bits[0] == bits[1]


def test_speller_learns_from_the_train_part_and_is_made_once(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["我爱北京，我爱上海。", "北京！"], test=["魑魅"])
    path = fit_ngram.fit_speller(corpus, job=Job())
    assert path.name == "speller.ngram"
    speller = ngram_file.load_speller(path)
    assert set(map(chr, speller.characters)) == set("我爱北京上海，。！")
    assert speller.bits("北京") < speller.bits("京北") < speller.bits("魑魅")
    made = path.stat().st_mtime_ns
    assert fit_ngram.fit_speller(corpus, job=Job()) == path
    assert path.stat().st_mtime_ns == made


def test_speller_reads_no_more_than_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(fit_ngram, "SPELLER_CHARACTERS", 4)
    corpus = write_corpus(tmp_path / "c", train=["甲乙丙丁戊己", "庚"])
    speller = ngram_file.load_speller(fit_ngram.fit_speller(corpus, job=Job()))
    assert set(map(chr, speller.characters)) == set("甲乙丙丁")


def test_speller_without_training_text_says_so(tmp_path):
    with pytest.raises(AppError, match="train part is empty"):
        fit_ngram.fit_speller(write_corpus(tmp_path / "c", test=["我"]), job=Job())


class _Stopped(Job):
    """Stopped after so many ticks; 0: never."""

    def __init__(self, ticks: int) -> None:
        super().__init__()
        self.left, self.notes = ticks, []

    def tick(self, done, total=0, note="", **point):
        super().tick(done, total, note, **point)
        self.notes.append(str(note))
        self.left -= 1
        if not self.left:
            self.cancel()


def test_a_stopped_search_for_classes_goes_on_to_the_same_end(tmp_path, monkeypatch):
    monkeypatch.setattr(word_classes, "_JOINED", 30)
    monkeypatch.setattr(word_classes, "_TRIED", 20)
    text = made_by_chance(400, 6000)
    words = [text.types[i] for i in text.stream if i > 2]
    lines = [" ".join(words[i : i + 15]) for i in range(0, len(words), 15)]
    folder = write_segmentation(tmp_path / "s", train=lines)
    how = RunSpec.from_json({"model": "class-ngram", "config": {"order": 2, "classes": 6}})
    whole = _Stopped(0)
    facts = fit_ngram.fit(folder, tmp_path / "whole", how, job=whole)
    assert "Finding word classes" in whole.notes
    sittings = 0
    while True:
        job = _Stopped(25 if sittings else 70)  # not before all that are joined
        try:
            again = fit_ngram.fit(folder, tmp_path / "parts", how, job=job)
            break
        except Cancelled:
            sittings += 1
            assert (tmp_path / "parts" / "classes.npz").exists()
            assert job.drain()[-1][1]["seconds"] > 0
    assert sittings > 1
    assert again["information"] == facts["information"]
    files = [(tmp_path / name / "model.ngram").read_bytes() for name in ("whole", "parts")]
    assert files[0] == files[1]
    assert not (tmp_path / "parts" / "classes.npz").exists()


def test_a_damaged_search_is_begun_anew(tmp_path):
    folder = write_segmentation(tmp_path / "s", train=TINY)
    (tmp_path / "classes.npz").write_bytes(b"PK\3\4 no archive")
    how = RunSpec.from_json({"model": "class-ngram", "config": {"order": 2, "classes": 2}})
    assert fit_ngram.fit(folder, tmp_path, how, job=Job())["classes"]
