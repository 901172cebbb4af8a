"""What tells the data of two workspaces apart."""

import hashlib

import pytest

from lmstudio.data.digest import digests, sha256
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations
from lmstudio.text.segment_options import SegmentOptions

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短。\n" * 20


@pytest.fixture
def made(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    cuts = [segmentations.create(workspace, "短文", SegmentOptions(min_count=n), job=Job()).new_id
            for n in (1, 1, 30)]  # fmt: skip
    return [digests(workspace.corpus_folder(1), workspace.segmentation_folder(cut), job=Job())
            for cut in cuts]  # fmt: skip


def test_the_same_data_have_the_same_digest(made, workspace):
    assert made[0] == made[1]
    assert made[2]["text"] == made[0]["text"]
    assert made[2]["tokens"] != made[0]["tokens"]
    text = (workspace.corpus_folder(1) / "text.utf8").read_bytes()
    assert made[0]["text"] == hashlib.sha256(text).hexdigest()


def test_another_split_is_told_from_the_text(made, workspace):
    split = corpora.options_of(workspace, 1).split
    options = corpora.ImportOptions(split=split.__class__(seed=9))
    corpora.import_text(workspace, TEXT, name="other", options=options, job=Job())
    other = digests(workspace.corpus_folder(2), workspace.segmentation_folder(1), job=Job())
    assert other["text"] == made[0]["text"]
    assert other["split"] != made[0]["split"]


def test_a_missing_file_is_told(made, workspace):
    (workspace.segmentation_folder(1) / "tokens.bin").unlink()
    with pytest.raises(AppError, match="Segment the corpus again"):
        digests(workspace.corpus_folder(1), workspace.segmentation_folder(1), job=Job())


def test_it_can_be_stopped(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        sha256([tmp_path / "file"], job=job)
