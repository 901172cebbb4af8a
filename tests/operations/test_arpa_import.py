"""ARPA files as runs: by themselves, or on a segmentation, with the figures that they had."""

import math

import pytest

from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.operations import (
    corpora,
    evaluation,
    exporting,
    generation,
    laboratory,
    model_files,
    segmentations,
    training,
)
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec

TEXT = "\n".join(["我爱北京。", "我爱上海。", "他爱我。", "她也爱北京。"] * 30)


@pytest.fixture
def ws(workspace):
    corpora.import_text(workspace, TEXT, name="c", job=Job())
    segmentations.create(workspace, "c", SegmentOptions(), name="s", job=Job())
    training.train(workspace, "s", RunSpec("ngram", NgramConfig(3)), name="kn", job=Job())
    return workspace


@pytest.fixture
def file(ws, tmp_path):
    exporting.export(ws, "kn", "arpa", tmp_path / "kn.arpa", job=Job())
    return tmp_path / "kn.arpa"


def bring(ws, path, **how):
    changes = model_files.import_model(ws, path, job=Job(), **how)
    return ws.run(changes.new_id), [str(note) for note in changes.notes]


def test_out_and_in_on_the_same_segmentation(ws, file, tmp_path):
    run, notes = bring(ws, file, segmentation="s", name="back")
    assert (run.name, run.state, run.model) == ("back", "done", "ngram")
    assert run.segmentation_id == ws.segmentation("s").id
    assert run.parameters == ws.run("kn").parameters
    tokens = ws.segmentation("s").facts["parts"]["train"]["tokens"]
    assert notes == [f"Of {tokens} tokens of the train part it lacks 0; they are unknown."]
    ours, theirs = (evaluation.evaluate(ws, name, "test", job=Job()) for name in ("kn", "back"))
    assert theirs["perplexity"] == pytest.approx(ours["perplexity"], rel=1e-5)
    assert theirs["bits_per_character"] == pytest.approx(ours["bits_per_character"], rel=1e-5)
    exporting.export(ws, "back", "arpa", tmp_path / "again.arpa", job=Job())
    assert (tmp_path / "again.arpa").read_text("utf-8") == file.read_text("utf-8")


def test_by_itself_it_can_be_explored(ws, file):
    run, notes = bring(ws, file)
    cut = ws.segmentation(run.segmentation_id)
    assert (run.name, cut.segmenter) == ("kn 2", "characters")
    assert any("on a corpus of its own words, kn" in note and "(--segmentation)" in note
               for note in notes)  # fmt: skip
    walk = laboratory.walk(ws, run.id, "我爱北京。", job=Job())
    before = laboratory.walk(ws, "kn", "我爱北京。", job=Job())
    assert [step.probability for step in walk.steps] == pytest.approx(
        [step.probability for step in before.steps], rel=1e-5
    )
    assert walk.steps[2].formula == f"{walk.steps[2].probability:.4g} = " + (
        f"{walk.steps[2].probability:.4g}"
    )
    again, _ = bring(ws, file, name="once more")
    assert again.segmentation_id == run.segmentation_id


def test_on_other_words_the_corpus_is_cut_once_more(ws, tmp_path):
    path = tmp_path / "small.arpa"
    path.write_text("\\data\\\nngram 1=6\nngram 2=1\n\n\\1-grams:\n-0.60206 我 -0.1\n-0.60206 爱\n"
                    "-0.90309 火星\n-0.90309 <UNK>\n-99 <s> 0\n-0.60206 </s>\n\n\\2-grams:\n"
                    "-0.2 我 爱\n\n\\end\\\n", encoding="utf-8")  # fmt: skip
    run, notes = bring(ws, path, segmentation="s")
    cut = ws.segmentation(run.segmentation_id)
    assert cut.corpus_id == ws.corpus("c").id
    assert Vocabulary.load(ws.segmentation_folder(cut.id)).types[3:] == ["爱", "我", "火星"]
    train = cut.facts["parts"]["train"]
    assert 0 < train["unknown"] < train["tokens"]
    assert any(f"it lacks {train['unknown']}" in note for note in notes)
    assert any("After 我 the probabilities of all words sum to" in note for note in notes)
    found = evaluation.evaluate(ws, run.id, "test", job=Job())
    assert math.isfinite(found["perplexity"])


def test_pieces_of_words_must_be_the_same(ws, file):
    segmentations.create(ws, "c", SegmentOptions(by="bpe", pieces=20), name="p", job=Job())
    with pytest.raises(AppError, match="are not the words of kn"):
        bring(ws, file, segmentation="p")
    training.train(ws, "p", RunSpec("ngram", NgramConfig(2)), name="pieces", job=Job())
    exporting.export(ws, "pieces", "arpa", file, job=Job())
    run, _ = bring(ws, file, segmentation="p")
    ours, theirs = (evaluation.evaluate(ws, one, "test", job=Job()) for one in ("pieces", run.id))
    assert theirs["perplexity"] == pytest.approx(ours["perplexity"], rel=1e-5)


@pytest.mark.parametrize("cut_at", [0, 30, -10])
def test_nothing_is_left_of_a_file_that_is_damaged(ws, file, cut_at):
    before = (ws.corpora(), ws.segmentations(), ws.runs())
    whole = file.read_bytes()
    file.write_bytes(whole[:cut_at])
    for segmentation in (None, "s"):
        with pytest.raises(AppError):
            bring(ws, file, segmentation=segmentation)
    lines = whole.replace(b"\\end\\", b"-1\tx y z\n\\end\\")  # found when the run is made
    file.write_bytes(lines)
    with pytest.raises(AppError, match="not among the 1-grams"):
        bring(ws, file)
    assert (ws.corpora(), ws.segmentations(), ws.runs()) == before
    assert not list((ws.folder / "runs").glob("import.*"))


def test_what_means_nothing_to_it_is_refused(ws, file):
    for how in ({"corpus": "c"}, {"new_words": ["x"]}):
        with pytest.raises(AppError, match="means nothing to a model like kn.arpa"):
            bring(ws, file, **how)
    with pytest.raises(AppError, match="name"):
        bring(ws, file, name="kn")


def test_it_is_not_trained(ws, file):
    run, _ = bring(ws, file)
    with pytest.raises(AppError, match="came in a file"):
        training.queue_run(ws, "s", RunSpec.from_json(run.spec))
    with pytest.raises(AppError):
        training.prolong(ws, run.id, epochs=1)


def test_it_goes_on_with_a_text(ws, file):
    run, _ = bring(ws, file)
    table = generation.next_table(ws, run.id, "我爱", job=Job())
    before = generation.next_table(ws, "kn", "我爱", job=Job())
    assert table.entropy == pytest.approx(before.entropy, abs=1e-4)
