"""How long a run will take and what memory it needs, told before it starts."""

import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch

from lmstudio.jobs import Job
from lmstudio.training.estimate import estimate
from lmstudio.training.fit_neural import fit
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

MIDDLING = {
    "ffnn": ({"width": 64, "hidden": 128}, {"batch": 256, "max_steps": 400}),
    "rnn": ({"width": 128}, {"max_steps": 160}),
    "gru": ({"width": 128, "context": "document"}, {"max_steps": 80}),
    "lstm": ({"width": 128}, {"max_steps": 150}),
    "elmo": ({"width": 64, "cell": 96}, {"max_steps": 60}),
    "gpt": ({"layers": 2, "width": 128, "window": 64}, {"max_steps": 40}),
    "bert": ({"layers": 2, "width": 128, "window": 64}, {"max_steps": 60}),
}
"""Settings that train for so long that some twenty checkpoints take less."""


@pytest.fixture(scope="module")
def segmentation(tmp_path_factory):
    words = random.Random(1)
    sentences = [
        " ".join(str(words.randint(0, 999)) for _ in range(words.randint(5, 60)))
        for _ in range(2000)
    ]
    folder = tmp_path_factory.mktemp("text") / "s"
    return write_segmentation(folder, train=sentences, valid=sentences[:50])


def spec_of(model, config=None, **training):
    training = {"device": "cpu", "patience": 0, "batch": 16} | training
    return RunSpec.from_json({"model": model, "config": config or {}, "training": training})


@pytest.mark.slow
@pytest.mark.usefixtures("own_time")
@pytest.mark.parametrize("model", MIDDLING)
def test_is_within_a_factor_of_one_and_a_half_of_a_real_run(model, segmentation, tmp_path):
    config, training = MIDDLING[model]
    spec = spec_of(model, config, **training)
    ratios = []
    for _ in range(3):  # other programs may slow the processor down during one of the two
        told = estimate(segmentation, spec, job=Job())
        took = fit(segmentation, tmp_path / "run", spec, job=Job())["seconds"]
        ratios.append(told.seconds / took)
        print(f"{model}: {told.seconds:.2f} s told, {took:.2f} s taken")
        if 1 / 1.5 < ratios[-1] < 1.5:
            break
    assert told.steps == training["max_steps"]
    assert 1 / 1.5 < ratios[-1] < 1.5, ratios


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no most")
@pytest.mark.parametrize(("model", "width"), [("lstm", 256), ("gpt", 128)])
def test_the_memory_is_within_a_factor_of_one_and_a_half(model, width, segmentation, tmp_path):
    """Against the most that a process took, less what one takes that trains next to nothing.

    Both take over 100 MB: what importing torch leaves behind differs by some 5 MB each time.
    """
    config = {"layers": 2, "width": width}
    spec = spec_of(model, config, max_steps=2, batch=96, length=128, precision="fp32")
    told = estimate(segmentation, spec, job=Job()).memory_bytes
    small = replace(spec, training=replace(spec.training, batch=1, length=2))
    small = replace(small, config=replace(small.config, layers=1, width=4))
    most = [_memory(segmentation, tmp_path / "run", s) for s in (small, spec)]
    took = most[1] - most[0]
    print(f"{model}: {told / 2**20:.0f} MB told, {took / 2**20:.0f} MB taken")
    assert 1 / 1.5 < told / took < 1.5


def _memory(segmentation, run, spec) -> int:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_most_memory, segmentation, run, spec).result()


def _most_memory(segmentation, run, spec) -> int:
    torch.set_num_threads(1)
    fit(segmentation, run, spec, job=Job())
    status = Path("/proc/self/status").read_text().splitlines()
    (most,) = [line for line in status if line.startswith("VmHWM")]
    return int(most.split()[1]) * 1024


@pytest.mark.parametrize("model", MIDDLING)
def test_leaves_nothing_behind_and_counts_the_weights(model, segmentation):
    before = sorted(segmentation.rglob("*"))
    spec = spec_of(model, MIDDLING[model][0], epochs=3)
    told = estimate(segmentation, spec, job=Job())
    assert sorted(segmentation.rglob("*")) == before
    assert told.steps % 3 == 0
    assert told.seconds > told.steps * told.seconds_per_step > 0
    weights = sum(count for _, _, count in spec.config.parameters(1003))
    assert 12 * weights < told.memory_bytes < 200 * 2**20
    assert torch.get_num_threads() == 1


@pytest.mark.usefixtures("own_time")
def test_minutes_are_told_as_they_will_be(segmentation):
    told = estimate(segmentation, spec_of("lstm", minutes=0.2, epochs=10_000), job=Job())
    assert 0.7 * 12 < told.seconds < 1.1 * 12


def test_the_batch_that_fits_is_told(segmentation):
    told = estimate(segmentation, spec_of("rnn", batch=0, epochs=1), job=Job())
    assert 16 < told.batch <= 512
