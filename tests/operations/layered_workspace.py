"""A small workspace with networks that hardly learned, an n-gram model that did, and tasks."""

from lmstudio.data.labelled.example import Example, Span
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, tasks, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

CITIES = ("北京", "上海", "广州", "天津")
SAID = {"好": "很好看", "坏": "太难看"}
"""What is said of a city, by label."""


def fill(ws: Workspace, *models: str) -> None:
    """A corpus, a run of each model, named so, and a task of each kind, named so."""
    text = "".join(
        f"{city}{words}，{label}。\n" for city in CITIES for label, words in SAID.items()
    )
    corpora.import_text(ws, text * 12, name="文", job=Job())
    cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
    for model in models:
        counted = RunSpec.from_json({"model": "ngram", "config": {"order": 4}})
        spec = counted if model == "ngram" else network(model)
        training.train(ws, cut, spec, name=model, job=Job())
    for kind in ("classify", "tag", "pair", "qa"):
        rows = examples(kind)
        parts = {"train": rows, "valid": rows[:8], "test": rows}
        tasks.add_examples(ws, kind, kind, parts, job=Job())


def examples(kind: str) -> list[Example]:
    """Examples whose answers stand in the words themselves."""
    if kind == "tag":
        return [Example(f"{city}{words}", spans=(Span(0, 2, "地"),))
                for city in CITIES for words in SAID.values()] * 3  # fmt: skip
    if kind == "pair":
        return [Example(one, other, "同" if one == other else "异")
                for one in CITIES for other in (*CITIES, one, one)]  # fmt: skip
    if kind == "qa":
        return [Example(f"我在{city}玩", "住哪里", spans=(Span(2, 4),)) for city in CITIES * 2]
    return [Example(f"{city}{words}", label=label)
            for city in CITIES for label, words in SAID.items()] * 3  # fmt: skip
