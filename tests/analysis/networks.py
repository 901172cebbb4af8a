"""A run that was not trained, all of its weights random, as something to ask."""

import numpy as np
import torch

from lmstudio.analysis import asked as opening
from lmstudio.analysis.asked import Asked
from lmstudio.analysis.last_used import LastUsed
from lmstudio.data.encode import plan_of
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation
from tests.training.networks import SMALL, VARIANTS

TRAIN = ["a b a", "a c", "d a b"]
COUNTS = 9 * np.array([3, 0, 3, 4, 2, 1, 1])
"""Of `<unk>`, `<s>`, `</s>`, a, b, c, d; a text longer than windows."""


def untrained(folder, monkeypatch, variant: str, **config) -> Asked:
    """A model of a variant of tests.training.networks, over words between spaces."""
    segmentation = folder / "segmentation"
    if not segmentation.exists():
        write_segmentation(segmentation, train=TRAIN)
    family, settings = VARIANTS[variant]
    spec = RunSpec.from_json({"model": family, "config": SMALL[family] | settings | config})
    torch.manual_seed(2)
    module = build(spec, COUNTS, segmentation)
    with torch.no_grad():
        for weights in module.parameters():  # also where training begins with zeros
            weights.add_(torch.randn_like(weights) * 0.3)
    model = module.model()
    monkeypatch.setattr(opening, "load", lambda *_: model)
    opening._open = LastUsed(opening.KEPT)
    plan = plan_of(segmentation, SegmentOptions(by="whitespace", sentences="line"), folder)
    return Asked(variant, segmentation, folder / "run", spec, plan)
