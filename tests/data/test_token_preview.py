"""Pieces of typed texts."""

import pytest

from lmstudio.data.encode import plan_of
from lmstudio.data.token_preview import token_preview
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from tests.segmentations import write_segmentation


@pytest.mark.parametrize("by", ["characters", "whitespace"])
def test_half_a_character_is_refused_whatever_cuts(tmp_path, by):
    folder = write_segmentation(tmp_path / "s", train=["a b"])
    plan = plan_of(folder, SegmentOptions(by=by), tmp_path)
    with pytest.raises(AppError, match="Character 3 of the text is half a character"):
        token_preview(folder, plan, "a \ud800", job=Job())
