"""Transformers that were not trained, over a segmentation of letters between spaces."""

import numpy as np
import pytest
import torch

from lmstudio.analysis import asked as opening
from lmstudio.analysis.asked import Asked
from lmstudio.analysis.last_used import LastUsed
from lmstudio.data.encode import plan_of
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

COUNTS = np.array([10, 0, 20, 30, 20, 10])
SIZES = {"layers": 2, "width": 8, "heads": 2}


@pytest.fixture
def plan(tmp_path):
    folder = write_segmentation(tmp_path / "segmentation", train=["a b a", "a c"])
    return plan_of(folder, SegmentOptions(by="whitespace", sentences="line"), tmp_path)


@pytest.fixture(params=["gpt", "bert"])
def family(request):
    return request.param


@pytest.fixture
def made(family, plan, tmp_path, monkeypatch):
    """Makes an Asked of some window, and the model that answers for it."""

    def make(window: int = 16):
        torch.manual_seed(1)
        spec = RunSpec.from_json({"model": family, "config": SIZES | {"window": window}})
        folder = tmp_path / "segmentation"
        counts = COUNTS if window <= 16 else COUNTS * 100  # a window is no longer than its text
        module = build(spec, counts, folder)
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
        model = module.model()
        monkeypatch.setattr(opening, "load", lambda *_: model)
        opening._open = LastUsed(opening.KEPT)
        return Asked(family, folder, tmp_path, spec, plan), model

    return make
