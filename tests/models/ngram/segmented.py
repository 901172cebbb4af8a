"""Lines of words -> the folder of a segmentation."""

from pathlib import Path

from lmstudio.data.cut_lines import CutPlan
from lmstudio.data.encode import encode
from lmstudio.jobs import Job
from lmstudio.text.segment_options import SegmentOptions
from tests.models.ngram.texts import write_corpus


def segmented(folder: Path, **parts: list[str]) -> Path:
    """`train=[lines]`, `valid=`, `test=`, one sentence a line, cut at white space."""
    plan = CutPlan(SegmentOptions("whitespace", sentences="line"), None, folder / "cache")
    corpus = write_corpus(folder / "corpus", **parts)
    encode(corpus, folder / "segmentation", plan, spelling=None, job=Job())
    return folder / "segmentation"
