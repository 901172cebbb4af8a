"""Two processes that train together find what one finds alone."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from lmstudio.jobs import Job
from lmstudio.training import loop
from lmstudio.training.fit_neural import fit
from tests.training.networks import Watched, small_text, spec_of

pytestmark = pytest.mark.slow
STEPS = {"max_steps": 12, "validate_every": 4, "batch": 6}
AMONG = ("ffnn", "lstm of documents", "elmo", "gpt", "bert")


@pytest.fixture(scope="module")
def segmentation(tmp_path_factory):
    return small_text(tmp_path_factory.mktemp("text"))


def without_dropout(variant: str):
    spec = spec_of(variant, **STEPS)
    return replace(spec, config=replace(spec.config, dropout=0.0))


def torchrun(segmentation, folder, specs, count=2):
    (folder / "specs.json").write_text(json.dumps(specs))
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
        str(count), "-m", "tests.training.torchrun_task", segmentation, folder,
        folder / "specs.json",
    ]  # fmt: skip
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(list(map(str, command)), check=True, env=environment, timeout=300)
    return json.loads((folder / "curves.json").read_text())


def test_two_processes_have_the_losses_of_one(segmentation, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)
    specs = {variant: without_dropout(variant) for variant in AMONG}
    curves = torchrun(segmentation, tmp_path, {v: spec.to_json() for v, spec in specs.items()})
    for variant, spec in specs.items():
        alone = Watched()
        fit(segmentation, tmp_path / "alone", spec, job=alone)
        points, processes = curves[variant]
        assert processes == 2
        assert [point[:2] for point in points] == [list(point[:2]) for point in alone.points]
        for (step, name, value), (_, _, expected) in zip(points, alone.points, strict=True):
            assert value == pytest.approx(expected, abs=1e-5, rel=1e-4), (variant, step, name)
        for name in ("loss", "valid_loss"):
            found = [value for _, this, value in points if this == name]
            assert found == pytest.approx(list(alone.curve(name).values()), abs=1e-5), variant


def test_what_two_have_begun_one_can_finish(segmentation, tmp_path):
    spec = without_dropout("gpt")
    torchrun(segmentation, tmp_path, {"run": spec.to_json()})
    longer = replace(spec, training=replace(spec.training, max_steps=15))
    assert fit(segmentation, tmp_path / "run", longer, resume=True, job=Job())["step"] == 15
