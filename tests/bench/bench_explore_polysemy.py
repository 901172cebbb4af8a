"""How long a word in sentences takes: `python -m tests.bench.bench_explore_polysemy`.

200 occurrences of a word of the sample corpus and a BERT of 4 layers, 256 wide, cut by jieba: from
the corpus to the painted board, then again with another number of groups. Then the sentences: how
alike ten are, the first time and again, and beside a thousand of the corpus. The model is not
trained, which makes no difference to the time. In a process that has torch; needs no screen.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from lmstudio.analysis.polysemy import Polysemy
from lmstudio.jobs import Job
from lmstudio.operations import demo, polysemy, runs, sentences, training
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec

BOARD_LIMIT, ANSWER_LIMIT = 2000, 200  # milliseconds
SIZES = {"layers": 4, "width": 256, "heads": 4}
WORD, OCCURRENCES = "黄牛", 200
TEXTS, DRAWN = 10, 1000
SAMPLE = 600_000  # bytes: enough for so many occurrences
T = TypeVar("T")


def main() -> int:
    """The table; 1 where a limit is broken."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "w") as ws:
        run, cut = _untrained(ws)
        rows = [*_board(ws, run, cut), *_sentences(ws, run)]
    broken = 0
    for name, spent, limit in rows:
        late = bool(limit and spent > limit)
        broken += late
        told = f"limit {limit} ms" if limit else ""
        print(f"{name:56} {spent:8.1f} ms   {told}{'   BROKEN' if late else ''}")
    return int(bool(broken))


def _untrained(ws: Workspace) -> tuple[int, int]:
    """The ids of a run of one step, and of the segmentation of its sample corpus."""
    corpus = demo.prepare(ws, size=SAMPLE, job=Job())
    cut = ws.segmentations(corpus)[0].id
    spec = {"model": "bert", "config": SIZES, "training": {"max_steps": 1, "batch": 2}}
    run = training.train(ws, cut, RunSpec.from_json(spec), job=Job()).new_id
    assert run is not None
    assert runs.has_model(ws, ws.run(run))
    return run, cut


def _board(ws: Workspace, run: int, cut: int) -> list[tuple[str, float, int]]:
    from PySide6.QtWidgets import QApplication

    from lmstudio.gui import theme

    app = QApplication.instance() or QApplication([])
    theme.apply(app, "light")
    found, searching = _timed(lambda: polysemy.occurrences(ws, 1, WORD, cut, job=Job()))
    assert len(found.occurrences) == OCCURRENCES
    answer, first = _timed(lambda: polysemy.polysemy(ws, run, found.occurrences, job=Job()))
    painted = _painted(ws, run, answer)
    _, again = _timed(lambda: polysemy.polysemy(ws, run, found.occurrences, 2, job=Job()))
    return [
        (f"{OCCURRENCES} occurrences found and cut out of the corpus", searching, 0),
        ("read by the model, which is opened for it, and grouped", first, 0),
        ("painted", painted, 0),
        ("all of it: from the word to the picture", searching + first + painted, BOARD_LIMIT),
        ("in another number of groups", again, ANSWER_LIMIT),
    ]


def _painted(ws: Workspace, run: int, answer: Polysemy) -> float:
    from PySide6.QtGui import QImage, QPainter

    from lmstudio.gui.panels.explore import polysemy_views as views
    from lmstudio.gui.panels.explore.layer_board import LayerBoard

    def paint() -> None:
        board = LayerBoard("bench")
        made = views.cells([ws.run(run)], {run: answer})
        board.show_cells([cell for _, cell in made], [""] * len(answer.pieces))
        board.set_groups(answer.layers[answer.best].labels.tolist(), {}, 1)
        image = QImage(800, 400, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        board.draw(painter, image.rect().toRectF(), "light")
        painter.end()

    return _timed(paint)[1]


def _sentences(ws: Workspace, run: int) -> list[tuple[str, float, int]]:
    text = (ws.corpus_folder(1) / "text.utf8").read_text(encoding="utf-8").splitlines()
    chosen = [text[n] for n in np.linspace(0, len(text) - 1, TEXTS).astype(int)]

    def ask(drawn: int) -> float:
        return _timed(lambda: sentences.similarity(ws, run, chosen, "mean", drawn, job=Job()))[1]

    return [
        (f"{TEXTS} sentences, each to each", ask(0), ANSWER_LIMIT),
        (f"beside {DRAWN} sentences of the corpus, the first time", ask(DRAWN), 0),
        ("the same again, as while typing", ask(DRAWN), ANSWER_LIMIT),
    ]


def _timed(function: Callable[[], T]) -> tuple[T, float]:
    """What it returned, and milliseconds."""
    began = time.perf_counter()
    found = function()
    return found, (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    sys.exit(main())
