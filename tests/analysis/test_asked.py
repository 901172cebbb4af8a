"""Models are opened once, and again when their file is another."""

import numpy as np
import pytest

from lmstudio.analysis import asked as opening
from lmstudio.analysis.asked import answering
from lmstudio.analysis.last_used import LastUsed
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec


@pytest.fixture
def cut(workspace):
    opening._open = LastUsed(opening.KEPT)
    corpus = corpora.import_text(workspace, "我爱北京。\n我爱上海。\n" * 8, name="t", job=Job())
    made = segmentations.create(
        workspace, corpus.new_id, SegmentOptions(by="characters"), job=Job()
    )
    return made.new_id


def train(workspace, cut, **spec) -> int:
    return training.train(workspace, cut, RunSpec.from_json(spec), job=Job()).new_id


def test_a_model_is_opened_once(workspace, cut):
    run = train(workspace, cut, model="ngram")
    first = answering(asked(workspace, run, "fill"), job=Job())
    assert answering(asked(workspace, run), job=Job()) is first
    assert first.types[first.pieces("我在", job=Job())[1].id] == "<unk>"
    assert first.model.next_probs(np.array([], np.int32)).shape == (first.rows,)


def test_a_changed_file_is_opened_again(workspace, cut):
    run = train(workspace, cut, model="ngram")
    first = answering(asked(workspace, run), job=Job())
    file = workspace.run_folder(run) / "model.ngram"
    content = file.read_bytes()
    file.unlink()
    with pytest.raises(AppError):
        answering(asked(workspace, run), job=Job())
    file.write_bytes(content)
    assert answering(asked(workspace, run), job=Job()) is not first


def test_only_the_last_ones_are_kept(workspace, cut, monkeypatch):
    monkeypatch.setattr(opening, "_open", LastUsed(1))
    runs = [train(workspace, cut, model="ngram", config={"order": n}) for n in (1, 2)]
    one, _ = (answering(asked(workspace, run), job=Job()) for run in runs)
    assert answering(asked(workspace, runs[0]), job=Job()) is not one


def test_the_reason_is_told(workspace, cut):
    run = train(workspace, cut, model="ngram")
    with pytest.raises(AppError, match="it has no attention"):
        asked(workspace, run, "attention")
