"""Sample corpora: imported by document, with the oracle's figures for each part."""

import pytest

from lmstudio.data.layout import CorpusText
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import evaluation, samples, segmentations, training
from lmstudio.text.grammar import Oracle, load
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec


@pytest.fixture(scope="module")
def size():
    return samples.SMALLEST


def test_a_sample_is_a_corpus_with_an_oracle(workspace, size):
    changes = samples.create(workspace, size=size, job=Job())
    row = workspace.corpus(changes.new_id)
    assert (row.name, row.lines_rule, row.encoding) == ("Sample corpus", "sentence", "utf-8")
    assert row.split_rule.startswith("documents")
    assert size <= row.bytes < size + 3000
    text = CorpusText(workspace.corpus_folder(row.id))
    oracle = Oracle(load())
    for number, part in enumerate(("train", "valid", "test")):
        lines = [text.line(n) for n in range(len(text)) if text.lines["part"][n] == number]
        bits = sum(oracle.bits(line) for line in lines) / sum(map(len, lines))
        assert row.facts["oracle"]["sentence"][part] == pytest.approx(bits)
        assert row.facts["oracle"]["document"][part] < bits


def test_the_file_is_the_corpus_with_blank_lines_between_documents(tmp_path, workspace, size):
    path = tmp_path / "sample.txt"
    samples.write(path, size=size, seed=7, job=Job())
    written = path.read_bytes().decode("utf-8")
    row = workspace.corpus(
        samples.create(workspace, size=size, seed=7, name="seven", job=Job()).new_id
    )
    assert row.name == "seven"
    assert written.count("\n\n") == row.documents - 1
    text = CorpusText(workspace.corpus_folder(row.id))
    assert written.split("\n\n")[0].splitlines() == [
        text.line(n) for n in range(len(text)) if text.lines["document"][n] == 0
    ]


def test_a_sample_too_small_to_be_split_or_with_a_taken_name_is_refused(workspace, size):
    with pytest.raises(AppError, match="50000 bytes or more"):
        samples.create(workspace, size=size - 1, job=Job())
    samples.create(workspace, size=size, name="one", job=Job())
    with pytest.raises(AppError, match="taken"):
        samples.create(workspace, size=size, name="one", job=Job())


def test_a_cancelled_sample_leaves_nothing(workspace, tmp_path, size):
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        samples.create(workspace, size=size, job=job)
    with pytest.raises(Cancelled):
        samples.write(tmp_path / "out.txt", size=size, job=job)
    assert not workspace.corpora()
    assert not list(tmp_path.glob("out.txt*"))


@pytest.mark.slow
def test_no_ngram_comes_near_the_oracle(workspace):
    corpus = workspace.corpus(samples.create(workspace, job=Job()).new_id)
    cut = segmentations.create(workspace, corpus.id, SegmentOptions(by="characters"), job=Job())
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 5}})
    run = training.train(workspace, cut.new_id, spec, job=Job()).new_id
    for part in ("valid", "test"):
        bits = evaluation.evaluate(workspace, run, part, job=Job())["bits_per_character"]
        assert bits > 1.1 * corpus.facts["oracle"]["sentence"][part]
