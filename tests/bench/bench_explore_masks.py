"""How long a blank takes: `python -m tests.bench.bench_explore_masks [threads]`.

A BERT of 4 layers, from the question to the table of candidates, in a process that has opened it;
an exact fill by a 5-gram over a vocabulary of 50,000; networks that rescore what they have named.
Models are not trained and the text is made up: neither matters to the time.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from lmstudio.analysis import asked as opening
from lmstudio.analysis.asked import Asked
from lmstudio.analysis.fill.fill import fill
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.last_used import LastUsed
from lmstudio.data.encode import plan_of
from lmstudio.data.layout import BOS, EOS
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from lmstudio.training.spec import RunSpec

BERT_LIMIT, NGRAM_LIMIT, RESCORING_LIMIT = 100, 150, 200  # milliseconds
ROWS, WIDE_ROWS = 8_000, 50_000
TOKENS = 1_500_000
REPEATS = 9
SENTENCE = " ".join(f"w{number}" for number in range(60, 90))
NETWORKS = {
    "bert": {"layers": 4, "width": 256, "heads": 4},
    "elmo": {"layers": 2, "width": 256, "cell": 512},
    "rnn": {"width": 256}, "lstm": {"layers": 2, "width": 256},
    "gpt": {"layers": 4, "width": 128, "heads": 4},
}  # fmt: skip


def main() -> int:
    """The table; 1 where a limit is broken."""
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: _network(Path(folder), name) for name in NETWORKS}
        found["5-gram"] = _ngram(Path(folder))
    limits = {"bert": BERT_LIMIT, "5-gram": NGRAM_LIMIT}
    broken = 0
    for name, (first, middle, busy) in found.items():
        limit = limits.get(name, RESCORING_LIMIT)
        broken += middle > limit
        told = f"first {first:7.1f} ms   median {middle:7.1f} ms   limit {limit} ms"
        print(f"{name:8} {told}   of the processor {busy:7.1f} ms"
              f"{'   BROKEN' if middle > limit else ''}")  # fmt: skip
    return int(broken > 0)


def _network(folder: Path, name: str) -> tuple[float, float, float]:
    spec = RunSpec.from_json({"model": name, "config": NETWORKS[name]})
    segmentation = _vocabulary(folder / "small", ROWS)
    torch.manual_seed(1)
    model = build(spec, np.arange(ROWS, 0, -1), segmentation).model()
    return _asked(folder, segmentation, spec, model)


def _ngram(folder: Path) -> tuple[float, float, float]:
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, WIDE_ROWS - 2)
    words = 3 + rng.choice(WIDE_ROWS - 3, TOKENS, p=shares / shares.sum())
    words[: WIDE_ROWS - 3] = rng.permutation(np.arange(3, WIDE_ROWS))  # each at least once
    sentences = words[: TOKENS // 20 * 20].reshape(-1, 20)
    stream = np.pad(sentences, ((0, 0), (1, 1)), constant_values=((0, 0), (BOS, EOS)))
    config = NgramConfig(5, "modified-kneser-ney")
    model, _ = NgramModel.fit(
        stream.ravel().astype(np.int32), WIDE_ROWS, config, lambda share: None
    )
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 5}})
    return _asked(folder, _vocabulary(folder / "wide", WIDE_ROWS), spec, model)


def _asked(
    folder: Path, segmentation: Path, spec: RunSpec, model: object
) -> tuple[float, float, float]:
    """Milliseconds of the first question, the median of the others (each asks another blank), and
    of that what the processor was busy: less where other programs were."""
    opening.load = lambda *_: model  # type: ignore[assignment]
    opening._open = LastUsed(opening.KEPT)
    plan = plan_of(segmentation, SegmentOptions(by="whitespace", sentences="line"), folder)
    run = Asked(spec.model, segmentation, folder / spec.model, spec, plan)
    places = [SENTENCE.index(f"w{number}") for number in range(62, 62 + REPEATS)]

    def ask(place: int) -> None:
        fill(run, Question.of(SENTENCE, [(place, place + 3)]), job=Job())

    times = np.array([_milliseconds(ask, place) for place in places])
    wall, busy = np.median(times[1:], axis=0)
    return float(times[0, 0]), float(wall), float(busy)


def _milliseconds(ask: Callable[[int], None], place: int) -> tuple[float, float]:
    start, begun = time.perf_counter(), time.process_time()
    ask(place)
    return (time.perf_counter() - start) * 1000, (time.process_time() - begun) * 1000


def _vocabulary(folder: Path, rows: int) -> Path:
    """A folder with a vocabulary of made-up words."""
    folder.mkdir(exist_ok=True)
    types = ["<unk>", "<s>", "</s>", *(f"w{number}" for number in range(rows - 3))]
    write_json(
        folder / "vocab.json", {"types": types, "counts": [0, 0, 0, *range(rows - 3, 0, -1)]}
    )
    return folder


if __name__ == "__main__":
    sys.exit(main())
