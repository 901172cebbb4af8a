"""Damaged bulk files are refused with a sentence that names the file and the way out."""

import os

import numpy as np
import pytest

from lmstudio.analysis import perplexity
from lmstudio.data.layout import LINE, OFFSET, SENTENCE, CorpusText, Tokens
from lmstudio.data.part_text import PartText
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.training import fit_neural, fit_ngram
from lmstudio.training.spec import RunSpec
from tests.data.corpus_files import write_corpus
from tests.segmentations import write_segmentation

HALF, NOISE = b"half", np.random.default_rng(1).bytes(4 * 13 * 8)


def damage(path, content):
    if content is HALF:
        content = path.read_bytes()[: path.stat().st_size // 2 // 4 * 4]
    path.unlink()
    if content is not None:
        path.write_bytes(content)


@pytest.mark.parametrize("content", [None, b"{}", b"\x01", HALF, NOISE])
@pytest.mark.parametrize("name", ["meta.json", "vocab.json", "tokens.bin", "sentences.idx"])
def test_a_damaged_segmentation_says_segment_again(tmp_path, name, content):
    folder = write_segmentation(tmp_path / "s", train=["a b c", "b a"], valid=["a"], test=["b"])
    damage(folder / name, content)
    for model, fit in (("ngram", fit_ngram.fit), ("lstm", fit_neural.fit)):
        spec = RunSpec.from_json({"model": model})
        with pytest.raises(AppError, match="missing or damaged. Segment the corpus again"):
            fit(folder, tmp_path / "r", spec, job=Job())
        with pytest.raises(AppError, match="missing or damaged. Segment the corpus again"):
            perplexity.evaluate(folder, tmp_path / "r", spec, "valid", job=Job())


def test_a_vocabulary_names_its_file(tmp_path):
    with pytest.raises(AppError, match="vocab.json is missing"):
        Vocabulary.load(tmp_path)


@pytest.mark.parametrize("content", [None, b"\xff", HALF])
@pytest.mark.parametrize("name", ["text.utf8", "lines.idx"])
def test_a_damaged_corpus_says_import_again(workspace, name, content):
    made = corpora.import_text(workspace, "我爱北京。\n你爱上海。\n", name="a", job=Job())
    folder = workspace.corpus_folder(made.new_id)
    damage(folder / name, content)
    with pytest.raises(AppError, match="missing or damaged. Import the texts"):
        CorpusText(folder)


@pytest.mark.parametrize("name", ["tokens.bin", "offsets.bin", "sentences.idx"])
def test_bulk_files_that_were_cut_off_are_refused_when_they_are_opened(tmp_path, name):
    folder = write_segmentation(tmp_path / "s", train=["a b c", "b a a"], valid=["a"], test=["b"])
    path = folder / name
    size = {"tokens.bin": 4, "offsets.bin": OFFSET.itemsize, "sentences.idx": SENTENCE.itemsize}
    records = path.stat().st_size // size[name]
    os.truncate(path, records // 2 * size[name])
    with pytest.raises(AppError, match="missing or damaged. Segment the corpus again"):
        Tokens(folder)


def test_lines_that_were_cut_off_between_records_say_import_again(workspace):
    made = corpora.import_text(workspace, "我爱北京。\n你爱上海。\n", name="a", job=Job())
    folder = workspace.corpus_folder(made.new_id)
    os.truncate(folder / "lines.idx", LINE.itemsize)
    with pytest.raises(AppError, match="missing or damaged. Import the texts"):
        CorpusText(folder)


def test_tokens_of_another_text_are_not_laid_onto_it(tmp_path):
    corpus = write_corpus(tmp_path / "c", train=["短"])
    folder = write_segmentation(tmp_path / "s", train=["a b c", "b a"])
    offsets = np.memmap(folder / "offsets.bin", OFFSET, mode="r+")
    offsets["end"] = 40  # in a line of one character
    text = PartText(corpus, "train")
    with pytest.raises(AppError, match="missing or damaged. Segment the corpus again"):
        text.spans(Tokens(folder))
