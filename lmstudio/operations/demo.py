"""The main line in one go: sample corpus, segmentation, all families, figures on one axis."""

from collections.abc import Iterator

from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations import run_names, samples, segmentations, training
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

SIZE = 300_000  # bytes: two minutes' work for all models
SECONDS = {"ffnn": 8, "rnn": 8, "lstm": 20, "gru": 8, "elmo": 16, "gpt": 16, "bert": 16}
"""How long each network is trained, on whatever computer."""


def specs() -> Iterator[RunSpec]:
    """Unigram, bigram, trigram and 5-gram, then a small network of each kind."""
    for order in (1, 2, 3, 5):
        yield RunSpec.from_json({"model": "ngram", "config": {"order": order}})
    for model, seconds in SECONDS.items():
        training = {"minutes": seconds / 60}
        yield RunSpec.from_json({"model": model, "preset": "small", "training": training})


def run(ws: Workspace, *, size: int = SIZE, job: Job) -> Changes:
    """Make the sample corpus of `size` bytes, cut it into words and train all of `specs`.

    What is there already is used as it is; a run that was stopped goes on.
    """
    corpus = prepare(ws, size=size, job=job)
    cut = ws.segmentations(corpus)[0]
    for spec in specs():
        name = run_names.describe(spec)
        job.note = Message("Training {name}", {"name": name})
        known = trained(ws, cut.id, spec)
        row = known or training.queue_run(ws, cut.id, spec, name=ws.free_name("run", name))
        if row.state != "done":
            training.start(ws, row.id, job=job)
        job.check()
    return Changes(corpora=True, segmentations=True, runs=True, new_id=cut.id)


def trained(ws: Workspace, segmentation_id: int, spec: RunSpec) -> RunRow | None:
    """The run of a spec on a segmentation, if there is one, whatever it is called."""
    return next((r for r in ws.runs(segmentation_id) if r.spec == spec.to_json()), None)


def prepare(ws: Workspace, *, size: int = SIZE, job: Job) -> int:
    """The id of a sample corpus of `size` bytes that has a segmentation; made if need be."""
    if samples.find(ws, size=size) is None:
        name = tr("Sample corpus") + ("" if size == SIZE else f" {size // 1000} kB")
        samples.create(ws, size=size, name=ws.free_name("corpus", name), job=job)
    corpus = samples.find(ws, size=size)
    assert corpus is not None
    if not ws.segmentations(corpus.id):
        options = SegmentOptions(by="jieba")
        name = ws.free_name("segmentation", f"{corpus.name} jieba")
        segmentations.create(ws, corpus.id, options, name=name, job=job)
    return corpus.id
