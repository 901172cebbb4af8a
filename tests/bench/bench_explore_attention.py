"""How long attention takes: `python -m tests.bench.bench_explore_attention`.

A BERT and a GPT of 4 layers, 256 wide, 8 heads, over 512 tokens. The first picture is counted from
the question to the painted matrix, the file of the model read, in a process that has torch; then
another head, another row with its arithmetic and what the head is worth, one layer of the list of
heads, the same for a sentence of 20, and a frame of the heat map while the row moves. Models are
not trained and the text is made up: neither matters to the time. Needs no screen.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import torch

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.attending import switches
from lmstudio.analysis.attending.attention import Attention, View, attention
from lmstudio.analysis.attending.cell import cell
from lmstudio.analysis.attending.switches import effect, head_changes
from lmstudio.analysis.attending.text import Question
from lmstudio.data.encode import plan_of
from lmstudio.files import write_json
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation

FIRST_LIMIT, ANSWER_LIMIT, FRAME_LIMIT = 3000, 200, 20  # milliseconds
SIZES = {"layers": 4, "width": 256, "heads": 8, "window": 512}
WORDS = [f"w{number}" for number in range(2000)]
LONG, SHORT = 512, 20
REPEATS, FRAMES = 5, 40
HEAD = (2, 5)


def main() -> int:
    """The table; 1 where a limit is broken."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    torch.set_num_threads(1)
    rows: list[tuple[str, float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        cut = write_segmentation(Path(folder) / "segmentation", train=[" ".join(WORDS)] * 2)
        for family in ("bert", "gpt"):
            rows += _family(Path(folder), cut, family)
    for name, spent, limit in rows:
        broken = "   BROKEN" if limit and spent > limit else ""
        told = f"limit {limit} ms" if limit else ""
        print(f"{name:52} {spent:8.1f} ms   {told}{broken}")
    return int(any(limit and spent > limit for _, spent, limit in rows))


def _family(folder: Path, cut: Path, family: str) -> list[tuple[str, float, int]]:
    asked = _saved(folder, cut, family)
    marks = 2 if family == "bert" else 1
    long = Question(" ".join(WORDS[: LONG - marks]))
    short = Question(" ".join(WORDS[:SHORT]))
    painter = _Painter()

    def first() -> Attention:
        found = attention(asked, long, View((HEAD,)), job=Job())
        painter.show(found)
        return found

    spent, found = _timed(first)
    assert len(found.names) == LONG
    rows = [(f"{family}: first picture of {LONG} tokens", spent, FIRST_LIMIT),
            (f"{family}: another head of {LONG} tokens", _median(
                lambda: attention(asked, long, View(((1, 1),)), job=Job())), ANSWER_LIMIT),
            (f"{family}: a cell of {LONG} tokens", _median(
                lambda: cell(asked, long, HEAD, 300, 20, job=Job())), ANSWER_LIMIT),
            (f"{family}: a head of {LONG} tokens switched off, its effect", _afresh(
                lambda: effect(asked, _without(long), 300, job=Job()), 1), 0),
            (f"{family}: heads of a layer by loss, {LONG} tokens", _afresh(
                lambda: head_changes(asked, long, (0,), job=Job()), 1), 0)]  # fmt: skip
    if family == "gpt":
        rows.append((f"heat map {LONG} x {LONG}, a frame", painter.frame(), FRAME_LIMIT))
    attention(asked, short, View((HEAD,)), job=Job())
    rows += [(f"{family}: a sentence of {SHORT}", _median(
                lambda: attention(asked, short, View(((1, 1),)), job=Job())), ANSWER_LIMIT),
             (f"{family}: a head of a sentence of {SHORT} switched off", _afresh(
                lambda: effect(asked, _without(short), 5, job=Job())), ANSWER_LIMIT),
             (f"{family}: all heads by loss, a sentence of {SHORT}", _afresh(
                lambda: head_changes(asked, short, job=Job())), 0)]  # fmt: skip
    return rows


def _without(question: Question) -> Question:
    return Question(question.text, off=(HEAD,))


def _saved(folder: Path, cut: Path, family: str) -> Asked:
    """A run whose weights are in a file."""
    from safetensors.torch import save_file

    spec = RunSpec.from_json({"model": family, "config": SIZES})
    module = build(spec, np.ones(len(WORDS) + 3, np.int64), cut)
    run = folder / family
    best = run / "checkpoints" / "best"
    best.mkdir(parents=True)
    save_file({name: part.contiguous() for name, part in module.state_dict().items()},
              best / "weights.safetensors")  # fmt: skip
    write_json(best / "meta.json", {})
    plan = plan_of(cut, SegmentOptions(by="whitespace", sentences="line"), folder)
    return Asked(family, cut, run, spec, plan)


class _Painter:
    """The matrix as the panel paints it."""

    def __init__(self) -> None:
        from PySide6.QtWidgets import QApplication

        from lmstudio.gui import theme
        from lmstudio.gui.widgets.head_map import HeadMap

        self._app = QApplication.instance() or QApplication([])
        theme.apply(self._app, "light", 1.0)
        self._map = HeadMap("matrix")
        self._map.resize(560, 460)

    def show(self, found: Attention) -> None:
        from lmstudio.gui.widgets.heat_map import HeatGrid

        names = tuple(found.names)
        most = float(found.weights.max())
        barred = found.barred if found.barred.any() else None
        self._map.show_grid(HeatGrid(found.weights, names, names, most, barred=barred))
        self._map.grab()

    def frame(self) -> float:
        """Milliseconds, at the median, to paint while another row is chosen."""
        spent = []
        for row in range(FRAMES):
            self._map.mark(row, row)
            spent.append(_timed(self._map.grab)[0])
        return median(spent)


def _timed(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    found = work()
    return (time.perf_counter() - started) * 1000, found


def _afresh(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median where no loss of an earlier question is known."""
    spent = []
    for _ in range(repeats):
        switches._kept_losses = None
        spent.append(_timed(work)[0])
    return median(spent)


def _median(work: Callable[[], object]) -> float:
    return median(_timed(work)[0] for _ in range(REPEATS))


if __name__ == "__main__":
    sys.exit(main())
