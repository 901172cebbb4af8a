"""Times what the panel of embeddings promises; a line each: what, figure, limit.

    python -m tests.bench.bench_explore_embeddings

Neighbours of a word among 100,000 x 256; t-SNE of 2,000 points in CPU seconds of one core, and how
soon it stops; frames a second while a map of 50,000 dots is pulled; a matrix of 512 x 512 painted;
what a snapshot of a training costs beside a step. Each is the best of several: the machine may be
busy. Ends with 1 where a limit is passed.
"""

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from lmstudio.analysis.analogies import score_sections
from lmstudio.analysis.neighbours import nearest
from lmstudio.analysis.pca import pca
from lmstudio.analysis.tsne import tsne
from lmstudio.analysis.word_vectors import WordVectors
from lmstudio.errors import Cancelled
from lmstudio.gui import theme
from lmstudio.gui.widgets.scatter_layers import Points
from lmstudio.gui.widgets.scatter_map import ScatterMap
from lmstudio.gui.widgets.similarity_matrix import SimilarityMatrix
from lmstudio.jobs import Job
from lmstudio.training.assembly import build
from lmstudio.training.feeds import train_counts
from lmstudio.training.snapshots import Snapshots
from tests.segmentations import write_segmentation
from tests.training.networks import spec_of

RNG = np.random.default_rng(1)


def best(function: Callable[[], object], times: int = 7) -> float:
    """Milliseconds of the quickest of several calls."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        took.append(time.perf_counter() - began)
    return min(took) * 1000


def neighbours() -> float:
    """Milliseconds of a word's neighbours among 100,000."""
    table = RNG.normal(size=(100_000, 256)).astype(np.float32)
    vectors = WordVectors.of([f"w{number}" for number in range(len(table))], table)
    return best(lambda: nearest(vectors, table[5], 20, [5]))


def groups_of_points(count: int, width: int) -> np.ndarray:
    """Ten clouds."""
    centres = RNG.normal(size=(10, width)) * 3
    clouds = centres[RNG.integers(10, size=count)] + RNG.normal(size=(count, width))
    return clouds.astype(np.float32)


def tsne_seconds() -> float:
    """CPU seconds of 2,000 points."""
    began = time.process_time()
    tsne(groups_of_points(2000, 128), job=Job())
    return time.process_time() - began


def tsne_stop() -> float:
    """Seconds from a stop to its effect."""
    job = Job()
    threading.Timer(2.0, job.cancel).start()
    began = time.perf_counter()
    try:
        tsne(groups_of_points(2000, 128), job=job)
    except Cancelled:
        return time.perf_counter() - began - 2.0
    raise AssertionError("it ended before it was stopped")


def frames_a_second() -> float:
    """Of a map of 50,000 dots that is pulled by 7 pixels a frame."""
    scatter = ScatterMap("bench")
    scatter.resize(900, 560)
    words = [f"词{number}" for number in range(50_000)]
    scatter.show_points(Points(words, RNG.normal(size=(50_000, 2)).astype(np.float32)))
    image = QImage(scatter.size(), QImage.Format.Format_RGB32)
    scatter.render(image)
    took = []
    for _ in range(60):
        began = time.perf_counter()
        scatter._look(scatter.view().moved(QPointF(7, 3)))
        scatter.render(image)
        took.append(time.perf_counter() - began)
    return len(took) / sum(took)


def matrix_milliseconds() -> float:
    """A frame of 512 words against each other."""
    matrix = SimilarityMatrix("bench")
    matrix.resize(700, 620)
    values = RNG.uniform(-1, 1, (512, 512)).astype(np.float32)
    matrix.show_words([f"w{number}" for number in range(512)], values)
    image = QImage(matrix.size(), QImage.Format.Format_RGB32)
    return best(lambda: matrix.render(image))


def snapshot_milliseconds() -> float:
    """A record of 500 words of an LSTM, 256 wide, over 50,000."""
    words = [f"w{number}" for number in range(50_000)]
    train = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    with tempfile.TemporaryDirectory() as folder:
        segmentation = write_segmentation(Path(folder) / "s", train=train, valid=train[:5])
        spec = spec_of("lstm")
        spec = spec.from_json(spec.to_json() | {"config": {"width": 256, "layers": 1}})
        module = build(spec, train_counts(segmentation), segmentation)
        kept = Snapshots(Path(folder) / "run", segmentation)
        return best(lambda: kept.ask(module, 1, 1.0))


def pca_milliseconds() -> float:
    """PCA of 50,000 words, 256 wide."""
    table = RNG.normal(size=(50_000, 256)).astype(np.float32)
    return best(lambda: pca(table), 3)


def analogies_a_second() -> float:
    """Questions over 50,000 words, 128 wide, by both formulas."""
    table = RNG.normal(size=(50_000, 128)).astype(np.float32)
    words = [f"w{number}" for number in range(len(table))]
    vectors = WordVectors.of(words, table)
    questions = [tuple(words[n] for n in RNG.integers(500, size=4)) for _ in range(256)]
    began = time.perf_counter()
    score_sections(vectors, {"bench": questions}, job=Job())
    return len(questions) / (time.perf_counter() - began)


FIGURES: list[tuple[str, Callable[[], float], str, float, bool]] = [
    ("neighbours, 100,000 x 256", neighbours, "ms", 50, False),
    ("t-SNE, 2,000 points, CPU", tsne_seconds, "s", 15, False),
    ("t-SNE, stopped after", tsne_stop, "s", 1, False),
    ("map of 50,000 dots, pulled", frames_a_second, "frames/s", 15, True),
    ("matrix of 512 x 512", matrix_milliseconds, "ms", 20, False),
    ("a snapshot of 500 words", snapshot_milliseconds, "ms", 50, False),
    ("PCA, 50,000 x 256", pca_milliseconds, "ms", 2000, False),
    ("analogies over 50,000 words", analogies_a_second, "/s", 20, True),
]
"""What, how, unit, limit, and whether more is better."""


def main() -> int:
    """Print each figure beside its limit."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, "light", 1.0)
    failed = False
    for what, function, unit, limit, more in FIGURES:
        value = function()
        kept = value >= limit if more else value <= limit
        failed |= not kept
        sign = "≥" if more else "≤"
        print(f"{what:32} {value:10.2f} {unit:8} ({sign} {limit}) {'' if kept else 'NOT KEPT'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
