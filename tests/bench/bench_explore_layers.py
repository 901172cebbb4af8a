"""How long the views of layers take to answer, once a model is open: 200 ms for small ones.

    python -m tests.bench.bench_explore_layers [tokens]

Random weights over 8,000 types: what a layer would predict takes as long trained or not.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from lmstudio.analysis import asked as opening
from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.input_terms import input_terms
from lmstudio.analysis.layer_similarity import layer_similarity
from lmstudio.analysis.logit_lens import lens
from lmstudio.analysis.position_vectors import position_vectors
from lmstudio.analysis.two_directions import two_directions
from lmstudio.data.encode import plan_of
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

TYPES, LIMIT, REPEATS = 8_000, 0.2, 3
SIZES = {
    "lstm": {"layers": 2, "width": 256}, "elmo": {"layers": 2, "width": 128, "cell": 256},
    "bert": {"layers": 4, "width": 256, "heads": 4, "window": 512},
    "gpt": {"layers": 4, "width": 256, "heads": 4, "window": 512},
}  # fmt: skip
QUESTIONS: dict[str, dict[str, Callable[..., object]]] = {
    "lstm": {"lens": lens, "similarity": layer_similarity},
    "elmo": {"both directions": two_directions},
    "bert": {"lens, each token hidden": lens, "input": input_terms},
    "gpt": {"lens": lens, "similarity": layer_similarity, "input": input_terms},
}


def main() -> None:
    """A line for each question, the best of REPEATS; on one core."""
    torch.set_num_threads(1)
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    words = [f"w{number}" for number in range(TYPES)]
    text = " ".join(words[:: TYPES // tokens][:tokens])
    print(f"{tokens} tokens, {TYPES} types, limit {LIMIT * 1000:.0f} ms")
    with tempfile.TemporaryDirectory() as name:
        segmentation = write_segmentation(Path(name, "s"), train=[" ".join(words)])
        for model, questions in QUESTIONS.items():
            run = opened(Path(name), segmentation, model)
            for title, question in questions.items():
                tell(f"{model}: {title}", lambda q=question, r=run: q(r, text, job=Job()))
            if model == "gpt":
                tell("gpt: 512 positions", lambda r=run: position_vectors(r, job=Job()))


def opened(folder: Path, segmentation: Path, model: str) -> Asked:
    """A run whose model is open."""
    spec = RunSpec.from_json({"model": model, "config": SIZES[model]})
    module = build(spec, np.full(TYPES + 3, 9), segmentation).model()
    opening.load = lambda *_: module
    plan = plan_of(segmentation, SegmentOptions(by="whitespace", sentences="line"), folder)
    run = Asked(model, segmentation, folder / model, spec, plan)
    answering(run, job=Job())
    return run


def tell(title: str, ask: Callable[[], object]) -> None:
    """The best time of a question, and what one core had to do for it: others may be at work."""
    waited, worked = [], []
    for _ in range(REPEATS):
        start, begun = time.perf_counter(), time.process_time()
        ask()
        waited.append(time.perf_counter() - start)
        worked.append(time.process_time() - begun)
    share = min(worked) / LIMIT
    print(f"{title:28} {min(waited) * 1e3:7.1f} ms, at work {min(worked) * 1e3:6.1f} ms: "
          f"{share:.2f} of the limit")  # fmt: skip


if __name__ == "__main__":
    main()
