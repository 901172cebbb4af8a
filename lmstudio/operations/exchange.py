"""Models in the layout of Hugging Face's transformers: brought in as runs, written from runs.

A run stands on a segmentation, and that on a corpus. An imported model is put on a corpus of the
user's, cut by the model's own pieces, so that it is measured on that text; where no corpus is
named, on one made of the model's pieces, a piece a line: it can be asked everything, but figures
of a text need a text.

`RunRow.facts["imported"]` of such a run: "folder" (its name), "type" (model_type), "sha256" of
the weights, "untrained" (tensors of the head of blanks that were not in the files).
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmstudio.data.cut_plan import CutPlan
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading
from lmstudio.formats.huggingface import exporting, importing, settings, task_heads
from lmstudio.formats.huggingface.importing import Looked
from lmstudio.formats.huggingface.task_heads import TaskHead
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, tr
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.operations import model_card, runs, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.operations.imported_runs import (
    Made,
    add_run,
    all_or_nothing,
    own_corpus,
    shared,
)
from lmstudio.store import unfinished
from lmstudio.store.rows import Facts, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training import imported
from lmstudio.training.task_config import TaskConfig


def import_model(
    ws: Workspace, path: Path, *, name: str = "", corpus: int | str | None = None,
    new_words: Sequence[str] = (), job: Job,
) -> Changes:  # fmt: skip
    """Add a run of a model's folder, or of the folder of any file in it.

    `new_words` become tokens of their own, each beginning with the mean of its pieces. AppError
    where the model cannot be read or the name is taken; nothing is left of it then.
    """
    if name:
        ws.check_name("run", name)
    with tempfile.TemporaryDirectory() as scratch:
        looked: Looked = job.call(importing.look, Path(path).absolute(), Path(scratch))

        def make(segmentation_folder: Path, run_folder: Path) -> Facts:
            found: Facts = job.call(imported.take, Path(path).absolute(), segmentation_folder,
                                    run_folder, tuple(new_words))  # fmt: skip
            return {"model": looked.model, **found}

        with all_or_nothing(ws) as made:
            cut = _segmentation(ws, looked, corpus, tuple(new_words), made, job)
            run = add_run(ws, cut, name or ws.free_name("run", looked.name), make, made)
    notes = tuple(runs.notes(run.facts))
    if corpus is None:
        notes = (*notes, *shared(ws, run), Message(
            "It stands on a corpus of its own pieces, {corpus}. To measure it on a text, import it "
            "onto the corpus of that text.", {"corpus": ws.corpus(cut.corpus_id).name},
        ))  # fmt: skip
    return Changes(corpora=corpus is None, segmentations=True, runs=True, new_id=run.id,
                   notes=notes)  # fmt: skip


def refuse_export(ws: Workspace, run: RunRow) -> None:
    """AppError where transformers has no such network or head, or there is no checkpoint."""
    model_card.refuse(run)
    settings.layout(_network(ws, run))
    _head_of(ws, run)
    if not runs.has_model(ws, run):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=run.name)


def write_model(
    ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job
) -> Changes:
    """Write a BERT or GPT run, fine-tuned or not, as a folder that transformers opens.

    A model card is in it. AppError where `path` is there already. See operations.exporting.
    """
    head = _head_of(ws, run)
    cut = ws.segmentation(run.segmentation_id)
    job.call(
        exporting.export, Path(path).absolute(), ws.run_folder(run.id),
        ws.segmentation_folder(cut.id), _network(ws, run), _plan(ws, cut),
        model_card.model_card(ws, run, head), head,
    )  # fmt: skip
    missing = run.facts.get("imported", {}).get("untrained")
    notes = [Message("The head that fills blanks is untrained, as it was imported.")]
    return Changes(notes=tuple(notes if missing else ()))


def _plan(ws: Workspace, cut: SegmentationRow) -> CutPlan:
    """How text is cut; sentences as any corpus has them are "auto" again, for the next one."""
    plan = segmentations.cut_plan(ws, cut)
    if plan.options.sentences != segmentations.auto_sentences(ws.corpus(cut.corpus_id)):
        return plan
    return replace(plan, options=replace(plan.options, sentences="auto"))


def _network(ws: Workspace, run: RunRow) -> BertConfig | GptConfig:
    """The settings of a run that `model_card.refuse` lets through."""
    config: Any = runs.spec_of(ws, run.id).config
    return config


def _head_of(ws: Workspace, run: RunRow) -> TaskHead | None:
    """What a run was fine-tuned for, None for a language model."""
    config = runs.spec_of(ws, run.id).task
    if config is None:
        return None
    if parts := own_parts(config, "last" if run.model == "gpt" else "first"):
        raise AppError("The head of {name} has what transformers has not: {parts}. A run that "
                       "is fine-tuned without it can be exported.", name=run.name,
                       parts=listed(parts))  # fmt: skip
    task_heads.refuse(settings.layout(_network(ws, run)), config.kind)
    if config.kind == "qa":
        return TaskHead("qa", ())
    path = ws.run_folder(run.id) / "labels.json"
    with reading(path, TRAIN_AGAIN):
        labels = read_json(path)
        return TaskHead(config.kind, tuple(map(str, labels)))


def own_parts(config: TaskConfig, pooling: str) -> list[str]:
    """What of a head no network of transformers has, which pools in one way only."""
    found = {"mix": [tr("mixed layers")], "table": [tr("embeddings only")]}.get(config.layers, [])
    if config.reader != "none":
        found.append(tr("BiLSTM"))
    if config.kind == "tag" and config.crf:
        found.append(tr("CRF"))
    if config.kind in ("classify", "pair") and config.pooling not in ("auto", pooling):
        found.append(tr("another pooling ({pooling})", pooling=config.pooling))
    return found


def _segmentation(
    ws: Workspace, looked: Looked, corpus: int | str | None, new_words: tuple[str, ...],
    made: Made, job: Job,
) -> SegmentationRow:  # fmt: skip
    """The corpus cut by the model's pieces; one that is cut so already is used again."""
    options = replace(looked.options, special=" ".join(new_words))
    for cut in _candidates(ws, corpus):
        if _is_cut_by(ws, cut, looked.tokenizer, options):
            return cut
    if corpus is None:
        corpus = own_corpus(ws, looked.name, looked.words, made, job)
    row = ws.corpus(corpus)
    title = ws.free_name("segmentation", f"{row.name} · {looked.name}")
    changes = segmentations.create(
        ws, row.id, options, name=title, tokenizer=looked.tokenizer,
        facts={unfinished.MARK: True}, job=job,
    )  # fmt: skip
    return ws.segmentation(made.add("segmentation", changes))


def _candidates(ws: Workspace, corpus: int | str | None) -> list[SegmentationRow]:
    """The segmentations of a corpus; without one, those of the pieces of models."""
    if corpus is not None:
        return ws.segmentations(ws.corpus(corpus).id)
    own = {row.id for row in ws.corpora() if row.facts.get("pieces_of")}
    return [cut for cut in ws.segmentations() if cut.corpus_id in own]


def _is_cut_by(
    ws: Workspace, cut: SegmentationRow, tokenizer: Path, options: SegmentOptions
) -> bool:  # fmt: skip
    """Whether a segmentation was made with these pieces, in this way."""
    kept = segmentations.cut_plan(ws, cut)
    as_asked = options.sentences in ("auto", kept.options.sentences)
    return (
        kept.tokenizer is not None
        and as_asked
        and replace(kept.options, sentences=options.sentences) == options
        and kept.tokenizer.read_bytes() == tokenizer.read_bytes()
    )
