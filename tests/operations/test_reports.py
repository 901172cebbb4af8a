"""Reports from rows as operations leave them."""

import pytest

from lmstudio.data.layout import PartCounts, SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import reports
from lmstudio.store.rows import PARTS, CorpusRow, SegmentationRow

FIGURES = {
    "perplexity": 50.0, "bits_per_character": 3.25, "events": 1200, "unknown": 3,
    "zero_probability": 0, "context": "sentence", "comparable": True,
}  # fmt: skip


@pytest.fixture
def measured(workspace):
    """Two corpora with a segmentation each; an n-gram run, an LSTM run, and one not yet trained."""
    counts = PartCounts(tokens=1000, sentences=200, characters=1600)
    for number, name in ((1, "tales"), (2, "letters")):
        facts = {"oracle": {"sentence": {"valid": 2.71}}} if name == "tales" else {}
        workspace.add_corpus(
            CorpusRow(number, name, "", "utf-8", "sentence", "", 3, 90, 4000, 9000, facts), []
        )
        workspace.add_segmentation(
            SegmentationRow(number, number, f"{name} words", "", "jieba", 99)
        )
        meta = SegmentationMeta("jieba", parts=dict.fromkeys(PARTS, counts))
        workspace.segmentation_folder(number).mkdir(parents=True)
        meta.save(workspace.segmentation_folder(number))
    workspace.add_run(1, "counted", "ngram", {})
    workspace.add_run(1, "learned", "lstm", {})
    workspace.add_run(2, "new", "lstm", {})
    for number in (1, 2):
        workspace.set_evaluation(number, "valid", FIGURES)
        workspace.set_evaluation(number, "test", FIGURES | {"bits_per_character": 3.5})
    workspace.add_metrics(2, [(10, 2.0, "valid_loss", 4.0), (20, 4.0, "valid_loss", 3.0)])
    return workspace


def test_a_report_has_all_corpora_and_runs(measured, tmp_path):
    page = reports.write(measured, tmp_path / "report.html", job=Job()).read_text(encoding="utf-8")
    for word in ("tales", "letters", "counted", "learned", "new", "2.71", "3.50", "1,200"):
        assert word in page
    assert page.count("<polyline") == 1  # the learned one; counting leaves a point


def test_a_report_of_one_segmentation(measured, tmp_path):
    path = reports.write(measured, tmp_path / "a.html", segmentation="letters words", job=Job())
    page = path.read_text(encoding="utf-8")
    assert "letters" in page
    assert "tales" not in page


def test_an_empty_workspace_has_a_report_too(workspace, tmp_path):
    path = reports.write(workspace, tmp_path / "report.html", job=Job())
    assert "There is no run yet." in path.read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_refused(workspace, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(AppError, match="cannot be written"):
        reports.write(workspace, tmp_path / "file" / "report.html", job=Job())
