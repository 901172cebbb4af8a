"""How long a run will take, told before it starts."""

import random

import pytest
import torch

from lmstudio.jobs import Job
from lmstudio.training.estimate import estimate
from lmstudio.training.fit_neural import fit
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation


@pytest.fixture
def segmentation(tmp_path):
    words = random.Random(1)
    sentences = [
        " ".join(str(words.randint(0, 999)) for _ in range(words.randint(5, 60)))
        for _ in range(2000)
    ]
    return write_segmentation(tmp_path / "s", train=sentences, valid=sentences[:50])


def spec_of(**training):
    return RunSpec.from_json({"model": "lstm", "training": {"device": "cpu"} | training})


@pytest.mark.slow
def test_is_within_a_factor_of_two_of_a_real_run(segmentation, tmp_path):
    spec = spec_of(max_steps=60, patience=0)
    ratios = []
    for _ in range(3):  # other programs may take the processor during one of the two
        told = estimate(segmentation, spec, job=Job())
        took = fit(segmentation, tmp_path / "run", spec, job=Job())["seconds"]
        ratios.append(told.seconds / took)
        if 1 / 2 < ratios[-1] < 2:
            break
    assert told.steps == 60
    assert 1 / 2 < ratios[-1] < 2, ratios


def test_leaves_nothing_behind_and_counts_the_weights(segmentation, tmp_path):
    before = sorted(segmentation.rglob("*"))
    spec = spec_of(epochs=3, batch=16)
    told = estimate(segmentation, spec, job=Job())
    assert sorted(segmentation.rglob("*")) == before
    assert told.steps == 3 * 125
    assert told.seconds > 300 * told.seconds_per_step > 0
    weights = sum(count for _, _, count in spec.config.parameters(1003))
    assert 16 * weights < told.memory_bytes < 200 * 2**20
    assert torch.get_num_threads() == 1
