"""A task and an encoder -> a run that goes on pre-training on the texts of the task.

Gururangan et al. 2020, "Don't stop pretraining": what the task is about is learned without labels.
"""

from dataclasses import replace
from pathlib import Path

from lmstudio.data.labelled.task_folder import read_part
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import corpora, runs, segmentations, training
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig

_TOKENIZERS = ("tokenizer.json", "vocab.txt")


def pretrain_on(
    ws: Workspace, task: int | str, encoder: int | str, how: TrainingConfig | None = None, *,
    job: Job,
) -> Changes:  # fmt: skip
    """Queue a run like `encoder` on the task's texts to train with, with its weights to begin with.

    Adds a corpus, cut as the encoder's was; `how`, unless given, is as the encoder was trained.
    `new_id` is the run, to be started by `training.start` and fine-tuned after that. AppError where
    the encoder counts, or has no model.
    """
    row, run = ws.task(task), ws.run(encoder)
    spec = replace(runs.spec_of(ws, run.id), task=None)
    if how is not None:
        spec = replace(spec, training=how)
    training.check_parent(ws, spec, run.id)
    examples = read_part(ws.task_folder(row.id), "train")
    texts = dict.fromkeys(text for one in examples for text in (one.text, one.other) if text)
    title = ws.free_name("corpus", tr("{name}, texts", name=row.name))
    corpus = corpora.import_text(ws, "\n".join(texts) + "\n", name=title, job=job)
    assert corpus.new_id is not None
    before = ws.segmentation(run.segmentation_id)
    options = segmentations.cut_plan(ws, before).options
    cut = segmentations.create(
        ws, corpus.new_id, options, tokenizer=_tokenizer(ws.segmentation_folder(before.id)), job=job
    )
    assert cut.new_id is not None
    name = ws.free_name("run", tr("{encoder}, on with {task}", encoder=run.name, task=row.name))
    queued = training.queue_run(ws, cut.new_id, spec, name=name, warm_start=run.id)
    return Changes(corpora=True, segmentations=True, runs=True, new_id=queued.id,
                   notes=(*corpus.notes, *cut.notes))  # fmt: skip


def _tokenizer(folder: Path) -> Path | None:
    """The file of pieces that a segmentation has of its own."""
    return next((folder / name for name in _TOKENIZERS if (folder / name).exists()), None)
