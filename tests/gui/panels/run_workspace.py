"""A small workspace with runs: counted ones for real, networks with curves made up."""

import math

from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

WORDS = ("山", "水", "小河", "大树", "白云", "红花")


def text(sentences: int = 120) -> str:
    """Lines that a model can learn something from."""
    lines = []
    for n in range(sentences):
        one, two = WORDS[n % 6], WORDS[(n * n + 1) % 6]
        lines.append(f"{one}边有{two}，{two}上有{WORDS[(n + 2) % 6]}。")
    return "\n".join(lines) + "\n"


def segmented(ws: Workspace, by: str = "characters", name: str = "") -> int:
    """The id of a segmentation; the corpus is made the first time."""
    known = ws.corpora()
    corpus = (
        known[0].id if known else corpora.import_text(ws, text(), name="山水", job=Job()).new_id
    )
    made = segmentations.create(ws, corpus, SegmentOptions(by=by), name=name or by, job=Job())
    return made.new_id


def counted(ws: Workspace, cut: int, order: int, smoothing: str = "modified-kneser-ney") -> int:
    """The id of a trained n-gram run."""
    data = {"model": "ngram", "config": {"order": order, "smoothing": smoothing}}
    return training.train(ws, cut, RunSpec.from_json(data), job=Job()).new_id


def made_up(ws: Workspace, cut: int, name: str, *, losses=None, state: str = "done",
            best: float = 2.0, points: int = 60) -> int:  # fmt: skip
    """The id of an LSTM run whose curve falls towards `best` (nats), or is `losses`."""
    spec = RunSpec.from_json({"model": "lstm", "preset": "small"})
    row = ws.add_run(cut, name, "lstm", spec.to_json())
    values = losses or [best + 2.5 * math.exp(-n / 12) for n in range(points)]
    rows = []
    for n, value in enumerate(values):
        rows += [(10 * n + 10, 0.5 * n + 0.5, "valid_loss", value),
                 (10 * n + 10, 0.5 * n + 0.5, "loss", value - 0.1)]  # fmt: skip
    ws.add_metrics(row.id, rows)
    ws.update_run(row.id, state=state, seconds=0.5 * len(values), step=10 * len(values),
                  parameters=512_345)  # fmt: skip
    return row.id


def network(ws: Workspace, cut: int, model: str, **config: object) -> int:
    """The id of a network that was trained for a few steps."""
    data = {"model": model, "config": {"width": 8, **config},
            "training": {"max_steps": 6, "validate_every": 2, "batch": 8}}  # fmt: skip
    return training.train(ws, cut, RunSpec.from_json(data), job=Job()).new_id


def opened(folder) -> AppState:
    """The state of a window on a workspace folder."""
    state = AppState(Settings())
    assert state.open_workspace(folder)
    return state
