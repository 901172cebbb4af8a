"""What torchrun starts in tests: trains specs of a file, and writes down the curves."""

import json
import sys
from pathlib import Path

import torch

from lmstudio.training import loop, processes
from lmstudio.training.fit_neural import fit
from lmstudio.training.spec import RunSpec
from tests.training.networks import Watched


def main() -> None:
    """Arguments: the segmentation, a folder for runs, a file with {name: spec}."""
    torch.set_num_threads(1)
    loop.LOG_SECONDS = 0.0
    segmentation, folder, specs = map(Path, sys.argv[1:])
    curves = {}
    for name, spec in json.loads(specs.read_text()).items():
        job = Watched()
        facts = fit(segmentation, folder / name, RunSpec.from_json(spec), job=job)
        curves[name] = [job.points, facts["processes"]]
    (folder / "curves.json").write_text(json.dumps(curves))


if __name__ == "__main__":
    if processes.rank():
        processes.follow()
    else:
        main()
        processes.dismiss()
